from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard.errors import UserError
from serve.bundle import GuardManifest
from serve.policies import DEFAULT_POLICY, Action, Decider, PolicyStore, load_policy
from serve.policies.comparing import Comparison, Flip, compare
from serve.policies.phrases import Phrases
from tests.conftest import REPOSITORY
from tests.serve.policies.ratings import CALM, decider, rating, write


def test_the_default_policy_flags_what_the_guard_flags(guard: GuardManifest) -> None:
    default = Decider(load_policy(DEFAULT_POLICY, guard), guard)
    assert default.decide("", CALM).action == Action.ALLOW
    decision = default.decide("", rating("Insult", probabilities=(0.7, 0.1), flagged=True), "en")
    assert decision.action == Action.FLAG
    assert {name for name, action in decision.categories.items() if action != Action.ALLOW} == {"Insult"}
    (rule,) = decision.rules
    assert (rule.category, rule.source, rule.value) == ("Insult", "every_category.flag", 0.7)


def test_the_policy_of_the_docs_is_one(tmp_path: Path, guard: GuardManifest) -> None:
    docs = (REPOSITORY / "docs" / "serving.md").read_text(encoding="utf-8").partition("## Policies")[2]
    path = tmp_path / "policy.yaml"
    path.write_text(docs.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")
    made = docs.partition("printf '")[2].partition("' > spam.txt")[0]
    (tmp_path / "spam.txt").write_text(made.replace("\\n", "\n"), encoding="utf-8")
    policy = Decider(load_policy(path, guard), guard)
    assert policy.decide("Cheap watches!", CALM).action == Action.FLAG
    assert policy.decide("Cheap watches!", CALM, "de").action == Action.ALLOW


def test_the_innermost_condition_counts(tmp_path: Path, guard: GuardManifest) -> None:
    policy = decider(
        tmp_path,
        guard,
        every_category={"flag": 0.5, "languages": {"fr": {"flag": 0.2}}},
        categories={
            "Insult": {"flag": 0.8, "block": {"level": 3}, "languages": {"deu": {"flag": "never"}}},
            "Bias": {"block": {"probability": 0.4, "above": 2}},
        },
    )
    insult = rating("Insult", 2, (0.6, 0.3))
    assert policy.decide("", insult).action == Action.ALLOW
    assert policy.decide("", rating("Insult", 2, (0.8, 0.3))).action == Action.FLAG
    assert policy.decide("", rating("Insult", 3, (0.9, 0.9))).action == Action.BLOCK
    assert policy.decide("", rating("Insult", 2, (0.99, 0.3)), "de_DE").action == Action.ALLOW
    assert policy.decide("", rating("Insult", 3, (0.99, 0.9)), "de").action == Action.BLOCK
    # A category's own value stands before that of a language for every category.
    assert policy.decide("", insult, "fr").action == Action.ALLOW
    assert policy.decide("", rating("Violence", 1, (0.3, 0.1)), "fr-CA").action == Action.FLAG
    assert policy.decide("", rating("Violence", 1, (0.3, 0.1)), "xx").action == Action.ALLOW
    assert policy.decide("", rating("Bias", 2, (0.45, 0.4))).action == Action.BLOCK
    assert policy.decide("", rating("Bias", 2, (0.5, 0.39))).action == Action.FLAG


def test_the_severest_rule_decides_and_all_are_told(tmp_path: Path, guard: GuardManifest) -> None:
    policy = decider(tmp_path, guard, every_category={"flag": 0.5}, categories={"Violence": {"block": {"level": 2}}})
    both = replace(
        rating("Violence", 2, (0.6, 0.1)),
        probabilities={**CALM.probabilities, "Violence": (0.6, 0.1), "Insult": (0.9, 0.1)},
    )
    decision = policy.decide("", both)
    assert decision.action == Action.BLOCK
    assert [(rule.category, rule.action.value) for rule in decision.rules] == [
        ("Violence", "block"),
        ("Insult", "flag"),
    ]
    assert decision.rules[0].condition == "level >= 2"


def test_block_lists_find_whole_words_and_allow_lists_shield_them(tmp_path: Path, guard: GuardManifest) -> None:
    (tmp_path / "more.txt").write_text("\ufeffmarmalade\n\n  Straße \n", encoding="utf-8")
    policy = decider(
        tmp_path,
        guard,
        block_lists=[
            {"name": "jam", "entries": ["jam"], "file": "more.txt"},
            {"name": "german", "entries": ["kuchen"], "languages": ["de"], "action": "flag"},
            {"name": "spaceless", "entries": ["茶"]},
        ],
        allow_lists=[{"name": "titles", "entries": ["traffic jam"]}],
    )

    def action(text: str, language: str | None = None) -> str:
        return policy.decide(text, CALM, language).action.value

    assert action("I like JAM!") == "block"
    assert action("jammed") == "allow"
    assert action("a traffic jam today") == "allow"
    assert action("a traffic jam and jam") == "block"
    assert action("STRASSE") == "block"
    assert action("Kuchen", "de-AT") == "flag"
    assert action("Kuchen", "en") == "allow"
    assert action("喝茶吗") == "block"
    assert action("j\u200bam") == "block"
    (rule,) = policy.decide("I like JAM!", CALM).rules
    assert (rule.source, rule.spans) == ("block_lists.jam", ((7, 10),))


@pytest.mark.parametrize(
    "content",
    [{}, {"every_category": {"flag": "never"}}, {"allow_lists": [{"name": "titles", "entries": ["a title"]}]}],
)
def test_a_policy_without_a_rule_is_remarked_on(
    content: dict[str, object], tmp_path: Path, guard: GuardManifest
) -> None:
    remark = decider(tmp_path, guard, **content).remark
    assert remark is not None
    assert "allows everything" in remark


@pytest.mark.parametrize(
    "content",
    [
        {"every_category": {"languages": {"de": {"flag": "guard"}}}},
        {"block_lists": [{"name": "tea", "entries": ["tea"], "languages": ["en"]}]},
    ],
)
def test_a_policy_with_a_rule_is_not(content: dict[str, object], tmp_path: Path, guard: GuardManifest) -> None:
    assert decider(tmp_path, guard, **content).remark is None


def test_an_allow_list_overrules_the_guard_only_for_a_whole_text(tmp_path: Path, guard: GuardManifest) -> None:
    policy = decider(
        tmp_path,
        guard,
        every_category={"block": {"level": 2}},
        allow_lists=[{"name": "greetings", "entries": ["good  day"]}],
    )
    assert policy.decide("Good day", rating("Insult", 3)).action == Action.ALLOW
    assert policy.decide("Good day, more", rating("Insult", 3)).action == Action.BLOCK


@settings(deadline=None, max_examples=80)
@given(st.text(max_size=40), st.text("abc é\u0301茶สव\u200d", min_size=1, max_size=3), st.text(max_size=10))
def test_an_entry_between_blanks_is_found_where_it_stands(before: str, entry: str, after: str) -> None:
    phrases = Phrases([entry])
    text = f"{before} {entry} {after}"
    hits = phrases.find(text)
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    if len(phrases) and entry[0] not in " \u0301\u200d" and entry[-1] not in " \u0301\u200d":
        assert any(hit.start <= len(before) + 1 < hit.end for hit in hits)


def test_accents_are_found_in_either_encoding() -> None:
    phrases = Phrases(["café"])
    assert [(hit.start, hit.end) for hit in phrases.find("a cafe\u0301 b")] == [(2, 7)]
    assert phrases.find("a cafe b") == []
    assert [(hit.start, hit.end) for hit in Phrases(["cafe"]).find("cafe\u0301")] == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"categories": {"Insalt": {"flag": 0.5}}}, "Did you mean 'Insult'?"),
        ({"every_category": {"flog": 0.5}}, "unknown key 'every_category.flog'"),
        ({"categories": {"Insult": {"block": {"level": 4}}}}, "the scale of Insult ends at 3"),
        ({"categories": {"Insult": {"block": {"probability": 0.5, "above": 3}}}}, "ends at 3"),
        ({"every_category": {"languages": {"qqq": {"flag": 0.5}}}}, "languages.qqq: Unknown language 'qqq'."),
        ({"every_category": {"languages": {"und-Cyrl": {"flag": 0.5}}}}, "write und, not und-Cyrl"),
        ({"every_category": {"languages": {"de": {"flag": 0.5}, "deu": {"flag": 0.4}}}}, "names a language twice"),
        ({"every_category": {"flag": 1.5}}, "every_category.flag"),
        ({"block_lists": [{"name": "x", "file": "nowhere.txt"}]}, "nowhere.txt does not exist"),
        ({"block_lists": [{"name": "x", "entries": ["\u200b"]}]}, "has no entry"),
        ({"block_lists": [{"name": "x"}]}, "needs `entries` or a `file`"),
        ({"format": 2}, "format"),
    ],
)
def test_mistakes_are_told_in_words(
    content: dict[str, object], said: str, tmp_path: Path, guard: GuardManifest
) -> None:
    path = write(tmp_path, **content)
    with pytest.raises(UserError) as error:
        load_policy(path, guard)
    assert said in str(error.value)


