"""Rewrites a `tokenizer.json` with fewer tokens, so that texts made of kept tokens keep their tokens.

- Unigram: the best segmentation of a text is still the best if all of its pieces are kept, as the others only leave.
- BPE: a kept token brings the tokens that it is merged from, and all merges among kept tokens stay in their order.
- WordPiece: the longest piece that fits is still there. WordLevel: a kept word is still a word.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError


def vocabulary_of(tokenizer: Mapping[str, Any]) -> dict[str, int]:
    """Return token -> id of a parsed `tokenizer.json`, without tokens that are only added.

    Raises:
        UserError: Its model is of a kind that cannot be pruned.
    """
    model = tokenizer["model"]
    if model["type"] == "Unigram":
        return {piece: number for number, (piece, _) in enumerate(model["vocab"])}
    if model["type"] in {"BPE", "WordPiece", "WordLevel"}:
        return dict(model["vocab"])
    raise UserError(
        f"The tokenizer is a {model['type']} model; only Unigram, BPE, WordPiece and WordLevel can be pruned. "
        "Set export.vocabulary.languages to all."
    )


def added_ids(tokenizer: Mapping[str, Any]) -> set[int]:
    """Return the ids of added and special tokens, which always stay."""
    return {int(entry["id"]) for entry in tokenizer.get("added_tokens") or ()}


def with_parts(tokenizer: Mapping[str, Any], tokens: Collection[str]) -> set[str]:
    """Return tokens and, for BPE, all tokens that they are merged from."""
    kept = set(tokens)
    model = tokenizer["model"]
    if model["type"] != "BPE":
        return kept
    origins: dict[str, list[tuple[str, str]]] = {}
    for first, second in _merges(model):
        origins.setdefault(first + second, []).append((first, second))
    waiting = list(kept)
    while waiting:
        for pair in origins.get(waiting.pop(), ()):
            for part in pair:
                if part not in kept:
                    kept.add(part)
                    waiting.append(part)
    return kept


def prune_tokenizer(tokenizer: Mapping[str, Any], kept: Collection[int]) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """Return the tokenizer with some of its tokens, and the old id of every new one.

    Args:
        tokenizer: A parsed `tokenizer.json`.
        kept: Ids of the tokens to keep; added and special tokens, and the unknown token, are kept besides.

    Returns:
        The pruned tokenizer, and an array whose n-th value is the old id of the new id n: in the old order.
    """
    # The vocabulary is replaced, not changed: copying a quarter of a million entries would take a second.
    new: dict[str, Any] = {key: copy.deepcopy(value) for key, value in tokenizer.items() if key != "model"}
    model = new["model"] = dict(tokenizer["model"])
    vocabulary = vocabulary_of(tokenizer)
    chosen = set(kept) | added_ids(tokenizer)
    if model["type"] == "Unigram" and model.get("unk_id") is not None:
        chosen.add(int(model["unk_id"]))
    elif model.get("unk_token") in vocabulary:
        chosen.add(vocabulary[model["unk_token"]])
    order = np.array(sorted(chosen), dtype=np.int64)
    number = {int(old): place for place, old in enumerate(order)}
    if model["type"] == "Unigram":
        _prune_unigram(model, number)
    else:
        model["vocab"] = {token: number[old] for token, old in vocabulary.items() if old in number}
        if model["type"] == "BPE":
            model["merges"] = _kept_merges(model, model["vocab"])
    for entry in new.get("added_tokens") or ():
        entry["id"] = number[int(entry["id"])]
    _renumber(new.get("post_processor"), number)
    return new, order


def _prune_unigram(model: dict[str, Any], number: Mapping[int, int]) -> None:
    pieces = model["vocab"]
    # Added tokens may lie beyond the pieces; those in between must all be pieces, as a piece's id is its place.
    inside = [old for old in sorted(number) if old < len(pieces)]
    if [number[old] for old in inside] != list(range(len(inside))):
        raise UserError("The tokenizer's added tokens lie between its pieces in a way that cannot be pruned.")
    model["vocab"] = [pieces[old] for old in inside]
    if model.get("unk_id") is not None:
        model["unk_id"] = number[int(model["unk_id"])]


def _merges(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the merges; older files have them as one string with a space, newer ones as pairs."""
    pairs = (merge.split(" ", 1) if isinstance(merge, str) else merge for merge in model["merges"])
    return [(str(first), str(second)) for first, second in pairs]


def _kept_merges(model: Mapping[str, Any], vocabulary: Mapping[str, int]) -> list[Any]:
    return [
        merge
        for merge, (first, second) in zip(model["merges"], _merges(model), strict=True)
        if first in vocabulary and second in vocabulary and first + second in vocabulary
    ]


def _renumber(part: Any, number: Mapping[int, int]) -> None:  # noqa: ANN401 - any JSON value
    """Renumber the ids in a post-processor: lists under ``ids``, and the pairs of ``sep`` and ``cls``."""
    if isinstance(part, list):
        for inner in part:
            _renumber(inner, number)
    if not isinstance(part, dict):
        return
    for key, value in part.items():
        if key == "ids" and isinstance(value, list):
            part[key] = [number[int(old)] for old in value]
        elif key in {"sep", "cls"} and isinstance(value, list) and len(value) == 2:
            part[key] = [value[0], number[int(value[1])]]
        else:
            _renumber(value, number)
