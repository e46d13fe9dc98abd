"""Why a request is not accepted; both mean "ask again later, or another replica"."""

from __future__ import annotations


class OverloadedError(Exception):
    """The queue is full.

    Attributes:
        retry_after_seconds: When the work that is queued now should be done; 1 or more.
    """

    def __init__(self, retry_after_seconds: int) -> None:
        super().__init__(f"The queue is full; ask again in {retry_after_seconds} s.")
        self.retry_after_seconds = retry_after_seconds


class BatcherClosedError(Exception):
    """The batcher finishes what it has accepted and takes nothing more."""

    def __init__(self) -> None:
        super().__init__("The server is shutting down; ask another replica.")
