"""Reads a guard's answer that came as text, with the likeliest tokens of each place where the service gives them.

What is read is all that the model wrote and nothing of its prompt. The verdict's probability is that of the answers
among the tokens listed in the place where the answers part; where none are listed there is none.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from babelguard.generator import Generation
from babelguard.rating import Status
from evaluation.guarding.answering import Answer
from evaluation.guarding.asking import Unanswered
from evaluation.guarding.form import Step


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer found in a text: which one, and where it begins and ends."""

    answer: str
    start: int
    end: int


def read_answer(generation: Generation, steps: Sequence[Step], threshold: float) -> Answer | Unanswered:
    """Read an answer.

    Args:
        generation: What the model wrote.
        steps: The answer's steps. What the model always writes first is looked for; choices stand behind it, those of
            a first step without such words at the answer's beginning.
        threshold: Probability of harm (0-1) from which on a prompt is flagged.
    """
    if generation.status not in {Status.OK, Status.TRUNCATED}:
        return Unanswered(generation.status, generation.detail or "no answer")
    text, place = generation.text, 0
    verdict: tuple[Mapping[str, float], float, bool] | None = None
    written, ended, measured = None, True, False
    for step in steps:
        start = _behind(text, step.say, place)
        if start is None:
            break
        if step.choose is None:
            end = _line_end(text, start)
            if step.codes and verdict is not None:
                written, ended = text[start:end].strip(), end < len(text) or generation.status is Status.OK
                break
            place = end
            continue
        said = _said(text, start, step.choose)
        if said is None:
            break
        place = said.end
        if step.verdict:
            shares = _shares(generation.top_logprobs, text, said, step.choose)
            measured = shares is not None
            chances, mass = shares or ({said.answer: 1.0}, 1.0)
            harm = math.fsum(chance for answer, chance in chances.items() if step.choose[answer] > 0)
            verdict = chances, mass, harm >= threshold
    if verdict is None:
        if generation.status is Status.TRUNCATED:
            return Unanswered(Status.TRUNCATED, "the answer was cut before its verdict")
        return Unanswered(Status.UNPARSED, "the answer has no verdict where the preset's 'answers' say")
    return Answer(*verdict, written if verdict[2] else None, ended, text.strip(), measured)


def _behind(text: str, say: str, place: int) -> int | None:
    """Return where the text goes on behind what a step says, white space left out; `None` if it is not said."""
    words = say.strip()
    if words:
        found = text.casefold().find(words.casefold(), place) if len(text.casefold()) == len(text) else text.find(words)
        if found < 0:
            return None
        return found + len(words)
    return place + len(text[place:]) - len(text[place:].lstrip())


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _said(text: str, start: int, answers: Collection[str]) -> _Said | None:
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    for answer in sorted(answers, key=len, reverse=True):
        words = answer.strip()
        end = begin + len(words)
        if text[begin:end].casefold() == words.casefold() and not text[end : end + 1].isalnum():
            return _Said(answer, begin, end)
    return None


def _shares(
    tokens: Sequence[Mapping[str, float]], text: str, said: _Said, answers: Collection[str]
) -> tuple[dict[str, float], float] | None:
    """Return each answer's probability among the listed answers, and that of all of them among all tokens.

    `None` where the tokens do not tell: none are listed, they are not those of the text, or no single place decides.
    """
    whole = "".join(next(iter(place), "") for place in tokens)
    moved = _white(whole) - _white(text)  # some services leave white space out of the text
    if whole[_white(whole) : said.end + moved] != text[_white(text) : said.end]:
        return None
    end = 0
    for place in tokens:
        token, begin = next(iter(place), ""), end
        end += len(token)
        if end <= said.start + moved:
            continue
        known = whole[said.start + moved : begin]
        if len(_fitting(_continued(known, token), answers)) != 1:
            continue
        found = dict.fromkeys(answers, 0.0)
        for other, logarithm in place.items():
            fitting = _fitting(_continued(known, other), answers)
            if len(fitting) == 1:
                found[fitting[0]] += math.exp(min(0.0, logarithm))
        mass = math.fsum(found.values())
        if mass <= 0.0:
            return None
        return {answer: chance / mass for answer, chance in found.items()}, min(1.0, mass)
    return None


def _white(text: str) -> int:
    return len(text) - len(text.lstrip())


def _continued(known: str, token: str) -> str:
    return known + token if known else token.lstrip()


def _fitting(begun: str, answers: Collection[str]) -> list[str]:
    """Return the answers that a text begins, or that it is, with something else behind it."""
    folded = begun.casefold()
    if not folded:
        return []
    fitting = []
    for answer in answers:
        words = answer.strip().casefold()
        is_answer = folded.startswith(words) and not folded[len(words) : len(words) + 1].isalnum()
        if words.startswith(folded) or is_answer:
            fitting.append(answer)
    return fitting
