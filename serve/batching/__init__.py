"""Dynamic batching: windows of many requests are run together, in turn, within bounds of time, tokens and queue."""

from serve.batching.batcher import DynamicBatcher
from serve.batching.refusal import BatcherClosedError, OverloadedError
from serve.batching.settings import BatchingSettings

__all__ = ["BatcherClosedError", "BatchingSettings", "DynamicBatcher", "OverloadedError"]
