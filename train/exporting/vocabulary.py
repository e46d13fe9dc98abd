"""Chooses the tokens that a bundle keeps: what its languages' texts use, their characters, and then the most common."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.languages import language
from train.exporting.scripts import fits, names_of
from train.exporting.tokenizer_pruning import added_ids, prune_tokenizer, vocabulary_of, with_parts

_BATCH: Final = 4096


@dataclass(frozen=True)
class Ranking:
    """The tokens in the order in which they are kept.

    Attributes:
        tokenizer: The parsed `tokenizer.json`.
        always: Ids that every choice holds: special tokens, bytes, and single characters of the languages' scripts.
        used: Ids that the texts use, the most frequent first.
        common: Further ids in the languages' scripts, the most common first as the tokenizer has it.
    """

    tokenizer: Mapping[str, Any]
    always: frozenset[int]
    used: tuple[int, ...]
    common: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.always) + len(self.used) + len(self.common)

    @property
    def needed(self) -> int:
        """Number of tokens without further ones."""
        return len(self.always) + len(self.used)

    def first(self, count: int) -> set[int]:
        """Return at most `count` ids, in the ranking's order and with the parts that BPE tokens are merged from."""
        further = islice((*self.used, *self.common), max(0, count - len(self.always)))
        chosen = {*self.always, *further}
        vocabulary = vocabulary_of(self.tokenizer)
        names = {number: token for token, number in vocabulary.items()}
        whole = with_parts(self.tokenizer, [names[number] for number in chosen if number in names])
        return chosen | {vocabulary[token] for token in whole if token in vocabulary}

    def pruned(self, count: int) -> tuple[dict[str, Any], NDArray[np.int64]]:
        """Return the tokenizer with `count` tokens, and the old id of every new one."""
        return prune_tokenizer(self.tokenizer, self.first(count))


def rank_tokens(source: str, texts: Iterable[str], languages: Sequence[str], least_count: int) -> Ranking:
    """Rank a tokenizer's tokens for some languages.

    Args:
        source: The `tokenizer.json`.
        texts: Texts of these languages, prefix included.
        languages: Their codes.
        least_count: A token counts as used from so many occurrences.
    """
    from tokenizers import Tokenizer

    tokenizer = json.loads(source)
    vocabulary = vocabulary_of(tokenizer)
    reader: Any = Tokenizer.from_str(source)
    reader.no_truncation()
    reader.no_padding()
    allowed = names_of({language(code).script for code in languages})
    spelled = _spellings(reader, vocabulary)
    counts = _count(reader, texts)
    special = added_ids(tokenizer)
    always = set(special)
    for token, number in vocabulary.items():
        letters = spelled[number]
        if _is_byte(token) or (len(letters.strip()) <= 1 and fits(letters, allowed)):
            always.add(number)
    used = [number for number, count in counts.most_common() if count >= least_count and number not in always]
    seen = always.union(used)
    common = [number for number in _by_prior(tokenizer) if number not in seen and fits(spelled[number], allowed)]
    return Ranking(tokenizer, frozenset(always), tuple(used), tuple(common))


def fill(ranking: Ranking, budget: int, row_bytes: int, fixed_bytes: int) -> int:
    """Return the largest number of tokens whose bundle fits.

    Args:
        ranking: The tokens.
        budget: Bytes for everything.
        row_bytes: Bytes of a token in the model.
        fixed_bytes: Bytes of everything but the model's table and the tokenizer.

    Raises:
        UserError: Not even special tokens and single characters fit.
    """
    low, high = len(ranking.always), len(ranking)
    if _size(ranking, low, row_bytes, fixed_bytes) > budget:
        needed = _size(ranking, low, row_bytes, fixed_bytes) / 1e6
        raise UserError(
            f"The model with special tokens and single characters alone has {needed:.1f} MB, more than the "
            f"{budget / 1e6:.1f} MB of export.vocabulary.max_size_mb; raise it, or name fewer languages."
        )
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(ranking, middle, row_bytes, fixed_bytes) <= budget else (low, middle - 1)
    return low


def compact(tokenizer: Mapping[str, Any]) -> str:
    """Return a `tokenizer.json` without white space."""
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")) + "\n"


def _size(ranking: Ranking, count: int, row_bytes: int, fixed_bytes: int) -> int:
    tokenizer, kept = ranking.pruned(count)
    return len(compact(tokenizer).encode("utf-8")) + len(kept) * row_bytes + fixed_bytes


def _count(reader: Any, texts: Iterable[str]) -> Counter[int]:  # noqa: ANN401 - tokenizers has no types
    counts: Counter[int] = Counter()
    stream = iter(texts)
    while batch := list(islice(stream, _BATCH)):
        for encoding in reader.encode_batch(batch, add_special_tokens=True):
            counts.update(encoding.ids)
    return counts


def _spellings(reader: Any, vocabulary: Mapping[str, int]) -> dict[int, str]:  # noqa: ANN401
    """Return the letters of every token, without the signs that tokenizers write for spaces, bytes and word parts."""
    decoder = reader.decoder
    found = {}
    for token, number in vocabulary.items():
        plain = token.removeprefix("##")
        found[number] = decoder.decode([plain]) if decoder is not None else plain
    return found


def _is_byte(token: str) -> bool:
    return len(token) == 6 and token.startswith("<0x") and token.endswith(">")


def _by_prior(tokenizer: Mapping[str, Any]) -> list[int]:
    """Return all ids, the most common token first: by Unigram's scores, else by id, the order of learning."""
    model = tokenizer["model"]
    if model["type"] == "Unigram":
        scores = np.array([score for _, score in model["vocab"]], dtype=np.float64)
        return [int(number) for number in np.argsort(-scores, kind="stable")]
    return sorted(vocabulary_of(tokenizer).values())
