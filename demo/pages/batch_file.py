"""The page for a file: upload a table, choose its columns, watch it being rated, download it with the ratings."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babelguard.errors import UserError
from demo import markup
from demo.batch import BatchChoices, RatedRow, Tally, check_choices, rate_rows
from demo.csv_rows import DELIMITERS_TOLD
from demo.pages.view import view
from demo.rated_file import write_rated_csv, write_rated_xlsx
from demo.resources import FIND_OUT, language_choices
from demo.spreadsheet import Spreadsheet, read_spreadsheet

if TYPE_CHECKING:
    from demo.resources import Resources

FLAGGED_SHOWN = 20
NO_COLUMN = ""


class BatchFilePage:
    """The page's components and what they do; nothing of it changes after it is laid out."""

    def __init__(self, resources: Resources) -> None:
        """Lay out the page inside the current tab."""
        self._resources = resources
        self._lay_out()
        self._wire()

    def _lay_out(self) -> None:
        import gradio as gr

        with gr.Row(equal_height=False):
            with gr.Column(scale=5, min_width=300, elem_classes="bg-card"):
                self.file = gr.File(
                    # Other endings are taken too and refused in `look`: Gradio's own check would leave the page's
                    # message as it was.
                    label="CSV or XLSX, headings in row 1",
                    height=150,
                    elem_id="batch-file",
                )
                self.texts = gr.Dropdown([], label="Column with the texts", visible=False, elem_id="batch-text")
                self.codes = gr.Dropdown([], label="Column with language codes", visible=False, elem_id="batch-codes")
                self.language = gr.Dropdown(
                    language_choices(), value=FIND_OUT, label="Language where no column tells", visible=False
                )
                with gr.Row():
                    self.rate = gr.Button("Rate the rows", variant="primary", interactive=False, elem_id="batch-rate")
                    self.stop = gr.Button("Stop", visible=False, elem_id="batch-stop")
            with gr.Column(scale=6, min_width=300, elem_classes="bg-card"):
                invitation = markup.message_view(self._invitation())
                self.view = view(invitation, elem_id="batch-view")
                with gr.Row():
                    self.csv = gr.DownloadButton("Download CSV", visible=False, elem_id="batch-csv")
                    self.xlsx = gr.DownloadButton("Download XLSX", visible=False, elem_id="batch-xlsx")

    def _wire(self) -> None:
        private: dict[str, Any] = {"api_visibility": "private"}
        inspected = [self.texts, self.codes, self.language, self.rate, self.view, self.csv, self.xlsx]
        self.file.change(self.look, self.file, inspected, show_progress="hidden", **private)
        self.texts.input(self.chosen, self.texts, self.rate, show_progress="hidden", queue=False, **private)
        rated = self.rate.click(
            self.run,
            [self.file, self.texts, self.codes, self.language],
            [self.view, self.csv, self.xlsx, self.stop],
            show_progress_on=self.view,
            concurrency_id="batch",
            concurrency_limit=2,
            **private,
        )
        self.stop.click(self.stopped, None, [self.view, self.stop], cancels=[rated], queue=False, **private)

    def look(self, path: str | None) -> tuple[Any, ...]:
        """Look into an uploaded file: offer its columns, or tell what is wrong with it."""
        import gradio as gr

        hidden = gr.update(visible=False)
        unready = (gr.update(choices=[], value=None, visible=False), hidden, hidden, gr.update(interactive=False))
        if not path:
            return (*unready, markup.message_view(self._invitation()), hidden, hidden)
        try:
            sheet = read_spreadsheet(Path(path), self._resources.most_rows)
        except UserError as error:
            return (*unready, markup.message_view(str(error), wrong=True), hidden, hidden)
        names, guessed = list(sheet.columns), sheet.guess_text()
        return (
            gr.update(choices=names, value=guessed, visible=True),
            gr.update(choices=[("None", NO_COLUMN), *names], value=sheet.guess_language() or NO_COLUMN, visible=True),
            gr.update(visible=True),
            self.chosen(guessed),
            markup.message_view(_seen(sheet)),
            hidden,
            hidden,
        )

    def chosen(self, texts: str | None) -> Any:  # noqa: ANN401 - Gradio's update
        """Let rows be rated once a column of texts is chosen."""
        import gradio as gr

        return gr.update(interactive=bool(texts))

    def run(
        self, path: str | None, texts: str | None, codes: str | None, spoken: str | None
    ) -> Iterator[tuple[Any, ...]]:
        """Rate all rows, telling how far it is, and offer the files."""
        import gradio as gr

        hidden = gr.update(visible=False)
        try:
            if not path:
                raise UserError("Upload a file first.")
            sheet = read_spreadsheet(Path(path), self._resources.most_rows)
            choices = BatchChoices(texts or "", codes or None, spoken or None)
            check_choices(sheet, choices)
        except UserError as error:
            yield markup.message_view(str(error), wrong=True), hidden, hidden, hidden
            return
        rows: list[RatedRow] = []
        tally = Tally()
        for chunk in rate_rows(self._resources.moderator, sheet, choices):
            rows += chunk
            for row in chunk:
                tally.add(row)
            yield markup.progress_view(len(rows), len(sheet.rows)), hidden, hidden, gr.update(visible=True)
        flagged = [row for row in rows if row.verdict is not None and row.verdict.flagged][:FLAGGED_SHOWN]
        shown = markup.batch_view(tally, sheet, flagged, sheet.columns.index(choices.text_column))
        with tempfile.TemporaryDirectory(prefix="babelguard-") as folder:
            files = self._write(Path(folder), Path(path).stem, sheet, rows)
            yield shown, *(gr.update(value=str(file), visible=True) for file in files), hidden

    def stopped(self) -> tuple[str, Any]:
        """Say that a batch was stopped."""
        import gradio as gr

        return markup.message_view("Stopped; nothing of this batch was kept."), gr.update(visible=False)

    def _write(self, folder: Path, stem: str, sheet: Spreadsheet, rows: Sequence[RatedRow]) -> tuple[Path, Path]:
        order = self._resources.moderator.guard.bundle.category_names
        csv_file, xlsx_file = folder / f"{stem}-rated.csv", folder / f"{stem}-rated.xlsx"
        write_rated_csv(csv_file, sheet.columns, rows, order)
        write_rated_xlsx(xlsx_file, sheet.columns, rows, order)
        return csv_file, xlsx_file

    def _invitation(self) -> str:
        most = self._resources.most_rows
        return f"Upload a table of up to {most:,} rows. What the guard says about it stands here when it is done."


def _seen(sheet: Spreadsheet) -> str:
    """Say what was read of a file, and what of it was not."""
    part = f" ({sheet.part})" if sheet.part else ""
    counts = f"{markup.plural(len(sheet.rows), 'row')}, {markup.plural(len(sheet.columns), 'column')}"
    told = [f"{sheet.name}{part}: {counts}."]
    if sheet.set_aside:
        left_out = "row cannot be read and is" if len(sheet.set_aside) == 1 else "rows cannot be read and are"
        first = sheet.set_aside[0] if len(sheet.set_aside) == 1 else f"the first: {sheet.set_aside[0]}"
        told.append(f"{len(sheet.set_aside):,} {left_out} left out; {first}")
    told += sheet.remarks
    if len(sheet.columns) == 1 and not sheet.is_workbook:
        told.append(f"If it has more columns, they were not told apart: {DELIMITERS_TOLD}")
    if sheet.guess_text() is None:
        told.append("No column is named 'text': choose which one holds the texts.")
    elif not sheet.names_its_text:
        told.append("Its first row is taken for the heading and is not rated; add a heading if it is a text.")
    return " ".join(told)
