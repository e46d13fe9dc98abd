"""Collect: read every part, take each item through the stages that look at it alone, and spool it.

In memory stay 17 bytes an exact text, a signature, and a few numbers an item; the items themselves are on disk.
"""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from babelguard.corpus_rows import SPLITS, row_schema, rows_of
from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.jsonl import dump_line
from babelguard.languages import language
from babelguard.progress import Shown
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.building.balance import OUTCOMES, hash_rank, outcome_of
from data_prep.building.deduplicate import ExactDuplicates, text_hash
from data_prep.building.filter import Filter
from data_prep.building.near_duplicates import SignatureMaker
from data_prep.building.normalise import normalise_item, normaliser
from data_prep.building.recipe import Part, Plan
from data_prep.building.registers import shifted
from data_prep.building.split import FREE, PRECEDENCE
from data_prep.building.tally import PartTally
from data_prep.register_shift import TWIN_MARK
from data_prep.reliability import ReliabilityTally

BATCH = 2_000
REMEDY = "Mend the row, or leave --strict out to set such rows aside and count them."
NOBODY = -1


@dataclass(slots=True)
class Numbers:
    """A few numbers an item, in reading order, and the strings that they stand for.

    `parents` has, for a twin, the position of the item that it was made from, and `NOBODY` for all others and where
    that item was not kept.
    """

    parts: array[int] = field(default_factory=lambda: array("i"))
    contents: array[int] = field(default_factory=lambda: array("q"))
    languages: array[int] = field(default_factory=lambda: array("i"))
    roles: array[int] = field(default_factory=lambda: array("i"))
    outcomes: array[int] = field(default_factory=lambda: array("b"))
    own: array[int] = field(default_factory=lambda: array("q"))
    parents: array[int] = field(default_factory=lambda: array("q"))
    texts: array[int] = field(default_factory=lambda: array("q"))
    source_ids: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)

    def add(self, item: Item, part: int, own: int) -> None:
        """Append one item's numbers."""
        self.ids[item.id] = len(self)
        parent, mark, _ = item.id.rpartition(TWIN_MARK)
        self.parents.append(self.ids.get(parent, NOBODY) if mark else NOBODY)
        self.parts.append(part)
        self.contents.append(self.source_ids.setdefault(item.source_id, len(self.source_ids)))
        self.languages.append(self.kinds.setdefault(item.language, len(self.kinds)))
        turns = " ".join(turn.role for turn in item.messages)
        role = f"{item.role.value} {item.language} {item.register} {turns}"
        self.roles.append(self.kinds.setdefault(role, len(self.kinds)))
        self.outcomes.append(OUTCOMES.index(outcome_of(item)))
        self.own.append(own)
        self.texts.append(text_hash(compared_text(item)))

    def __len__(self) -> int:
        return len(self.parts)

    def ranks(self) -> NDArray[np.uint64]:
        """Return the hash of every source_id, in the order of their numbers."""
        return np.fromiter((hash_rank(key) for key in self.source_ids), np.uint64, len(self.source_ids))


@dataclass(slots=True)
class Collected:
    """What reading left: the spool on disk, and what the next stages need of it in memory."""

    spool: Path
    numbers: Numbers
    signatures: SignatureMaker | None
    tallies: list[PartTally]
    reliability: ReliabilityTally


def collect(plan: Plan, spool: Path, left_out: BinaryIO, shown: Shown) -> Collected:
    """Read every part of a plan into a spool file.

    Args:
        plan: What to read.
        spool: The file to write: Arrow record batches, in reading order.
        left_out: Gets a JSON line for every item that a stage leaves out.
        shown: Told the part's name and how many of its items were read, now and then.

    Raises:
        UserError: A source cannot be read at all, or a row of a strict build cannot.
    """
    import pyarrow as pa

    near = plan.recipe.deduplicate.near
    made = Collected(
        spool=spool,
        numbers=Numbers(),
        signatures=None if near is None else SignatureMaker(near.permutations, near.seed),
        tallies=[],
        reliability=ReliabilityTally(plan.taxonomy),
    )
    stages = _Stages(plan, left_out, made)
    with pa.OSFile(str(spool), "wb") as sink, pa.ipc.new_stream(sink, row_schema(plan.taxonomy)) as writer:
        for number, part in enumerate(plan.parts):
            tally = PartTally(part.name, RejectLog(strict=plan.recipe.strict, remedy=REMEDY))
            made.tallies.append(tally)
            batch: list[Item] = []
            for item in stages.items_of(part, tally, shown):
                made.numbers.add(item, number, own_split(item, part))
                batch.append(item)
                if len(batch) == BATCH:
                    _spool(batch, part, plan.taxonomy, writer, made)
                    batch = []
            _spool(batch, part, plan.taxonomy, writer, made)
    return made


def own_split(item: Item, part: Part) -> int:
    """Return the split that a source fixed for an item, by position in `PRECEDENCE`, or `FREE`."""
    asked = part.recipe.split
    if asked == "hash" or (asked == "own" and item.split is None):
        return FREE
    return PRECEDENCE.index(str(item.split) if asked == "own" else asked)


def _spool(batch: list[Item], part: Part, taxonomy: Taxonomy, writer: Any, made: Collected) -> None:  # noqa: ANN401
    if not batch:
        return
    writer.write_batch(rows_of(batch, part.name, taxonomy))
    if made.signatures is not None:
        made.signatures.add([compared_text(item) for item in batch])


def compared_text(item: Item) -> str:
    """Return what duplicates are found by: the text and the turns of a conversation."""
    return "\n".join([item.text, *(turn.content for turn in item.messages)])


