"""Scores equal those of transformers' pipeline, whatever the batch; long texts are windowed, not cut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard.item import Item, Message
from babelguard.rating import Rating, Status
from babelguard.recipe import validate
from babelguard.taxonomy import RTP_LX
from evaluation.rater import Workbench
from evaluation.raters.sequence_classifier import KIND, SequenceClassifierOptions, SequenceClassifierRater
from tests.evaluation.classifying.tiny import FAMILIES, TEXTS, save_tiny

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

BENCH = Workbench(RTP_LX, lambda splits: [])
LABELS = {"calm": [], "rude": ["Toxicity", "Insult"], "violent": {"Toxicity": 4, "Violence": 2}}


def rater(folder: Path, **options: Any) -> SequenceClassifierRater:
    given = {"model": str(folder), "labels": LABELS, "device": "cpu", **options}
    built = KIND.build("tiny", validate(given, SequenceClassifierOptions, "recipe"), BENCH)
    assert isinstance(built, SequenceClassifierRater)
    return built


def item(text: str, number: int = 0, **more: Any) -> Item:
    return Item(f"x/{number}", text, "en", "x", f"x/{number}", **more)


def rate(rater: SequenceClassifierRater, texts: list[str]) -> list[Rating]:
    return list(rater.rate([item(text, number) for number, text in enumerate(texts)]))


def probabilities(rating: Rating) -> dict[str, float]:
    return json.loads(rating.raw or "")["probabilities"]


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """On a busy machine, threads that wait for one another slow tiny models down a hundredfold."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("tiny")
    return {family: save_tiny(root / family, family, list(LABELS)) for family in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("activation", ["softmax", "sigmoid"])
def test_scores_are_those_of_the_pipeline(folders: dict[str, Path], family: str, activation: str) -> None:
    ours = rate(rater(folders[family], activation=activation, batch_tokens=40, window=64), list(TEXTS))
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folders[family])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders[family])
    pipe = transformers.pipeline(
        "text-classification", model, tokenizer=tokenizer, top_k=None, function_to_apply=activation, device="cpu"
    )
    for rating, theirs in zip(ours, pipe(list(TEXTS)), strict=True):
        expected = {each["label"]: each["score"] for each in theirs}
        assert probabilities(rating) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("family", FAMILIES)
def test_batches_change_nothing(folders: dict[str, Path], family: str) -> None:
    one, many = (rater(folders[family], batch_tokens=tokens, window=64) for tokens in (1, 10_000))
    for alone, together in zip(rate(one, list(TEXTS)), rate(many, list(TEXTS)), strict=True):
        assert probabilities(alone) == pytest.approx(probabilities(together), abs=2e-6)


@given(st.lists(st.text(max_size=200), max_size=6), st.integers(1, 300))
@settings(max_examples=25, deadline=None)
def test_every_item_ends_with_a_status_in_order(bert: SequenceClassifierRater, texts: list[str], budget: int) -> None:
    bert.scorer.batch_tokens = budget
    ratings = rate(bert, texts)
    assert [rating.item for rating in ratings] == [f"x/{number}" for number in range(len(texts))]
    for text, rating in zip(texts, ratings, strict=True):
        assert set(rating.scores) == set(RTP_LX.names)
        wanted = Status.OK if text.strip() else Status.NOT_APPLICABLE
        assert {rating.scores[category].status for category in bert.covers} == {wanted}


@pytest.fixture(scope="module")
def bert(folders: dict[str, Path]) -> SequenceClassifierRater:
    return rater(folders["bert"])


@pytest.mark.parametrize("family", ["bert", "qwen2"])
def test_the_highest_window_counts(folders: dict[str, Path], family: str) -> None:
    built = rater(folders[family], window=20, overlap=5)
    text = " ".join(TEXTS)
    tokenizer = built.scorer.checkpoint.tokenizer
    inner = 20 - tokenizer.num_special_tokens_to_add()
    tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
    starts = range(0, max(len(tokens) - 5, 1), inner - 5)
    windows = [tokens[start : start + inner] for start in starts]
    if family == "bert":
        windows = [[0, *window, 2] for window in windows]
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folders[family]).eval()
    with torch.inference_mode():
        each = [model(input_ids=torch.tensor([window])).logits.softmax(-1)[0].numpy() for window in windows]
    (rating,) = rate(built, [text])
    assert json.loads(rating.raw or "")["windows"] == len(windows) > 2
    assert list(probabilities(rating).values()) == pytest.approx(np.max(each, axis=0).tolist(), abs=1e-5)
    harmful = max(float(p[1] + p[2]) for p in each)
    assert rating.scores["Toxicity"].probability == pytest.approx(harmful, abs=1e-5)


def test_the_notes_count_windowed_texts_also_of_stored_ratings(folders: dict[str, Path]) -> None:
    ratings = rate(rater(folders["bert"], window=20, overlap=5), ["short", "long " * 40, "", "longer " * 60])
    again = rater(folders["bert"], window=20, overlap=5)
    assert list(again.notes) == []
    for rating in ratings:
        again.observe(Rating.from_dict(json.loads(json.dumps(rating.to_dict()))))
    assert again.notes == [
        "tiny: 2 of 4 texts are longer than the model's window of 20 tokens; they were scored in overlapping windows, "
        "of which the highest counts."
    ]


def test_unpleasant_texts_end_with_a_level(bert: SequenceClassifierRater) -> None:
    for text in ("\ud800 lone", "\x00", f"{TEXTS[-1]} " * 16_000, "é\u0301\u200d"):
        (rating,) = rate(bert, [text])
        assert rating.scores["Toxicity"].status is Status.OK


def test_what_does_not_fit_into_memory_is_an_error_of_its_item_alone(folders: dict[str, Path]) -> None:
    built = rater(folders["bert"], batch_tokens=10_000)
    forward = built.scorer._forward

    def scarce(windows: list[list[int]]) -> Any:
        if len(windows) > 2 or any(len(window) > 25 for window in windows):
            raise torch.OutOfMemoryError("out of memory")
        return forward(windows)

    built.scorer._forward = scarce  # type: ignore[method-assign, assignment]
    ratings = rate(built, [*TEXTS, "word " * 20])
    statuses = [rating.scores["Toxicity"].status for rating in ratings]
    assert statuses[-1] is Status.ERROR
    assert statuses.count(Status.OK) >= 4


def test_conversations_are_classified_as_one_text(bert: SequenceClassifierRater) -> None:
    talk = item("", messages=(Message("user", "the dog"), Message("assistant", "barks")))
    (rating,) = bert.rate([talk])
    (plain,) = bert.rate([item("the dog\nbarks")])
    assert rating.raw == plain.raw
