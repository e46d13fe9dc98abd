"""The RTP-LX folder: its corpus files and the scoring files that publish other raters' answers.

The publisher ships the corpus as a zip whose password stands in its README, so that no crawler reads the texts by
accident. It is read where it lies, with the password from the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.jsonl import parse_line, read_lines
from babelguard.languages import Language, language
from babelguard.rejects import RejectLog
from data_prep.reading.zipped import members_of, zip_lines

CORPUS = re.compile(r"RTP_LX_(?P<locale>[A-Za-z-]+)\.json")
AZURE_PROMPTS = re.compile(r"acs_results_(?P<locale>(?!benign_)[A-Za-z-]+)\.json")
AZURE_BENIGN = re.compile(r"acs_results_benign_(?P<locale>[A-Za-z-]+)\.json")
GPT4_PROMPTS = re.compile(r"gpt4_results_(?P<locale>[A-Za-z-]+)\.json")

VOID_TEXT = "NA"
"""What the scoring files hold in the place of every English prompt: the rater never saw the prompt itself."""


PASSWORD_VARIABLE = "RTP_LX_PASSWORD"  # noqa: S105 - the name of a variable
"""Environment variable of the zip's password, which the publisher's README tells."""


@dataclass(frozen=True, slots=True)
class LocaleFile:
    """One file of the folder and the language that its name gives.

    Attributes:
        path: The file; for a file in a zip, the path of the zip with the name in it added.
        locale: What its name says.
        language: The language of that locale.
        archive: The zip that it is in.
        member: Its name in the zip.
        password: The zip's password; in no log and no repr.
    """

    path: Path
    locale: str
    language: Language
    archive: Path | None = None
    member: str = ""
    password: str | None = field(default=None, repr=False, compare=False)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the numbered lines.

        Raises:
            UserError: The file is missing or damaged, or the password is missing or wrong.
        """
        if self.archive is None:
            return read_lines(self.path)
        if self.password is None:
            return _hinted(zip_lines(self.archive, self.member))
        return zip_lines(self.archive, self.member, self.password)


def _hinted(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    try:
        yield from lines
    except UserError as error:
        if "is encrypted; set" not in str(error):
            raise
        raise UserError(f"{error} It is {PASSWORD_VARIABLE}; the publisher's README tells the password.") from None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file, with its index read."""

    file: LocaleFile
    line: int
    index: int
    fields: dict[str, Any]


def find_files(folder: Path, pattern: re.Pattern[str]) -> dict[str, LocaleFile]:
    """Return locale -> file for the folder and its subfolder ``corpus``, sorted by locale.

    Files of a zip (the publisher's ``RTP-LX.zip``, given itself or in the folder) count where there is no plain file
    of the same locale.

    Raises:
        UserError: The folder does not exist, a zip is damaged, or a file is named for a language that nobody knows.
    """
    if folder.is_file() and folder.suffix == ".zip":
        plain, archives = [], [folder]
    elif folder.is_dir():
        plain = sorted([*folder.glob("*.json"), *folder.glob("corpus/*.json")])
        archives = sorted([*folder.glob("*.zip"), *folder.glob("corpus/*.zip")])
    else:
        problem = "is a file, not a folder or a zip" if folder.exists() else "does not exist"
        raise UserError(f"{folder} {problem}; pass the folder that holds the RTP-LX files.")
    found: dict[str, LocaleFile] = {}
    for path in plain:
        _add(found, path, pattern)
    for archive in archives:
        for member in members_of(archive):
            _add(found, archive / member, pattern, archive, member)
    return dict(sorted(found.items()))


def _add(
    found: dict[str, LocaleFile], path: Path, pattern: re.Pattern[str], archive: Path | None = None, member: str = ""
) -> None:
    match = pattern.fullmatch(path.name)
    if match is None:
        return
    locale = match["locale"]
    try:
        known = language(locale)
    except UserError as error:
        raise UserError(f"{path}: the file's name gives its language. {error}") from None
    password = os.environ.get(PASSWORD_VARIABLE) if archive is not None else None
    found.setdefault(locale, LocaleFile(path, locale, known, archive, member, password))


def read_rows(file: LocaleFile, log: RejectLog) -> Iterator[Row]:
    """Yield the rows of a file in its order; of rows with the same index the first one.

    Rows that are not JSON objects or have no whole, non-negative `Index` go to `log`, repeated ones are counted
    there.
    """
    seen: set[int] = set()
    for line, content in file.lines():
        log.found_row(file.path)
        try:
            fields = parse_line(content)
        except ValueError as error:
            log.reject_row(file.path, line, "not-json", str(error))
            continue
        index = _index_of(fields.get("Index"))
        if index is None:
            log.reject_row(
                file.path, line, "bad-index", f"'Index' must be a whole number, found {fields.get('Index')!r:.40}"
            )
            continue
        if index in seen:
            log.leave_out_row(file.path, "duplicate-index")
            continue
        seen.add(index)
        yield Row(file, line, index, fields)


def _index_of(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return None
