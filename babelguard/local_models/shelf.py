"""Keeps one model in memory: the one that was asked for last.

A recipe may name ten judges of which no two fit on one GPU, or one judge in two modes. Memory belongs to the process,
so there is one shelf a process, for models of every kind; a model that is asked for again while it is on the shelf is
not loaded again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

Model = TypeVar("Model")


@dataclass
class Shelf:
    """Holds one model.

    Attributes:
        key: What the model is known by.
        model: The model; `None` if the shelf is empty.
    """

    key: str = ""
    model: Any = None

    def get(self, key: str, load: Callable[[], Model]) -> Model:
        """Return the model of that key; if another one is here, it is given up before this one is loaded."""
        if self.model is None or self.key != key:
            self.clear()
            self.model, self.key = load(), key
        held: Model = self.model
        return held

    def clear(self) -> None:
        """Give the model's memory back, unless somebody else holds it."""
        import torch

        self.model, self.key = None, ""
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


SHELF = Shelf()
