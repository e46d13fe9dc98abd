"""The panel: other guards and raters of a recipe on the same text."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard.errors import UserError
from babelguard.taxonomy import RTP_LX
from demo.panel import SIDE_BY_SIDE, GuardSeat, Panel, open_recipe, rater_seats
from demo.resources import panel_in_background
from demo.verdict import Moderator
from tests.demo.conftest import FLAGGED

WORDS = """
name: words
corpus: {{source: sample, splits: [test]}}
raters:
  - {{kind: word-list, path: {path}}}
  - {{kind: constant, name: harmless}}
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    (tmp_path / "words.yaml").write_text("en: {Insult: [awful]}\n", encoding="utf-8")
    path = tmp_path / "raters.yaml"
    path.write_text(WORDS.format(path=tmp_path / "words.yaml"), encoding="utf-8")
    return path


def test_raters_of_a_recipe_and_other_guards_answer(moderator: Moderator, recipe: Path) -> None:
    seats = [GuardSeat(moderator, "other"), *rater_seats(open_recipe(recipe), recipe)]
    other, words, harmless = Panel(seats).answers(FLAGGED, "en-GB")
    assert other.opinions["Toxicity"].level == moderator.judge(FLAGGED, "en").categories[0].level
    assert words.opinions["Insult"].flagged
    assert words.opinions["Insult"].level == 2  # the middle of 1-3
    assert words.opinions["Bias"].why == "not covered"
    assert (harmless.flagged, harmless.opinions["Bias"].level) == (False, 1)


def test_a_rater_without_the_language_says_so(recipe: Path) -> None:
    panel = Panel(rater_seats(open_recipe(recipe), recipe))
    assert panel.answers("buonasera", "it")[0].why == "Has nothing for Italian."
    assert "choose it" in panel.answers("x", None)[0].why
    assert "choose it" in panel.answers("x", "klingon")[0].why


def test_a_wrong_recipe_is_told_at_once(recipe: Path) -> None:
    with pytest.raises(UserError, match="word-list"):
        panel_in_background(RTP_LX, recipe=recipe, overrides=["raters.0.kind=word-lists"])


def test_files_that_are_missing_are_told_on_the_page(recipe: Path, tmp_path: Path) -> None:
    made = panel_in_background(RTP_LX, recipe=recipe, overrides=[f"raters.0.path={tmp_path / 'none.yaml'}"])
    with pytest.raises(UserError, match="none.yaml"):
        made.result(timeout=60)


def test_the_standing_recipe_is_valid() -> None:
    assert [rater.kind for rater, _, _ in open_recipe(SIDE_BY_SIDE).raters] == ["word-list", "char-ngrams"]
