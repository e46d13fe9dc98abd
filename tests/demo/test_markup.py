"""Views: every text is escaped, right-to-left texts run right, harmful ones are folded away."""

from __future__ import annotations

import pytest

from demo import markup
from demo.batch import RatedRow, Tally
from demo.feedback import Disagreement
from demo.panel import Answer
from demo.spreadsheet import Spreadsheet
from demo.twins import TwinSet, make_twins
from demo.verdict import Moderator, Verdict

HOSTILE = "<script>alert(1)</script> ${7*7} {{7*7}} <img src=x onerror=alert(1)> \" ' awful"


@pytest.fixture(scope="module")
def verdict(moderator: Moderator) -> Verdict:
    return moderator.judge(" ".join([HOSTILE] * 5), "ar")


def views(moderator: Moderator, verdict: Verdict) -> dict[str, str]:
    twins = make_twins(moderator, verdict)
    tally = Tally()
    row = RatedRow(2, (HOSTILE,), verdict)
    tally.add(row)
    sheet = Spreadsheet(HOSTILE, (HOSTILE,), ((HOSTILE,),), (2,), (HOSTILE,), HOSTILE, (HOSTILE,))
    return {
        "verdict": markup.verdict_view(verdict),
        "panel": markup.panel_view(verdict, HOSTILE, [Answer(HOSTILE, HOSTILE, why=HOSTILE)]),
        "twins": markup.twins_view(TwinSet(verdict, twins.twins, {"leet": HOSTILE})),
        "batch": markup.batch_view(tally, sheet, [row], 0),
        "feedback": markup.feedback_view([Disagreement(verdict, {"Bias": 3}, "ar", HOSTILE)]),
        "disputed": markup.disputed_view(verdict),
        "message": markup.message_view(HOSTILE, wrong=True),
    }


def test_no_text_becomes_markup(moderator: Moderator, verdict: Verdict) -> None:
    for name, page in views(moderator, verdict).items():
        assert "<script" not in page, name
        assert "<img" not in page, name


def test_texts_run_in_their_own_direction(moderator: Moderator, verdict: Verdict) -> None:
    assert verdict.windows > 1
    for name, page in views(moderator, verdict).items():
        if name in ("verdict", "twins", "batch", "feedback", "disputed"):
            assert 'dir="auto"' in page, name


def test_harmful_texts_are_folded_away(moderator: Moderator, verdict: Verdict) -> None:
    for name in ("batch", "feedback", "disputed"):
        page = views(moderator, verdict)[name]
        assert '<details class="bg-harmful"><summary>' in page, name


def test_bars_show_probability_and_threshold(verdict: Verdict) -> None:
    page = markup.verdict_view(verdict)
    assert page.count('class="bg-fill"') == 8
    assert page.count("left:60.0%") == 8
    assert f"width:{round(100 * verdict.categories[0].probability, 2)}%" in page


def test_a_bar_of_nothing_has_no_sliver(verdict: Verdict) -> None:
    tally = Tally(rows=2)
    tally.by_category.update({"Bias": 1, "Insult": 0})
    page = markup.batch_view(tally, Spreadsheet("t.csv", ("text",), (), ()), [], 0)
    assert page.count('class="bg-title"') == 2
    assert page.count('class="bg-fill"') == 1


def test_the_windows_that_triggered_are_marked(verdict: Verdict) -> None:
    for window in markup.windows_of(verdict):
        assert window["before"] + window["inside"] + window["after"] == verdict.text
    shown = markup.verdict_view(verdict)
    assert shown.count("<mark>") == len(markup.windows_of(verdict))


def test_a_text_in_one_window_has_nothing_marked(moderator: Moderator) -> None:
    assert "<mark>" not in markup.verdict_view(moderator.judge("tea", "en"))
