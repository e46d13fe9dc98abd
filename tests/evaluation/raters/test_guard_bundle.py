"""A guard bundle as a rater."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from babelguard import RTP_LX, Item, Message, Status, UserError
from babelguard.recipe import validate
from babelguard.taxonomy import Category, Taxonomy
from evaluation.rater import RATER_KINDS, Workbench
from evaluation.raters.guard_bundle import KIND, GuardBundleOptions, GuardBundleRater
from serve import Guard
from tests.tiny_bundle import make_tiny_bundle

BENCH = Workbench(RTP_LX, lambda splits: [])


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_bundle(tmp_path_factory.mktemp("bundle"), precisions=("fp32", "int8"))


def rater(bundle: Path, bench: Workbench = BENCH, **options: object) -> GuardBundleRater:
    return KIND.build("guard", validate({"path": str(bundle), **options}, GuardBundleOptions, "recipe"), bench)


def item(number: int, text: str, language: str = "en", **more: object) -> Item:
    return Item(str(number), text, language, "s", f"s/{number}", **more)


def test_the_kind_is_found_by_its_name() -> None:
    assert RATER_KINDS.get("guard-bundle") is KIND


def test_ratings_are_the_guards(bundle: Path) -> None:
    texts, languages = ["hello friend", "awful tea", "a kind day"], ["en", "de", "fi"]
    expected = Guard.load(bundle).rate(texts, languages)
    made = rater(bundle)
    items = [item(n, text, language) for n, (text, language) in enumerate(zip(texts, languages, strict=True))]
    for rating, guard in zip(made.rate(items), expected, strict=True):
        assert set(rating.scores) == set(RTP_LX.names)
        for category, score in rating.scores.items():
            assert score.level == guard.levels[category]
            assert score.probability == pytest.approx(guard.probabilities[category][0], abs=1e-6)
        assert json.loads(rating.raw or "")["language"] == guard.language


def test_conversations_are_read_turn_below_turn(bundle: Path) -> None:
    turns = (Message("user", "hello friend"), Message("assistant", "awful tea"))
    (talk,) = rater(bundle).rate([item(0, "", messages=turns)])
    (text,) = rater(bundle).rate([item(0, "hello friend\nawful tea")])
    assert talk == text


def test_a_text_without_a_token_is_not_applicable(bundle: Path) -> None:
    (empty, full) = rater(bundle).rate([item(0, " "), item(1, "tea")])
    assert {score.status for score in empty.scores.values()} == {Status.NOT_APPLICABLE}
    assert {score.status for score in full.scores.values()} == {Status.OK}


def test_notes_count_what_a_reader_must_know(bundle: Path) -> None:
    made = rater(bundle)
    items = [item(0, "tea " * 100), item(1, "tea\ud800", "de"), item(2, "tea", "fi"), item(3, " ", "sv")]
    for rating in made.rate(items):
        made.observe(rating)
    assert made.notes == [
        "guard: 1 of 3 texts are longer than the guard's window of 16 tokens; they were scored in overlapping windows, "
        "of which the highest counts.",
        "guard: 1 of 3 texts hold lone surrogates, which were read as U+FFFD.",
        "guard: 2 of 3 ratings use the pooled calibration and thresholds, for their languages have none of their own: "
        "en, fi.",
        "guard: the guard does not claim to know de, fi; figures there are what they are.",
    ]
    assert rater(bundle).notes == []


def test_only_claimed_languages_where_asked_for(bundle: Path) -> None:
    made = rater(bundle, claimed_only=True)
    assert [made.accepts(item(0, "tea", code)) for code in ("en", "en-GB", "de", "fi")] == [True, True, False, False]
    assert rater(bundle).accepts(item(0, "tea", "fi"))


def test_the_fingerprint_follows_what_decides(bundle: Path, tmp_path: Path) -> None:
    base = rater(bundle).fingerprint
    assert rater(bundle, threads=1, batch_tokens=64).fingerprint == base
    assert rater(bundle, precision="int8").fingerprint != base
    assert rater(make_tiny_bundle(tmp_path / "other", precisions=("fp32", "int8"), seed=1)).fingerprint != base


def test_categories_that_the_guard_lacks_are_not_covered(tmp_path: Path) -> None:
    part = Taxonomy("part", RTP_LX.categories[:2])
    made = rater(make_tiny_bundle(tmp_path / "part", taxonomy=part))
    assert made.covers == ("Toxicity", "IdentityAttack")
    (rating,) = made.rate([item(0, "tea")])
    assert rating.scores["Bias"].status is Status.NOT_COVERED


def test_a_guard_of_another_taxonomy_is_refused(tmp_path: Path) -> None:
    mood = Taxonomy("mood", (Category("Anger", "Anger", "Anger.", ("none", "some")),))
    folder = make_tiny_bundle(tmp_path / "mood", taxonomy=mood)
    with pytest.raises(UserError, match="Unknown category of the taxonomy rtp-lx 'Anger'"):
        rater(folder)
    short = Taxonomy("short", (Category("Toxicity", "Toxicity", "Toxicity.", ("none", "some")),))
    folder = make_tiny_bundle(tmp_path / "short", taxonomy=short)
    with pytest.raises(UserError, match="scale of Toxicity ends at 2, and that of the taxonomy rtp-lx at 5"):
        rater(folder)


def test_a_damaged_bundle_is_refused_before_any_work(tmp_path: Path) -> None:
    folder = make_tiny_bundle(tmp_path / "b")
    (folder / "README.md").write_text("changed", encoding="utf-8")
    with pytest.raises(UserError, match=r"README.md is not what SHA256SUMS says"):
        rater(folder)
