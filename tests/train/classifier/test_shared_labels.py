"""Targets that translations of one content lend each other."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from babelguard.errors import UserError
from tests.train.classifier import tiny
from train.classifier.columns import Columns
from train.classifier.shared_labels import share_labels

COLUMNS = Columns(("Harm",), (3,))


def shared(
    rows: list[tuple[str, str, list[float]]], share: float = 0.5, pools: list[str] | None = None
) -> NDArray[np.float32]:
    """Share the targets of rows (content, language, targets)."""
    return share_labels(
        np.array([row[2] for row in rows], dtype=np.float32).reshape(len(rows), 2),
        COLUMNS,
        contents=[row[0] for row in rows],
        languages=[row[1] for row in rows],
        pools=["one"] * len(rows) if pools is None else pools,
        share=share,
    )


def test_languages_of_one_strictness_lend_each_other_their_means() -> None:
    # Each language has the rate 1/2 in the first column and 1/4 in the second, so that nothing is moved.
    rows = [
        ("x", "de", [1.0, 0.5]),
        ("y", "de", [0.0, 0.0]),
        ("x", "sw", [0.75, 0.25]),
        ("y", "sw", [0.25, 0.25]),
        ("x", "hi", [0.5, 0.0]),
        ("y", "hi", [0.5, 0.5]),
    ]
    expected = [
        [(1.0 + (0.75 + 0.5) / 2) / 2, (0.5 + (0.25 + 0.0) / 2) / 2],
        [(0.0 + (0.25 + 0.5) / 2) / 2, (0.0 + (0.25 + 0.5) / 2) / 2],
    ]
    assert shared(rows)[:2] == pytest.approx(np.array(expected))


def test_what_others_say_is_moved_to_the_languages_own_rate() -> None:
    rows = [
        ("x", "de", [0.5, 0.0]),
        ("y", "de", [1 / 6, 0.0]),
        ("x", "sw", [1.0, 0.0]),
        ("y", "sw", [1 / 3, 0.0]),
    ]
    found = shared(rows, share=1.0)[:, 0]
    # 'de' has the rate 1/3 (odds 1/2), 'sw' 2/3 (odds 2), the mean is 1/2 (odds 1).
    # y in 'de': odds of 1/3 are 1/2, times 1/2: 1/4, which is 1/5. y in 'sw': odds of 1/6 are 1/5, times 2: 2/7.
    assert found == pytest.approx([1.0, 1 / 5, 2 / 3, 2 / 7])


def test_what_nobody_else_sees_is_halved_and_what_all_see_stays() -> None:
    rows = [
        ("x", "de", [1.0, 0.0]),
        ("x", "sw", [0.0, 0.0]),
        ("x", "hi", [0.0, 0.0]),
        ("y", "de", [1.0, 1.0]),
        ("y", "sw", [1.0, 1.0]),
    ]
    found = shared(rows)
    assert found[0, 0] == pytest.approx(0.5)
    assert found[3:] == pytest.approx(1.0)


def test_without_translations_targets_stay() -> None:
    rows = [("x", "de", [0.3, 0.1]), ("y", "sw", [0.9, 0.2]), ("z", "de", [np.nan, np.nan])]
    found = shared(rows)
    assert found[:2] == pytest.approx(np.array([[0.3, 0.1], [0.9, 0.2]]))
    assert np.isnan(found[2]).all()


def test_twins_in_one_language_are_no_translations() -> None:
    rows = [("x", "de", [0.4, 0.2]), ("x", "de", [0.4, 0.2])]
    assert shared(rows) == pytest.approx(np.array([[0.4, 0.2]] * 2))


@st.composite
def corpora(draw: st.DrawFn) -> list[tuple[str, str, list[float]]]:
    count = draw(st.integers(0, 12))
    rows = []
    for _ in range(count):
        first = draw(st.one_of(st.just(float("nan")), st.floats(0, 1)))
        second = draw(st.floats(0, 1)) * first
        rows.append((draw(st.sampled_from("xyz")), draw(st.sampled_from(["de", "sw", "hi"])), [first, second]))
    return rows


@given(corpora(), st.floats(0.05, 1))
def test_targets_stay_shares_in_order_and_gaps_stay_gaps(
    rows: list[tuple[str, str, list[float]]], share: float
) -> None:
    before = np.array([row[2] for row in rows], dtype=np.float32).reshape(len(rows), 2)
    found = shared(rows, share)
    assert (np.isnan(found) == np.isnan(before)).all()
    known = found[~np.isnan(found[:, 0])]
    assert ((known >= 0) & (known <= 1)).all()
    assert (known[:, 1] <= known[:, 0] + 1e-6).all()


@given(corpora())
def test_the_order_of_rows_does_not_matter(rows: list[tuple[str, str, list[float]]]) -> None:
    assert shared(rows[::-1])[::-1] == pytest.approx(shared(rows), nan_ok=True, abs=1e-6)


def test_a_training_with_shared_labels(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    sets = ("optimisation.epochs=1", "loss.soft_labels=true", "loss.shared_labels={share: 0.5, roles: [prompt]}")
    run = (plan := tiny.plan_of(tmp_path, corpus, encoder, *sets)).kind.train(plan)
    assert "shared_labels" in (run / "recipe.yaml").read_text(encoding="utf-8")
    assert json.loads((run / "metrics.json").read_text(encoding="utf-8"))["splits"]["test"]["cells"]


@pytest.mark.parametrize("roles", ["[prompts]", "[]"])
def test_roles_that_nothing_has_are_told(tmp_path: Path, encoder: Path, corpus: Path, roles: str) -> None:
    with pytest.raises(UserError, match=r"loss\.shared_labels\.roles"):
        tiny.plan_of(tmp_path, corpus, encoder, f"loss.shared_labels={{roles: {roles}}}")