class _Stages:
    """The stages that look at one item at a time."""

    def __init__(self, plan: Plan, left_out: BinaryIO, made: Collected) -> None:
        self.plan, self.left_out, self.made = plan, left_out, made
        self.filter = Filter(plan.recipe.filter)
        self.normalise = normaliser(plan.recipe.normalise)
        self.exact = ExactDuplicates() if plan.recipe.deduplicate.exact == "drop" else None
        self.fitting: set[tuple[str, tuple[int | None, ...]]] = set()

    def items_of(self, part: Part, tally: PartTally, shown: Shown) -> Iterator[Item]:
        """Stream the items of a part that the corpus takes, so far as one can tell item by item."""
        taken = self._unique_ids(self._taken(part, tally, shown), tally)
        twins = shifted(self._distinct(taken, part, tally), self.plan.recipe.registers, tally)
        for item in self._distinct(twins, part, tally):
            tally.labelled.update(item.aggregated_labels().keys())
            yield item

    def _distinct(self, items: Iterator[Item], part: Part, tally: PartTally) -> Iterator[Item]:
        for item in items:
            first = None if self.exact is None else self.exact.first_with(item, own_split(item, part))
            if first is None:
                yield item
            else:
                self._leave_out(item, tally, "exact-duplicate", kept=first)

    def _taken(self, part: Part, tally: PartTally, shown: Shown) -> Iterator[Item]:
        chosen = _limited(part, self.plan)
        own = Filter(part.recipe.filter)
        for item in part.source.read(part.options, self.plan.taxonomy, tally.log):
            tally.read += 1
            if tally.read % BATCH == 0:
                shown(part.name, tally.read)
            if chosen is not None and item.source_id not in chosen:
                tally.left_out["limit"] += 1
                continue
            if part.recipe.splits is not None and item.split not in part.recipe.splits:
                tally.left_out["part-splits"] += 1
                continue
            checked = self._checked(item, part, tally)
            if checked is None:
                continue
            self.made.reliability.add((part.name, checked.role.value, checked.language), checked.labels)
            reason = self.filter.reason_against(checked) or own.reason_against(checked)
            if reason is not None:
                self._leave_out(checked, tally, reason)
                continue
            yield normalise_item(checked, self.normalise)

    def _checked(self, item: Item, part: Part, tally: PartTally) -> Item | None:
        """Return the item with its language's tag, or `None` where no corpus can hold it."""
        try:
            tag = language(item.language).tag
            problem = _problem_of(item) or self._label_problem(item)
        except UserError as error:
            problem = ("unknown-language", str(error).rstrip("."))
        if problem is not None:
            tally.rejected[problem[0]] += 1
            tally.log.reject(*_origin(item, part.name), problem[0], f"the item {item.id!r:.100}: {problem[1]}")
            return None
        return item if tag == item.language else replace(item, language=tag)

    def _label_problem(self, item: Item) -> tuple[str, str] | None:
        taxonomy = self.plan.taxonomy
        given = [*item.labels.items(), *((name, (label.level,)) for name, label in item.aggregated.items())]
        for row in given:
            if row in self.fitting:
                continue
            name, levels = row
            if name not in taxonomy:
                return "unknown-category", f"{name!r:.40} is not a category of {taxonomy.name}"
            for level in levels:
                if level is not None and not taxonomy[name].has_level(level):
                    clause = f"the level {level!r:.20} of {name} is off its scale 1-{taxonomy[name].scale}"
                    return "label-off-scale", clause
            self.fitting.add(row)
        return None

    def _unique_ids(self, items: Iterator[Item], tally: PartTally) -> Iterator[Item]:
        for item in items:
            if item.id in self.made.numbers.ids:
                tally.rejected["duplicate-id"] += 1
                tally.log.reject(
                    *_origin(item, tally.name),
                    "duplicate-id",
                    f"two items have the id {item.id!r:.100}; the first stays",
                )
                continue
            self.made.numbers.ids[item.id] = NOBODY
            yield item

    def _leave_out(self, item: Item, tally: PartTally, reason: str, kept: str | None = None) -> None:
        tally.left_out[reason] += 1
        self.left_out.write(dump_line(left_out_record(item.id, tally.name, reason, kept)))


def left_out_record(item: str, part: str, reason: str, kept: str | None = None) -> dict[str, str]:
    """Return a line of `left_out.jsonl`."""
    record = {"id": item, "part": part, "reason": reason}
    return record if kept is None else {**record, "kept": kept}


def _origin(item: Item, part: str) -> tuple[Path, int | None]:
    """Return the file and the line that an item came from, so far as it knows."""
    line = item.provenance.get("line")
    return Path(str(item.provenance.get("file") or part)), line if isinstance(line, int) else None


def _problem_of(item: Item) -> tuple[str, str] | None:
    """Return kind and clause of what makes an item unfit for a corpus, its labels aside."""
    if item.split is not None and item.split not in SPLITS:
        return "unknown-split", f"the split {item.split!r:.30} is none of {', '.join(SPLITS)}"
    try:
        fields = (item.id, item.source_id, item.text, item.register, item.subset or "", item.dialect or "")
        for text in (*fields, *(part for turn in item.messages for part in (turn.role, turn.content))):
            text.encode("utf-8")
    except UnicodeEncodeError:
        return "lone-surrogate", "the text holds half of a surrogate pair, which is no character"
    return None


def _limited(part: Part, plan: Plan) -> frozenset[str] | None:
    """Return the source_ids with the smallest hashes, so that a larger limit keeps the items of a smaller one."""
    if plan.recipe.limit is None:
        return None
    keys = {item.source_id for item in part.source.read(part.options, plan.taxonomy, RejectLog())}
    return frozenset(heapq.nsmallest(plan.recipe.limit, keys, key=hash_rank))
