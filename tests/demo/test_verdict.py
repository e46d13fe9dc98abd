"""Verdicts: the guard's figures and the policy's thresholds, as the page shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard.errors import UserError
from demo.verdict import Moderator
from serve.guard import Guard
from serve.policies import PolicyStore
from tests.demo.conftest import FLAGGED, HARMLESS


def test_shows_the_guards_figures_and_thresholds(guard: Guard, moderator: Moderator) -> None:
    rating = guard.rate([FLAGGED], ["en"])[0]
    verdict = moderator.judge(FLAGGED, "en")
    toxicity = verdict.categories[0]
    assert (toxicity.title, toxicity.scale, toxicity.above) == ("Toxicity", 5, 2)  # half of the scale, rounded down
    assert toxicity.probability == rating.probabilities["Toxicity"][1]
    assert toxicity.threshold == 0.6
    assert verdict.action == "flag"
    assert [c.name for c in verdict.categories if c.flagged] == [n for n, flagged in rating.flagged.items() if flagged]
    assert verdict.levels == rating.levels


def test_the_leading_category_is_the_one_furthest_above_its_threshold(moderator: Moderator) -> None:
    verdict = moderator.judge(FLAGGED, "en")
    assert verdict.flags[0].name == verdict.leading.name
    assert verdict.leading.probability == max(category.probability for category in verdict.categories)


def test_a_harmless_text_is_allowed(moderator: Moderator) -> None:
    verdict = moderator.judge(HARMLESS, "en")
    assert (verdict.action, verdict.flags) == ("allow", ())


def test_says_whose_thresholds_were_used(moderator: Moderator) -> None:
    assert moderator.judge(HARMLESS, "de").own_thresholds  # German has a calibration of its own
    pooled = moderator.judge(HARMLESS, "sw")
    assert (pooled.language, pooled.own_thresholds) == (None, False)


def test_a_policy_sets_thresholds_levels_and_lists(guard: Guard, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "format: 1\nname: strict\nversion: '7'\n"
        "every_category: {flag: guard, block: 0.9}\n"
        "categories: {Insult: {flag: {level: 2}, block: never}, Bias: {flag: {probability: 0.4, above: 2}}}\n"
        "block_lists: [{name: own, entries: [tea]}]\n",
        encoding="utf-8",
    )
    moderator = Moderator.of(guard, policy)
    verdict = moderator.judge("a good tea", "en")
    words = {c.name: [t.words for t in c.thresholds] for c in verdict.categories}
    assert words["Toxicity"] == ["flags from 0.60", "blocks from 0.90"]
    assert words["Insult"] == ["flags from level 2"]
    assert words["Bias"] == ["flags from 0.40", "blocks from 0.90"]
    assert next(c for c in verdict.categories if c.name == "Bias").above == 2
    assert (verdict.action, verdict.lists) == ("block", ("the block-list own (block)",))
    assert moderator.policy_name == "strict 7"


def test_a_policy_that_does_not_fit_is_refused(guard: Guard, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("format: 1\nname: x\nversion: '1'\ncategories: {Rudeness: {flag: 0.5}}\n", encoding="utf-8")
    with pytest.raises(UserError, match="Rudeness"):
        Moderator.of(guard, policy)


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\ud800 lone", "\x00", "a\u202eb" * 50])
def test_any_text_has_a_verdict(moderator: Moderator, text: str) -> None:
    verdict = moderator.judge(text)
    verdict.text.encode("utf-8")
    assert len(verdict.categories) == 8


def test_a_policy_that_is_read_anew_decides(guard: Guard, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("format: 1\nname: x\nversion: '1'\nevery_category: {flag: never}\n", encoding="utf-8")
    store = PolicyStore(policy, guard.bundle)
    moderator = Moderator.of(guard, store)
    assert moderator.judge(FLAGGED, "en").action == "allow"
    policy.write_text("format: 1\nname: x\nversion: '22'\nevery_category: {block: guard}\n", encoding="utf-8")
    assert store.refresh()
    assert moderator.judge(FLAGGED, "en").action == "block"
    assert moderator.policy_name == "x 22"
