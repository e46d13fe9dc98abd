"""Serve a guard bundle; runs without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from serve.guard import Guard, GuardRating

__all__ = ["Guard", "GuardRating"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what the module has under that name
    # Imported when first asked for: command lines that only print their help need no NumPy.
    if name in __all__:
        from serve import guard

        return getattr(guard, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
