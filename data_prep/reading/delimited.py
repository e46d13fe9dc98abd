r"""CSV and TSV files, streamed, with every bad record named and nothing swallowed.

The standard library's reader is lenient: a quote that never closes makes it swallow the rest of the file as one field.
Here such a record is set aside alone and reading goes on with the next line.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from babelguard.errors import UserError
from babelguard.rejects import RejectLog
from data_prep.reading.row import Row

MAX_RECORD_LINES = 1000
"""A record over more lines than this has a quote that never closes."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited file is written.

    Attributes:
        delimiter: One character.
        quoted: Whether fields may stand in double quotes (doubled inside); if not, a quote is a character.
        columns: The columns' names where the file has no header line.
        encoding: Its encoding; a byte order mark is dropped.
    """

    delimiter: str = ","
    quoted: bool = True
    columns: tuple[str, ...] | None = None
    encoding: str = "utf-8"


CSV = Dialect()
TSV = Dialect(delimiter="\t")


def read_delimited(path: Path, log: RejectLog, *, needed: Sequence[str] = (), dialect: Dialect = CSV) -> Iterator[Row]:
    r"""Yield the records of a file, lines ended by ``\n``, ``\r\n`` or ``\r`` in any mixture.

    Records with more or fewer fields than the header, with misplaced or unclosed quotes, or with bytes that are not of
    the encoding go to `log`. A file without a needed column, or in UTF-16, goes there as a whole.

    Raises:
        UserError: The file does not exist or cannot be read, or the log is strict.
    """
    try:
        with path.open("rb") as probe:
            start = probe.read(2)
        if start in _UTF16 and "16" not in dialect.encoding:
            log.reject_file(
                path, 1, "wrong-encoding", f"the file is UTF-16 and not {dialect.encoding}; nothing of it is read"
            )
            return
        encoding = "utf-8-sig" if dialect.encoding.lower() in {"utf-8", "utf8"} else dialect.encoding
        with path.open(encoding=encoding, errors="surrogateescape", newline="") as stream:
            yield from _rows(path, _Records(stream, dialect), log, needed, dialect)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; check the path.") from None
    except UnicodeError as error:
        log.reject_file(
            path, None, "wrong-encoding", f"the file is not {dialect.encoding} ({error.__class__.__name__})"
        )
    except LookupError:
        raise UserError(
            f"{path}: the encoding {dialect.encoding!r} is not known; name one that Python knows."
        ) from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error


def _rows(path: Path, records: _Records, log: RejectLog, needed: Sequence[str], dialect: Dialect) -> Iterator[Row]:
    columns = dialect.columns
    number = 0
    for record in records:
        problem = record.problem or _encoding_problem(record.fields, dialect.encoding)
        if columns is None:
            problem = problem or header_problem(record.fields, needed)
            if problem:
                log.reject_file(path, record.line, "another-schema", problem)
                return
            columns = tuple(record.fields)
            continue
        number += 1
        log.found_row(path)
        if problem:
            log.reject_row(path, record.line, "bad-quotes" if record.problem else "wrong-encoding", problem)
        elif len(record.fields) != len(columns):
            reason = f"the row has {len(record.fields)} fields where the header has {len(columns)}"
            log.reject_row(path, record.line, "ragged-row", reason)
        else:
            yield Row(path, record.line, number, dict(zip(columns, record.fields, strict=True)))
    if columns is None:
        log.reject_file(path, 1, "another-schema", "the file is empty where a header line should stand")


def header_problem(columns: Sequence[str], needed: Sequence[str]) -> str:
    """Return what is wrong with a file's columns as a clause, empty where nothing is."""
    for name in needed:
        if name not in columns:
            return f"the file has no column {name!r}; it has {', '.join(repr(column) for column in columns):.200}"
    twice = next((name for name in columns if list(columns).count(name) > 1), None)
    return "" if twice is None else f"the file has two columns named {twice!r}"


def _encoding_problem(fields: Sequence[str], encoding: str) -> str:
    escaped = any("\udc80" <= character <= "\udcff" for value in fields if not value.isascii() for character in value)
    return f"the row holds bytes that are not {encoding}" if escaped else ""


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    fields: list[str]
    problem: str = ""


@dataclass(slots=True)
class _Records:
    """Records with the line each begins on; a record that cannot be parsed costs its first line only."""

    stream: Iterator[str]
    dialect: Dialect
    _ahead: deque[str] = field(default_factory=deque)
    _taken: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[_Record]:
        line = 1
        while True:
            self._taken = []
            fields, problem = self._next_record()
            if not self._taken:
                return
            if problem and len(self._taken) > 1:
                self._ahead.extendleft(reversed(self._taken[1:]))
                del self._taken[1:]
            if problem or fields:
                yield _Record(line, fields, problem)
            line += len(self._taken)

    def _next_record(self) -> tuple[list[str], str]:
        reader = csv.reader(
            self._lines(),
            delimiter=self.dialect.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.dialect.quoted else csv.QUOTE_NONE,
            strict=True,
        )
        try:
            return next(reader, []), ""
        except csv.Error as error:
            return [], _told(error, len(self._taken))

    def _lines(self) -> Iterator[str]:
        while len(self._taken) < MAX_RECORD_LINES:
            line = self._ahead.popleft() if self._ahead else next(self.stream, None)
            if line is None:
                return
            self._taken.append(line)
            yield line


def _told(error: csv.Error, lines: int) -> str:
    message = str(error)
    if "unexpected end of data" in message:
        return f"a quoted field opens on this line and does not close (looked at {lines} lines)"
    if "expected after" in message:
        return "a quote stands inside a quoted field without being doubled"
    return message
