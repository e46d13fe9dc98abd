"""Import: sheets that came back, checked row by row against what was sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.taxonomy import Category
from data_prep.annotating.batch import Batch, BatchRow, BatchSheet
from data_prep.annotating.cells import same_text, shown
from data_prep.annotating.columns import COMMENT, DIALECT, WRITTEN, columns_of, rated_taxonomy
from data_prep.annotating.csv_sheet import read_csv
from data_prep.annotating.rubric import heading
from data_prep.annotating.sheet import CODE, ReturnedRow
from data_prep.annotating.workbook import read_workbook

READERS = {".xlsx": read_workbook, ".csv": read_csv}
MOST_TOLD = 50


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with one cell or row."""

    file: str
    row: int | None
    column: str | None
    kind: str
    clause: str

    def sentence(self) -> str:
        """Return the problem as a sentence that names file, row and column."""
        where = [
            self.file,
            *([f"row {self.row}"] if self.row else []),
            *([f"column {self.column}"] if self.column else []),
        ]
        return f"{', '.join(where)}: {self.clause}."

    def to_dict(self) -> dict[str, str | int | None]:
        """Return the problem as plain JSON values."""
        return {"file": self.file, "row": self.row, "column": self.column, "kind": self.kind, "reason": self.clause}


@dataclass(slots=True)
class Answers:
    """What one person answered on one sheet.

    Attributes:
        sheet: The sheet as it was sent.
        levels: Code -> category -> level; a category without an answer is absent.
        texts: Code -> heading -> what was written.
        returned: Whether the sheet came back at all.
    """

    sheet: BatchSheet
    levels: dict[str, dict[str, int]] = field(default_factory=dict)
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    returned: bool = True


def read_returned(batch: Batch, items: Mapping[str, Item], folder: Path) -> tuple[list[Answers], list[Problem]]:
    """Read every sheet of a batch that came back.

    Args:
        batch: The batch as it was sent.
        items: Its items, by id.
        folder: Where the returned files are, under the names under which they were sent.

    Returns:
        Answers, sheet by sheet in the batch's order, and everything that is wrong. A wrong cell is no answer.

    Raises:
        UserError: The folder does not exist or is empty, a file cannot be read as a sheet, or one came back in both
            formats.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        state = "is empty" if folder.is_dir() else "does not exist"
        raise UserError(f"{folder} {state}; put the returned sheets there, or name their folder.")
    answers, problems = [], list(_unknown_files(batch, folder))
    for sheet in batch.sheets:
        files = [path for ending in READERS if (path := folder / f"{sheet.name}{ending}").is_file()]
        if len(files) > 1:
            raise UserError(f"{folder} has {sheet.name} as XLSX and as CSV; keep the one that was filled in.")
        if not files:
            answers.append(Answers(sheet, returned=False))
            continue
        reader = _SheetReader(batch, sheet, items, files[0])
        answers.append(reader.read())
        problems += reader.problems
    return answers, problems


def _unknown_files(batch: Batch, folder: Path) -> Iterator[Problem]:
    """Yield a problem for every file that is no sheet of the batch, lest answers be lost for a file's name."""
    known = {f"{sheet.name}{ending}" for sheet in batch.sheets for ending in READERS}
    for path in sorted(folder.iterdir()):
        if not path.name.startswith((".", "~$")) and (path.name not in known or not path.is_file()):
            clause = (
                "no sheet was sent under this name; give it the name that it had, as .xlsx or .csv, or move it away"
            )
            yield Problem(path.name, None, None, "unknown-file", clause)


