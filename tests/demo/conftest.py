"""A tiny guard for the demo's tests: the word "awful" has high logits in every column, all else low ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.resources import Resources, panel_ready
from demo.verdict import Moderator
from serve.guard import Guard
from tests.tiny_bundle import make_tiny_bundle

HARMLESS, FLAGGED = "a good day friend", "awful"


@pytest.fixture(scope="session")
def gradio_without_loops() -> Iterator[None]:
    """Let Gradio make locks without an event loop for each that it never closes; locks have needed none since 3.10."""
    import gradio

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gradio.utils, "safe_get_lock", asyncio.Lock)
        patch.setattr(gradio.queueing, "safe_get_lock", asyncio.Lock)
        patch.setattr(gradio.utils, "safe_get_stop_event", asyncio.Event)
        yield


@pytest.fixture(scope="session")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Guard:
    languages = {"en": True, "de": False, "ar": True}
    bundle = make_tiny_bundle(tmp_path_factory.mktemp("bundle"), languages=languages)
    return Guard.load(bundle, tuning="latency", threads=1)


@pytest.fixture(scope="session")
def moderator(guard: Guard) -> Moderator:
    return Moderator.of(guard)


@pytest.fixture(scope="session")
def resources(moderator: Moderator, tmp_path_factory: pytest.TempPathFactory) -> Resources:
    from demo.panel import GuardSeat, Panel

    panel = Panel((GuardSeat(moderator, "another guard"),))
    return Resources(moderator, panel_ready(panel), (tmp_path_factory.mktemp("runs"),), most_rows=200)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    path.write_text(f"id,text,language\n1,{HARMLESS},en\n2,{FLAGGED},en\n3,=1+{FLAGGED},\n4,,de\n", encoding="utf-8")
    return path
