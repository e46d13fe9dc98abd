"""Feedback: decisions that a person disagrees with, and the sheets that carry them to annotators and back.

A disagreement is one person's annotation of one text. The export is a batch of `data_prep.annotating`: the person's own
sheet filled in, and empty sheets for others, so that `python -m data_prep.annotation import` merges all of them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.jsonl import write_jsonl
from babelguard.languages import language
from demo.annotators import check_names, safe_name
from demo.verdict import Verdict

if TYPE_CHECKING:
    from data_prep.annotating.batch import Batch

MOST_DISAGREEMENTS = 500
"""Disagreements that one session keeps."""
LONGEST_COMMENT = 2000


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One text whose decision a person disagrees with.

    Attributes:
        verdict: What the guard said.
        levels: Category -> the level that the person gives.
        language: Tag of the text's language.
        comment: Why, in the person's words.
        guard: Name and version of the guard.
    """

    verdict: Verdict
    levels: Mapping[str, int]
    language: str
    comment: str = ""
    guard: Mapping[str, str] = field(default_factory=dict)

    @property
    def changes(self) -> dict[str, tuple[int, int]]:
        """Category -> (the guard's level, the person's), where they differ."""
        theirs = self.verdict.levels
        return {name: (theirs[name], level) for name, level in self.levels.items() if theirs[name] != level}

    def to_item(self) -> Item:
        """Return the text as an item; what the guard said stands in its metadata."""
        digest = hashlib.sha256(f"{self.language}\0{self.verdict.text}".encode()).hexdigest()[:16]
        said = {
            "guard": dict(self.guard),
            "levels": self.verdict.levels,
            "flagged": [category.name for category in self.verdict.flags],
        }
        return Item(
            id=f"feedback/{digest}",
            text=self.verdict.text,
            language=self.language,
            source="feedback",
            source_id=f"feedback/{digest}",
            metadata={"guard_said": said},
        )


def disagree(
    verdict: Verdict | None, levels: Mapping[str, int], code: str | None, comment: str, guard: Mapping[str, str]
) -> Disagreement:
    """Take in a disagreement.

    Raises:
        UserError: There is no verdict to disagree with, nothing differs, the language is not known, or the comment is
            too long.
    """
    if verdict is None:
        raise UserError("There is nothing to disagree with yet: check a text on the first page.")
    spoken = code or verdict.asked
    if spoken is None:
        raise UserError("Choose the text's language: annotators get one sheet a language.")
    if len(comment.strip()) > LONGEST_COMMENT:
        raise UserError(f"The comment has more than {LONGEST_COMMENT:,} characters; shorten it.")
    made = Disagreement(verdict, dict(levels), language(spoken).tag, comment.strip(), dict(guard))
    if not made.changes and not made.comment:
        raise UserError("All levels are the guard's own: change the ones that you disagree with, or leave a comment.")
    return made


def add(kept: Sequence[Disagreement], made: Disagreement) -> list[Disagreement]:
    """Return a session's disagreements with one more; a second one on the same text takes the first one's place.

    Raises:
        UserError: There are as many as a session keeps.
    """
    others = [one for one in kept if one.to_item().id != made.to_item().id]
    if len(others) >= MOST_DISAGREEMENTS:
        raise UserError(f"There are {MOST_DISAGREEMENTS} disagreements already: export them and start anew.")
    return [*others, made]


def export_disagreements(
    kept: Sequence[Disagreement], person: str, others: Sequence[str], taxonomy_name: str, folder: Path
) -> Path:
    """Write a batch of annotation sheets as one archive.

    In it are ``key/`` and ``send/`` as `data_prep.annotation export` makes them, and ``returned/`` with the person's
    own sheets, filled in. Files and sheets bear names as `safe_name` writes them; where one is written otherwise than
    the person writes it, ``key/people.json`` says whose it is.

    Args:
        kept: The disagreements.
        person: Who disagrees.
        others: Further annotators, who get empty sheets.
        taxonomy_name: The taxonomy of the guard.
        folder: Where the archive goes.

    Returns:
        Path of the archive.

    Raises:
        UserError: There is nothing to export, or a name is missing, is none, or is there twice.
    """
    from data_prep.annotating.batch import key_folder

    if not kept:
        raise UserError("There is nothing to export yet: disagree with a decision first.")
    names = {safe_name(name): name for name in check_names(person, others)}
    people = list(names)
    with tempfile.TemporaryDirectory(prefix="babelguard-feedback-") as scratch:
        batch = _export(kept, people, taxonomy_name, Path(scratch))
        _fill_in(batch, kept, people[0], Path(scratch) / batch.name)
        if any(safe != name for safe, name in names.items()):
            written = json.dumps(names, ensure_ascii=False, indent=1)
            (key_folder(Path(scratch) / batch.name) / "people.json").write_text(written + "\n", encoding="utf-8")
        made = shutil.make_archive(str(Path(scratch) / "archive"), "zip", scratch, batch.name)
        target = folder / f"{batch.name}.zip"
        shutil.move(made, target)
    return target


def _export(kept: Sequence[Disagreement], people: Sequence[str], taxonomy_name: str, scratch: Path) -> Batch:
    from data_prep.annotating.export import export
    from data_prep.annotating.recipe import SheetsRecipe, plan_sheets

    items = [one.to_item() for one in kept]
    path = scratch / "items.jsonl"
    write_jsonl(path, (item.to_dict() for item in items))
    digest = hashlib.sha256("\0".join(sorted(item.id for item in items)).encode()).hexdigest()[:8]
    recipe = SheetsRecipe.model_validate(
        {
            "name": f"feedback-{people[0]}-{digest}",
            "task": "annotation",
            "taxonomy": taxonomy_name,
            "corpus": {"source": "items", "path": str(path)},
            "languages": sorted({item.language for item in items}),
            "people": list(people),
            "output": str(scratch),
        }
    )
    return export(plan_sheets(recipe, "the feedback")).batch


def _fill_in(batch: Batch, kept: Sequence[Disagreement], person: str, folder: Path) -> None:
    """Write the person's own sheets with the levels that they gave, where filled-in sheets belong."""
    from data_prep.annotating.columns import COMMENT, TEXT, columns_of, rated_taxonomy
    from data_prep.annotating.rubric import heading
    from data_prep.annotating.sheet import CODE, Sheet
    from data_prep.annotating.workbook import write_workbook

    by_id = {one.to_item().id: one for one in kept}
    returned = folder / "returned"
    returned.mkdir()
    for sheet in batch.sheets:
        if sheet.person != person:
            continue
        rows = []
        for row in sheet.rows:
            one = by_id[row.items[TEXT]]
            levels = {heading(c): str(one.levels[c.name]) for c in rated_taxonomy(batch) if c.name in one.levels}
            rows.append({CODE: row.code, TEXT: one.verdict.text, COMMENT: one.comment, **levels})
        filled = Sheet(sheet.name, columns_of(batch, sheet.language), tuple(rows))
        write_workbook(filled, returned / f"{sheet.name}.xlsx")
