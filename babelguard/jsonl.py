r"""JSON lines, read and written in streams.

Lines end at ``\n`` alone. `str.splitlines` also cuts at U+2028 and its kin, which occur inside the strings of
real corpora, so it must not be used on them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from babelguard.errors import UserError


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    r"""Yield (line number from 1, line without its end) for every line that is not blank.

    A byte order mark at the start and a ``\r`` before the ``\n`` are dropped.

    Raises:
        UserError: The file does not exist or cannot be read.
    """
    try:
        with path.open("rb") as stream:
            yield from numbered_lines(stream)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; check the path.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error


def numbered_lines(stream: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield what `read_lines` does, from an open binary stream."""
    for number, line in enumerate(stream, start=1):
        bare = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        bare = bare.strip(b" \t\r\n")
        if bare:
            yield number, bare


def parse_line(line: bytes) -> dict[str, Any]:
    """Parse one line into a JSON object.

    Raises:
        ValueError: It is not UTF-8, not JSON, or not an object; the message is a clause that says which.
    """
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"the line is not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        cut = " (is the line truncated?)" if error.pos >= len(error.doc) - 1 or "Unterminated" in error.msg else ""
        raise ValueError(f"the line is not JSON: {error.msg} at character {error.pos + 1}{cut}") from None
    except RecursionError:
        raise ValueError("the line nests too deep to be read as JSON") from None
    if not isinstance(record, dict):
        raise ValueError(f"the line holds a JSON {type(record).__name__}, not an object")
    return record


def dump_line(record: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return `record` as one UTF-8 line with its end; lone surrogates survive as escapes."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return json.dumps(record, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def write_jsonl(path: Path, records: Iterable[Any]) -> int:
    """Write `records` to `path`, whole or not at all, and return their number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    count = 0
    with partial.open("wb") as stream:
        for record in records:
            stream.write(dump_line(record))
            count += 1
    partial.replace(path)
    return count
