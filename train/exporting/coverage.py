"""What pruning the vocabulary does to texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Windows = Sequence[NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How texts fare under a pruned tokenizer, in windows.

    Attributes:
        kept: Tokens of the pruned vocabulary.
        of: Tokens of the whole vocabulary.
        tokens: Share of the texts' tokens, by the whole tokenizer, that are kept.
        same: Share of windows with the same tokens as before.
        longer: How many times as many tokens the texts have.
    """

    kept: int
    of: int
    tokens: float
    same: float
    longer: float

    def sentence(self) -> str:
        """Return it in words."""
        return (
            f"{self.kept:,} of {self.of:,} tokens are kept. On the comparison texts they cover {self.tokens:.2%} of "
            f"the tokens; {self.same:.2%} of the windows have the very same tokens as before, and texts have "
            f"{self.longer:.3f} times as many."
        )


def measure_coverage(before: Windows, after: Windows, kept: NDArray[np.int64], of: int) -> Coverage:
    """Compare windows of the same texts by the whole and by the pruned tokenizer.

    Args:
        before: Windows by the whole tokenizer, in its ids.
        after: Windows by the pruned one, in its ids.
        kept: Old id of every new one.
        of: Tokens of the whole vocabulary.
    """
    known = np.zeros(of, dtype=np.bool_)
    known[kept] = True
    whole, pruned = np.concatenate(list(before)), np.concatenate(list(after))
    same = [np.array_equal(a, kept[b]) for a, b in zip(before, after, strict=False)]
    return Coverage(
        kept=len(kept),
        of=of,
        tokens=float(known[whole].mean()),
        same=float(np.sum(same)) / max(len(before), len(after)),
        longer=len(pruned) / len(whole),
    )
