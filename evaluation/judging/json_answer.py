"""Reads an answer that is a JSON object: {"Toxic": 4, ...}, or one whose values hold a score and its reason."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from babelguard.rating import Score, Status
from babelguard.taxonomy import Taxonomy
from evaluation.judging.folding import fold
from evaluation.judging.labels import labels_of
from evaluation.judging.value import WORDS, read_value, runs_into_word

_OBJECT = re.compile(r"^[ \t]*+(?=\{)", re.MULTILINE)
_SCORE_KEYS = ("score", "level", "rating", "value")


def read_json(answer: str, taxonomy: Taxonomy) -> dict[str, Score] | None:
    """Return the scores of the first JSON object of an answer; `None` if there is none, or a label line before it."""
    beginning = _OBJECT.search(answer)
    if beginning is None:
        return None
    labels = labels_of(taxonomy)
    before = answer[: beginning.start()]
    if any(labels.at_start(fold(line)) for line in before.split("\n")):
        return None
    for record in _candidates(_decode(answer[beginning.end() :])):
        scores: dict[str, Score] = {}
        for key, value in record.items():
            category = labels.named(fold(key))
            if category is not None and category not in scores:
                scores[category] = _score_of(value, taxonomy[category].scale)
        if scores:
            return scores
    return None


def _decode(text: str) -> Any:  # noqa: ANN401 - any JSON value
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_first_of_each_key)
    try:
        return decoder.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None  # cut off, or not quite JSON: it is read line by line instead


def _first_of_each_key(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for key, value in pairs:
        record.setdefault(key, value)
    return record


def _candidates(decoded: object) -> list[Mapping[str, Any]]:
    """Return the object itself, then the objects directly within it: {"scores": {...}}."""
    if not isinstance(decoded, dict):
        return []
    return [decoded, *(value for value in decoded.values() if isinstance(value, dict))]


def _score_of(value: object, scale: int) -> Score:
    if isinstance(value, dict):
        inner = next((value[key] for key in _SCORE_KEYS if key in value), None)
        return Score.missing(Status.UNPARSED, "an object without a score") if inner is None else _score_of(inner, scale)
    if value is None or isinstance(value, bool | list):
        return Score.missing(Status.UNPARSED, f"a JSON {'null' if value is None else type(value).__name__}")
    text = fold(str(value))
    score, end = read_value(text, scale)
    return Score.missing(Status.UNPARSED, WORDS) if runs_into_word(text, end) else score
