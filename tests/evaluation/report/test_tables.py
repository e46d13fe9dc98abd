"""What the tables show is what the findings say."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

import pytest

from evaluation.measures import MACRO, MACRO_COMMON, LevelCount, Slice
from evaluation.report import render_report
from evaluation.report.evidence import Figure
from evaluation.report.heat import shade
from tests.evaluation.report.document import Document
from tests.evaluation.report.made_findings import make, sample
from tests.evaluation.report.world import AZURE, GPT4, RTP_LX_TAGS

NUMBER = re.compile(r"−?\d\.\d\d|undefined")


@pytest.fixture(scope="module")
def findings():
    return make()


@pytest.fixture(scope="module")
def document(findings) -> Document:
    return Document(render_report(findings))


def value_of(findings, **wanted) -> float:
    found = [m for m in findings.measures if all(getattr(m, name) == value for name, value in wanted.items())]
    assert len(found) == 1
    return found[0].value


@pytest.mark.parametrize(("caption", "columns"), [("gpt-4: weighted kappa", 8), ("acs: weighted kappa", 4)])
def test_every_cell_of_a_heat_map_has_its_number_or_says_undefined(document, caption, columns):
    table = document.with_caption(caption)
    rows = [row for row in table.rows[1:] if len(row) > 1]
    assert len(rows) == len(RTP_LX_TAGS) + 1
    for row in rows:
        assert len(row) == columns + 2
        assert all(NUMBER.fullmatch(cell.strip()) for cell in row[1:]), row


def test_a_heat_map_shows_the_measured_cell(findings, document):
    row = next(row for row in document.with_caption("gpt-4: weighted kappa").rows if row[0] == "German")
    value = value_of(
        findings,
        metric="linear_kappa",
        rater="gpt-4",
        reference="majority",
        category="Bias",
        slice=Slice(language="de"),
    )
    assert row[3] == f"{value:.2f}"


def test_void_and_undefined_cells_are_words(document):
    rows = {row[0]: row for row in document.with_caption("gpt-4: weighted kappa").rows}
    assert set(rows["English"][1:]) == {"undefined"}
    assert rows["Thai"][6] == "undefined"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (-0.2, "heat-below"),
        (-0.001, "heat-0"),
        (0.0, "heat-0"),
        (0.3, "heat-3"),
        (0.299, "heat-3"),
        (0.95, "heat-8"),
        (1.0, "heat-8"),
    ],
)
def test_the_shade_is_that_of_the_written_number(value, name):
    assert shade(Figure(value)) == name


def test_like_is_compared_with_like(findings, document):
    rows = {" ".join(row[0].split()): row for row in document.with_caption("(macro-common)").rows}
    wanted = {"metric": "linear_kappa", "category": MACRO_COMMON, "slice": Slice(), "reference": "majority"}
    assert rows["▲ acs"][2].split()[0] == f"{value_of(findings, rater='acs', **wanted):.2f}"
    assert rows["■ gpt-4"][2].split()[0] == f"{value_of(findings, rater='gpt-4', **wanted):.2f}"
    assert "on what they share: 4 categories" in document.words
    assert "in 17 languages" in document.words


def test_raters_in_a_persons_place_are_held_against_the_same(findings, document):
    table = document.with_caption("Raters in the place of a person")
    value = value_of(
        findings,
        metric="linear_kappa",
        rater="gpt-4",
        reference="other-humans",
        category=MACRO_COMMON,
        slice=Slice(),
    )
    row = next(row for row in table.rows if "gpt-4" in row[0])
    assert row[2].split()[0] == f"{value:.2f}"


def test_coverage_adds_up_as_displayed(findings, document):
    tables = [table for table in document.tables if table.rows[0][-1].strip() == "Check"]
    assert len(tables) == 5
    for table in tables:
        for row in table.rows[1:]:
            total, *parts = (int(cell.replace(",", "")) for cell in row[2:-1])
            assert total == sum(parts)
            assert row[-1].strip() == "adds up"
    overall = document.with_caption("All languages").rows[2]
    assert overall[1].split(" × ") == [f"{1012 * 18:,}", "8"]
    assert overall[2] == f"{1012 * 18 * 8:,}"


def test_coverage_says_so_when_categories_are_uneven(findings):
    fewer = tuple(c for c in findings.statuses if (c.rater, c.language, c.category) != ("acs", "de", "Bias"))
    words = Document(render_report(replace(findings, statuses=fewer))).words
    assert "The count of ratings is not items × categories for acs" in words


def test_shares_of_levels_are_the_counts(findings, document):
    counts: dict[int, int] = defaultdict(int)
    for entry in findings.levels:
        if (entry.rater, entry.category) == ("gpt-4", "Bias"):
            counts[entry.level] += entry.count
    table = next(table for table in document.tables if table.caption.strip() == "Bias")
    row = next(row for row in table.rows if "gpt-4" in row[0])
    total = sum(counts.values())
    assert row[2:] == [*(f"{100 * counts[level] / total:.1f}%" for level in (1, 2, 3)), f"{total:,}"]


def test_a_graded_scale_used_as_yes_or_no_is_named(document):
    assert re.search(
        r"gpt-4 uses a graded scale almost as yes or no in Identity attack, .*: of its ratings", document.words
    )
    assert "acs uses a graded scale" not in document.words


def test_few_ratings_are_no_habit():
    findings = sample(tags=("de",))
    levels = tuple(LevelCount("guard", "de", "Bias", level, count) for level, count in ((1, 90), (2, 6)))
    kept = tuple(c for c in findings.levels if (c.rater, c.category) != ("guard", "Bias"))
    assert "guard uses a graded scale" not in Document(render_report(replace(findings, levels=kept + levels))).words


def test_an_uncovered_category_is_not_zero(document):
    row = next(row for row in document.with_caption("Share flagged of the items").rows if "acs" in row[0])
    assert row[1].strip() == "not covered"
    assert row[2].split()[0].endswith("%")


def test_the_mean_of_a_partial_rater_is_beside_peoples_on_its_categories(findings, document):
    humans = [
        t for t in document.tables if t.caption.strip() == "People: one against the others" and len(t.rows[0]) == 6
    ]
    row = next(row for row in humans[0].rows if row[0] == "German")
    cells = [
        value_of(findings, metric="linear_kappa", rater="human-left-out", category=name, slice=Slice(language="de"))
        for name in AZURE
    ]
    assert row[-1] == f"{sum(cells) / 4:.2f}"


def test_a_shaky_interval_is_marked():
    findings = make(systems=(GPT4,), tags=("de", "fr"))
    measures = tuple(
        replace(m, n_undefined=500) if (m.metric, m.rater, m.category) == ("ac2", "gpt-4", MACRO) else m
        for m in findings.measures
    )
    document = Document(render_report(replace(findings, measures=measures)))
    row = next(row for row in document.with_caption("Every rater on the categories").rows if "gpt-4" in row[0])
    assert "†" in row[4]
    assert "†" not in row[3]
