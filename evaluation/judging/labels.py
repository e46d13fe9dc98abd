"""How a judge writes the categories' names, and where in a line a name counts as a label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from babelguard.taxonomy import Taxonomy

VARIANTS: Mapping[str, tuple[str, ...]] = {
    "Toxicity": ("Toxic",),
    "IdentityAttack": ("Identity attacks", "Indentity attack", "Identi attack"),
    "Microaggression": ("Microaggressions", "Microagression", "Microagressions", "Micraggression"),
    "Insult": ("Insults",),
}
"""Category -> spellings beside its name and its title: the prompt's own labels, plurals, and typing errors that
recorded answers hold. Words may be joined, or parted by a space, a hyphen or an underscore, in any case. A spelling
that is not listed is no label: nothing is matched by likeness."""

_QUALIFIER = r"(?:[ _-]?(?:score|level|rating))?"  # "Toxicity score: 4"
_CLOSERS = r"""[\s*_"'`)\]]*+"""
_SCALE = r"(?:\([^()]{0,40}\)[\s*_\"'`]*+)?"  # "Toxicity (1-5): 4"
_SEPARATOR = re.compile(_CLOSERS + _SCALE + r"(?::|=>|->|→|=|\|)")
# Without a separator that only a label has, a value and at most a bracketed remark must follow: "Violence in films"
# and "Violence 3 times a week" are prose.
_BARE_VALUE = re.compile(
    r"[\s*_\"'`]*+(?:[;,]|[-–—](?!\d))?\s*+(?=(?:[+-]?\d[\d\s.,/~-]*+(?:or\s*\d+)?|n/?a)(?:\s*[(\[]|[^\w+]*+$))",
    re.IGNORECASE,
)
# Whatever is no letter or digit may stand before a label (bullets, emphasis, quotes, table bars), and so may a number.
_LEAD = r"[\W_]*+(?:\d{1,2}[.):][\W_]*+)?"
_BETWEEN_PAIRS = re.compile(r"""(?:["'](?=\s*+[,}]))?[\s,;|/*`_}]*+""")


@dataclass(frozen=True, slots=True)
class Label:
    """A label that was found.

    Attributes:
        category: The category that it names.
        end: Position in the line at which its value begins.
    """

    category: str
    end: int


@dataclass(frozen=True)
class Labels:
    """All spellings of a taxonomy's categories."""

    categories: Mapping[str, str]
    """Spelling without spaces and case -> category."""
    name: re.Pattern[str]
    """One spelling."""
    start: re.Pattern[str]
    """The beginning of a line that a spelling begins."""

    def at_start(self, line: str) -> Label | None:
        """Return the label that begins the line, behind bullets, numbers and markup."""
        name = self.start.match(line)
        if name is None:
            return None
        separator = _SEPARATOR.match(line, name.end()) or _BARE_VALUE.match(line, name.end())
        return self._label(name[1], separator)

    def after_value(self, line: str, position: int) -> Label | None:
        """Return the label of a further pair on the same line, directly behind a value."""
        between = _BETWEEN_PAIRS.match(line, position)
        start = between.end() if between else position
        quote = line[start : start + 1] if line[start : start + 1] in ('"', "'") else ""
        name = self.name.match(line, start + len(quote))
        # A JSON key closes its quote before the colon; a quoted sentence does not.
        if name is None or not line.startswith(quote, name.end()):
            return None
        return self._label(name[1], _SEPARATOR.match(line, name.end()))

    def named(self, text: str) -> str | None:
        """Return the category that `text` names as a whole, if it does."""
        return self.categories.get(_letters(text))

    def is_beginning(self, line: str) -> bool:
        """Tell whether the line is a label without its colon, or the first letters of one."""
        letters = _letters(line) if len(line) <= 80 else ""
        return bool(letters) and any(spelling.startswith(letters) for spelling in self.categories)

    def _label(self, spelling: str, separator: re.Match[str] | None) -> Label | None:
        category = self.named(spelling)
        return Label(category, separator.end()) if category and separator else None


@lru_cache(maxsize=32)
def labels_of(taxonomy: Taxonomy) -> Labels:
    """Return the spellings of a taxonomy's categories.

    Raises:
        ValueError: Two categories share a spelling.
    """
    categories: dict[str, str] = {}
    patterns: list[str] = []
    for category in taxonomy:
        for spelling in (category.name, category.title, *VARIANTS.get(category.name, ())):
            words = _words(spelling)
            if not words:
                continue
            owner = categories.setdefault("".join(words).casefold(), category.name)
            if owner != category.name:
                raise ValueError(f"{owner} and {category.name} of the taxonomy {taxonomy.name} are both {spelling!r}")
            patterns.append(r"[ \t_-]{0,2}".join(map(re.escape, words)))
    longest_first = "|".join(sorted(set(patterns), key=len, reverse=True))
    name = rf"({longest_first}){_QUALIFIER}(?![^\W_])"
    return Labels(categories, re.compile(name, re.IGNORECASE), re.compile(_LEAD + name, re.IGNORECASE))


def _words(spelling: str) -> list[str]:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", spelling)
    return [word for word in re.split(r"[\W_]+", parted) if word]


def _letters(text: str) -> str:
    # Regular expressions take the Turkish dotless i for an i, casefold does not.
    return re.sub(r"[\W_]+", "", text.casefold()).replace("ı", "i")
