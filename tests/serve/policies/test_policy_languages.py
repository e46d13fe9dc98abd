"""To which texts the rules and lists for a language speak."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serve.bundle import GuardManifest
from serve.policies import Action
from tests.serve.policies.ratings import CALM, decider, rating


def test_und_speaks_to_texts_whose_language_is_not_known(tmp_path: Path, guard: GuardManifest) -> None:
    policy = decider(
        tmp_path,
        guard,
        categories={"Insult": {"flag": 0.5, "languages": {"und": {"flag": 0.8}, "de": {"flag": 0.9}}}},
        block_lists=[
            {"name": "both", "entries": ["tea"], "languages": ["en", "UND"], "action": "flag"},
            {"name": "english", "entries": ["tea"], "languages": ["en"]},
        ],
    )

    def action(text: str, probability: float, language: str | None) -> str:
        return policy.decide(text, rating("Insult", 1, (probability, 0.1)), language).action.value

    for unknown in (None, "und", "und-Cyrl", "und_Latn", "xx", "tlh"):
        assert action("tea", 0.1, unknown) == "flag"
        assert (action("", 0.7, unknown), action("", 0.8, unknown)) == ("allow", "flag")
        assert policy.decide("", CALM, unknown).language is None
    assert (action("tea", 0.1, "en"), action("tea", 0.1, "de")) == ("block", "allow")
    assert (action("", 0.5, "en"), action("", 0.8, "de"), action("", 0.9, "de")) == ("flag", "allow", "flag")
    assert [tag for tag in policy.rules_by_language if tag is not None] == ["de", "und"]


@given(st.sampled_from(["AT", "CH", "LI", "LU", "BE", "US", "150"]), st.sampled_from("-_"))
def test_a_policy_speaks_to_every_region_of_a_language(
    tmp_path_factory: pytest.TempPathFactory, guard: GuardManifest, region: str, between: str
) -> None:
    policy = decider(
        tmp_path_factory.mktemp("policy"),
        guard,
        every_category={"languages": {"de": {"flag": 0.5}, "zh-Hant": {"flag": 0.5}}},
        block_lists=[{"name": "tea", "entries": ["tee"], "languages": ["de"]}],
    )
    assert policy.decide("", rating("Insult", 1, (0.6, 0.1)), f"de{between}{region}").action == Action.FLAG
    assert policy.decide("tee", CALM, f"deu{between}{region}").action == Action.BLOCK
    assert policy.decide("", rating("Insult", 1, (0.6, 0.1)), f"zh-Hans{between}{region}").action == Action.ALLOW


def test_a_region_that_is_known_by_itself_stands_within_its_language(tmp_path: Path, guard: GuardManifest) -> None:
    policy = decider(
        tmp_path,
        guard,
        every_category={"flag": 0.2, "languages": {"de": {"flag": 0.4}}},
        categories={"Insult": {"languages": {"de-CH": {"flag": 0.9}, "de": {"flag": 0.6, "block": 0.8}}}},
    )
    found = policy.decide("", rating("Insult", 1, (0.85, 0.1)), "de-CH")
    assert [rule.source for rule in found.rules] == ["categories.Insult.languages.de.block"]
    assert policy.decide("", rating("Insult", 1, (0.7, 0.1)), "de-CH").action == Action.ALLOW
    assert policy.decide("", rating("Insult", 1, (0.7, 0.1)), "de-AT").action == Action.FLAG
    assert policy.decide("", rating("Bias", 1, (0.3, 0.1)), "de-CH").action == Action.ALLOW
    assert policy.decide("", rating("Bias", 1, (0.3, 0.1))).action == Action.FLAG
