"""The report reads what `evaluation.measuring` writes: a name that changes on one side breaks this."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.findings import make_findings
from evaluation.report import render_report
from tests.evaluation.measuring.corpora import benign_items, labelled_items, rating_table, table_of
from tests.evaluation.report.document import Document
from tests.evaluation.report.world import AZURE


@pytest.fixture(scope="module")
def document() -> Document:
    items = table_of([*labelled_items(("de", "ko", "sw", "th"), contents=20), *benign_items("de", 10)])
    tables = [rating_table(items, "judge", void=("sw",)), rating_table(items, "azure", AZURE, seed=2)]
    intervals = Intervals(50, 0.95, "percentile", 0)
    return Document(render_report(make_findings(items, tables, RTP_LX, intervals, recipe={}, corpus={})))


@pytest.mark.parametrize(
    "caption",
    [
        "Every rater on the categories that it covers",
        "All raters on the same categories and languages",
        "Raters in the place of a person",
        "judge: weighted kappa",
        "azure: weighted kappa",
        "Agreement and kappa, one row a language",
        "Agreement and kappa, one row a category",
        "Weighted kappa by resource band",
        "All languages",
        "Share flagged of the items that the majority calls harmless",
        "Share flagged of the texts that are harmless by construction",
        "Over the whole corpus",
        "Agreement among annotators, by category",
        "Agreement among annotators, by language",
        "Every rater by subset",
    ],
)
def test_every_table_has_figures(document, caption):
    cells = [cell.strip() for row in document.with_caption(caption).rows[1:] for cell in row[1:]]
    figures = [cell for cell in cells if any(character.isdigit() for character in cell)]
    assert len(figures) > len(cells) / 3


def test_the_only_figures_that_were_not_measured_are_those_of_people(document):
    missing = [
        (" ".join(table.caption.split()), row[0].strip(), column)
        for table in document.tables
        for row in table.rows
        for column, cell in enumerate(row)
        if "not measured" in cell and "People" not in row[0]
    ]
    assert missing == []
