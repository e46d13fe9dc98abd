"""Reading a policy file with the lists that it names, checked against the guard that it is for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from babelguard.errors import UserError, unknown_name
from babelguard.languages import LANGUAGES, UNDETERMINED, is_undetermined, language, wider_language
from babelguard.recipe import read_yaml, validate
from serve.bundle import GuardManifest
from serve.policies.document import CategoryPolicy, FromLevel, FromProbability, PhraseList, PolicyDocument
from serve.policies.phrases import Phrases

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
    raw = read_yaml(path)
    document = validate(raw, PolicyDocument, str(path))
    if guard is not None:
        _check_categories(document, guard, path)
    document = document.model_copy(
        update={
            "every_category": _with_tags(document.every_category, f"{path}: every_category"),
            "categories": {
                name: _with_tags(each, f"{path}: categories.{name}") for name, each in document.categories.items()
            },
        }
    )
    digest = hashlib.sha256(path.read_bytes())
    files = [path]
    loaded: dict[str, list[LoadedList]] = {"allow_lists": [], "block_lists": []}
    for kind, found in loaded.items():
        for number, settings in enumerate(getattr(document, kind)):
            entries = list(settings.entries)
            if settings.file is not None:
                list_file = path.parent / settings.file
                entries += _read_list(list_file)
                files.append(list_file)
                digest.update(list_file.read_bytes())
            tags = _tags(settings.languages, f"{path}: {kind}.{number}.languages")
            phrases = Phrases(entries)
            if not len(phrases):
                raise UserError(
                    f"{path}: {kind}.{number} ({settings.name}) has no entry that could be found in a text."
                )
            found.append(LoadedList(settings, phrases, tags))
    return Policy(
        document, digest.hexdigest()[:16], tuple(files), tuple(loaded["allow_lists"]), tuple(loaded["block_lists"])
    )


def _check_categories(document: PolicyDocument, guard: GuardManifest, path: Path) -> None:
    scales = {category.name: category.scale for category in guard.categories}
    for name in document.categories:
        if name not in scales:
            raise UserError(f"{path}: {unknown_name(f'category of the guard {guard.name}', name, scales)}")
    for name, scale in scales.items():
        for where, condition in _conditions(document, name):
            needed = 0
            if isinstance(condition, FromLevel):
                needed = condition.level
            elif isinstance(condition, FromProbability):
                needed = condition.above + 1
            # What is said for every category may reach above the shorter scales: it then never holds there.
            if needed > scale and where.startswith("categories"):
                raise UserError(f"{path}: {where} speaks of level {needed}, and the scale of {name} ends at {scale}.")


def _conditions(document: PolicyDocument, category: str) -> Iterator[tuple[str, object]]:
    places = [("every_category", document.every_category)]
    if category in document.categories:
        places.append((f"categories.{category}", document.categories[category]))
    for where, place in places:
        yield from ((f"{where}.{action}", getattr(place, action)) for action in ("flag", "block"))
        for code, own in place.languages.items():
            yield from ((f"{where}.languages.{code}.{action}", getattr(own, action)) for action in ("flag", "block"))


def _with_tags(policy: CategoryPolicy, where: str) -> CategoryPolicy:
    by_tag = {_tag(code, f"{where}.languages"): own for code, own in policy.languages.items()}
    if len(by_tag) < len(policy.languages):
        raise UserError(f"{where}.languages names a language twice, under two of its codes.")
    return policy.model_copy(update={"languages": by_tag})


def _tags(codes: tuple[str, ...] | None, where: str) -> frozenset[str] | None:
    return None if codes is None else frozenset(_tag(code, where) for code in codes)


def _tag(code: str, where: str) -> str:
    if code.strip().casefold() == UNDETERMINED:
        return UNDETERMINED
    if is_undetermined(code):
        raise UserError(f"{where}: texts of no known language are not told apart by script; write und, not {code}.")
    try:
        return language(code).tag
    except UserError:
        known = [entry.tag for entry in LANGUAGES]
        raise UserError(f"{where}: {unknown_name('language', code, known)}") from None


def _read_list(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; a policy's `file` is relative to the policy's folder.") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8; save it in that encoding.") from None
    return [line.strip() for line in text.split("\n") if line.strip()]
