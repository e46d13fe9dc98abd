"""The page for one text: nothing is cut in silence, and nothing of another text stays below a verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from demo.pages.one_text import LONGEST_TEXT, one_text_page
from demo.resources import FIND_OUT, Resources
from tests.demo.conftest import FLAGGED, HARMLESS

Judge = Callable[..., tuple[Any, ...]]


@pytest.fixture(scope="module")
def blocks(resources: Resources, gradio_without_loops: None):
    import gradio as gr

    with gr.Blocks(analytics_enabled=False) as made:
        one_text_page(resources)
    return made


@pytest.fixture(scope="module")
def judge(blocks) -> Judge:
    return next(function.fn for function in blocks.fns.values() if function.name == "judge")


def test_the_box_cuts_nothing(blocks) -> None:
    import gradio as gr

    boxes = [block for block in blocks.blocks.values() if isinstance(block, gr.Textbox)]
    assert {box.max_length for box in boxes} == {None}


def test_a_text_that_is_too_long_is_told(judge: Judge) -> None:
    verdict, shown, disagree, *_ = judge("x" * (LONGEST_TEXT + 1), FIND_OUT)
    assert (verdict, disagree["visible"]) == (None, False)
    assert "more than 20,000 characters; put it into a file" in shown
    assert judge("x" * LONGEST_TEXT, FIND_OUT)[0] is not None


@pytest.mark.parametrize("text", [HARMLESS, FLAGGED, " ", ""])
def test_a_new_check_empties_what_stood_below_the_old_one(judge: Judge, text: str) -> None:
    *_, panel, twins = judge(text, "en")
    for below in (panel, twins):
        assert (below["value"], below["visible"]) == ("", False)
