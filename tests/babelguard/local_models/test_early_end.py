"""A sequence that ends before its neighbours leaves them alone."""

from __future__ import annotations

import pytest

from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.item import Message
from babelguard.rating import Status
from babelguard.recipe import validate

pytest.importorskip("torch", reason="needs torch")
pytest.importorskip("transformers", reason="needs transformers")

from tests.babelguard.generators.tiny_chat import write_tiny_chat_model

BEGINNING = "Rate the text. " * 20


@pytest.mark.parametrize("share_prefix", [True, False])
def test_an_early_end_changes_no_other_answer(tmp_path, share_prefix):
    folder = write_tiny_chat_model(tmp_path / "tiny")
    kind = GENERATORS.get("transformers")
    raw = {"model": str(folder), "dtype": "float32", "share_prefix": share_prefix}
    made = kind.build(validate(raw, kind.options, "test"))
    prompts = [Prompt(messages=(Message("user", f"{BEGINNING}{text}"),)) for text in ("a", "good day", "z" * 40)]
    whole = [one.text for one in made.generate(prompts, Decoding(12))]
    # Stop strings are made from what the model writes, so that the sequences end one after the other.
    stops = tuple(text[start : start + 3] for text, start in zip(whole, (0, 4, 8), strict=True))
    expected = [min((text.find(stop) for stop in stops if stop in text), default=len(text)) for text in whole]
    assert len(set(expected)) > 1
    together = list(made.generate(prompts, Decoding(12, stop=stops)))
    assert [one.text for one in together] == [text[:end] for text, end in zip(whole, expected, strict=True)]
    assert {one.status for one in together} <= {Status.OK, Status.TRUNCATED}
