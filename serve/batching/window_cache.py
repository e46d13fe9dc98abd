"""Logits of windows that have been run, so that a text that grows is not run from its beginning again and again."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict

from serve.batching.engine import Logits
from serve.windows import Ids


class WindowCache:
    """Keeps the logits of the windows that were used last.

    It holds no text and no token ids: a window is known by a hash with a key that lives as long as the process. A
    window's logits depend on its ids alone, so what is found here is what the model would give, up to the rounding
    that differs between batch sizes.

    Attributes:
        hits: Windows that were found here so far.
    """

    def __init__(self, size: int) -> None:
        """Make an empty cache.

        Args:
            size: Windows to keep; the one that was not used for longest goes first.
        """
        self._size = size
        self._secret = secrets.token_bytes(32)
        self._rows: OrderedDict[bytes, Logits] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, window: Ids, owner: str = "") -> Logits | None:
        """Return the logits [columns] of a window that this owner has had run; `None` if they are not kept."""
        key = self._key(window, owner)
        with self._lock:
            row = self._rows.get(key)
            if row is not None:
                self._rows.move_to_end(key)
                self.hits += 1
            return row

    def put(self, window: Ids, row: Logits, owner: str = "") -> None:
        """Keep the logits [columns] of a window; owners do not see each other's, not even in answering times."""
        key = self._key(window, owner)
        with self._lock:
            self._rows[key] = row.copy()
            self._rows.move_to_end(key)
            while len(self._rows) > self._size:
                self._rows.popitem(last=False)

    def _key(self, window: Ids, owner: str) -> bytes:
        digest = hashlib.blake2b(owner.encode("utf-8", "surrogatepass"), key=self._secret, digest_size=16)
        digest.update(b"\0")
        digest.update(window.tobytes())
        return digest.digest()
