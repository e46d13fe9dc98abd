"""Brackets and quotations: where a judge's remark ends, and whether it is still open at the end of a line."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BRACKETS = re.compile(r"[()\[\]{}]")
_PAIRED = re.compile(r"""[()\[\]{}"]""")
_OPENING = re.compile(r"\s*+(?=[(\[])")


@dataclass(slots=True)
class Remark:
    """Whether the lines read so far leave a bracket or a quotation open."""

    depth: int = 0
    quoted: bool = False

    @property
    def is_open(self) -> bool:
        """True while a bracket or a quotation waits for its end."""
        return self.depth > 0 or self.quoted

    def read(self, text: str) -> None:
        """Read on; brackets inside a quotation do not count."""
        if not any(sign in text for sign in ')]}"'):
            self.depth += 0 if self.quoted else sum(text.count(sign) for sign in "([{")
            return
        for sign in _PAIRED.findall(text):
            if sign == '"':
                self.quoted = not self.quoted
            elif not self.quoted:
                self.depth = max(0, self.depth + (1 if sign in "([{" else -1))


def closing_bracket(text: str, start: int) -> int:
    """Return the position of the bracket that closes the one at `start`, or the length of the text."""
    if not any(closer in text for closer in ")]}"):
        return len(text)
    depth = 0
    for bracket in _BRACKETS.finditer(text, start):
        depth += 1 if bracket[0] in "([{" else -1
        if depth == 0:
            return bracket.start()
    return len(text)


def past_remark(text: str, position: int) -> int:
    """Return the position behind the bracketed remark at `position`, or `position` if there is none."""
    opening = _OPENING.match(text, position)
    return closing_bracket(text, opening.end()) + 1 if opening else position
