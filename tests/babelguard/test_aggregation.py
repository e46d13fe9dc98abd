"""One level for several annotators, and how it came about."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import Item, UserError
from babelguard.aggregation import AggregatedLabel, aggregate
from evaluation.metrics.consensus import consensus
from evaluation.metrics.levels import MISSING


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ((1, 2, 2), (2, "majority")),
        ((1, 2, 4), (2, "mean")),  # 7 / 3
        ((1, 3, 5), (3, "mean")),
        ((1, 2), (2, "mean")),  # 1.5 goes to the even level
        ((2, 3), (2, "mean")),
        ((None, 3, None), (3, "single")),
        ((2, 2), (2, "majority")),
        ((1, 1, 2, 2, 5), (2, "mean")),  # 11 / 5
    ],
)
def test_the_rule_is_told_with_the_level(levels, expected):
    assert aggregate(levels) == AggregatedLabel(*expected)


def test_nobody_said_anything():
    assert aggregate(()) is None
    assert aggregate((None, None)) is None


@given(st.lists(st.none() | st.integers(1, 5), min_size=1, max_size=6))
def test_it_is_the_rule_of_the_metrics(levels):
    table = np.array([[MISSING if level is None else level] for level in levels])
    expected = int(consensus(table, levels=5)[0])
    found = aggregate(levels)
    assert (MISSING if found is None else found.level) == expected


def test_the_sources_own_label_rules():
    item = Item(
        "i",
        "t",
        "en",
        "s",
        "s/1",
        labels={"Bias": (1, 1, 2), "Insult": (None,), "Violence": (2,)},
        aggregated={"Bias": AggregatedLabel(2, "gold")},
    )
    assert item.aggregated_labels() == {"Bias": AggregatedLabel(2, "gold"), "Violence": AggregatedLabel(2, "single")}
    assert Item.from_dict(item.to_dict()) == item


@pytest.mark.parametrize("wrong", [3, {"Bias": 2}, {"Bias": {"level": True, "rule": "gold"}}, {"Bias": {"level": 2}}])
def test_a_malformed_label_is_named(wrong):
    record = {"id": "i", "text": "t", "language": "en", "source": "s", "source_id": "s/1", "aggregated": wrong}
    with pytest.raises(UserError, match="aggregated"):
        Item.from_dict(record)
