"""Reads the list of violated categories that a guard wrote."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

_NONE = frozenset({"none", "n/a", "na", "null", "safe"})
_BETWEEN = re.compile(r"[,;|\n]+")


@dataclass(frozen=True, slots=True)
class Codes:
    """What a guard named.

    Attributes:
        known: Labels of its taxonomy, in the order of the answer, each once.
        unknown: What it named beside them, shortened.
    """

    known: tuple[str, ...]
    unknown: tuple[str, ...]


def read_codes(written: str, labels: Collection[str]) -> Codes:
    """Read a line such as ``S1,S10``, ``S1 S10``, ``S1: Violent Crimes.`` or ``Violent, Suicide & Self-Harm``.

    Args:
        written: What the guard wrote behind its verdict.
        labels: The labels of its taxonomy, compared without regard to case.
    """
    by_folded = {_fold(label): label for label in labels}
    known: list[str] = []
    unknown: list[str] = []
    for part in _BETWEEN.split(written):
        folded = _fold(part)
        if not folded or folded in _NONE:
            continue
        found = _labels_in(folded, by_folded)
        if found:
            known += found
        else:
            unknown.append(part.strip()[:40])
    return Codes(tuple(dict.fromkeys(known)), tuple(dict.fromkeys(unknown)))


def _labels_in(folded: str, by_folded: dict[str, str]) -> list[str]:
    if folded in by_folded:
        return [by_folded[folded]]
    head = re.split(r"[:.]\s", folded, maxsplit=1)[0]
    if head in by_folded:
        return [by_folded[head]]
    words = folded.split()
    return [by_folded[word] for word in words] if all(word in by_folded for word in words) else []


def _fold(text: str) -> str:
    return text.strip(" \t\r.[](){}'\"*-").casefold()
