"""The page for one text: its verdict, other raters beside it, and its register twins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babelguard.errors import UserError
from demo import markup
from demo.examples import HARMFUL, HARMLESS, Example, examples
from demo.pages.view import view as view_of
from demo.resources import FIND_OUT, Resources, language_choices
from demo.twins import make_twins
from demo.verdict import Verdict

if TYPE_CHECKING:
    import gradio as gr
    from gradio.events import Dependency

LONGEST_TEXT = 20_000
"""Characters of a text that is checked; longer texts belong in a file.

The box itself takes any number: a browser would cut a longer text without a word, and the rest would go unmoderated.
"""
PANEL_WAIT_S = 120
"""Seconds for which a check waits for raters that are still being made."""
CONTENT_NOTE = "These texts insult, threaten or demean people. They are from the bundled sample."
EMPTY = "Write or paste a text, then check it. The verdict stands here."


@dataclass(frozen=True)
class OneTextPage:
    """What other pages use of this one: the session's last verdict, the event that sets it, the way to disagree."""

    verdict: gr.State
    checked: Dependency
    disagree: gr.Button


def one_text_page(resources: Resources) -> OneTextPage:
    """Lay out the page inside the current tab."""
    import gradio as gr

    verdict = gr.State(None, time_to_live=3600)
    with gr.Row(equal_height=False):
        with gr.Column(scale=5, min_width=300, elem_classes="bg-card"):
            text = gr.Textbox(
                label="Text",
                lines=6,
                max_lines=16,
                info="Ctrl+Enter, or Cmd+Enter on a Mac, checks it.",
                placeholder="Write or paste a text in any language",
                elem_id="one-text",
            )
            language = gr.Dropdown(
                language_choices(), value=FIND_OUT, label="Language", elem_id="one-language", filterable=True
            )
            check = gr.Button("Check the text", variant="primary", elem_id="one-check")
            _example_lists(text, language)
        with gr.Column(scale=6, min_width=300, elem_classes="bg-card"):
            view = view_of(markup.message_view(EMPTY), elem_id="one-verdict")
            disagree = gr.Button("I disagree", size="sm", visible=False, elem_id="one-disagree")
    panel = view_of(elem_id="one-panel", card=True, visible=False)
    twins = view_of(elem_id="one-twins", card=True, visible=False)

    def judge(written: str, code: str) -> tuple[Verdict | None, str, Any, Any, Any]:
        try:
            made = _judge(resources, written or "", code)
            shown = markup.verdict_view(made)
        except UserError as error:
            made, shown = None, markup.message_view(str(error), wrong=True)
        # What stands below is about the text before; it is gone until it is made for this one.
        emptied = gr.update(value="", visible=False)
        return made, shown, gr.update(visible=made is not None), emptied, emptied

    def ask_panel(made: Verdict | None) -> Any:  # noqa: ANN401 - Gradio's update
        return gr.update(value=_panel_of(resources, made) if made else "", visible=made is not None)

    def write_twins(made: Verdict | None) -> Any:  # noqa: ANN401 - Gradio's update
        return gr.update(value=_twins_of(resources, made) if made else "", visible=made is not None)

    quiet = {"api_visibility": "private", "show_progress": "minimal"}
    checked = gr.on(
        [check.click, text.submit],
        judge,
        [text, language],
        [verdict, view, disagree, panel, twins],
        concurrency_id="guard",
        concurrency_limit=4,
        **quiet,
    )
    checked.success(write_twins, verdict, twins, concurrency_id="guard", **quiet)
    checked.success(ask_panel, verdict, panel, concurrency_id="panel", concurrency_limit=2, **quiet)
    return OneTextPage(verdict, checked, disagree)


def _judge(resources: Resources, written: str, code: str) -> Verdict:
    """Return the verdict on a text.

    Raises:
        UserError: There is no text, or it is too long.
    """
    if not written.strip():
        raise UserError("There is no text yet.")
    if len(written) > LONGEST_TEXT:
        raise UserError(f"The text has more than {LONGEST_TEXT:,} characters; put it into a file.")
    found = None if code else resources.moderator.find_language(written)
    return resources.moderator.judge(written, code or found, found=not code)


def _panel_of(resources: Resources, verdict: Verdict) -> str:
    try:
        answers = resources.panel.result(PANEL_WAIT_S).answers(verdict.text, verdict.asked)
    except TimeoutError:
        return markup.message_view("The other raters are still being made. Check the text again in a while.")
    except UserError as error:
        return markup.message_view(str(error), wrong=True)
    return markup.panel_view(verdict, resources.guard_name, answers)


def _twins_of(resources: Resources, verdict: Verdict) -> str:
    try:
        return markup.twins_view(make_twins(resources.moderator, verdict))
    except UserError as error:
        return markup.message_view(str(error))


def _example_lists(text: gr.Textbox, language: gr.Dropdown) -> None:
    """Lay out the examples; harmful ones are folded away under a note."""
    import gradio as gr

    hard = ("idiom", "quoted", "medical", "counter-speech", "help-seeking", "sports")
    with gr.Accordion("Harmless examples", open=False, elem_classes="bg-examples"):
        _example_list(text, language, examples(HARMLESS, hard), "harmless")
    with gr.Accordion("Harmful examples", open=False, elem_classes="bg-examples"):
        view_of(markup.note_view(CONTENT_NOTE))
        _example_list(text, language, examples(HARMFUL, ("subtle", "moderate")), "harmful")


def _example_list(text: gr.Textbox, language: gr.Dropdown, shown: list[Example], name: str) -> None:
    import gradio as gr

    chosen = gr.Dataset(
        components=[gr.Textbox(visible=False)],
        samples=[[example.text] for example in shown],
        show_label=False,
        type="index",
        layout="gallery",
        elem_id=f"examples-{name}",
    )

    def take(place: int) -> tuple[str, str]:
        return shown[place].text, shown[place].language

    chosen.click(take, chosen, [text, language], api_visibility="private", show_progress="hidden", queue=False)
