"""What whoever runs the server may tell the app: signals and deadlines are theirs, and not of HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Controls:
    """Stands at `api.state.controls`; both are called from the event loop.

    Attributes:
        look_at_policy: Looks at the policy's files now.
        give_up: Answers what is in hand with 503, because the process is about to end.
    """

    look_at_policy: Callable[[], None]
    give_up: Callable[[], None]