class _SheetReader:
    def __init__(self, batch: Batch, sheet: BatchSheet, items: Mapping[str, Item], file: Path) -> None:
        self.batch, self.sheet, self.items, self.file = batch, sheet, items, file
        self.problems: list[Problem] = []
        self.sent = {row.code: row for row in sheet.rows}

    def read(self) -> Answers:
        found = Answers(self.sheet)
        seen: dict[str, int] = {}
        columns = columns_of(self.batch, self.sheet.language)
        for row in READERS[self.file.suffix](self.file, columns):
            code = row.cells.get(CODE, "").strip().upper()
            sent = self.sent.get(code)
            if sent is None:
                self._problem(row.number, CODE, "unknown-item", f"the code {code[:20]!r} is not on this sheet")
            elif code in seen:
                self._problem(row.number, CODE, "duplicate", f"the code {code} stands in row {seen[code]} already")
            else:
                seen[code] = row.number
                self._read_row(row, sent, found)
            if row.beside:
                clause = f"{len(row.beside)} cells stand in no column that was sent; move them to {COMMENT!r}"
                self._problem(row.number, None, "outside-columns", clause)
        for code in self.sent:
            if code not in seen:
                self._problem(None, None, "missing-row", f"the row with the code {code} is not there any more")
        return found

    def _read_row(self, row: ReturnedRow, sent: BatchRow, found: Answers) -> None:
        for name, item in sent.items.items():
            if not same_text(shown(self.items[item].text), row.cells.get(name, "")):
                clause = "the text is not the one that was sent with this code (was a column sorted alone?)"
                self._problem(row.number, name, "text-changed", clause)
                return
        if self.batch.task == "transcreation":
            found.texts[sent.code] = dict(self._written(row, sent))
            return
        found.levels[sent.code] = dict(self._levels(row))
        if comment := row.cells.get(COMMENT, "").strip():
            found.texts[sent.code] = {COMMENT: comment}

    def _levels(self, row: ReturnedRow) -> Iterator[tuple[str, int]]:
        for category in rated_taxonomy(self.batch):
            cell = row.cells.get(heading(category), "").strip()
            if cell:
                level = self._level(row.number, cell, category)
                if level is not None:
                    yield category.name, level

    def _level(self, number: int, cell: str, category: Category) -> int | None:
        try:
            level = int(cell)  # understands the digits of every script
        except ValueError:
            clause = f"{cell[:20]!r} is no level; write a whole number from 1 to {category.scale}, or leave it empty"
            self._problem(number, heading(category), "not-a-level", clause)
            return None
        if not category.has_level(level):
            clause = f"the level {level} is off the scale 1-{category.scale}"
            self._problem(number, heading(category), "level-off-scale", clause)
            return None
        return level

    def _written(self, row: ReturnedRow, sent: BatchRow) -> Iterator[tuple[str, str]]:
        for role, name in WRITTEN.items():
            text = row.cells.get(name, "").strip()
            source = sent.items.get(f"source {name}")
            if not text:
                continue
            if source is None:
                self._problem(row.number, name, "no-source", f"there is no source {role.value} to transcreate")
            elif same_text(self.items[source].text, text):
                self._problem(row.number, name, "not-transcreated", "the text is the source itself")
            else:
                yield name, text
        dialect = row.cells.get(DIALECT, "").strip()
        if dialect and self.batch.dialects and dialect not in self.batch.dialects:
            clause = f"{dialect[:40]!r} is not one of {', '.join(self.batch.dialects)}"
            self._problem(row.number, DIALECT, "unknown-dialect", clause)
        elif dialect:
            yield DIALECT, dialect
        if comment := row.cells.get(COMMENT, "").strip():
            yield COMMENT, comment

    def _problem(self, row: int | None, column: str | None, kind: str, clause: str) -> None:
        self.problems.append(Problem(self.file.name, row, column, kind, clause))


def refuse(problems: list[Problem]) -> UserError:
    """Return the error that names every problem, as far as one screen goes, and counts the rest."""
    lines = [problem.sentence() for problem in problems[:MOST_TOLD]]
    if len(problems) > MOST_TOLD:
        kinds = Counter(problem.kind for problem in problems[MOST_TOLD:])
        lines.append("and more: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    lines.append("Mend the sheets, or pass --set-aside to leave these answers out and count them.")
    return UserError("\n".join(lines))
