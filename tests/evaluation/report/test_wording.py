from __future__ import annotations

import pytest

from evaluation.report.evidence import ABSENT, NOT_COVERED, UNDEFINED, Figure, mean_of
from evaluation.report.metric_texts import metric_text
from evaluation.report.wording import interval, listed, number, ordinal, percent, plural, shown, with_interval


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (0.123, "coefficient", "0.12"),
        (-0.123, "coefficient", "−0.12"),
        (-0.001, "coefficient", "0.00"),
        (0.8314, "share", "83.1%"),
        (-0.0001, "share", "0.0%"),
        (0.2, "signed", "+0.20"),
        (-0.004, "signed", "0.00"),
        (-0.114, "points", "−11.4 pts"),
        (0.0, "points", "0.0 pts"),
        (12345, "count", "12,345"),
        (0.0002, "probability", "< 0.001"),
        (0.0449, "probability", "0.045"),
    ],
)
def test_numbers(value, style, text):
    assert number(value, style) == text


def test_what_is_missing_is_a_word():
    assert [shown(f) for f in (UNDEFINED, ABSENT, NOT_COVERED)] == ["undefined", "not measured", "not covered"]


def test_intervals():
    figure = Figure(0.8, 0.75, 0.84)
    assert interval(figure) == "0.75 to 0.84"
    assert interval(figure, "share") == "75.0 to 84.0%"
    assert interval(Figure(0.8)) == ""
    assert with_interval(figure, confidence=0.9) == "0.80 (90% interval 0.75 to 0.84)"


def test_lists_and_counts():
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert [plural(1, "item"), plural(1200, "item"), plural(2, "category", "categories")] == [
        "1 item",
        "1,200 items",
        "2 categories",
    ]
    assert [ordinal(2), ordinal(14), percent(0.05), percent(0.975)] == ["second", "number 14", "5%", "97.5%"]


def test_a_mean_leaves_out_what_is_undefined():
    assert mean_of([Figure(0.2), UNDEFINED, Figure(0.4)]).value == pytest.approx(0.3)
    assert mean_of([UNDEFINED, ABSENT]) == UNDEFINED
    assert mean_of([NOT_COVERED, ABSENT]) == NOT_COVERED
    assert mean_of([]) == ABSENT


def test_an_unknown_metric_is_shown_under_its_name():
    assert metric_text("recall_level_4").title == "Recall, level 4"
    assert metric_text("new_metric").title == "New metric"
