"""Tables that registers read: layouts, phrases, look-alikes, templates and letters, by language or script."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

_HERE = Path(__file__).parent


@cache
def load_table(name: str) -> dict[str, Any]:
    """Return the table of that name, read once; it is not to be changed."""
    loaded: dict[str, Any] = yaml.safe_load((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded
