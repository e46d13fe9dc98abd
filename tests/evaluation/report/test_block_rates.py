"""The report shows block rates by subset and language."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.findings import make_findings
from evaluation.report.block_rates import block_rates
from evaluation.report.evidence import Evidence
from evaluation.report.page import render_report
from tests.evaluation.measuring.corpora import labelled_items, rating_table, table_of


@pytest.mark.parametrize("languages", [("de",), ("de", "ko")])
def test_by_subset_and_language(languages):
    items = table_of(labelled_items(languages))
    tables = [rating_table(items, "list", ("Toxicity",)), rating_table(items, "judge", seed=2)]
    findings = make_findings(items, tables, RTP_LX, Intervals(20, 0.95, "percentile", 0), recipe={}, corpus={})
    found = block_rates(Evidence(findings))
    assert found is not None
    (group,) = found.by_subset.groups
    assert [column.title for column in found.by_subset.columns] == ["All items", "a", "b"]
    shares = {row.label: row.cells[0].value for row in group.rows}
    levels = tables[0].levels[:, 0]
    assert shares["list"] == pytest.approx(float((levels[levels > 0] > 1).mean()))
    assert shares["judge"] == pytest.approx(float((tables[1].levels > 1).any(axis=1).mean()))
    if len(languages) == 1:
        assert found.by_language is None
    else:
        assert [row.label for row in found.by_language.groups[0].rows] == ["German", "Korean"]
        assert [column.title for column in found.by_language.columns][:2] == ["list", "list, a"]
    assert "Block rates" in render_report(findings)
