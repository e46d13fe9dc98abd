"""Long texts are rated whole, in pieces that a service takes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from evaluation.moderation_apis.pieces import pieces_of


@given(st.text(max_size=400), st.integers(40, 90), st.booleans())
def test_pieces_fit_overlap_and_lose_nothing(text, longest, in_bytes):
    pieces = pieces_of(text, longest, in_bytes)
    assert all(len(piece.encode() if in_bytes else piece) <= longest for piece in pieces)
    assert pieces[0] == text[: len(pieces[0])]
    place = 0
    for before, piece in pairwise(pieces):
        place = text.find(piece, place)
        assert place >= 0
        assert before[-1] in piece  # each begins before the end of the one before it
    assert text.endswith(pieces[-1])
    if len(text.encode()) < longest - 3:
        assert pieces == [text]


def test_a_megabyte_is_cut_at_hand_counted_places():
    pieces = pieces_of("x" * 1_000_000, 10_000)
    assert len(pieces) == 111  # 1 + ceil((1,000,000 - 10,000) / 9,000)
    assert {len(piece) for piece in pieces[:-1]} == {10_000}
