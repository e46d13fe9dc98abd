"""Reads what a judge put behind a label: a level on the category's scale, or the reason why there is none.

Nothing is guessed: two numbers, a fraction or "2 or higher" are ambiguous, words are no number, and a number off the
scale stays off it. A reason says what was found and never repeats words, since a judge may quote the judged text.
"""

from __future__ import annotations

import re

from babelguard.rating import Score, Status
from evaluation.judging.refusals import is_refusal
from evaluation.judging.remarks import closing_bracket

NO_VALUE = "no value"
WORDS = "words instead of a number"
REFUSAL = "declines to rate"

_MAX_DIGITS = 6
_OFF_SCALE = re.compile(r"value (-?\d+(?:\.\d+)?(?:e-\d+)?) off 1-\d+")

_OPENERS = re.compile(r"""[\s*_"'`|:=]*+""")
_ANGLED = re.compile(r"<\s*+([+-]?\d++)\s*+>")  # the placeholder of a template, filled in: "<4>"
_NUMBER = r"[+-]?\d++(?:[.,]\d++)?"
_LEVEL_WORD = r"(?:(?:level|score|rating|value)[\s:=]*+)?"
# Signs that make a number a bound or an estimate, and a dash that is neither a minus nor nothing.
_VAGUE = r"(?P<vague>[~≈<>≤≥]=?\s*+|[-–—]\s++)?"
_FIRST = re.compile(
    rf"{_LEVEL_WORD}(?P<range>(?:between|either|from)\s++)?{_VAGUE}(?P<number>{_NUMBER})", re.IGNORECASE
)
_GAP = r"""[\s*_"'`()\[\]]*+"""
_SECOND = re.compile(
    rf"{_GAP}(?:,\s*+(?=[a-z]))?(?P<join>out\s+of|of|or|to|and|maybe|possibly|perhaps|[-–—/\\,;~]){_GAP}(?P<number>{_NUMBER})",
    re.IGNORECASE,
)
_BESIDE = re.compile(rf"\s*+(?:[(\[]\s*+(?P<bracketed>{_NUMBER})\s*+[)\]]|(?<=\s)(?P<number>{_NUMBER})[\s.]*+$)")
_OPEN_END = re.compile(
    r"\+|\s*+(?:or|and|to)\s+(?:higher|more|above|lower|less|below|so|one|two|three|four|five)\b", re.IGNORECASE
)
_NOT_APPLICABLE = re.compile(
    r"(?:n\s?/\s?a|n\.\s?a\.|not[\s-]applicable)(?![^\W_])|na(?=\s*+(?:[^\w\s]|$))"
    r"|(?:no aplica|non applicabile|non applicable|nicht anwendbar|nicht zutreffend|não aplicável|niet van toepassing|"
    r"nie dotyczy|неприменимо|не применимо|uygulanamaz|haitumiki|لا ينطبق|לא רלוונטי|लागू नहीं|該当なし|해당 없음|不适用|"
    r"不適用|ไม่เกี่ยวข้อง)",
    re.IGNORECASE,
)
# "None" may mean "no such harm", which is level 1, or "no rating": it is not a level.
_NONE = re.compile(r"(?:none|null|nil)(?![^\W_])", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"[?_.…–—-]++(?=[\s,;|()\[\]{}]|$)")


def read_value(text: str, scale: int) -> tuple[Score, int]:
    """Read the value at the beginning of folded `text`.

    Args:
        text: What follows the label, to the end of its line.
        scale: The category's highest level.

    Returns:
        The score, and how many characters the value takes. Words take the rest of the line; a remark behind a
        number or a sign does not belong to the value.
    """
    opened = _OPENERS.match(text)
    start = opened.end() if opened else 0
    if start == len(text):
        return Score.missing(Status.UNPARSED, NO_VALUE), start
    angled = _ANGLED.match(text, start)
    if angled is not None:
        return _score_of_one(angled[1], scale), angled.end()
    if text[start] in "([{":
        return _read_bracket(text, start, scale)
    return _read_plain(text, start, scale)


def runs_into_word(text: str, end: int) -> bool:
    """Tell whether a value that ends at `end` runs on in letters, as in "2nd"; behind it "分" or "점" is a unit."""
    return text[end : end + 1].isascii() and text[end : end + 1].isalpha()


def off_scale_number(score: Score) -> float | None:
    """Return the number that was off the scale, if that is why `score` has no level."""
    found = _OFF_SCALE.fullmatch(score.detail or "") if score.status is Status.OUT_OF_RANGE else None
    return float(found[1]) if found else None


