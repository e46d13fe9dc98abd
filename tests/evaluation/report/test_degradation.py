"""What is missing is said in words, and nothing breaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.measures import MACRO_COMMON, Findings, Slice
from evaluation.report import render_report
from tests.evaluation.report.document import Document
from tests.evaluation.report.made_findings import make, sample
from tests.evaluation.report.world import ACS, GPT4


def read(findings: Findings) -> Document:
    return Document(render_report(findings))


def test_one_human_label():
    words = read(sample()).words
    assert "There is one human label an item, so there is no human ceiling" in words
    assert "There are no rows for people: each item has one human label." in words
    assert "People were not compared with one another: each item has one human label" in words
    assert "There is no line for people" in words
    assert "one against the others" not in words


def test_two_annotators_are_held_against_one_another():
    words = read(make(annotators=2)).words
    assert "The human ceiling, the mean pair of people, is a kappa of" in words
    assert "measured in the same way" not in words


def test_one_rater():
    words = read(make(systems=(GPT4,), differences=False)).words
    assert "gpt-4 agrees on" in words
    assert "No differences were tested: there is one rater." in words


def test_no_rater():
    document = read(make(systems=()))
    assert "No rater was compared with people in this run." in document.words
    assert "No rater was compared with people." in document.words
    assert "No rater was measured in any language." in document.words
    assert "The run recorded no parsing outcomes." in document.words
    assert document.with_caption("Agreement among annotators, by category").rows


def test_one_language():
    words = read(make(tags=("de",))).words
    assert "The run has one language, so there is no plot by language." in words
    assert "There is no trend to draw" in words


def test_no_intervals():
    document = read(make(intervals=False, differences=False))
    assert "No intervals were computed in this run" in document.words
    assert "These figures have no intervals; only points are drawn." in document.words
    assert "These figures have no intervals." in document.words
    assert not [value for value in document.attributes("class") if value == "range"]


def test_one_register():
    assert "The run has one register" in read(make()).words


def test_registers_are_a_table():
    document = read(sample())
    table = document.with_caption("Every rater by register")
    assert [" ".join(row[0].split()) for row in table.rows if len(row) > 1][1:5] == [
        "neutral",
        "formal",
        "romanised",
        "slang",
    ]
    assert [cell.strip() for cell in table.rows[0]][1:] == [
        "Weighted kappa",
        "Percentage agreement",
        "False-positive rate",
        "Recall, level 1",
        "Recall, level 3",
    ]
    assert document.with_caption("Weighted kappa by language and register").rows


@pytest.mark.parametrize("field", ["measures", "statuses", "levels", "differences", "notes", "raters", "taxonomy"])
def test_a_run_without_one_kind_of_record(field):
    read(replace(make(), **{field: ()}))


def test_a_run_without_anything():
    words = read(Findings({}, {}, (), (), (), (), (), ())).words
    for sentence in (
        "The run recorded nothing about its corpus.",
        "The run names no raters.",
        "Neither a rater nor people were measured in this run.",
        "No kappa by language and category was measured.",
        "The run recorded no levels.",
        "No false-positive rate was measured.",
        "The run recorded no settings.",
        "The run recorded no recipe.",
    ):
        assert sentence in words


def test_raters_that_share_nothing():
    findings = make(systems=(replace(GPT4, covers=("Toxicity", "Bias")), ACS))
    assert not any(m.category == MACRO_COMMON for m in findings.measures)
    words = read(findings).words
    assert "They share no category in any language, so nothing compares them." in words
    assert "No overall figure is defined for any rater, so they cannot be ranked." in words


def test_everything_undefined():
    findings = make()
    undefined = tuple(replace(m, value=None, low=None, high=None) for m in findings.measures)
    words = read(replace(findings, measures=undefined)).words
    assert "they cannot be ranked" in words
    assert "undefined" in words


def test_a_slice_of_an_unknown_shape_is_left_alone():
    findings = make()
    odd = replace(findings.measures[0], slice=Slice(language="de", band="high", subset="x", role="y", register="z"))
    read(replace(findings, measures=(*findings.measures, odd)))
