"""The share of harmless and of harmful texts that each rater flags, counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.comparing.comparison import compare_runs
from evaluation.comparing.selection import Selection
from tests.evaluation.comparing.run_folders import ALPHA, BENIGN, GAMMA, benign, labelled, rated, write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    guard = [*rated("guard", ALPHA), *rated("guard", {"Violence": (1, 2), "Insult": (1, 1)}, BENIGN)]
    flagged = {"de/2", "de/5"}
    raw = [json.dumps({"flagged": ["Violence"] if rating.item in flagged else []}) for rating in guard]
    guard = [replace(rating, raw=text) for rating, text in zip(guard, raw, strict=True)]
    words = [*rated("words", GAMMA), *rated("words", {"Violence": (1, None)}, BENIGN)]
    kinds = {"guard": "guard-bundle"}
    return write_run(tmp_path / "run", [*labelled(), *benign()], {"guard": guard, "words": words}, kinds)


def test_flags_are_counted_by_kind_of_text(run):
    rows = compare_runs([run], Selection(roles=("prompt",))).flags
    found = {(m.rater, m.category, m.reference): (m.value, m.n_items) for m in rows if m.slice.language is None}
    assert found == {
        ("guard", "level-above-1", "benign-completions"): (0.5, 2),
        ("guard", "own-thresholds", "benign-completions"): (0.5, 2),
        ("words", "level-above-1", "benign-completions"): (0.0, 1),
        ("guard", "level-above-1", "benign-completions-rated-by-all"): (0.0, 1),
        ("guard", "own-thresholds", "benign-completions-rated-by-all"): (0.0, 1),
        ("words", "level-above-1", "benign-completions-rated-by-all"): (0.0, 1),
        ("guard", "level-above-1", "harmless-by-majority"): (0.0, 3),
        ("guard", "own-thresholds", "harmless-by-majority"): (0.0, 3),
        ("words", "level-above-1", "harmless-by-majority"): (0.0, 3),
        ("guard", "level-above-1", "harmless-by-majority-rated-by-all"): (0.0, 3),
        ("guard", "own-thresholds", "harmless-by-majority-rated-by-all"): (0.0, 3),
        ("words", "level-above-1", "harmless-by-majority-rated-by-all"): (0.0, 3),
        ("guard", "level-above-1", "harmful-by-majority"): (1.0, 5),
        ("guard", "own-thresholds", "harmful-by-majority"): (0.2, 5),
        ("words", "level-above-1", "harmful-by-majority"): (0.25, 4),
        ("guard", "level-above-1", "harmful-by-majority-rated-by-all"): (1.0, 4),
        ("guard", "own-thresholds", "harmful-by-majority-rated-by-all"): (0.25, 4),
        ("words", "level-above-1", "harmful-by-majority-rated-by-all"): (0.25, 4),
    }


def test_flags_are_given_by_language(run):
    rows = compare_runs([run], Selection(languages=("fr",))).flags
    assert {m.reference.removesuffix("-rated-by-all") for m in rows} == {"harmless-by-majority", "harmful-by-majority"}
    assert {m.slice.language for m in rows} == {None, "fr"}
