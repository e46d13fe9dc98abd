"""The RTP-LX folder: its corpus files and the scoring files that publish other raters' answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.jsonl import parse_line, read_lines
from babelguard.languages import Language, language
from babelguard.rejects import RejectLog

CORPUS = re.compile(r"RTP_LX_(?P<locale>[A-Za-z-]+)\.json")
AZURE_PROMPTS = re.compile(r"acs_results_(?P<locale>(?!benign_)[A-Za-z-]+)\.json")
AZURE_BENIGN = re.compile(r"acs_results_benign_(?P<locale>[A-Za-z-]+)\.json")
GPT4_PROMPTS = re.compile(r"gpt4_results_(?P<locale>[A-Za-z-]+)\.json")

VOID_TEXT = "NA"
"""What the scoring files hold in the place of every English prompt: the rater never saw the prompt itself."""


@dataclass(frozen=True, slots=True)
class LocaleFile:
    """One file of the folder and the language that its name gives."""

    path: Path
    locale: str
    language: Language


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file, with its index read."""

    file: LocaleFile
    line: int
    index: int
    fields: dict[str, Any]


def find_files(folder: Path, pattern: re.Pattern[str]) -> dict[str, LocaleFile]:
    """Return locale -> file for the folder and its subfolder ``corpus``, sorted by locale.

    Raises:
        UserError: The folder does not exist, or a file is named for a language that nobody knows.
    """
    if not folder.is_dir():
        problem = "is a file, not a folder" if folder.exists() else "does not exist"
        raise UserError(f"{folder} {problem}; pass the folder that holds the RTP-LX files.")
    found: dict[str, LocaleFile] = {}
    for path in sorted([*folder.glob("*.json"), *folder.glob("corpus/*.json")]):
        match = pattern.fullmatch(path.name)
        if match is None:
            continue
        locale = match["locale"]
        try:
            known = language(locale)
        except UserError as error:
            raise UserError(f"{path}: the file's name gives its language. {error}") from None
        found.setdefault(locale, LocaleFile(path, locale, known))
    return dict(sorted(found.items()))


def read_rows(file: LocaleFile, log: RejectLog) -> Iterator[Row]:
    """Yield the rows of a file in its order; of rows with the same index the first one.

    Rows that are not JSON objects or have no whole, non-negative `Index` go to `log`, repeated ones are counted
    there.
    """
    seen: set[int] = set()
    for line, content in read_lines(file.path):
        try:
            fields = parse_line(content)
        except ValueError as error:
            log.reject(file.path, line, "not-json", str(error))
            continue
        index = _index_of(fields.get("Index"))
        if index is None:
            log.reject(
                file.path, line, "bad-index", f"'Index' must be a whole number, found {fields.get('Index')!r:.40}"
            )
            continue
        if index in seen:
            log.leave_out("duplicate-index")
            continue
        seen.add(index)
        yield Row(file, line, index, fields)


def _index_of(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return None
