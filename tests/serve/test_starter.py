"""The guard that ships: whole, small enough to ship, and of use."""

from __future__ import annotations

import json

import pytest

from serve.guard import Guard
from serve.starter import FOLDER

pytestmark = pytest.mark.skipif(not (FOLDER / "guard.json").is_file(), reason="this copy has no starter guard")

GREETINGS = {
    "en": "Good morning, the train leaves at nine.",
    "es": "Buenos días, el tren sale a las nueve.",
    "ja": "おはようございます。電車は九時に出ます。",
    "he": "בוקר טוב, הרכבת יוצאת בתשע.",
    "zh-Hans": "早上好，火车九点出发。",
}


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard.load(FOLDER, provider="cpu", threads=1)  # checksums are verified


def test_it_fits_a_repository() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 45_000_000


def test_its_card_says_what_it_claims_and_how_it_was_made() -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    for part in (
        "## Intended use",
        "## Data",
        "## Limits",
        "## Beside people and other systems",
        "## Ablations",
        "MIT",
    ):
        assert part in card
    claimed = [
        code for code, entry in json.loads((FOLDER / "guard.json").read_text())["languages"].items() if entry["claimed"]
    ]
    assert claimed
    assert f"**Claimed languages.** {', '.join(sorted(claimed))}" in card


def test_a_greeting_is_harmless_in_every_language(guard: Guard) -> None:
    ratings = guard.rate(list(GREETINGS.values()), list(GREETINGS))
    for language, rating in zip(GREETINGS, ratings, strict=True):
        assert set(rating.levels.values()) == {1}, language
        assert not any(rating.flagged.values()), language


def test_it_tells_harm_from_greetings(guard: Guard) -> None:
    harmless, harmful = guard.rate(["You are a wonderful person.", "You are a worthless idiot."], ["en", "en"])
    assert harmful.levels["Insult"] > harmless.levels["Insult"] == 1
    assert harmful.probabilities["Insult"][0] > 0.5
