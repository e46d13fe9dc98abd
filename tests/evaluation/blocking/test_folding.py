"""Folding quickly gives what folding plainly gives, and finds the way back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.blocking.folding import fold, folding

TRICKY = (
    "aAéßΣςıİſﬁＡｶﾞｱﾟ…①½´ \u0301\u0323\u0308\u093c\u094d\u0915\u0930\u0929"
    "\u1100\u1161\u11a8각ㄱㅏ\u3099か\u0e33\u0344\u0345\ud800\U0001f595"
)
texts = st.text(st.one_of(st.sampled_from(TRICKY), st.characters()), max_size=40)


@given(texts)
def test_the_quick_way_equals_the_plain_way(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text).casefold()
    assert folding()(text).data.decode("utf-8", "surrogatepass") == plain


@given(texts, st.data())
def test_a_span_leads_to_what_folds_to_it(text: str, data: st.DataObject) -> None:
    folded = folding()(text)
    plain = folded.data.decode("utf-8", "surrogatepass")
    if not plain:
        return
    start = data.draw(st.integers(0, len(plain) - 1))
    end = data.draw(st.integers(start + 1, len(plain)))
    at = (len(plain[:start].encode("utf-8", "surrogatepass")), len(plain[:end].encode("utf-8", "surrogatepass")))
    ((first, last),) = folded.spans([at])
    assert 0 <= first < last <= len(text)
    assert plain[start:end] in fold(text[first:last])
    if folded.aligned:
        assert (first, last) == (start, end)


@pytest.mark.parametrize(
    ("text", "inside", "span"),
    [
        ("Die STRASSE", "strasse", (4, 11)),
        ("Die Straße ist lang", "strasse", (4, 10)),
        ("… ﬁne Straße", "fine", (2, 5)),
        ("x　ｶﾞｱ!", "ガ", (2, 4)),
        ("一…二三", "二", (2, 3)),
        ("e\u0301te\u0301 a", "t", (2, 3)),
    ],
)
def test_spans_by_hand(text: str, inside: str, span: tuple[int, int]) -> None:
    folded = folding()(text)
    start = folded.data.index(inside.encode())
    assert folded.spans([(start, start + len(inside.encode()))]) == [span]
