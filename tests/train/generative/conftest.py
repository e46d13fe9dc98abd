"""A tiny causal model and tokenizers, made once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.guarding.layouts import CHATML
from tests.evaluation.guarding.tiny_guards import save_guard, tokenizer


@pytest.fixture(scope="session")
def chat_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny chat model with random weights."""
    return save_guard(tmp_path_factory.mktemp("models") / "tiny-chat", "llama", CHATML)


@pytest.fixture
def chat_tokenizer() -> Any:
    """Return a tokenizer with a chat template."""
    return tokenizer(CHATML)


@pytest.fixture
def plain_tokenizer() -> Any:
    """Return a tokenizer of a base model."""
    return tokenizer(None)
