"""Word lists as their publishers ship them: one entry a line, one file a language, named by its code.

FLORES Toxicity-200 (NLLB Team, 2022) has ``eng_Latn_twl.txt``, each in an encrypted zip file; LDNOOBW has ``en``.
Several lists can serve one language (Bosnian, Croatian and Serbian; the Arabic varieties), and a list whose name has no
script serves the language in every script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from babelguard.errors import UserError, unknown_name
from babelguard.languages import languages_of
from evaluation.blocking.archive import Document, documents


@dataclass(frozen=True, slots=True)
class WordList:
    """One list.

    Attributes:
        name: The file's name without its ending.
        languages: BCP-47 tags of the languages that it serves.
        entries: Words and phrases, in the file's order.
    """

    name: str
    languages: tuple[str, ...]
    entries: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class WordLists:
    """What a folder or an archive holds.

    Attributes:
        lists: The lists, by name.
        set_aside: Names of files that name no language of the table, sorted.
    """

    lists: tuple[WordList, ...]
    set_aside: tuple[str, ...]

    def by_language(self) -> dict[str, dict[str, Sequence[str]]]:
        """Return tag -> name of a list -> entries."""
        found: dict[str, dict[str, Sequence[str]]] = {}
        for each in self.lists:
            for tag in each.languages:
                found.setdefault(tag, {})[each.name] = each.entries
        return found


def read_word_lists(
    path: Path,
    *,
    suffix: str = "",
    password: str | None = None,
    code: str | None = None,
    names: Sequence[str] | None = None,
) -> WordLists:
    """Read the lists of a folder, a zip file or one file.

    Args:
        path: Where they are.
        suffix: What follows the language code in the files' names; files without it are none of the lists.
        password: What opens encrypted zip members.
        code: Language of every list, where the names do not tell.
        names: Only these lists; all if `None`.

    Raises:
        UserError: The language is not known, a file is missing, damaged or not UTF-8, a list is empty, or no file is a
            list.
    """
    if code is not None and not languages_of(code):
        raise UserError(f"The language {code!r} of the lists in {path} is none that items can have; give its code.")
    lists: list[WordList] = []
    set_aside: list[str] = []
    present: list[str] = []
    for document in documents(path, password):
        if not document.stem.endswith(suffix):
            continue
        tags = languages_of(code if code is not None else document.stem.removesuffix(suffix))
        if not tags:
            set_aside.append(document.stem)
            continue
        present.append(document.stem)
        if names is None or document.stem in names:
            lists.append(WordList(document.stem, tags, _entries(document)))
    for name in names or ():
        if name not in present:
            raise unknown_name(f"word list in {path}", name, present)
    if doubled := sorted({name for name in present if present.count(name) > 1}):
        raise UserError(f"{path} holds two lists named {doubled[0]!r}; leave one of them out.")
    if not lists:
        raise UserError(
            f"{path} holds no word list: its files are not named by the code of a known language"
            + (f" followed by {suffix!r}" if suffix else "")
            + "; rename them, or set language for a single list."
        )
    return WordLists(tuple(lists), tuple(sorted(set_aside)))


def _entries(document: Document) -> tuple[str, ...]:
    data = document.read().removeprefix(b"\xef\xbb\xbf")
    entries = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            entry = line.decode("utf-8").strip()
        except UnicodeDecodeError:
            raise UserError(f"{document.where}, line {number}: this is not UTF-8; convert the file to UTF-8.") from None
        if entry:
            entries.append(entry)
    if not entries:
        raise UserError(f"{document.where} holds no entry; leave the list out or fetch it again.")
    return tuple(entries)
