"""The texts that two policies are compared on: JSON lines, Parquet files, or a folder of either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.jsonl import parse_line, read_lines


@dataclass(frozen=True, slots=True)
class CorpusText:
    """One text.

    Attributes:
        id: The row's own id, or file name and line.
        text: The text.
        language: Its language as the corpus names it, code or not; `None` where it does not.
    """

    id: str
    text: str
    language: str | None


def read_corpus(
    paths: Sequence[Path], text_fields: Sequence[str] = ("text",), language_field: str = "language"
) -> Iterator[CorpusText]:
    """Yield the texts of files and folders; rows whose fields are empty or not text yield nothing.

    Args:
        paths: ``.jsonl`` or ``.parquet`` files, or folders, which are searched for them.
        text_fields: Fields that hold texts; each is one text.
        language_field: Field that holds the language.

    Raises:
        UserError: A file is of another kind, cannot be read, or no row has any of the fields.
    """
    for path in paths:
        found = 0
        for file in _files(path):
            for number, row in _rows(file, [*text_fields, language_field, "id"]):
                language = row.get(language_field)
                for field in text_fields:
                    text = row.get(field)
                    if isinstance(text, str) and text:
                        found += 1
                        name = str(row.get("id") or f"{file.name}:{number}")
                        yield CorpusText(
                            name if len(text_fields) == 1 else f"{name}/{field}",
                            text,
                            None if language is None else str(language).strip() or None,
                        )
        if not found:
            raise UserError(f"{path} has no text in {' or '.join(text_fields)}; name the fields with --text-field.")


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.suffix in {".jsonl", ".parquet"})
        if not files:
            raise UserError(f"{path} holds no .jsonl and no .parquet file; pass a corpus's folder.")
        return files
    if path.suffix not in {".jsonl", ".parquet"}:
        raise UserError(f"{path} is neither .jsonl nor .parquet nor a folder of such files.")
    return [path]


def _rows(path: Path, fields: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    if path.suffix == ".jsonl":
        for number, line in read_lines(path):
            try:
                yield number, parse_line(line)
            except ValueError as error:
                raise UserError(f"{path}, line {number}: {error}.") from None
        return
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UserError("Reading Parquet needs pyarrow; install babelguard[evaluation], or pass JSON lines.") from None
    try:
        file = pq.ParquetFile(path)
        present = [name for name in dict.fromkeys(fields) if name in file.schema_arrow.names]
        number = 0
        for batch in file.iter_batches(batch_size=4096, columns=present):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; check the path.") from None
    except pa.ArrowInvalid as error:
        raise UserError(f"{path} is not a Parquet file that can be read ({error}).") from None
