"""The everyday texts: complete, harmless by label, and apart from what guards are tested on."""

from __future__ import annotations

import csv
import json
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from babelguard.rejects import RejectLog
from babelguard.taxonomy import taxonomy
from data_prep.sources.sample import BUNDLED, SampleOptions, read
from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "data_prep" / "everyday"
LANGUAGES = sorted(path.stem for path in (FOLDER / "texts").glob("*.jsonl"))


def texts_of(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_meaning_stands_once_in_every_language() -> None:
    log = RejectLog()
    items = list(read(SampleOptions(path=FOLDER), taxonomy("rtp-lx"), log))
    assert len(LANGUAGES) == 17
    assert Counter(item.language for item in items) == dict.fromkeys(LANGUAGES, 120)
    assert {len({item.source_id for item in items if item.language == tag}) for tag in LANGUAGES} == {120}
    assert {level for item in items for levels in item.labels.values() for level in levels} == {1}
    assert {len(item.labels) for item in items} == {8}
    assert Counter(item.split for item in items if item.language == "en") == {"train": 96, "test": 24}


@pytest.mark.parametrize("tag", LANGUAGES)
def test_texts_are_normal_and_different(tag: str) -> None:
    texts = texts_of(FOLDER / "texts" / f"{tag}.jsonl")
    assert len(set(texts)) == len(texts)
    assert all(unicodedata.normalize("NFC", text).strip() == text for text in texts)


def test_none_is_in_the_bundled_sample() -> None:
    sample = {text for path in (BUNDLED / "texts").glob("*.jsonl") for text in texts_of(path)}
    assert not sample & {text for tag in LANGUAGES for text in texts_of(FOLDER / "texts" / f"{tag}.jsonl")}


def test_none_is_in_xstest_by_which_false_alarms_are_measured(shared_data: Path) -> None:
    with (shared_data / "xstest" / "xstest_prompts.csv").open(encoding="utf-8", newline="") as file:
        prompts = {row["prompt"].casefold() for row in csv.DictReader(file)}
    assert not prompts & {text.casefold() for text in texts_of(FOLDER / "texts" / "en.jsonl")}