def test_a_level_for_every_category_never_holds_on_shorter_scales(tmp_path: Path, guard: GuardManifest) -> None:
    policy = decider(tmp_path, guard, every_category={"block": {"level": 4}, "flag": {"probability": 0.5, "above": 3}})
    assert policy.decide("", rating("Toxicity", 4)).action == Action.BLOCK
    assert policy.decide("", rating("Insult", 3, (1.0, 1.0))).action == Action.ALLOW


def test_a_version_may_look_like_a_date_or_a_number(tmp_path: Path) -> None:
    for raw in ("2026-11-30", "7", "010", "1_0", "'1.10'", "v1.10", "1.2.3"):
        path = tmp_path / "policy.yaml"
        path.write_text(f"format: 1\nname: x\nversion: {raw}\n", encoding="utf-8")
        assert load_policy(path).version == raw.strip("'")


def test_a_changed_file_is_read_again_and_a_broken_one_is_not_used(tmp_path: Path, guard: GuardManifest) -> None:
    path = write(tmp_path, every_category={"flag": 0.5})
    store = PolicyStore(path, guard)
    first = store.decider
    assert not store.refresh()
    path.write_text("format: 1\nname: [broken", encoding="utf-8")
    assert not store.refresh()
    assert store.decider is first
    assert store.problem is not None
    assert "line" in store.problem
    path.unlink()
    assert not store.refresh()
    assert store.decider is first
    write(tmp_path, version="2", every_category={"flag": 0.9})
    assert store.refresh()
    assert store.decider.policy.version == "2"
    assert store.problem is None
    assert (store.reloads, store.failures) == (1, 2)