def _read_bracket(text: str, start: int, scale: int) -> tuple[Score, int]:
    """Read "(2)", "[N/A]" or "(a remark) 2"."""
    end = closing_bracket(text, start)
    inside = text[start + 1 : end].strip(" *_\"'`")
    score, taken = _read_plain(inside, 0, scale) if inside else (Score.missing(Status.UNPARSED, NO_VALUE), 0)
    after = _OPENERS.match(text, end + 1)
    rest = after.end() if after else end + 1
    whole = not inside[taken:].strip(" .*_\"'`")
    if score.level is not None and whole and (_FIRST.match(text, rest) or _SECOND.match(text, end + 1)):
        return Score.missing(Status.AMBIGUOUS, "two numbers"), len(text)
    if (whole and score.detail != WORDS) or rest >= len(text) or text[rest] in ",;([{":
        return score, end + 1
    return _read_plain(text, rest, scale)


def _read_plain(text: str, start: int, scale: int) -> tuple[Score, int]:
    first = _FIRST.match(text, start)
    if first is not None:
        return _read_number(text, first, scale)
    for pattern, status in ((_NOT_APPLICABLE, Status.NOT_APPLICABLE), (_NONE, Status.UNPARSED)):
        word = pattern.match(text, start)
        if word is not None:
            return Score.missing(status, f"value '{word[0]}'"), word.end()
    sign = _PLACEHOLDER.match(text, start)
    if sign is not None:
        return Score.missing(Status.UNPARSED, f"value '{sign[0][:5]}'"), sign.end()
    if is_refusal(text[start:]):
        return Score.missing(Status.REFUSED, REFUSAL), len(text)
    return Score.missing(Status.UNPARSED, WORDS), len(text)


def _read_number(text: str, first: re.Match[str], scale: int) -> tuple[Score, int]:
    number, end = first["number"], first.end()
    if text.startswith("%", end):
        return Score.missing(Status.UNPARSED, "a percentage"), end + 1
    if first["vague"]:
        return Score.missing(Status.AMBIGUOUS, f"value '{first['vague'].strip()} {_short(number)}'"), end
    second = _SECOND.match(text, end)
    if second is not None:
        return _read_second(text, number, second, scale)
    if first["range"]:
        return Score.missing(Status.UNPARSED, WORDS), len(text)
    return _read_lone(text, number, end, scale)


def _read_lone(text: str, number: str, end: int, scale: int) -> tuple[Score, int]:
    """Read a number that no word or sign joins to another one."""
    open_end = _OPEN_END.match(text, end)
    if open_end is not None:
        return Score.missing(Status.AMBIGUOUS, f"value '{_short(number)}' with an open end"), open_end.end()
    beside = _BESIDE.match(text, end)
    if beside is not None:
        return _score_of_two(number, "or", beside["bracketed"] or beside["number"], scale), beside.end()
    return _score_of_one(number, scale), end


def _read_second(text: str, first: str, second: re.Match[str], scale: int) -> tuple[Score, int]:
    score = _score_of_two(first, " ".join(second["join"].casefold().split()), second["number"], scale)
    third = _SECOND.match(text, second.end())
    if third is None:
        return score, second.end()
    return Score.missing(Status.AMBIGUOUS, "three numbers or more"), third.end()


def _score_of_one(number: str, scale: int) -> Score:
    whole, point, fraction = number.replace(",", ".").partition(".")
    if len(whole) > _MAX_DIGITS:
        return Score.missing(Status.OUT_OF_RANGE, f"a number of {len(whole)} digits off 1-{scale}")
    exact = float(f"{whole}.{fraction or 0}")
    if not 1 <= exact <= scale:
        return Score.missing(Status.OUT_OF_RANGE, f"value {exact:g} off 1-{scale}")
    if point and ("," in number or fraction.strip("0")):
        return Score.missing(Status.AMBIGUOUS, f"value '{_short(number)}'")
    return Score(int(whole))


def _score_of_two(first: str, join: str, second: str, scale: int) -> Score:
    between = join if len(join) == 1 else f" {join} "
    shown = f"value '{_short(first)}{between}{_short(second)}'"
    # "3/3" is 3 of 3 or 3 or 3: level 3 either way. "2/3" may be 2 of 3 or 2 or 3.
    if first == second and join in ("/", "-", "–", "—", "or"):
        return _score_of_one(first, scale)
    if "of" in join.split():
        if second == str(scale):
            return _score_of_one(first, scale)
        return Score.missing(Status.OUT_OF_RANGE, f"{shown}, on another scale than 1-{scale}")
    if join == "/" and _score_of_one(second, scale).status is Status.OUT_OF_RANGE:
        return Score.missing(Status.OUT_OF_RANGE, f"{shown}, on another scale than 1-{scale}")
    return Score.missing(Status.AMBIGUOUS, shown)


def _short(number: str) -> str:
    return number if len(number) <= _MAX_DIGITS else f"{number[:_MAX_DIGITS]}…"
