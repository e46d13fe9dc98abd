"""What the batcher needs of an engine, and what it tells whoever watches it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from serve.windows import Encoded, Ids

Logits = NDArray[np.float32]


class Engine(Protocol):
    """A guard below its public face. Both methods are called from several threads at once."""

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Cut texts into windows of token ids."""
        ...

    def logits(self, windows: Sequence[Ids]) -> Logits:
        """Return the model's outputs for windows, [windows, columns]."""
        ...


class Observer(Protocol):
    """Somebody who counts; called from the batcher's threads."""

    def request_waited(self, seconds: float) -> None:
        """Take note of the time between a request's acceptance and the moment its first window ran."""
        ...

    def batch_ran(self, windows: int, tokens: int, seconds: float) -> None:
        """Take note of a batch: its windows, their tokens without padding, and its duration."""
        ...


class NoObserver:
    """Nobody who counts."""

    def request_waited(self, seconds: float) -> None:
        """Ignore it."""

    def batch_ran(self, windows: int, tokens: int, seconds: float) -> None:
        """Ignore it."""
