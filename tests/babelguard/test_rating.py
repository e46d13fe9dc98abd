"""A rating keeps levels, and the reasons where there is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import Rating, Score, Status
from babelguard.jsonl import dump_line, parse_line

MISSING = [status for status in Status if status is not Status.OK]
SCORES = st.one_of(
    st.builds(Score, st.integers(1, 5), probability=st.none() | st.floats(0, 1), detail=st.none() | st.just("why")),
    st.builds(Score.missing, st.sampled_from(MISSING), st.none() | st.just("why")),
)


@given(st.dictionaries(st.sampled_from(["Toxicity", "Bias", "Violence"]), SCORES), st.none() | st.text(max_size=20))
def test_a_rating_survives_a_line_of_json(scores, raw):
    rating = Rating("judge", "item/1", scores, raw)
    assert Rating.from_dict(parse_line(dump_line(rating.to_dict()).removesuffix(b"\n"))) == rating


def test_a_plain_level_is_stored_as_a_number():
    record = Rating("judge", "i", {"Bias": Score(2), "Insult": Score.missing(Status.REFUSED)}).to_dict()
    assert record["scores"] == {"Bias": 2, "Insult": "refused"}


def test_a_level_goes_with_ok_and_with_nothing_else():
    with pytest.raises(ValueError, match="exactly when"):
        Score(None)
    with pytest.raises(ValueError, match="exactly when"):
        Score(1, Status.REFUSED)
