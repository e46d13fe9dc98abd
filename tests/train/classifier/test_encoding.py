"""Windows: they cover a text whole, keep prefix and special tokens, and are never longer than they may be."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard.errors import UserError
from serve.windows import Encoder
from tests.serve import tiny_tokenizers
from tests.train.classifier import tiny
from train.classifier.dataset import Collator, TrainingDraws, WindowList
from train.classifier.encoding import EncodedTexts, encode_texts


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("tokenizer")
    tiny.save_tokenizer(folder)
    return AutoTokenizer.from_pretrained(folder)


def test_windows_open_with_the_prefix_and_close_with_the_end(tokenizer: Any) -> None:
    encoded = encode_texts(tokenizer, ["river stone cloud", ""], "query: ", 6)
    assert tokenizer.decode(encoded.cut(0).tolist()) == "[CLS] query : river stone [SEP]"
    assert tokenizer.decode(encoded.cut(1).tolist()) == "[CLS] query : [SEP]"
    assert encoded.longer == 1
    assert encoded.lengths.tolist() == [6, 4]


def test_a_text_that_fits_is_encoded_as_the_tokenizer_does(tokenizer: Any) -> None:
    text = "river stone cloud paper"
    encoded = encode_texts(tokenizer, [text], "", 24)
    assert encoded.cut(0).tolist() == tokenizer(text)["input_ids"]


def test_a_window_without_room_is_refused(tokenizer: Any) -> None:
    with pytest.raises(UserError, match="leaves no room"):
        encode_texts(tokenizer, ["river"], "query: ", 4)


@pytest.fixture(scope="module", params=["unigram", "byte_level"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    """A tokenizer as training has it, and as a bundle has it."""
    from transformers import PreTrainedTokenizerFast

    made = getattr(tiny_tokenizers, request.param)()
    path: Path = tmp_path_factory.mktemp("both") / "tokenizer.json"
    made.save(str(path))
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="</s>", pad_token="<pad>"), path


PIECES = (*tiny_tokenizers.SPACES, *tiny_tokenizers.UNSEEN, *tiny_tokenizers.WORDS, "</s>", "\ud800")


@given(
    st.lists(st.sampled_from(PIECES), max_size=50).map("".join),
    st.sampled_from(tiny_tokenizers.PREFIXES),
    st.sampled_from([16, 400]),
)
@settings(deadline=None)
def test_training_reads_texts_as_the_served_guard_does(
    both: tuple[Any, Path], text: str, prefix: str, window: int
) -> None:
    tokenizer, path = both
    (served,) = Encoder(path, window=window, overlap=4, prefix=prefix).encode([text])
    trained = encode_texts(tokenizer, [text], prefix, window)
    windows = [trained.cut(0, start).tolist() for start in trained.starts(0, 4)]
    assert trained.lengths.tolist() == [len(windows[0])]
    if served.windows:  # a text of nothing is learnt from, and not asked about
        assert windows == [ids.tolist() for ids in served.windows]


@given(st.integers(0, 90), st.integers(4, 20), st.integers(0, 9))
def test_windows_cover_every_token_once_or_in_the_overlap(length: int, window: int, overlap: int) -> None:
    body = np.arange(length, dtype=np.int32)
    texts = EncodedTexts(np.array([-1], np.int32), np.array([-2], np.int32), [body], window)
    shared = min(overlap, texts.room - 1)
    windows = [texts.cut(0, start) for start in texts.starts(0, shared)]
    assert all(len(w) <= window and w[0] == -1 and w[-1] == -2 for w in windows)
    covered = np.concatenate([w[1:-1] for w in windows])
    assert set(covered.tolist()) == set(range(length))
    for left, right in pairwise(windows):
        assert len(set(left.tolist()) & set(right.tolist()) - {-1, -2}) == shared
    assert len(windows) == 1 or len(windows[-1]) > 2


def test_random_windows_are_the_same_for_the_same_draw() -> None:
    texts = EncodedTexts(np.array([], np.int32), np.array([], np.int32), [np.arange(50, dtype=np.int32)], 10)
    draws = TrainingDraws(texts, np.zeros(8, np.int64), np.zeros((1, 2), np.float32), np.array([-1]), True, 5)
    starts = [int(draws[i]["input_ids"][0]) for i in range(8)]
    assert starts == [int(draws[i]["input_ids"][0]) for i in range(8)]
    assert len(set(starts)) > 3
    assert max(starts) <= 40


def test_a_batch_is_padded_on_the_right() -> None:
    texts = EncodedTexts(
        np.array([9], np.int32), np.array([], np.int32), [np.arange(n, dtype=np.int32) for n in (1, 3)], 10
    )
    windows = WindowList.first_windows(texts, np.zeros((2, 2), np.float32))
    assert windows.order.tolist() == [1, 0]
    batch = Collator(pad_token_id=77, multiple_of=4)([windows[0], windows[1]])
    assert batch["input_ids"].tolist() == [[9, 0, 1, 2], [9, 0, 77, 77]]
    assert batch["attention_mask"].tolist() == [[1, 1, 1, 1], [1, 1, 0, 0]]
