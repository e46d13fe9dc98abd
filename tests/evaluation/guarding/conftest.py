"""Tiny guards that the tests of this folder share; each is written once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.evaluation.guarding import tiny_guards


@pytest.fixture(scope="session", autouse=True)
def few_threads() -> None:
    torch = pytest.importorskip("torch", reason="guards need torch: pip install 'babelguard[judges]'")
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return the folder of the tiny model that stands for a preset's model."""
    root = tmp_path_factory.mktemp("guards")
    made: dict[tuple[str, str | None], Path] = {}

    def find(preset: str) -> Path:
        key = tiny_guards.family_of(preset)
        if key not in made:
            made[key] = tiny_guards.save_guard(root / f"{len(made)}-{key[0]}", *key)
        return made[key]

    return find
