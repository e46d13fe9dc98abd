"""A batch: every row of a spreadsheet rated, and the tally of what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from babelguard.errors import UserError
from babelguard.languages import language
from demo.spreadsheet import Spreadsheet
from demo.verdict import Moderator, Verdict

CHUNK = 64
"""Rows that are rated together; progress is told after each chunk."""

NO_TEXT = "no text"
UNKNOWN_LANGUAGE = "unknown language code, so the pooled thresholds were used"


@dataclass(frozen=True, slots=True)
class BatchChoices:
    """What the person chose before a batch.

    Attributes:
        text_column: Heading of the column with the texts.
        language_column: Heading of the column with language codes; `None` where there is none.
        language: Code of all rows' language where no column tells; `None`: each row's language is identified.
    """

    text_column: str
    language_column: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class RatedRow:
    """One row of the file and what came of it.

    Attributes:
        number: Its line or row in the file.
        cells: Its cells.
        verdict: What the guard says; `None` where there is no text.
        note: Why there is no verdict, or what was unusual.
    """

    number: int
    cells: tuple[str, ...]
    verdict: Verdict | None
    note: str = ""


@dataclass(slots=True)
class Tally:
    """What came out of a batch.

    Attributes:
        rows: Rows rated.
        flagged: Rows with any flag.
        without_text: Rows that had no text.
        by_category: Title of a category -> rows flagged in it.
        by_language: Tag, or empty where it is not known -> (rows, flagged rows).
        notes: What was unusual -> how often.
    """

    rows: int = 0
    flagged: int = 0
    without_text: int = 0
    by_category: Counter[str] = field(default_factory=Counter)
    by_language: dict[str, tuple[int, int]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, row: RatedRow) -> None:
        """Count one row."""
        if row.note:
            self.notes[row.note] += 1
        if row.verdict is None:
            self.without_text += 1
            return
        self.rows += 1
        self.flagged += row.verdict.flagged
        for category in row.verdict.categories:
            self.by_category[category.title] += category.flagged
        spoken = row.verdict.asked or ""
        rows, flagged = self.by_language.get(spoken, (0, 0))
        self.by_language[spoken] = (rows + 1, flagged + row.verdict.flagged)


def check_choices(sheet: Spreadsheet, choices: BatchChoices) -> None:
    """Check that the chosen columns are the file's.

    Raises:
        UserError: No column of texts is chosen, or one is not there.
    """
    if not choices.text_column:
        raise UserError(
            f"{sheet.name} has no column named 'text'. "
            f"Choose which of its {len(sheet.columns)} columns holds the texts."
        )
    for column in (choices.text_column, choices.language_column):
        if column and column not in sheet.columns:
            raise UserError(f"{sheet.name} has no column {column!r:.60}; choose one of its columns.")


def rate_rows(moderator: Moderator, sheet: Spreadsheet, choices: BatchChoices) -> Iterator[list[RatedRow]]:
    """Yield the rated rows chunk by chunk, in the file's order.

    Raises:
        UserError: A chosen column is not in the file.
    """
    check_choices(sheet, choices)
    texts = sheet.columns.index(choices.text_column)
    codes = sheet.columns.index(choices.language_column) if choices.language_column else None
    rows = iter(zip(sheet.numbers, sheet.rows, strict=True))
    while chunk := list(islice(rows, CHUNK)):
        yield _rate(moderator, chunk, texts, codes, choices.language)


def _rate(
    moderator: Moderator,
    chunk: Sequence[tuple[int, tuple[str, ...]]],
    texts: int,
    codes: int | None,
    fixed: str | None,
) -> list[RatedRow]:
    asked, spoken, notes = [], [], {}
    for number, cells in chunk:
        text = cells[texts]
        if not text.strip():
            notes[number] = NO_TEXT
            continue
        code = cells[codes].strip() if codes is not None else ""
        tag = _tag(code)
        if code and tag is None:
            notes[number] = UNKNOWN_LANGUAGE
        asked.append(text)
        spoken.append(tag if code else (fixed or moderator.find_language(text)))
    verdicts = iter(moderator.judge_all(asked, spoken))
    return [
        RatedRow(number, cells, None if notes.get(number) == NO_TEXT else next(verdicts), notes.get(number, ""))
        for number, cells in chunk
    ]


def _tag(code: str) -> str | None:
    try:
        return language(code).tag if code else None
    except UserError:
        return None
