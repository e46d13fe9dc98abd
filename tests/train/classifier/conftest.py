"""Tiny models, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.train.classifier import tiny


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save_encoder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture(scope="session")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.save_decoder(tmp_path_factory.mktemp("decoder"))


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_items(tmp_path_factory.mktemp("corpus") / "items.jsonl")
