"""Figures of register shift, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from babelguard import RTP_LX, Item
from evaluation.measures import RaterSummary
from evaluation.measuring.agreement import Intervals, draw_resamples
from evaluation.measuring.register_shift import register_measures, register_notes
from evaluation.measuring.twins import find_twins
from evaluation.metrics.levels import MISSING
from evaluation.rating_table import RatingTable
from tests.evaluation.measuring.corpora import table_of

INTERVALS = Intervals(replicates=200, confidence=0.95, method="percentile", seed=0)


def item(content: int, register: str, toxicity: int | None, tag: str = "en", name: str | None = None) -> Item:
    labels = {"Toxicity": (toxicity,)} if toxicity is not None else {}
    return Item(
        name or f"{tag}/{content}/{register}", "x", tag, "made", f"made/{content}", register=register, labels=labels
    )


def rated(items, toxicity, covers=("Toxicity",)):
    levels = np.full((len(items), len(RTP_LX)), MISSING, dtype=np.int8)
    levels[:, RTP_LX.names.index("Toxicity")] = [MISSING if level is None else level for level in toxicity]
    shape = levels.shape
    summary = RaterSummary("rater", "made", "", covers, "")
    return RatingTable(summary, levels, np.zeros(shape, np.int8), np.full(shape, np.nan, np.float32))


def figures(items, toxicity, **options):
    table = table_of(items)
    resamples = draw_resamples(table, INTERVALS)
    found = register_measures(
        [rated(items, toxicity, **options)], find_twins(table), table, RTP_LX, resamples, INTERVALS
    )
    return {(m.metric, m.slice.register, m.slice.language, m.aggregate): m for m in found if m.category == "any"}


@pytest.fixture
def corpus():
    """Four harmful and four harmless contents, each neutral and in one other register."""
    items, said = [], []
    before = [3, 3, 3, 1, 1, 1, 1, 3]
    after = [3, 1, 1, 1, 3, 3, 1, 3]
    for content in range(8):
        truth = 3 if content < 4 else 1
        items += [item(content, "neutral", truth), item(content, "leet", truth)]
        said += [before[content], after[content]]
    return items, said


def test_flips_and_changes_are_counted_on_pairs(corpus):
    found = figures(*corpus)
    flips = found["flip_rate", "leet", "en", "cell"]
    recall = found["recall_change", "leet", "en", "cell"]
    alarms = found["false_positive_change", "leet", "en", "cell"]
    assert (flips.value, flips.n_items) == (4 / 8, 8)
    assert (recall.value, recall.n_items) == (1 / 4 - 3 / 4, 4)
    assert (alarms.value, alarms.n_items) == (3 / 4 - 1 / 4, 4)
    assert flips.low <= flips.value <= flips.high
    assert flips.reference == "neutral-twin"
    assert not any(metric == "control_change_rate" for metric, *_ in found)


def test_a_difference_that_every_pair_has_has_no_width():
    items = [item(content, register, 3) for content in range(5) for register in ("neutral", "leet")]
    recall = figures(items, [3, 1] * 5)["recall_change", "leet", "en", "cell"]
    assert (recall.value, recall.low, recall.high) == (-1, -1, -1)


def test_a_missing_decision_counts_for_nothing(corpus):
    items, said = corpus
    said[1] = None
    assert figures(items, said)["flip_rate", "leet", "en", "cell"].n_items == 7


def test_languages_are_pooled_and_averaged():
    items = [item(0, "neutral", 3), item(0, "leet", 3)]
    items += [item(content, register, 3, "de") for content in range(3) for register in ("neutral", "leet")]
    found = figures(items, [3, 1, 3, 3, 3, 3, 3, 3])
    assert found["flip_rate", "leet", None, "pooled"].value == pytest.approx(1 / 4)
    assert found["flip_rate", "leet", None, "macro"].value == pytest.approx((1 + 0) / 2)


def test_pairs_with_different_labels_are_the_control():
    """ParaDetox: the rewrite shares a source_id and should be judged otherwise."""
    items = [item(n, register, level) for n in range(4) for register, level in (("neutral", 2), ("detoxified", 1))]
    found = figures(items, [3, 1, 3, 1, 3, 1, 3, 3])
    control = found["control_change_rate", "detoxified", "en", "cell"]
    assert (control.value, control.n_items) == (3 / 4, 4)
    assert ("flip_rate", "detoxified", "en", "cell") not in found


def test_a_category_that_is_not_labelled_is_never_harmless():
    items = [item(n, register, None) for n in range(3) for register in ("neutral", "leet")]
    found = figures(items, [3, 1, 3, 3, 1, 1])
    assert found["flip_rate", "leet", "en", "cell"].value == pytest.approx(1 / 3)
    assert {metric for metric, *_ in found} == {"flip_rate"}


def test_twins_name_their_parent_where_contents_are_not_unique():
    """Multilingual HateCheck: several cases share a source_id."""
    first, second = item(0, "neutral", 3, name="case-1"), item(0, "neutral", 3, name="case-2")
    twin = item(0, "leet", 3, name="case-2#leet")
    other = item(0, "formal", 3, name="case-3")
    table = table_of([first, second, twin, other])
    found = find_twins(table)
    (pairs,) = found.twins
    assert (pairs.base.tolist(), pairs.twin.tolist()) == ([1], [2])
    assert found.alone == {"formal": 1}
    assert "1 formal" in register_notes(found)[0]


def test_bengali_of_banglasafe_is_held_against_the_formal_text():
    items = [item(0, "neutral", None), item(0, "institutional", None)]
    items += [item(0, register, None, "bn") for register in ("formal", "colloquial", "institutional")]
    found = find_twins(table_of(items))
    assert [(one.language, one.register, one.reference) for one in found.twins] == [
        ("bn", "colloquial", "formal"),
        ("bn", "institutional", "formal"),
        ("en", "institutional", "neutral"),
    ]


def test_one_register_gives_no_figures():
    items = [item(n, "neutral", 1) for n in range(3)]
    assert figures(items, [1, 1, 1]) == {}
