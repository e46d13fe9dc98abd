"""From rows to items: rows that cannot become items are set aside, repeated ids too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.rejects import RejectLog
from data_prep.reading.row import Row, RowError


def items_from(rows: Iterable[Row], build: Callable[[Row], Iterable[Item]], log: RejectLog) -> Iterator[Item]:
    """Yield the items that `build` makes of each row; a row gives all of its items or none.

    A row that raises `RowError`, or an item's `UserError`, goes to `log`; so does a row with an id that an earlier row
    has given. A row for which `build` makes no items is left out as ``not-asked-for``.

    Args:
        rows: The rows of one source, in order.
        build: Makes the items of one row.
        log: Where unusable rows go.

    Raises:
        UserError: The log is strict and a row is unusable.
    """
    seen: set[str] = set()
    for row in rows:
        try:
            made = list(build(row))
        except RowError as error:
            log.reject_row(row.path, row.line, error.kind, str(error))
            continue
        except UserError as error:
            log.reject_row(row.path, row.line, "not-an-item", str(error).rstrip("."))
            continue
        repeated = next((item.id for item in made if item.id in seen), None)
        if repeated is not None:
            log.reject_row(row.path, row.line, "duplicate-id", f"the id {repeated!r:.60} was given to an earlier row")
            continue
        if not made:
            log.not_asked_for(row.path)
            continue
        log.row_gave(row.path, len(made))
        seen.update(item.id for item in made)
        yield from made
