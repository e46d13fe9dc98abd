"""The page for feedback: what a decision should have been, collected for the session, exported as annotation sheets."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelguard.errors import UserError
from demo import markup
from demo.feedback import Disagreement, add, disagree, export_disagreements
from demo.pages.view import view
from demo.resources import Resources, language_choices

if TYPE_CHECKING:
    import gradio as gr

    from demo.pages.one_text import OneTextPage
    from demo.verdict import Verdict

ABOUT = (
    "Your levels are exported as an annotation sheet that is filled in, beside empty sheets for the other people that "
    "you name. Bring them back with python -m data_prep.annotation import; docs/demo.md says how."
)


def disagreements_page(resources: Resources, one_text: OneTextPage, tabs: gr.Tabs) -> None:
    """Lay out the page inside the current tab, and lead to it from the page for one text."""
    import gradio as gr

    kept = gr.State([], time_to_live=12 * 3600)
    categories = resources.moderator.guard.bundle.categories
    with gr.Row(equal_height=False):
        with gr.Column(scale=6, min_width=300, elem_classes="bg-card"):
            disputed = view(markup.disputed_view(None), elem_id="feedback-text")
            with gr.Column(visible=False) as form:
                levels = [
                    gr.Radio(
                        [(str(level), level) for level in range(1, category.scale + 1)],
                        label=category.title,
                        elem_classes="bg-levels",
                        elem_id=f"feedback-{category.name}",
                    )
                    for category in categories
                ]
                language = gr.Dropdown(
                    language_choices()[1:], label="Language of the text", elem_id="feedback-language"
                )
                comment = gr.Textbox(label="Why (optional)", lines=2)
                keep = gr.Button("Keep this disagreement", variant="primary", elem_id="feedback-keep")
        with gr.Column(scale=5, min_width=300, elem_classes="bg-card"):
            listed = view(markup.feedback_view([]), elem_id="feedback-list")
            person = gr.Textbox(label="Your name or initials", elem_id="feedback-person")
            others = gr.Textbox(label="Other annotators, separated by commas (optional)")
            make = gr.Button("Make the sheets", elem_id="feedback-make")
            sheets = gr.DownloadButton("Download the sheets", visible=False, elem_id="feedback-sheets")
            told = view(elem_id="feedback-told")
            view(markup.note_view(ABOUT))

    names = [category.name for category in categories]

    def prepare(verdict: Verdict | None) -> tuple[Any, ...]:
        given = [gr.update(value=verdict.levels[name] if verdict else None) for name in names]
        spoken = gr.update(value=verdict.asked if verdict else None)
        return markup.disputed_view(verdict), gr.update(visible=verdict is not None), *given, spoken, ""

    def take(
        verdict: Verdict | None, so_far: list[Disagreement], spoken: str, why: str, *given: int
    ) -> tuple[Any, ...]:
        chosen = {name: int(level) for name, level in zip(names, given, strict=True) if level is not None}
        try:
            made = disagree(verdict, chosen, spoken, why or "", resources.moderator.facts)
            now = add(so_far, made)
        except UserError as error:
            return so_far, gr.skip(), markup.message_view(str(error), wrong=True), gr.skip()
        return now, markup.feedback_view(now), markup.message_view("Kept."), gr.update(visible=False)

    def export(so_far: list[Disagreement], who: str, with_whom: str) -> Iterator[tuple[Any, str]]:
        with tempfile.TemporaryDirectory(prefix="babelguard-") as folder:
            try:
                path = export_disagreements(
                    so_far, who or "", (with_whom or "").split(","), resources.taxonomy.name, Path(folder)
                )
            except UserError as error:
                yield gr.update(visible=False), markup.message_view(str(error), wrong=True)
                return
            yield gr.update(value=str(path), visible=True), markup.message_view("The sheets are ready.")

    quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}
    one_text.checked.success(
        prepare, one_text.verdict, [disputed, form, *levels, language, comment], **{**quiet, "show_progress": "hidden"}
    )
    one_text.disagree.click(lambda: gr.update(selected="feedback"), None, tabs, **{**quiet, "show_progress": "hidden"})
    keep.click(take, [one_text.verdict, kept, language, comment, *levels], [kept, listed, told, sheets], **quiet)
    make.click(export, [kept, person, others], [sheets, told], **quiet)
