"""Windows cover every token, and their spans lie in the text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard import UserError
from serve.windows import Encoder
from tests.tiny_bundle import make_tiny_bundle

ANY_TEXT = st.text(st.characters(), max_size=200)
"""Of all characters, lone surrogates included."""
WORDY = st.lists(st.sampled_from(["hello", "tea", "awful", "สวัสดี", "🫖", "x\u0301", "</s>", "\u200b"]), max_size=60)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_bundle(tmp_path_factory.mktemp("bundle")) / "tokenizer.json"


@pytest.fixture(scope="module")
def encoder(tokenizer: Path) -> Encoder:
    return Encoder(tokenizer, window=16, overlap=4, prefix="query: ")


def test_by_hand(encoder: Encoder) -> None:
    (encoded,) = encoder.encode(["hello friend"])
    # <s>, "▁query", ":", "▁hello", "▁friend", </s>
    assert [window.tolist() for window in encoded.windows] == [[1, 4, 44, 13, 12, 2]]
    assert encoded.spans == ((0, 12),)
    assert (encoded.tokens, encoded.replaced) == (2, 0)


def test_a_long_text_has_windows_that_share_tokens(encoder: Encoder) -> None:
    assert encoder.room == 12  # 16 less <s>, </s> and two of the prefix
    (encoded,) = encoder.encode([" ".join(["tea"] * 30)])
    # Windows begin at tokens 0, 8, 16 and 24, and a token is three letters and the blank before it.
    assert encoded.spans == ((0, 47), (31, 79), (63, 111), (95, 119))
    assert [len(window) for window in encoded.windows] == [16, 16, 16, 10]


@given(ANY_TEXT | WORDY.map(" ".join))
@settings(deadline=None)
def test_windows_cover_every_token_and_spans_lie_in_the_text(encoder: Encoder, tokenizer: Path, text: str) -> None:
    whole = Encoder(tokenizer, window=5_000, overlap=0, prefix="query: ")
    (encoded,), (uncut,) = encoder.encode([text]), whole.encode([text])
    assert encoded.tokens == uncut.tokens
    body: list[int] = []
    for window in encoded.windows:
        assert len(window) <= 16
        assert window[:3].tolist() == [1, 4, 44]
        assert window[-1] == 2
        body += window[3:-1].tolist()[4 if body else 0 :]
    assert body == [token for window in uncut.windows for token in window[3:-1].tolist()]
    for start, end in (*encoded.spans, *uncut.spans):
        assert 0 <= start <= end <= len(text)
    assert encoded.replaced == sum("\ud800" <= letter <= "\udfff" for letter in text)
    if encoded.windows:
        assert encoded.spans[0][0] == uncut.spans[0][0]
        assert max(end for _, end in encoded.spans) == uncut.spans[0][1]


@given(st.lists(ANY_TEXT, max_size=8))
@settings(deadline=None)
def test_texts_are_encoded_alike_alone_and_together(encoder: Encoder, texts: list[str]) -> None:
    for together, text in zip(encoder.encode(texts), texts, strict=True):
        (alone,) = encoder.encode([text])
        assert alone.spans == together.spans
        assert [w.tolist() for w in alone.windows] == [w.tolist() for w in together.windows]


@given(WORDY.map(" ".join), WORDY.map(" ".join))
@settings(deadline=None)
def test_a_text_that_grows_keeps_its_full_windows(encoder: Encoder, text: str, more: str) -> None:
    before, after = encoder.encode([text, f"{text} {more}"])
    for number, window in enumerate(before.windows[:-2]):
        assert window.tolist() == after.windows[number].tolist()


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u200b" * 10_000])
def test_a_text_without_a_token_has_no_window(encoder: Encoder, text: str) -> None:
    (encoded,) = encoder.encode([text])
    assert (encoded.windows, encoded.spans, encoded.tokens) == ((), (), 0)


def test_special_tokens_that_a_text_spells_are_letters(encoder: Encoder) -> None:
    (encoded,) = encoder.encode(["</s><pad> hello"])
    (window,) = encoded.windows
    assert 2 not in window[:-1]
    assert 0 not in window


def test_a_window_without_room_is_told(tokenizer: Path) -> None:
    with pytest.raises(UserError, match=r"A window of 16 tokens leaves 12 for the text, and windows overlap by 12"):
        Encoder(tokenizer, window=16, overlap=12, prefix="query: ")


def test_a_file_that_is_no_tokenizer_is_told(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match=r"tokenizer.json is not a tokenizer.json that can be read"):
        Encoder(path, window=16, overlap=4)
