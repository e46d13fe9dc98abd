"""Behind a prefix, a text has the very ids that the tokenizer gives to prefix and text together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from serve.framed_tokenizer import FramedTokenizer
from serve.windows import Encoder
from tests.serve import tiny_tokenizers as tiny

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
UNPLEASANT = st.lists(st.sampled_from(tiny.SPACES + tiny.UNSEEN + tiny.WORDS), max_size=30).map("".join)
TOKENIZERS = {"unigram": tiny.unigram, "byte-level BPE": tiny.byte_level}


@pytest.fixture(scope="module", params=sorted(TOKENIZERS))
def tokenizer(request: pytest.FixtureRequest) -> Any:
    return TOKENIZERS[request.param]()


@pytest.fixture(scope="module")
def encoders(tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Encoder]:
    """Encoders by prefix and window: one that every text fits into, and a short one."""
    path: Path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    tokenizer.save(str(path))
    return {
        (prefix, window): Encoder(path, window=window, overlap=4, prefix=prefix)
        for prefix in tiny.PREFIXES
        for window in (5_000, 16)
    }


@given(ANY_TEXT | UNPLEASANT, st.sampled_from(tiny.PREFIXES))
@example("  tea", "query: ")
@example("\n\u3000tea", "query: ")
@example("\u00ad tea", "query: ")
@example("\u0301", "query:")
@example(":)", "query:")
@settings(deadline=None)
def test_a_text_that_fits_has_the_ids_of_prefix_and_text(
    tokenizer: Any, encoders: dict[tuple[str, int], Encoder], text: str, prefix: str
) -> None:
    (encoded,) = encoders[prefix, 5_000].encode([text])
    expected = tokenizer.encode(prefix + text).ids
    if encoded.windows:
        assert [window.tolist() for window in encoded.windows] == [expected]
        ((start, end),) = encoded.spans
        assert 0 <= start <= end <= len(text)
        assert not text[end:].strip() or len(tokenizer.encode(prefix + text[:end]).ids) == len(expected)
    else:  # a text of nothing
        assert not text.strip() or expected == tokenizer.encode(prefix).ids


@given(ANY_TEXT | UNPLEASANT, st.sampled_from(tiny.PREFIXES))
@settings(deadline=None)
def test_windows_of_a_long_text_cover_its_own_tokens(
    encoders: dict[tuple[str, int], Encoder], text: str, prefix: str
) -> None:
    encoder = encoders[prefix, 16]
    (cut,), (whole,) = encoder.encode([text]), encoders[prefix, 5_000].encode([text])
    assert cut.tokens == whole.tokens
    assert all(len(window) <= 16 for window in cut.windows)
    if len(cut.windows) < 2:
        assert [window.tolist() for window in cut.windows] == [window.tolist() for window in whole.windows]
        return
    lead = 16 - encoder.room - 1  # the opening token and the prefix; one more token closes
    body: list[int] = []
    for window in cut.windows:
        assert window[:lead].tolist() == cut.windows[0][:lead].tolist()
        body += window[lead:-1].tolist()[4 if body else 0 :]
    assert body == whole.windows[0].tolist()[-1 - whole.tokens : -1]
    starts = [start for start, _ in cut.spans]
    assert starts == sorted(starts)
    assert min(starts) == whole.spans[0][0]
    assert max(end for _, end in cut.spans) == whole.spans[0][1]


def test_spans_by_hand(encoders: dict[tuple[str, int], Encoder]) -> None:
    text = "   tea " + "the tea is hot and " * 20
    (encoded,) = encoders["query: ", 16].encode([text])
    assert "tea" in text[slice(*encoded.spans[0])]
    assert text[slice(*encoded.spans[-1])].rstrip().endswith("and")


@pytest.mark.parametrize("definition", ["", "{}", "[]"])
def test_what_is_no_tokenizer_is_refused(definition: str) -> None:
    with pytest.raises(ValueError, match="."):
        FramedTokenizer(definition)


def test_a_tokenizer_without_letters_is_refused() -> None:
    from tokenizers import Tokenizer, models

    digits = Tokenizer(models.BPE({"1": 0}, []))  # what it does not know, it drops
    with pytest.raises(ValueError, match="no token of the letter a"):
        FramedTokenizer(digits.to_str(), "query: ")
