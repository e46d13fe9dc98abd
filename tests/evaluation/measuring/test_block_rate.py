"""Block rates count what was flagged, by language and subset, whatever people said."""

from __future__ import annotations

import numpy as np
import pytest

from babelguard import RTP_LX
from evaluation.measures import Measure, Slice
from evaluation.measuring.agreement import Intervals, draw_resamples
from evaluation.measuring.block_rate import ANY, block_rate_measures
from evaluation.rating_table import RatingTable
from tests.evaluation.measuring.corpora import benign_items, labelled_items, rating_table, table_of

INTERVALS = Intervals(200, 0.95, "percentile", 0)


def rates(items, table: RatingTable) -> dict[tuple[str, Slice], Measure]:
    found = block_rate_measures([table], items, RTP_LX, draw_resamples(items, INTERVALS), INTERVALS)
    return {(measure.category, measure.slice): measure for measure in found}


def share(levels) -> float:
    return float((levels[levels > 0] > 1).mean())


def test_by_language_and_subset():
    items = table_of(labelled_items())
    table = rating_table(items, "list", ("Toxicity",))
    found = rates(items, table)
    places = [Slice(language=tag, subset=subset) for tag in (None, "de", "ko") for subset in (None, "a", "b")]
    assert set(found) == {("Toxicity", place) for place in places}
    rows = (items.languages == "ko") & (items.subsets == "a")
    cell = found["Toxicity", Slice(language="ko", subset="a")]
    assert cell.value == pytest.approx(share(table.levels[rows, 0]))
    assert (cell.metric, cell.reference, cell.aggregate, cell.n_items) == ("block_rate", "none", "cell", 20)
    assert cell.low < cell.value < cell.high
    whole = found["Toxicity", Slice()]
    assert whole.value == pytest.approx(share(table.levels[:, 0]))
    assert (whole.aggregate, whole.n_items, whole.n_clusters) == ("pooled", 80, 40)


def test_items_without_labels_count_and_roles_stay_apart():
    items = table_of([*labelled_items(("de",), 10), *benign_items("de", 6)])
    table = rating_table(items, "list", ("Toxicity",))
    found = rates(items, table)
    benign = found["Toxicity", Slice(language="de", role="benign-completion")]
    assert (benign.n_items, benign.value) == (6, pytest.approx(share(table.levels[10:, 0])))
    assert {place.role for _, place in found} == {"prompt", "benign-completion"}


def test_any_category_and_missing_levels():
    items = table_of(labelled_items(("de", "ko")))
    table = rating_table(items, "judge", ("Toxicity", "Insult"), void=("ko",))
    found = rates(items, table)
    assert {place.language for _, place in found} == {None, "de"}
    both = table.levels[items.languages == "de"][:, [0, RTP_LX.names.index("Insult")]]
    assert found[ANY, Slice(language="de")].value == pytest.approx(float((both > 1).any(axis=1).mean()))
    assert np.isclose(found["Insult", Slice()].n_items, 40)
