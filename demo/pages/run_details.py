"""What of a run is folded away below its figures: its Parquet tables, its whole report, its files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from babelguard.errors import UserError
from demo import markup
from demo.pages.view import view
from demo.runs import Run, read_table

if TYPE_CHECKING:
    import gradio as gr
    from gradio.events import Dependency

ROWS_SHOWN = 1000


class RunDetails:
    """Three folds, each filled when it is opened, and again when another run is chosen while it stands open."""

    def __init__(self, open_run: Callable[[str | None], Run], run: gr.Dropdown) -> None:
        """Lay out the folds inside the current column.

        Args:
            open_run: Opens a run by its name, or raises a `UserError`.
            run: The choice of a run.
        """
        self._open = open_run
        self._run = run
        self._lay_out()
        self._wire()

    def _lay_out(self) -> None:
        import gradio as gr

        with gr.Accordion("Tables of the run", open=False) as self.tables_fold:
            self.name = gr.Dropdown([], label="Table", elem_id="report-parquet")
            self.count = view(elem_id="report-rows")
            self.rows = gr.Dataframe(interactive=False, show_search="filter", max_height=460, show_label=False)
        with gr.Accordion("The whole report", open=False) as self.report_fold:
            self.report = view(elem_id="report-frame")
        with gr.Accordion("Files of the run", open=False) as self.files_fold:
            self.told = view()
            self.files = gr.File(show_label=False, interactive=False, file_count="multiple", elem_id="report-files")
        # Gradio tells when a fold is opened and closed, but not whether it is open.
        self.open_folds = [gr.State(False) for _ in range(3)]

    def _wire(self) -> None:
        quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}
        folds: list[tuple[gr.Accordion, Callable[..., Any], list[Any], list[Any]]] = [
            (self.tables_fold, self.look_into, [self._run, self.name], [self.count, self.rows]),
            (self.report_fold, self.whole_report, [self._run], [self.report]),
            (self.files_fold, self.offer_files, [self._run], [self.told, self.files]),
        ]
        for (fold, fill, inputs, outputs), is_open in zip(folds, self.open_folds, strict=True):
            fold.expand(lambda: True, None, is_open, queue=False, **quiet)
            fold.collapse(lambda: False, None, is_open, queue=False, **quiet)
            fold.expand(fill, inputs, outputs, **quiet)
        self.name.input(self.look_into, [self._run, self.name], [self.count, self.rows], **quiet)

    def refill_after(self, event: Dependency, fresh: gr.State) -> None:
        """Fill what stands open, and empty what does not, after another run was chosen.

        Args:
            event: What comes before.
            fresh: Whether the event showed a run; if not, all stays as it is.
        """
        event.success(
            self.refill,
            [fresh, self._run, self.name, *self.open_folds],
            [self.count, self.rows, self.report, self.told, self.files],
            api_visibility="private",
            show_progress="minimal",
        )

    def refill(
        self, fresh: bool, chosen: str | None, name: str | None, tables: bool, report: bool, files: bool
    ) -> tuple[Any, ...]:
        """Return count and rows of the table, the report, and the files with what is told about them."""
        import gradio as gr

        if not fresh:
            return tuple(gr.skip() for _ in range(5))
        return (
            *(self.look_into(chosen, name) if tables else ("", None)),
            self.whole_report(chosen) if report else "",
            *(self.offer_files(chosen) if files else ("", None)),
        )

    def look_into(self, chosen: str | None, name: str | None) -> tuple[str, Any]:
        """Return the first rows of one of the run's tables, and how many there are."""
        try:
            run = self._open(chosen)
            if not run.tables:
                return markup.message_view("This run has no Parquet tables."), None
            headings, lines, total = read_table(run, name or "", ROWS_SHOWN)
        except UserError as error:
            return markup.message_view(str(error), wrong=True), None
        more = f"; the first {len(lines):,} are shown" if total > len(lines) else ""
        return markup.message_view(f"{markup.plural(total, 'row')}{more}."), {"headers": headings, "data": lines}

    def whole_report(self, chosen: str | None) -> str:
        """Return the report in a frame."""
        try:
            return markup.report_view(self._open(chosen))
        except UserError as error:
            return markup.message_view(str(error), wrong=True)

    def offer_files(self, chosen: str | None) -> tuple[str, list[str] | None]:
        """Return copies of the run's files to download.

        Gradio serves no files from outside its working folder, unless it is allowed a whole folder, and a run's folder
        holds the ratings too. So each file that is offered is copied to where Gradio keeps uploads, and is deleted as
        they are.
        """
        from gradio.processing_utils import save_file_to_cache

        try:
            run = self._open(chosen)
            return "", [save_file_to_cache(path, self.files.GRADIO_CACHE) for path in run.files]
        except UserError as error:
            return markup.message_view(str(error), wrong=True), None
        except OSError as error:
            told = f"The files of {chosen} cannot be read ({error.strerror or error.__class__.__name__}); look again."
            return markup.message_view(told, wrong=True), None
