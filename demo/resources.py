"""What all sessions of the demo share, and none changes: guard, policy, panel, folders of runs."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from babelguard.errors import UserError
from babelguard.languages import LANGUAGES
from babelguard.taxonomy import RTP_LX, TAXONOMIES, Taxonomy
from demo.panel import GuardSeat, Panel, RaterSeat
from demo.spreadsheet import MOST_ROWS
from demo.verdict import Moderator

if TYPE_CHECKING:
    from serve.guard import Guard

RUNS = (Path("runs"),)
FIND_OUT = ""
"""The choice of a language that means: find it out."""


@dataclass(frozen=True)
class Resources:
    """What the pages stand on.

    Attributes:
        moderator: The guard and its policy.
        panel: The raters beside it; it may still be in the making.
        runs: Folders in which finished evaluations are looked for.
        most_rows: Rows of an uploaded file that are rated at most.
    """

    moderator: Moderator
    panel: Future[Panel]
    runs: tuple[Path, ...] = RUNS
    most_rows: int = MOST_ROWS

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the guard."""
        return taxonomy_of(self.moderator.guard)

    @property
    def guard_name(self) -> str:
        """The guard's name and version."""
        return f"{self.moderator.guard.bundle.name} {self.moderator.guard.bundle.version}"


def taxonomy_of(guard: Guard) -> Taxonomy:
    """Return the taxonomy that a guard names; RTP-LX's where the name is not known."""
    return TAXONOMIES.get(guard.bundle.taxonomy, RTP_LX)


def panel_in_background(
    taxonomy: Taxonomy, guards: Sequence[GuardSeat] = (), recipe: Path | None = None, overrides: Sequence[str] = ()
) -> Future[Panel]:
    """Start making a panel, so that the page need not wait for raters that learn or load.

    Args:
        taxonomy: The guard's.
        guards: Other guards, loaded already.
        recipe: An evaluation recipe whose raters sit on the panel; none if `None`.
        overrides: Values to override in it, ``a.b=c`` each.

    Raises:
        UserError: The recipe is wrong. What goes wrong later, when raters are made, is told on the page.
    """
    from demo.panel import open_recipe, rater_seats

    if recipe is None:
        return panel_ready(Panel(tuple(guards), taxonomy))
    plan = open_recipe(recipe, overrides)
    worker = ThreadPoolExecutor(1, "panel")

    def make() -> Panel:
        raters: list[RaterSeat] = rater_seats(plan, recipe)
        return Panel((*guards, *raters), taxonomy)

    made = worker.submit(make)
    worker.shutdown(wait=False)
    return made


def standing_panel(taxonomy: Taxonomy) -> Future[Panel]:
    """Return the panel of those who name none, in the making; where its libraries are missing, the page says so."""
    from demo.panel import SIDE_BY_SIDE

    try:
        return panel_in_background(taxonomy, recipe=SIDE_BY_SIDE)
    except UserError as error:
        made: Future[Panel] = Future()
        made.set_exception(error)
        return made


def panel_ready(panel: Panel) -> Future[Panel]:
    """Return a panel that is made already."""
    made: Future[Panel] = Future()
    made.set_result(panel)
    return made


def language_choices() -> list[tuple[str, str]]:
    """Return the languages to choose from: name -> tag, finding out first."""
    named = sorted((entry.name, entry.tag) for entry in LANGUAGES)
    return [("Find out", FIND_OUT), *named]
