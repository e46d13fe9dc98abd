"""The block list as a rater: who is flagged, what a hit means, what is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from babelguard.errors import UserError
from babelguard.item import Item, Message
from babelguard.rating import Rating, Status
from babelguard.recipe import validate
from babelguard.taxonomy import RTP_LX
from evaluation.rater import Workbench
from evaluation.raters.block_list import KIND, MOST_SPANS, BlockListOptions, BlockListRater

BENCH = Workbench(RTP_LX, lambda splits: [])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "en.txt").write_text("cat\ncat food\n", encoding="utf-8")
    (tmp_path / "ja.txt").write_text("ネコ\n", encoding="utf-8")
    (tmp_path / "qqq.txt").write_text("x\n", encoding="utf-8")
    return tmp_path


def rater(folder: Path, **options: Any) -> BlockListRater:
    built = KIND.build("lists", validate({"path": folder, **options}, BlockListOptions, "recipe"), BENCH)
    assert isinstance(built, BlockListRater)
    return built


def item(text: str, language: str = "en", messages: tuple[Message, ...] = ()) -> Item:
    return Item("x/1", text, language, "x", "x/1", messages=messages)


def rating(rater: BlockListRater, item: Item) -> Rating:
    return next(rater.rate([item]))


def test_a_hit_is_the_middle_of_the_scale_and_its_place_is_kept(folder: Path) -> None:
    found = rating(rater(folder), item("The CAT, cat food"))
    assert found.scores["Toxicity"].level == 3
    assert {score.status for name, score in found.scores.items() if name != "Toxicity"} == {Status.NOT_COVERED}
    assert json.loads(found.raw or "") == {
        "hits": 3,
        "spans": [[4, 7, ["en"]], [9, 12, ["en"]], [9, 17, ["en"]]],
    }
    assert "cat" not in (found.raw or "").casefold()


def test_no_hit_is_the_lowest_level(folder: Path) -> None:
    assert rating(rater(folder), item("concatenate")).scores["Toxicity"].level == 1
    assert rating(rater(folder), item("")).scores["Toxicity"].level == 1
    assert rating(rater(folder), item("concatenate")).raw is None


def test_conversations_are_searched_too(folder: Path) -> None:
    talk = item("", messages=(Message("user", "hello"), Message("assistant", "a cat")))
    assert json.loads(rating(rater(folder), talk).raw or "")["spans"] == [[8, 11, ["en"]]]


def test_only_languages_with_a_list_are_accepted(folder: Path) -> None:
    built = rater(folder)
    assert [built.accepts(item("x", tag)) for tag in ("en", "ja", "de")] == [True, True, False]
    assert built.notes == ["lists: 1 files name no language that items can have and are set aside: qqq."]


def test_a_list_may_speak_for_other_categories_and_levels(folder: Path) -> None:
    found = rating(rater(folder, categories=["Insult", "Toxicity"], level=2), item("cat"))
    assert (found.scores["Insult"].level, found.scores["Toxicity"].level) == (2, 2)
    with pytest.raises(UserError, match="level 4 is off the scale 1-3 of Insult"):
        rater(folder, categories=["Insult"], level=4)
    with pytest.raises(UserError, match="'Insults'. Did you mean 'Insult'"):
        rater(folder, categories=["Insults"])


def test_what_decides_the_answers_is_in_the_fingerprint(folder: Path) -> None:
    before = rater(folder).fingerprint
    assert rater(folder).fingerprint == before
    assert rater(folder, level=2).fingerprint != before
    (folder / "ja.txt").write_text("ネコ\nイヌ\n", encoding="utf-8")
    assert rater(folder).fingerprint != before


def test_unpleasant_texts_end_with_a_level(folder: Path) -> None:
    long = "cat " * 250_000
    found = rating(rater(folder), item(long))
    raw = json.loads(found.raw or "")
    assert (raw["hits"], len(raw["spans"])) == (250_000, MOST_SPANS)
    assert rating(rater(folder), item("\ud800cat\udc00")).scores["Toxicity"].level == 3


def test_the_presets_read_what_publishers_ship(tmp_path: Path, shared_data: Path) -> None:
    (tmp_path / "eng_Latn_twl.txt").write_text("cat\n", encoding="utf-8")
    assert list(rater(tmp_path, preset="flores-toxicity-200").matchers) == ["en"]
    assert {"ar", "en", "nb", "zh-Hans", "zh-Hant"} <= set(rater(shared_data / "ldnoobw", preset="ldnoobw").matchers)
