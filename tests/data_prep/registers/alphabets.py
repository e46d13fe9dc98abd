"""Letters, marks and signs of several scripts, to make texts of."""

from __future__ import annotations

from hypothesis import strategies as st

MARKS = {
    "en": "\u0301\u0308",
    "ru": "\u0301",
    "el": "\u0301\u0308",
    "ar": "\u064b\u064f\u0651\u0670",
    "fa": "\u200c\u064e",
    "he": "\u05b7\u05bc",
    "hi": "\u093e\u093f\u0902\u093c\u094d\u200d\u200c",
    "bn": "\u09be\u09bf\u09cd\u200d",
    "th": "\u0e31\u0e35\u0e48\u0e33",
    "ja": "\u3099",
    "zh-Hans": "\ufe00",
    "ko": "\u0301",
    "tr": "\u0307",
}
LETTERS = {
    "en": "abceghilnorstuxyzABEIOST",
    "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяёБЖН",
    "el": "αβγδεζηθικλμνξοπρστυφχψωςΑΘΩάή",
    "ar": "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةأإ",
    "fa": "ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی",
    "he": "אבגדהוזחטיכלמנסעפצקרשתםןץףך",
    "hi": "अआइकखगघचजटडतदनपबमयरलवसह",
    "bn": "অআকখগচজতদনপবমযরলসহ",
    "th": "กขคงจชดตทนบปพมยรลวสหอเแไ",
    "ja": "あいうかきくさしたなはまらアイカシツソン日本人大ー",
    "zh-Hans": "我你他人大土日已没问今天不是这",
    "ko": "가나다라마바사아의대는이어",
    "tr": "abcçdefgğhıijklmnoöprsştuüvyzIİ",
}
BIDI_CONTROLS = "\u200e\u200f\u061c\u202a\u202b\u202c\u2066\u2067\u2069"
JOINERS = "\u200c\u200d"
_SIGNS = (
    " ",
    " ",
    " ",
    ", ",
    ". ",
    "! ",
    "? ",
    "؟ ",
    "، ",
    "。",
    "-",
    "'",
    "’",
    '"',
    " 👩\u200d👩\u200d👧 ",
    " 👍🏽 ",
    " 7 ",
    "\u2067",
    "\u2069",
    "\n",
)


def texts(tag: str) -> st.SearchStrategy[str]:
    """Return texts of the language: words with combining marks in odd places, signs, emoji and direction controls."""
    letter = st.tuples(st.sampled_from(LETTERS[tag]), st.sampled_from(["", "", "", *MARKS[tag]])).map("".join)
    word = st.lists(letter, min_size=1, max_size=7).map("".join)
    return st.lists(st.one_of(word, word, st.sampled_from(_SIGNS)), max_size=12).map("".join)
