"""An engine without a model: a token a character, and logits that tell which windows were run, with whom and when."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np

from serve.batching.engine import Logits
from serve.windows import Encoded, Ids


class FakeEngine:
    """Cuts texts into windows of `window` characters; a window's logits are its first code point and its length."""

    def __init__(self, window: int = 8, *, held: bool = False) -> None:
        self.window = window
        self.batches: list[list[str]] = []
        self.encoded: list[str] = []
        self.running = threading.Event()
        self.gate = threading.Event()
        self._lock = threading.Lock()
        if not held:
            self.gate.set()

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        if any(text.startswith("!encode") for text in texts):
            raise RuntimeError("cannot encode")
        with self._lock:
            self.encoded += texts
        found = []
        for text in texts:
            starts = range(0, len(text), self.window)
            windows = tuple(np.array([ord(c) for c in text[s : s + self.window]], dtype=np.int64) for s in starts)
            spans = tuple((s, min(s + self.window, len(text))) for s in starts)
            found.append(Encoded(windows, spans, len(text), 0))
        return found

    def logits(self, windows: Sequence[Ids]) -> Logits:
        self.running.set()
        assert self.gate.wait(20)
        shown = ["".join(map(chr, window)) for window in windows]
        with self._lock:
            self.batches.append(shown)
        if any(text.startswith("!run") for text in shown):
            raise RuntimeError("cannot run")
        return np.array([[window[0], len(window)] for window in windows], dtype=np.float32)
