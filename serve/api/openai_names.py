"""The categories of OpenAI's moderation endpoint, and which of ours speak for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

OPENAI_CATEGORIES: Mapping[str, tuple[str, ...]] = {
    "harassment": ("Insult",),
    "harassment/threatening": ("Insult", "Violence"),
    "hate": ("IdentityAttack",),
    "hate/threatening": ("IdentityAttack", "Violence"),
    "illicit": (),
    "illicit/violent": (),
    "self-harm": ("SelfHarm",),
    "self-harm/instructions": (),
    "self-harm/intent": (),
    "sexual": ("SexualContent",),
    "sexual/minors": (),
    "violence": ("Violence",),
    "violence/graphic": (),
}
"""OpenAI's category -> our categories of the taxonomy ``rtp-lx`` that must all be there; empty: none speaks for it."""


def openai_names(categories: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return OpenAI's categories with a guard's categories that speak for them; empty where not all are there."""
    return {
        name: needed if needed and set(needed) <= set(categories) else ()
        for name, needed in OPENAI_CATEGORIES.items()
        if name not in categories
    }
