"""JSON lines, plain or gzipped, as rows."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from babelguard.errors import UserError
from babelguard.jsonl import numbered_lines, parse_line, read_lines
from babelguard.rejects import RejectLog
from data_prep.reading.row import Row


def read_json_lines(path: Path, log: RejectLog, *, needed: Sequence[str] = ()) -> Iterator[Row]:
    """Yield the objects of a file; lines that are not JSON objects, or lack a needed key, go to `log`.

    Raises:
        UserError: The file does not exist or cannot be read, or the log is strict.
    """
    lines = _gzipped(path) if path.suffix == ".gz" else read_lines(path)
    yield from rows_of(lines, path, log, needed)


def rows_of(
    lines: Iterable[tuple[int, bytes]], path: Path, log: RejectLog, needed: Sequence[str] = ()
) -> Iterator[Row]:
    """Yield the objects of numbered lines, as `read_json_lines` does."""
    for number, (line, content) in enumerate(lines, start=1):
        log.found_row(path)
        try:
            fields = parse_line(content)
        except ValueError as error:
            log.reject_row(path, line, "not-json", str(error))
            continue
        missing = next((name for name in needed if name not in fields), None)
        if missing is not None:
            log.reject_row(path, line, "another-schema", f"the line has no {missing!r}")
            continue
        yield Row(path, line, number, fields)


def _gzipped(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with gzip.open(path, "rb") as stream:
            yield from numbered_lines(stream)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; check the path.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{path} is damaged or cut short ({error}); fetch it again.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
