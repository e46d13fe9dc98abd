"""Reading a policy file with the lists that it names, checked against the guard that it is for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babelguard.errors import UserError, unknown_name
from babelguard.languages import LANGUAGES, UNDETERMINED, is_undetermined, language, wider_language
from babelguard.yaml_reading import Place
from serve.bundle import GuardManifest
from serve.policies.document import (
    CategoryPolicy,
    Conditions,
    FromLevel,
    FromProbability,
    PhraseList,
    PolicyDocument,
)
from serve.policies.phrases import Phrases
from serve.policies.reading import PolicySource, read_document

DEFAULT_POLICY = Path(__file__).resolve().parent / "default.yaml"


@dataclass(frozen=True)
class LoadedList:
    """A list of phrases, ready to search.

    Attributes:
        settings: What the policy says about it.
        phrases: Its entries.
        languages: Tags of the languages whose texts it is for; all if `None`. `UNDETERMINED` stands for texts whose
            language is not known.
    """

    settings: PhraseList
    phrases: Phrases
    languages: frozenset[str] | None

    def speaks_to(self, tag: str | None) -> bool:
        """Tell whether the list is for texts in a language; `None`: their language is not known."""
        if self.languages is None:
            return True
        spoken = UNDETERMINED if tag is None else tag
        return spoken in self.languages or wider_language(spoken) in self.languages


@dataclass(frozen=True)
class Policy:
    """A policy that has been read.

    Attributes:
        document: What the file says, languages by their tags.
        digest: First 16 hex digits of the SHA-256 of the file and of the lists that it names.
        files: The files that were read.
        allow_lists: Its allow-lists.
        block_lists: Its block-lists.
    """

    document: PolicyDocument
    digest: str
    files: tuple[Path, ...]
    allow_lists: tuple[LoadedList, ...]
    block_lists: tuple[LoadedList, ...]

    @property
    def name(self) -> str:
        """Its name."""
        return self.document.name

    @property
    def version(self) -> str:
        """Its version, as its author numbers it; `digest` changes with every byte."""
        return self.document.version


def load_policy(path: Path, guard: GuardManifest | None = None) -> Policy:
    """Read a policy.

    Args:
        path: The YAML file.
        guard: The guard whose categories and scales the policy must fit.

    Raises:
        UserError: The file, a list, a category, a level or a language is wrong; the sentence names it.
    """
    if not path.exists():
        raise UserError(f"{path} does not exist; a policy is a YAML file, described in docs/serving.md.")
    document, source = read_document(path)
    if guard is not None:
        _check_categories(document, guard, source)
    document = document.model_copy(
        update={
            "every_category": _with_tags(document.every_category, ("every_category",), source),
            "categories": {
                name: _with_tags(each, ("categories", name), source) for name, each in document.categories.items()
            },
        }
    )
    _check_names(document, source)
    digest = hashlib.sha256(path.read_bytes())
    files = [path]
    loaded: dict[str, list[LoadedList]] = {"allow_lists": [], "block_lists": []}
    for kind, found in loaded.items():
        for number, settings in enumerate(getattr(document, kind)):
            content = b""
            if settings.file is not None:
                files.append(path.parent / settings.file)
                content = _read_list(files[-1], settings, (kind, number), source)
                digest.update(content)
            found.append(_load_list(settings, content, (kind, number), source))
    return Policy(
        document, digest.hexdigest()[:16], tuple(files), tuple(loaded["allow_lists"]), tuple(loaded["block_lists"])
    )


def _check_names(document: PolicyDocument, source: PolicySource) -> None:
    """Refuse two lists of one name: answers and metrics tell lists by their names."""
    seen: dict[str, str] = {}
    for kind, lists in (("allow_lists", document.allow_lists), ("block_lists", document.block_lists)):
        for number, settings in enumerate(lists):
            here = f"{kind}.{number}"
            if (first := seen.setdefault(settings.name, here)) != here:
                problem = f"the list {settings.name} has the name of {first}; give each list a name of its own."
                raise source.mistake((kind, number, "name"), problem)


def _load_list(settings: PhraseList, content: bytes, place: Place, source: PolicySource) -> LoadedList:
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        problem = f"the file {settings.file} of the list {settings.name} is not UTF-8; save it in that encoding."
        raise source.mistake((*place, "file"), problem) from None
    phrases = Phrases([*settings.entries, *(line.strip() for line in lines if line.strip())])
    if not len(phrases):
        raise source.mistake(place, f"the list {settings.name} has no entry that could be found in a text; add one.")
    codes = settings.languages
    tags = None if codes is None else frozenset(_tag(code, (*place, "languages"), source) for code in codes)
    return LoadedList(settings, phrases, tags)


def _read_list(path: Path, settings: PhraseList, place: Place, source: PolicySource) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        problem = f"{path} does not exist; the file of a list is relative to the policy's folder"
    except OSError as error:
        problem = f"{path} cannot be read ({error.strerror}); name a text file"
    except ValueError as error:  # a name that no file can have
        problem = f"{settings.file!s:.60} is no file's name ({error}); name a text file"
    raise source.mistake((*place, "file"), f"list {settings.name}: {problem}.")


def _check_categories(document: PolicyDocument, guard: GuardManifest, source: PolicySource) -> None:
    scales = {category.name: category.scale for category in guard.categories}
    for name in document.categories:
        if name not in scales:
            raise source.mistake(
                ("categories", name), unknown_name(f"category of the guard {guard.name}", name, scales)
            )
    for name, scale in scales.items():
        for place, condition in _conditions(document, name):
            needed = 0
            if isinstance(condition, FromLevel):
                needed = condition.level
            elif isinstance(condition, FromProbability):
                needed = condition.above + 1
            # What is said for every category may reach above the shorter scales: it then never holds there.
            if needed > scale and place[0] == "categories":
                raise source.mistake(place, f"speaks of level {needed}, and the scale of {name} ends at {scale}.")


def _conditions(document: PolicyDocument, category: str) -> Iterator[tuple[Place, object]]:
    places: list[tuple[Place, CategoryPolicy]] = [(("every_category",), document.every_category)]
    if category in document.categories:
        places.append((("categories", category), document.categories[category]))
    for where, policy in places:
        yield from (((*where, action), getattr(policy, action)) for action in ("flag", "block"))
        for code, own in policy.languages.items():
            yield from (((*where, "languages", code, action), getattr(own, action)) for action in ("flag", "block"))


def _with_tags(policy: CategoryPolicy, place: Place, source: PolicySource) -> CategoryPolicy:
    by_tag: dict[str, Conditions] = {}
    for code, own in policy.languages.items():
        tag = _tag(code, (*place, "languages", code), source)
        if tag in by_tag:
            raise source.mistake(
                (*place, "languages", code), f"names a language twice ({tag}), under two of its codes."
            )
        by_tag[tag] = own
    return policy.model_copy(update={"languages": by_tag})


def _tag(code: str, place: Place, source: PolicySource) -> str:
    if code.strip().casefold() == UNDETERMINED:
        return UNDETERMINED
    if is_undetermined(code):
        raise source.mistake(place, f"texts of no known language are not told apart by script; write und, not {code}.")
    try:
        return language(code).tag
    except UserError:
        raise source.mistake(place, unknown_name("language", code, [entry.tag for entry in LANGUAGES])) from None