def test_a_changed_list_is_read_again_and_changes_the_digest(tmp_path: Path, guard: GuardManifest) -> None:
    words = tmp_path / "words.txt"
    words.write_text("tea\n", encoding="utf-8")
    store = PolicyStore(write(tmp_path, block_lists=[{"name": "words", "file": "words.txt"}]), guard)
    before = store.decider.policy.digest
    words.write_text("tea\ncoffee\n", encoding="utf-8")
    assert store.refresh()
    assert store.decider.policy.digest != before
    assert store.decider.decide("coffee", CALM).action == Action.BLOCK


def test_flips_are_counted_by_language_with_their_causes(tmp_path: Path, guard: GuardManifest) -> None:
    old = decider(tmp_path, guard, every_category={"flag": 0.5})
    content = {"every_category": {"flag": 0.8}, "block_lists": [{"name": "tea", "entries": ["tea"]}]}
    new = Decider(load_policy(write(tmp_path, "new.yaml", **content), guard), guard)
    rated = [
        ("1", "calm", "en", CALM),
        ("2", "", "en", rating("Insult", 1, (0.6, 0.1))),
        ("3", "", "de", rating("Insult", 1, (0.9, 0.1))),
        ("4", "tea", None, CALM),
    ]
    comparison = Comparison()
    flips = list(compare(rated, old, new, comparison))
    assert flips == [
        Flip("2", "en", Action.FLAG, Action.ALLOW, ("no longer Insult: P(level > 1) >= 0.5 (every_category.flag)",)),
        Flip("4", "unknown", Action.ALLOW, Action.BLOCK, ("now an entry is in the text (block_lists.tea)",)),
    ]
    assert (comparison.flips(), comparison.flips("en"), comparison.flips("de")) == (2, 1, 0)
    assert comparison.rate(Action.FLAG, "en", new=False) == 0.5
