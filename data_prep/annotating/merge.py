"""Merge: the answers of several people on the same items, in the people's order, missing where one gave none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from babelguard.item import Item, Role
from data_prep.annotating.batch import Batch
from data_prep.annotating.columns import COMMENT, DIALECT, TEXT, WRITTEN, rated_taxonomy, source_heading
from data_prep.annotating.returned import Answers
from data_prep.reliability import ReliabilityTally


@dataclass(frozen=True, slots=True)
class Missing:
    """How many answers one person owes: of `asked` cells (or texts), `given` were answered."""

    language: str
    person: str
    returned: bool
    asked: int
    given: int

    @property
    def missing(self) -> int:
        """Answers that are not there."""
        return self.asked - self.given


def merge_levels(batch: Batch, answers: Sequence[Answers], items: Mapping[str, Item]) -> list[Item]:
    """Return the rated items with one level a person and category, in the order of `Batch.people`.

    Earlier labels of an item are replaced; comments go to its metadata. A category that nobody answered is a row of
    missing levels, not an absent one: it was asked.
    """
    given: dict[str, dict[str, dict[str, int]]] = {}
    comments: dict[str, dict[str, str]] = {}
    for answer in answers:
        for row in answer.sheet.rows:
            item = row.items[TEXT]
            given.setdefault(item, {})[answer.sheet.person] = answer.levels.get(row.code, {})
            if comment := answer.texts.get(row.code, {}).get(COMMENT):
                comments.setdefault(item, {})[answer.sheet.person] = comment
    merged = []
    for item, levels in given.items():
        labels = {
            category.name: tuple(levels.get(person, {}).get(category.name) for person in batch.people)
            for category in rated_taxonomy(batch)
        }
        told = {"comments": comments[item]} if item in comments else {}
        metadata = {**items[item].metadata, **told, "annotated_in": batch.name}
        merged.append(replace(items[item], labels=labels, aggregated={}, metadata=metadata))
    return merged


def merge_transcreations(batch: Batch, answers: Sequence[Answers], items: Mapping[str, Item]) -> Iterator[Item]:
    """Yield a new item for every text that was written, with its source's source_id, role and split."""
    for answer in answers:
        sheet = answer.sheet
        for row in sheet.rows:
            written = answer.texts.get(row.code, {})
            for role, name in WRITTEN.items():
                if name in written:
                    source = items[row.items[source_heading(role)]]
                    yield _transcreation(batch, source, role, written, sheet.language, sheet.person)


def _transcreation(batch: Batch, source: Item, role: Role, written: Mapping[str, str], tag: str, person: str) -> Item:
    several = f"/{person}" if len(batch.people) > 1 else ""
    provenance = {"parent": source.id, "kind": "transcreation", "person": person, "batch": batch.name}
    return Item(
        id=f"{batch.name}/{tag}/{source.id}{several}",
        text=written[WRITTEN[role]],
        language=tag,
        source=batch.name,
        source_id=source.source_id,
        role=role,
        subset="transcreated",
        dialect=written.get(DIALECT),
        split=source.split,
        metadata={"comment": written[COMMENT]} if COMMENT in written else {},
        provenance=provenance,
    )


def count_missing(batch: Batch, answers: Sequence[Answers]) -> list[Missing]:
    """Return how many answers each person owes, sheet by sheet."""
    found = []
    for answer in answers:
        sheet = answer.sheet
        if batch.task == "transcreation":
            asked = sum(len(row.items) for row in sheet.rows)
            given = sum(name in texts for texts in answer.texts.values() for name in WRITTEN.values())
        else:
            asked = len(sheet.rows) * len(rated_taxonomy(batch))
            given = sum(len(levels) for levels in answer.levels.values())
        found.append(Missing(sheet.language, sheet.person, answer.returned, asked, given))
    return found


def tally(batch: Batch, merged: Sequence[Item]) -> ReliabilityTally:
    """Return the annotators' levels, grouped by language and role."""
    found = ReliabilityTally(rated_taxonomy(batch))
    for item in merged:
        found.add((item.language, item.role.value), item.labels)
    return found
