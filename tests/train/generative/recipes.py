"""Recipes for tiny generative guards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from babelguard.recipe import set_at


def write_recipe(folder: Path, model: Path, corpus: Path, changes: Mapping[str, Any] | None = None) -> Path:
    """Write a recipe that ends within seconds, with changes of the form ``{"a.b": value}``, and return its path."""
    record: dict[str, Any] = {
        "name": "tiny",
        "kind": "generative",
        "corpus": {"source": "items", "path": str(corpus)},
        "model": {"base": str(model), "longest": 384},
        "lora": {"rank": 2, "dropout": 0.0},
        "batches": {"items": 4},
        "selection": {"metric": "macro_f1"},
        "optimisation": {
            "max_steps": 2, "learning_rate": 0.01, "warmup_share": 0.0, "log_every_steps": 1, "report_to": [],
        },
        "export": {"dtype": "float32"},
        "output": str(folder / "runs"),
    }  # fmt: skip
    for key, value in (changes or {}).items():
        set_at(record, key.split("."), value, key)
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(record), encoding="utf-8")
    return path
