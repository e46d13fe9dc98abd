"""Tables that registers read: layouts, phrases, look-alikes, templates and letters, by language or script."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from babelguard.yaml_reading import parse_yaml

_HERE = Path(__file__).parent


@cache
def load_table(name: str) -> dict[str, Any]:
    """Return the table of that name, read once; it is not to be changed."""
    loaded: dict[str, Any] = parse_yaml((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded
