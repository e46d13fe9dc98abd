"""Keeps one model in memory: the one that was asked for last.

A recipe may name ten judges of which no two fit on one GPU, or one judge in two modes. Memory belongs to the process,
so there is one shelf a process; a model that is asked for again while it is on the shelf is not loaded again.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass

from babelguard.local_models.local_model import LocalModel


@dataclass
class Shelf:
    """Holds one local model."""

    key: str = ""
    model: LocalModel | None = None

    def get(self, key: str, load: Callable[[], LocalModel]) -> LocalModel:
        """Return the model of that key; if another one is here, it is given up before this one is loaded."""
        if self.model is None or self.key != key:
            self.clear()
            self.model, self.key = load(), key
        return self.model

    def clear(self) -> None:
        """Give the model's memory back, unless somebody else holds it."""
        import torch

        self.model, self.key = None, ""
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


SHELF = Shelf()
