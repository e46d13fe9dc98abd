"""Stored ratings survive a stop in the middle of a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import Rating, Score, UserError
from evaluation.ratings_file import RatingsFile, rating_key


def a_rating(number: int) -> tuple[str, Rating]:
    return f"key{number}", Rating("judge", f"item/{number}", {"Bias": Score(1 + number % 3)}, raw="line\u2028one\ntwo")


@given(kept=st.integers(0, 4), cut=st.integers(0, 200))
def test_a_torn_last_line_is_cut_off_and_the_rest_is_kept(tmp_path_factory, kept, cut):
    file = RatingsFile(tmp_path_factory.mktemp("ratings") / "judge.jsonl")
    file.append([a_rating(number) for number in range(kept)])
    whole = file.path.read_bytes()
    file.append([a_rating(kept)])
    last = file.path.read_bytes()[len(whole) :]
    torn = last[: min(cut, len(last) - 1)]
    file.path.write_bytes(whole + torn)
    file.mend()
    assert file.path.read_bytes() == whole
    assert list(file.read()) == [a_rating(number) for number in range(kept)]
    file.append([a_rating(kept)])
    assert list(file.read())[-1] == a_rating(kept)


def test_a_file_that_is_not_there_is_empty(tmp_path):
    file = RatingsFile(tmp_path / "none.jsonl")
    file.mend()
    assert list(file.read()) == []


def test_a_foreign_line_is_named(tmp_path):
    file = RatingsFile(tmp_path / "judge.jsonl")
    file.append([a_rating(0)])
    with file.path.open("ab") as stream:
        stream.write(b'{"key": "x", "rater": "judge"}\n')
    with pytest.raises(UserError, match=r"judge\.jsonl, line 2: this is not a stored rating.*delete the line"):
        list(file.read())


def test_keys_tell_items_contents_and_raters_apart():
    keys = {rating_key(*parts) for parts in [("a", "b", "c"), ("x", "b", "c"), ("a", "x", "c"), ("a", "b", "x")]}
    assert len(keys) == 4
    assert rating_key("a", "b", "c") == rating_key("a", "b", "c")
