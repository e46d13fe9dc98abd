"""The evaluation recipe: typed to the last option, and an identity that is about ratings alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard import UserError
from evaluation.recipe import load_plan

RECIPES = sorted((Path(__file__).resolve().parents[2] / "recipes" / "evaluation").glob("*.yaml"))

TEXT = """
name: a
corpus: {source: sample, splits: [test]}
raters:
  - {kind: word-list}
  - {kind: char-ngrams, name: ngrams, longest: 3}
"""


@pytest.fixture
def plan_of(tmp_path):
    def _plan_of(*overrides: str, text: str = TEXT):
        path = tmp_path / "recipe.yaml"
        path.write_text(text, encoding="utf-8")
        return load_plan(path, overrides)

    return _plan_of


def test_options_of_source_and_raters_stand_beside_their_keys(plan_of):
    resolved = plan_of("corpus.languages=[en]").resolved()
    assert resolved["corpus"]["languages"] == ["en"]
    assert resolved["raters"][0]["name"] == "word-list"
    assert resolved["raters"][1]["longest"] == 3
    assert resolved["intervals"] == {"replicates": 2000, "confidence": 0.95, "method": "bca", "seed": 0}


def test_the_run_folder_depends_on_what_decides_ratings_and_on_nothing_else(plan_of):
    folder = plan_of().run_folder
    assert folder == plan_of("intervals.replicates=500", "description=other", "intervals.seed=9").run_folder
    for change in ("corpus.splits=[train]", "raters.1.longest=4", "limit=5", "corpus.languages=[en]"):
        assert plan_of(change).run_folder != folder
    assert plan_of("output=elsewhere").run_folder == Path("elsewhere") / folder.name


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("corpus.langauges=[en]", r"unknown key 'corpus.langauges'. Did you mean 'languages'.*splits"),
        ("raters.1.longst=3", r"unknown key 'raters.1.longst'. Did you mean 'longest'"),
        ("raters.1.longest=99", r"raters.1.longest: .*less than or equal to 8"),
        ("raters.0.kind=wordlist", r"Unknown rater kind 'wordlist'. Did you mean 'word-list'"),
        ("corpus.source=rtplx", r"Unknown source 'rtplx'. Did you mean 'rtp-lx'"),
        ("taxonomy=mine", "Unknown taxonomy 'mine'"),
        ("raters.1.name=word-list", "two raters are named 'word-list'"),
        ("raters.1.name=human-1", "kept for people"),
        ("raters.1.name=majority", "kept for people"),
        ("raters.1.name=../x", "letters, digits"),
        ("raters=[]", "raters: .*at least 1 item"),
        ("intervals.confidence=95", r"intervals.confidence: .*less than 1"),
        ("intervals.method=magic", r"intervals.method: .*'percentile' or 'bca'"),
        ("corpus.splits=[dev]", r"corpus.splits.0: .*'train', 'calibration' or 'test'"),
        ("corpus.on_bad_row=ignore", "corpus.on_bad_row"),
    ],
)
def test_every_mistake_is_told(plan_of, override, words):
    with pytest.raises(UserError, match=words):
        plan_of(override)


def test_mistakes_in_several_components_are_told_together(plan_of):
    with pytest.raises(UserError) as caught:
        plan_of("corpus.nope=1", "raters.0.nope=1", "raters.1.nope=1")
    assert str(caught.value).count("unknown key") == 3


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_of_the_repository_is_valid(path):
    overrides = ["corpus.path=somewhere"] if "${corpus.path}" in path.read_text(encoding="utf-8") else []
    plan = load_plan(path, overrides)
    assert plan.recipe.name == path.stem
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# python -m evaluation.run"), "a recipe opens with the command that runs it"
