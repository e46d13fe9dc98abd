"""The page for finished evaluations: tables and plots of agreement, and what is folded away below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from babelguard.errors import UserError
from demo import markup
from demo.agreement import agreement_table, categories_of, language_plot, metric_title, metrics_of, parts_of
from demo.pages.run_details import RunDetails
from demo.pages.view import view
from demo.runs import Run, list_runs, open_run

if TYPE_CHECKING:
    import gradio as gr
    from gradio.events import Dependency

    from demo.resources import Resources

NOTHING = "There is no finished evaluation here yet. Make one with: python -m evaluation.run"


class ReportsPage:
    """The page's components and what they do; nothing of it changes after it is laid out."""

    def __init__(self, resources: Resources, tab: gr.Tab) -> None:
        """Lay out the page inside the current tab."""
        self._resources = resources
        self._lay_out()
        self._wire(tab)

    def _lay_out(self) -> None:
        import gradio as gr

        found = list(list_runs(self._resources.runs))
        first = found[0] if found else None
        with gr.Column(elem_classes="bg-card"):
            with gr.Row(equal_height=False, elem_classes="bg-choose-run"):
                self.run = gr.Dropdown(found, value=first, label="Run", elem_id="report-run", scale=6)
                self.again = gr.Button("Look again", scale=1, min_width=110, size="md", elem_id="report-again")
            self.about = view(markup.message_view("" if found else NOTHING), elem_id="report-about")
        with gr.Column(visible=False, elem_classes="bg-card") as self.body:
            with gr.Row():
                self.metric = gr.Dropdown([], label="Metric", elem_id="report-metric")
                self.part = gr.Dropdown([], label="Items", elem_id="report-part")
                self.category = gr.Dropdown([], label="Category in the plot", elem_id="report-category")
            self.table = view(elem_id="report-table")
            self.plot = view(elem_id="report-plot")
        with gr.Column(visible=False, elem_classes="bg-card") as self.more:
            self.details = RunDetails(self.open, self.run)
        self.fresh = gr.State(False)

    def _wire(self, tab: gr.Tab) -> None:
        import gradio as gr

        quiet: dict[str, Any] = {"api_visibility": "private", "show_progress": "minimal"}
        shown = [
            *(self.about, self.body, self.more, self.metric, self.part, self.category),
            *(self.details.name, self.fresh),
        ]
        choices, drawn = [self.run, self.metric, self.part, self.category], [self.table, self.plot]

        def show_all_of_it(event: Dependency) -> None:
            """Draw what a run shows, and fill what stands open: all of it is another run's until then."""
            drawing = event.success(self.draw, choices, drawn, **quiet)
            self.details.refill_after(drawing, self.fresh)

        show_all_of_it(tab.select(self.show_first, [self.run, self.metric], [self.run, *shown], **quiet))
        show_all_of_it(self.run.input(self.show, self.run, shown, **quiet))
        listed = self.again.click(self.look_again, self.run, self.run, **quiet)
        show_all_of_it(listed.success(self.show, self.run, shown, **quiet))
        self.metric.input(self.change_metric, [self.run, self.metric], [self.part, self.category], **quiet).success(
            self.draw, choices, drawn, **quiet
        )
        gr.on([self.part.input, self.category.input], self.draw, choices, drawn, **quiet)

    def open(self, chosen: str | None) -> Run:
        """Open a run by its name; only folders below the given ones can be opened, whatever a browser asks for."""
        found = list_runs(self._resources.runs)
        if not chosen:
            raise UserError(NOTHING)
        if chosen not in found:
            raise UserError(f"There is no run {chosen!r:.80} any more; look again.")
        return open_run(found[chosen])

    def show_first(self, chosen: str | None, metric: str | None) -> tuple[Any, ...]:
        """List the runs and show the first one when the tab is opened for the first time since the page was loaded."""
        import gradio as gr

        if metric:
            return (*(gr.skip() for _ in range(8)), False)
        listed = self.look_again(chosen)
        return listed, *self.show(listed["value"])

    def show(self, chosen: str | None) -> tuple[Any, ...]:
        """Show what a run is and fill the choices; last comes that what stands open is to be filled anew."""
        import gradio as gr

        try:
            run = self.open(chosen)
        except UserError as error:
            # The choices stay, though hidden: Gradio refuses with a bare error what a browser still sends of them.
            hidden = gr.update(visible=False)
            return markup.message_view(str(error)), hidden, hidden, *(gr.skip() for _ in range(4)), True
        metrics = metrics_of(run)
        first = metrics[0] if metrics else None
        return (
            markup.run_view(run),
            gr.update(visible=True),
            gr.update(visible=True),
            gr.update(choices=[(metric_title(name), name) for name in metrics], value=first),
            *_parts_and_categories(run, first or ""),
            gr.update(choices=list(run.tables), value=next(iter(run.tables), None)),
            True,
        )

    def change_metric(self, chosen: str | None, metric: str | None) -> tuple[Any, Any]:
        """Fill the choices that depend on the metric; where the run cannot be opened, `draw` says why."""
        import gradio as gr

        try:
            return _parts_and_categories(self.open(chosen), metric or "")
        except UserError:
            empty = gr.update(choices=[], value=None)
            return empty, empty

    def draw(self, chosen: str | None, metric: str | None, place: int | None, category: str | None) -> tuple[str, str]:
        """Draw table and plot."""
        try:
            run = self.open(chosen)
        except UserError as error:
            return markup.message_view(str(error), wrong=True), ""
        parts = parts_of(run, metric or "")
        if metric is None or place is None or not 0 <= place < len(parts):
            return "", ""
        table = agreement_table(run, metric, parts[place])
        return markup.agreement_view(table), markup.plot_view(language_plot(run, metric, category or ""))

    def look_again(self, chosen: str | None) -> Any:  # noqa: ANN401 - Gradio's update
        """List the runs anew."""
        import gradio as gr

        names = list(list_runs(self._resources.runs))
        return gr.update(choices=names, value=chosen if chosen in names else next(iter(names), None))


def _parts_and_categories(run: Run, metric: str) -> tuple[Any, Any]:
    import gradio as gr

    parts, categories = parts_of(run, metric), categories_of(run, metric)
    named = [(part.title, place) for place, part in enumerate(parts)]
    return (
        gr.update(choices=named, value=0 if parts else None),
        gr.update(choices=[(title, name) for name, title in categories.items()], value=next(iter(categories), None)),
    )
