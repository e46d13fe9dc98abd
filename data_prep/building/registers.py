"""Registers: the stage of a build that adds the twins of register shift."""

from __future__ import annotations

from collections.abc import Iterator

from babelguard.item import Item
from babelguard.rejects import RejectLog
from data_prep.building.tally import PartTally
from data_prep.register_shift import ShiftOptions, shift_items


def shifted(items: Iterator[Item], options: ShiftOptions | None, tally: PartTally) -> Iterator[Item]:
    """Yield items and their twins; twins that could not be made are counted with their reasons.

    Args:
        items: The items of one part.
        options: Which twins to make; none if `None`.
        tally: Gets the numbers of twins made, of twins not made, and of parents that the options leave out.
    """
    if options is None:
        yield from items
        return
    log = RejectLog()
    consumed = passed = 0
    current: Item | None = None

    def watched() -> Iterator[Item]:
        nonlocal consumed, current
        for item in items:
            consumed, current = consumed + 1, item
            yield item

    for item in shift_items(watched(), options, log):
        if item is current:
            passed += 1
        else:
            tally.made += 1
        yield item
    if consumed > passed:
        tally.left_out["parent-of-twins"] += consumed - passed
    tally.not_made.update(log.left_out)
