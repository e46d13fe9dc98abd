"""Prunes a guard's vocabulary: ranking by the training texts, and the number of tokens by the budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from serve.bundle import Precision
from train.corpus import TrainingCorpus, shown_text
from train.exporting.options import ExportOptions
from train.exporting.token_embedding import cut_embedding, find_embedding, row_size
from train.exporting.vocabulary import Ranking, compact, fill, rank_tokens

RESERVE: Final = 200_000
"""Bytes kept free for `guard.json`, `README.md` and `SHA256SUMS`."""

_VALUE_BYTES: Final[dict[Precision, int]] = {"fp32": 4, "fp16": 2}


@dataclass(frozen=True)
class Vocabulary:
    """The vocabulary of a bundle.

    Attributes:
        tokenizer: Text of its `tokenizer.json`.
        kept: Old id of every new id.
        rows: Number of token ids of the whole tokenizer.
        padding: New id of the padding token.
    """

    tokenizer: str
    kept: NDArray[np.int64]
    rows: int
    padding: int

    def old(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the whole tokenizer's ids for this one's."""
        return self.kept[ids]

    def cut(self, model: Any) -> Any:  # noqa: ANN401 - an onnx.ModelProto
        """Return a copy of a model whose token embedding has only these rows."""
        import onnx

        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        if len(self.kept) < self.rows or self.kept[-1] != len(self.kept) - 1:
            cut_embedding(copy, self.kept, self.rows)
        return copy


def whole_vocabulary(source: str, padding: int) -> Vocabulary:
    """Return the vocabulary that keeps every token."""
    rows = count_ids(source)
    return Vocabulary(source, np.arange(rows, dtype=np.int64), rows, padding)


def count_ids(source: str) -> int:
    """Return the highest id of a `tokenizer.json`, plus one."""
    from tokenizers import Tokenizer

    return 1 + max(Tokenizer.from_str(source).get_vocab(with_added_tokens=True).values())


def chosen_languages(corpus: TrainingCorpus, options: ExportOptions) -> tuple[str, ...]:
    """Return the languages whose tokens are kept."""
    named = options.vocabulary.languages
    if named in ("trained", "all"):
        return tuple(sorted({item.language for item in corpus.items["train"]}))
    return tuple(named)


def rank(source: str, corpus: TrainingCorpus, prefix: str, options: ExportOptions) -> Ranking:
    """Rank the tokens by the training texts of the chosen languages.

    Raises:
        UserError: No training text is in one of the languages.
    """
    from babelguard.languages import language

    chosen = {language(code).tag for code in chosen_languages(corpus, options)}

    def texts() -> Iterator[str]:
        for item in corpus.items["train"]:
            if item.language in chosen:
                yield prefix + shown_text(item)

    if next(texts(), None) is None:
        raise UserError(f"No training text is in {', '.join(sorted(chosen))}; see export.vocabulary.languages.")
    return rank_tokens(source, texts(), sorted(chosen), options.vocabulary.least_count)


def vocabulary_at(ranking: Ranking, count: int, rows: int, padding: int) -> Vocabulary:
    """Return the vocabulary of the first tokens of a ranking."""
    tokenizer, kept = ranking.pruned(count)
    return Vocabulary(compact(tokenizer), kept, rows, int(np.searchsorted(kept, padding)))


def fitting_count(
    ranking: Ranking,
    model: Any,  # noqa: ANN401 - an onnx.ModelProto
    trial_bytes: int,
    trial_rows: int,
    rows: int,
    options: ExportOptions,
) -> int:
    """Return how many tokens fill the bundle up to its budget.

    Args:
        ranking: The tokens.
        model: The whole model.
        trial_bytes: Size of a model file of the default precision with fewer rows.
        trial_rows: How many.
        rows: Number of token ids of the whole tokenizer.
        options: The options, with a budget.

    Raises:
        UserError: The budget is too small.
    """
    assert options.vocabulary.max_size_mb is not None
    precision = options.default_precision
    table = find_embedding(model.graph, rows).input[0]
    width = next(int(tensor.dims[1]) for tensor in model.graph.initializer if tensor.name == table)
    inside = precision == "int8"
    row_bytes = row_size(width, options.int8.embedding_bits) if inside else width * _VALUE_BYTES[precision]
    budget = int(options.vocabulary.max_size_mb * 1e6) - RESERVE
    return fill(ranking, budget, row_bytes, trial_bytes - trial_rows * row_bytes)
