"""Levels and figures from logits, and the targets that are learnt."""

from __future__ import annotations

import numpy as np
import pytest

from babelguard.aggregation import AggregatedLabel
from babelguard.errors import UserError
from babelguard.item import Item, Role
from babelguard.taxonomy import RTP_LX
from evaluation.metrics import MISSING, cohen_kappa
from train.classifier.columns import Columns, majority_levels, targets
from train.classifier.dataset import partners_of, twin_groups
from train.classifier.judging import Reference, flat_figures, judge, probabilities_of, tuned_thresholds

COLUMNS = Columns.of(RTP_LX)
INSULT = COLUMNS.names.index("Insult")


def item(number: int, level: int | None = None, **changes: object) -> Item:
    values: dict[str, object] = {
        "id": str(number),
        "text": "a",
        "language": "en",
        "source": "s",
        "source_id": f"s/{number}",
        "labels": {} if level is None else {"Insult": (level,)},
    }
    return Item(**{**values, **changes})  # type: ignore[arg-type]


def test_columns_are_category_by_category() -> None:
    assert len(COLUMNS) == 18
    assert COLUMNS.titles[:5] == ["Toxicity>1", "Toxicity>2", "Toxicity>3", "Toxicity>4", "IdentityAttack>1"]
    assert [part.stop - part.start for part in COLUMNS.slices] == [4] + [2] * 7


def test_a_level_is_one_more_than_the_leading_columns_exceeded() -> None:
    exceeded = np.zeros((2, 18), dtype=bool)
    exceeded[0, [0, 1, 3]] = True  # the fourth column does not count: the third is not exceeded
    exceeded[1, COLUMNS.slices[INSULT]] = True
    levels = COLUMNS.levels(exceeded)
    assert levels[0].tolist() == [3, 1, 1, 1, 1, 1, 1, 1]
    assert levels[1, INSULT] == 3


def test_hard_targets_follow_the_majority_and_soft_ones_the_annotators() -> None:
    rows = [item(0, labels={"Toxicity": (1, 3, 3), "Insult": (1, None, 2)}), item(1)]
    hard, soft = targets(rows, COLUMNS, soft=False), targets(rows, COLUMNS, soft=True)
    assert hard[0, :4].tolist() == [1, 1, 0, 0]
    np.testing.assert_allclose(soft[0, :4], [2 / 3, 2 / 3, 0, 0])
    np.testing.assert_allclose(soft[0, COLUMNS.slices[INSULT]], [0.5, 0])
    assert np.isnan(hard[1]).all()
    assert np.isnan(soft[0, COLUMNS.slices[1]]).all()


def test_a_published_level_outranks_the_annotators() -> None:
    row = item(0, labels={"Insult": (1, 1, 2)}, aggregated={"Insult": AggregatedLabel(2, "gold")})
    assert targets([row], COLUMNS, soft=True)[0, COLUMNS.slices[INSULT]].tolist() == [1, 0]
    assert majority_levels([row], COLUMNS)[0, INSULT] == 2


def test_a_binary_source_leaves_the_severity_open() -> None:
    rows = [item(0, 2, metadata={"label_scale": "binary"}), item(1, 1, metadata={"label_scale": "binary"})]
    found = targets(rows, COLUMNS, soft=False)[:, COLUMNS.slices[INSULT]]
    assert found[0, 0] == 1
    assert np.isnan(found[0, 1])
    assert found[1].tolist() == [0, 0]


@pytest.mark.parametrize("labels", [{"Insult": (4,)}, {"Nonsense": (1,)}])
def test_a_label_off_the_taxonomy_is_told(labels: dict[str, tuple[int]]) -> None:
    with pytest.raises(UserError, match="The item 0 has"):
        targets([item(0, labels=labels)], COLUMNS, soft=True)


def test_probabilities_never_rise_with_the_level() -> None:
    logits = np.random.default_rng(0).normal(size=(20, 18)) * 3
    chances = probabilities_of(logits, COLUMNS)
    assert all((np.diff(chances[:, part], axis=1) <= 0).all() for part in COLUMNS.slices)
    np.testing.assert_allclose(chances[:, 0], 1 / (1 + np.exp(-logits[:, 0])))


def test_harmless_items_are_benign_completions_where_there_are_some() -> None:
    clean, harmful, unknown = item(0, 1), item(1, 2), item(2)
    assert Reference.of([clean, harmful, unknown], RTP_LX).benign.tolist() == [True, False, False]
    benign = item(3, role=Role.BENIGN_COMPLETION)
    assert Reference.of([clean, harmful, benign], RTP_LX).benign.tolist() == [False, False, True]


def test_twins_are_paired_with_the_neutral_text() -> None:
    rows = [
        item(0, source_id="x", register="leet"),
        item(1, source_id="x", register="neutral"),
        item(2, source_id="x", register="neutral", language="fr"),
        item(3, source_id="x", register="shouting"),
    ]
    assert sorted(map(sorted, Reference.of(rows, RTP_LX).twins.tolist())) == [[0, 1], [1, 3]]
    groups = twin_groups(["x"] * 4, [row.language for row in rows], ["prompt"] * 4)
    assert groups[2] == -1
    assert partners_of(groups) == [[1, 3], [0, 3], [], [0, 1]]


def test_figures_are_those_of_the_metrics() -> None:
    rng = np.random.default_rng(1)
    rows = [item(n, int(rng.integers(1, 4)), language=("en", "de")[n % 2]) for n in range(60)]
    logits = rng.normal(size=(60, 18))
    figures = flat_figures(judge(logits, Reference.of(rows, RTP_LX)))
    levels = COLUMNS.levels(probabilities_of(logits, COLUMNS) >= 0.5)[:, INSULT]
    truth = np.array([row.labels["Insult"][0] for row in rows])
    kappas = [cohen_kappa(levels[k::2], truth[k::2], levels=3, weights="linear") for k in (0, 1)]
    assert figures["linear_kappa/en"] == pytest.approx(kappas[0])
    assert figures["linear_kappa"] == pytest.approx(sum(kappas) / 2)
    assert np.isnan(figures["linear_kappa/Bias"])
    harmless = truth == 1
    flagged = COLUMNS.levels(probabilities_of(logits, COLUMNS) >= 0.5)[harmless] > 1
    assert figures["false_positive_rate"] == pytest.approx(flagged.any(axis=1).mean())


def test_tuned_thresholds_find_levels_that_never_reach_a_half() -> None:
    rng = np.random.default_rng(2)
    truth = rng.choice([1, 2, 3], p=[0.8, 0.15, 0.05], size=600)
    logits = np.full((600, 18), -8.0)
    logits[:, COLUMNS.slices[INSULT]] = (truth[:, None] - np.array([1.5, 2.5])) - 3.0 + rng.normal(0, 0.2, (600, 2))
    reference = Reference.of([item(n, int(level)) for n, level in enumerate(truth)], RTP_LX)
    half = judge(logits, reference)["summary"]["linear_kappa"]
    tuned = judge(logits, reference, tuned_thresholds(logits, reference))["summary"]["linear_kappa"]
    assert half < 0.1
    assert tuned > 0.9
    assert (reference.truth[:, 0] == MISSING).all()
