"""Finds a judge's score block, the first one, in an answer of lines.

A block is a run of label lines, with blank lines and short remarks between them. It is over when every category has
its line, when a label comes again, or when the judge begins to talk of something else; what follows (translations,
explanations, quotations, further blocks) is not read, so that no quoted text can fill or change a score.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import islice

from babelguard.rating import Score, Status
from babelguard.taxonomy import Taxonomy
from evaluation.judging.folding import fold
from evaluation.judging.labels import Labels, labels_of
from evaluation.judging.refusals import is_refusal
from evaluation.judging.remarks import Remark, past_remark
from evaluation.judging.value import NO_VALUE, WORDS, read_value, runs_into_word

_LINE_END = re.compile(r"\r\n|\n|\r")
# "Translation: ...", "# Note" begin something else; "Reason: ..." under a label line belongs to it.
_HEADING = re.compile(
    r"[^\w(\[{]*+(?!(?:reason(?:ing)?|rationale|explanation|justification|comment)\b)[^:()\[\]{}\"]{1,40}:|\s*+#",
    re.IGNORECASE,
)
# A line for something that the taxonomy does not hold, or a misspelt label: "Overall: 2".
_FOREIGN_PAIR = re.compile(
    r"[\W_]*+[^\W\d_][\w '/&-]{0,39}+[*_\"'`)\]]{0,4}\s*+[:=|][\s*_\"'`]*+(?:[+-]?\d++|n/?a)(?:\s*[(\[]|[^\w+]*+$)",
    re.IGNORECASE,
)
_MAX_REMARK_LINES = 50  # more lines than that without a label are no remark on a score
_MAX_REFUSAL_LINES = 10
_LONE_VALUE = re.compile(r"(?:[+-]?\d+|n/?a)[\s.]*+$", re.IGNORECASE)


class Ending(Enum):
    """What came after the last line of a block."""

    CUT = auto()
    """Nothing: the answer ends there."""
    TALK = auto()
    """Something that is no label line."""
    REFUSAL = auto()
    """The judge declined to go on."""
    OPEN_REMARK = auto()
    """A remark that opens a bracket or a quotation and does not close it; label lines stand in it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A score block as it was found.

    Attributes:
        scores: Category -> score, in the order of the answer; empty if there is no block.
        ending: What came after it; before any block, whether the answer refuses or talks.
    """

    scores: dict[str, Score]
    ending: Ending


@dataclass
class _Reader:
    """Takes the lines of a block one by one, its first label line first."""

    taxonomy: Taxonomy
    labels: Labels
    scores: dict[str, Score] = field(default_factory=dict)
    ending: Ending = Ending.CUT
    remark: Remark = field(default_factory=Remark)
    after_blank: bool = False
    awaits_value: bool = False
    hides_labels: bool = False
    restarted: bool = False
    other_lines: int = 0

    def take(self, line: str, *, is_last: bool) -> bool:
        """Read one folded line; return False when the block is over."""
        if self.remark.is_open:
            return self._take_remark(line)
        if not line.strip():
            self.after_blank, self.awaits_value = True, False
            if self._has_run_through():
                self.ending = Ending.TALK
                return False
            return True
        awaited, self.awaits_value = self.awaits_value, False
        if awaited and _LONE_VALUE.match(line.strip()):
            last = next(reversed(self.scores))
            self.scores[last] = self._value_of(last, line)[0]
            return len(self.scores) < len(self.taxonomy)
        if self.labels.at_start(line) is None:
            return self._take_other(line, is_last=is_last)
        return self._take_pairs(line)

    def _take_pairs(self, line: str) -> bool:
        talked, self.after_blank, self.ending = self.ending is not Ending.CUT, False, Ending.CUT
        self.other_lines = 0
        for category, score, tail in self._pairs(line):
            if category in self.scores:
                if talked or self.restarted or not self._was_false_start():
                    self.ending = Ending.TALK
                    return False
                self.scores.clear()
                self.restarted = True
            self.scores[category] = score
            self.remark, self.hides_labels = Remark(), False
            self.remark.read(tail)
            self.awaits_value = score.detail == NO_VALUE
        return len(self.scores) < len(self.taxonomy) or self.awaits_value

    def _pairs(self, line: str) -> Iterator[tuple[str, Score, str]]:
        """Yield (category, score, what follows the label) for every pair of a label line."""
        label = self.labels.at_start(line)
        while label is not None:
            score, end = self._value_of(label.category, line[label.end :])
            yield label.category, score, line[label.end :]
            label = self.labels.after_value(line, past_remark(line, label.end + end))

    def _value_of(self, category: str, text: str) -> tuple[Score, int]:
        if self.labels.after_value(text, 0) is not None:
            return Score.missing(Status.UNPARSED, NO_VALUE), 0
        score, end = read_value(text, self.taxonomy[category].scale)
        if runs_into_word(text, end) and self.labels.after_value(text, end) is None:  # not "1Violence: 2"
            return Score.missing(Status.UNPARSED, WORDS), len(text)
        return score, end

    def _take_remark(self, line: str) -> bool:
        """Read on in a remark that the lines above left open."""
        self.other_lines += 1
        self.hides_labels = self.hides_labels or self.labels.at_start(line) is not None
        self.remark.read(line)
        return self.other_lines < _MAX_REMARK_LINES

    def _take_other(self, line: str, *, is_last: bool) -> bool:
        self.other_lines += 1
        if is_last and self.labels.is_beginning(line):
            self.ending = Ending.CUT
            return False
        if _FOREIGN_PAIR.match(line) and not self._has_run_through():
            return self.other_lines < _MAX_REMARK_LINES
        self.ending = Ending.REFUSAL if is_refusal(line) else Ending.TALK
        if self.ending is Ending.REFUSAL or self.after_blank or self._has_run_through() or _HEADING.match(line):
            return False
        self.remark.read(line)
        return self.other_lines < _MAX_REMARK_LINES

    def _has_run_through(self) -> bool:
        """Tell whether the block came in the taxonomy's order and has reached its last category.

        Such a block is over even if it left a category out: a later line for it stands in a quotation.
        """
        found = list(self.scores)
        names = self.taxonomy.names
        return bool(found) and found[-1] == names[-1] and found == [name for name in names if name in self.scores]

    def _was_false_start(self) -> bool:
        """Tell whether all there was is one label without a level, directly before the label comes again.

        A prompt that ends with the first label makes a judge that talks first put its words behind that label.
        """
        (*_, last) = self.scores.values()
        return len(self.scores) == 1 and last.status is Status.UNPARSED


def read_block(answer: str, taxonomy: Taxonomy) -> Block:
    """Return the first score block of an answer."""
    labels = labels_of(taxonomy)
    lines = _LINE_END.split(fold(answer.rstrip()))
    first = next((number for number, line in enumerate(lines) if labels.at_start(line)), None)
    if first is None:
        opening = islice((line for line in lines if line.strip()), _MAX_REFUSAL_LINES)
        return Block({}, Ending.REFUSAL if any(map(is_refusal, opening)) else Ending.TALK)
    reader = _Reader(taxonomy, labels)
    blank_before = False
    for number in range(first, len(lines)):
        blank = not lines[number] or lines[number].isspace()
        if blank and blank_before:
            continue  # a second blank line says no more than the first
        blank_before = blank
        if not reader.take(lines[number], is_last=number == len(lines) - 1):
            break
    if reader.remark.is_open and reader.hides_labels:
        reader.ending = Ending.OPEN_REMARK
    return Block(reader.scores, reader.ending)
