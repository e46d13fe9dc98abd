"""Windows hold all of a text, and none holds too much."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.guarding.windows import windows
from tests.evaluation.guarding.tiny_guards import tokenizer

TOKENIZER = tokenizer(None)
WORDS = st.text(alphabet="abc \n.éß中あ👍🏽\u200d", max_size=300)


def length(text: str) -> int:
    return len(TOKENIZER.encode(text, add_special_tokens=False))


def test_a_text_that_fits_is_one_window() -> None:
    assert windows("Good morning!", 32, TOKENIZER) == ["Good morning!"]
    assert windows("", 32, TOKENIZER) == [""]


@settings(max_examples=60, deadline=None)
@given(WORDS, st.integers(min_value=8, max_value=64))
def test_windows_cover_the_text_and_fit(text: str, room: int) -> None:
    cut = windows(text, room, TOKENIZER)
    place = 0
    for window in cut:
        begin = text.find(window, 0)
        assert begin >= 0
        place = max(place, text.rfind(window) + len(window))
        assert length(window) <= room + 4  # a character that is cut from its neighbours may need more tokens
    assert place == len(text)
    assert sum(map(len, cut)) >= len(text)


def test_neighbouring_windows_overlap_so_that_a_phrase_at_a_border_is_whole_in_one() -> None:
    text = " ".join(f"w{number}" for number in range(400))
    cut = windows(text, 64, TOKENIZER)
    assert len(cut) > 2
    for first, second in pairwise(cut):
        assert any(first.endswith(second[:size]) for size in range(4, len(second)))


def test_a_tokenizer_that_does_not_tell_places_is_helped_by_bytes() -> None:
    class Slow:
        is_fast = False

    text = "a中" * 100
    cut = windows(text, 40, Slow())
    assert all(len(window.encode("utf-8")) <= 43 for window in cut)
    assert cut[0] == text[: len(cut[0])]
    assert text.endswith(cut[-1])
