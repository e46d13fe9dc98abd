"""What a register is: a documented variety of a language, and the rule that moves a text into it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import TypeAlias, TypeVar

from babelguard.languages import Language
from babelguard.registry import Registry

REGISTERS = Registry(kind="register", package="data_prep.registers", attribute="REGISTER")


Edit: TypeAlias = tuple[int, int, str]
"""One change of a text: what stands from a start to an end (code points) becomes something else. A plain tuple, because
there are tens of them in every text."""

Span: TypeAlias = tuple[int, int, str]
"""Where an edit left its mark: the shifted text from a start to an end (code points) was something else."""

Place = TypeVar("Place")


class Label(StrEnum):
    """Whether a twin keeps its parent's label."""

    KEPT = "kept"
    """The wording is the parent's; only spelling, signs or a courtesy around it differ."""
    MOSTLY = "mostly-kept"
    """The rule can, rarely, make another word or sentence of it."""
    UNCERTAIN = "uncertain"
    """Readers may judge the twin differently, as when a text is quoted."""


class About(StrEnum):
    """What of a text's fabric a register is about, and so may change."""

    MARKS = "marks"
    """Combining marks and vowel points."""
    SCRIPT = "script"
    """The whole writing system."""


Rule: TypeAlias = Callable[[str, Language, float, Random], Iterable[Edit]]
"""Text, its language, strength 0-1 and a seeded generator -> edits in order that do not overlap."""


@dataclass(frozen=True, slots=True)
class Register:
    """A variety of a language that rules can write.

    Attributes:
        title: What it is, as a noun phrase.
        refuses: Why it does not exist for a language, as a clause; `None` where it does.
        edits: The rule.
        strength: The strength that recipes get unless they say otherwise: the share of the places, words or letters,
            that are changed.
        label: Whether the twin keeps the label.
        about: What of the text's fabric it may change; marks and joiners survive every other register.
        invert: Undoes it without knowing the parent, where the rule loses nothing. It may err on texts that held the
            register's signs before; the driver checks each twin.
    """

    title: str
    refuses: Callable[[Language], str | None]
    edits: Rule
    strength: float = 0.5
    label: Label = Label.KEPT
    about: frozenset[About] = frozenset()
    invert: Callable[[str, Language], str] | None = None


def only_scripts(*codes: str) -> Callable[[Language], str | None]:
    """Return the rule of a register that exists for languages in some scripts (ISO 15924 codes)."""

    def refuses(language: Language) -> str | None:
        return None if language.script in codes else f"it exists for the scripts {', '.join(codes)} only"

    return refuses


def only_languages(*tags: str) -> Callable[[Language], str | None]:
    """Return the rule of a register that exists for some languages (BCP-47 tags)."""

    def refuses(language: Language) -> str | None:
        return None if language.tag in tags else f"it exists for {', '.join(tags)} only"

    return refuses


def apply_edits(text: str, edits: Iterable[Edit]) -> tuple[str, list[Span]]:
    """Return the changed text, and where in it the changes stand.

    An edit that changes nothing leaves no span.

    Raises:
        RuntimeError: Edits overlap or are out of order, which is a defect of the rule.
    """
    pieces: list[str] = []
    spans: list[Span] = []
    done = length = 0
    for start, end, put in edits:
        if start < done or end < start:
            raise RuntimeError(f"the edit {start}-{end} begins before {done}, where the last one ended")
        original = text[start:end]
        if original == put:
            continue
        kept = text[done:start]
        pieces += (kept, put)
        length += len(kept)
        spans.append((length, length + len(put), original))
        length += len(put)
        done = end
    pieces.append(text[done:])
    return "".join(pieces), spans


def undo_edits(text: str, spans: Sequence[Sequence[int | str]]) -> str:
    """Return the parent of a shifted text, from the spans that its provenance records."""
    pieces: list[str] = []
    done = 0
    for start, end, original in spans:
        pieces += (text[done : int(start)], str(original))
        done = int(end)
    pieces.append(text[done:])
    return "".join(pieces)


def chosen(places: Sequence[Place], strength: float, rng: Random) -> list[Place]:
    """Return each place, or each edit, with the probability `strength`, and at least one where there are any."""
    if strength >= 1 or not places:
        return list(places)
    draw = rng.random
    kept = [place for place in places if draw() < strength]
    return kept or [places[int(draw() * len(places))]]
