"""What each register writes, worked out by hand."""

from __future__ import annotations

from random import Random

import pytest

from babelguard.languages import language
from data_prep.register import REGISTERS, Register, apply_edits

FULL = [
    ("leet", "en", "Take it easy", "74k3 17 345y"),
    ("leet", "en", "e\u0301t", "e\u03017"),
    ("leet", "ru", "чаво", "4480"),
    ("homoglyphs", "en", "cop", "сор"),
    ("homoglyphs", "ar", "كي", "کی"),
    ("spaced-letters", "en", "an umbrella", "an u m b r e l l a"),
    ("spaced-letters", "hi", "नमस्ते जी", "न म स्ते जी"),
    ("dotted-letters", "en", "rain it", "r.a.i.n it"),
    ("zero-width", "en", "rain", "r\u200ba\u200bi\u200bn"),
    ("lower-case", "en", "Rain IS here", "rain is here"),
    ("lower-case", "tr", "IŞIK İyi", "ışık iyi"),
    ("shouting", "tr", "iyi ışık", "İYİ IŞIK"),
    ("shouting", "el", "λόγος", "ΛΌΓΟΣ"),
    ("no-punctuation", "en", "Well, it's 3.5 today. No?", "Well it's 3.5 today No"),
    ("no-punctuation", "es", "¿Qué? ¡Sí!", "Qué Sí"),
    ("no-punctuation", "zh-Hans", "下雨，带伞。", "下雨 带伞"),
    ("no-punctuation", "en", "“Quoted,” he said.", "“Quoted” he said"),
    (
        "no-punctuation",
        "en",
        "See https://a.org/b?c=1, or www.a.org. Done!",
        "See https://a.org/b?c=1 or www.a.org Done",
    ),
    ("no-punctuation", "ja", "見て：https://a.org/b.html。me@a.org、はい。", "見て https://a.org/b.html me@a.org はい"),
    ("contractions", "en", "I am going to be late because it is raining", "I'm gonna be late 'cause it's rainin'"),
    ("contractions", "en", "Yes, I am. I see the king.", "Yes, I am. I see the king."),
    ("contractions", "es", "Estoy cansado para nada", "'toy cansao pa' na'"),
    (
        "contractions",
        "fr",
        "Je ne sais pas. Tu ne peux pas venir. Il faut y aller.",
        "J'sais pas. Tu peux pas venir. Faut y aller.",
    ),
    ("contractions", "fr", "Je ne veux plus", "Je ne veux plus"),
    ("contractions", "de", "Ich habe nicht eine Idee", "Ich hab nich 'ne Idee"),
    ("contractions", "de", "Kannst du das", "Kannste das"),
    ("abbreviations", "en", "Thank you, see you tomorrow", "Ty, c u tmrw"),
    ("abbreviations", "es", "¿Por qué no también?", "¿Xq no tb?"),
    ("abbreviations", "fr", "aujourd’hui pourquoi", "ajd pk"),
    ("no-diacritics", "de", "Für Übung, heiß", "Fuer Uebung, heiss"),
    ("no-diacritics", "es", "mañana será", "mañana sera"),
    ("no-diacritics", "ru", "ёлка, йод", "елка, йод"),
    ("no-diacritics", "pl", "źdźbło", "zdzblo"),
    ("no-diacritics", "ar", "أحمد إلى مدرسة", "احمد الي مدرسه"),
    ("no-diacritics", "hi", "ग़ुस्सा", "गुस्सा"),
    ("no-vowel-points", "ar", "مُحَمَّد", "محمد"),
    ("no-vowel-points", "he", "שָׁלוֹם", "שלום"),
    ("cyrillic-translit", "ru", "Жизнь, щука", "Zhizn, schuka"),
    ("cyrillic-translit", "uk", "Київ і Харків", "Kyyiv i Kharkiv"),
    ("cyrillic-translit", "sh", "Љубав и нада", "Ljubav i nada"),
    ("pinyin", "zh-Hans", "银行，行人。", "yin hang, xing ren."),
    ("hinglish", "hi", "कमल घर में है।", "kamal ghar mein hai."),
    ("hinglish", "hi", "लड़का", "ladka"),
    ("arabizi", "ar", "حرب، كلب؟", "7arb, kalb?"),
    ("arabizi", "ar", "مكتوب غاضب", "maktoob ghadeb"),
    ("emoji-words", "en", "A dog and a pizza", "A 🐕 and a 🍕"),
    ("quoted", "en", "Rain.", "“Rain.”"),
    ("quoted", "en", "He said “rain”.", "‘He said “rain”.’"),
    ("quoted", "de", "Regen.", "„Regen.“"),
    ("quoted", "fr", "Il pleut.", "« Il pleut. »"),
    ("quoted", "ja", "雨だ。", "「雨だ。」"),
]


def write(name: str, tag: str, text: str, strength: float = 1.0, seed: int = 0) -> str:
    register: Register = REGISTERS.get(name)
    assert register.refuses(language(tag)) is None
    return apply_edits(text, register.edits(text, language(tag), strength, Random(seed)))[0]


@pytest.mark.parametrize(
    ("name", "tag", "text", "expected"), FULL, ids=[f"{n}-{t}-{i}" for i, (n, t, *_) in enumerate(FULL)]
)
def test_at_full_strength(name, tag, text, expected):
    assert write(name, tag, text) == expected


def test_greeklish_keeps_to_one_habit():
    found = {write("greeklish", "el", "Θέλω ώρα ξανά", seed=seed) for seed in range(20)}
    assert found == {"8elw wra 3ana", "Thelo ora ksana"}


def test_romaji_takes_the_readings_of_the_dictionary():
    assert write("romaji", "ja", "私の本です。") == "watashi no hon desu."
    assert write("romaji", "ja", "テレビ") == "terebi"


def test_romanised_knows_hebrew_and_thai():
    assert write("romanised", "he", "שלום") == "shlvm"
    assert write("romanised", "th", "สวัสดี").isascii()


def test_half_wrapped_and_wholly_wrapped():
    for name in ("polite-wrapping", "bureaucratic-wrapping"):
        for tag in ("en", "ar", "ja", "sw"):
            whole = write(name, tag, "X", strength=1.0)
            half = write(name, tag, "X", strength=0.4)
            assert not whole.startswith("X")
            assert not whole.endswith("X")
            assert half.startswith("X") != half.endswith("X")


def test_reported_speech_names_a_speaker_and_quotes():
    assert write("reported", "ru", "Идёт дождь.").endswith(": «Идёт дождь.»")


def test_slips_land_on_neighbouring_keys_of_the_layout():
    from data_prep.registers.keyboard_typos import _neighbours

    assert set(_neighbours("en")["g"]) == set("tyfhvb")
    assert "w" in _neighbours("fr")["q"] or "w" in _neighbours("fr")["s"]
    assert set(_neighbours("ru")["п"]) >= set("ар")
    for seed in range(30):
        slipped = write("keyboard-typos", "en", "umbrella", seed=seed)
        assert slipped != "umbrella"
        assert slipped[0] == "u"


def test_lengths_of_held_letters():
    held = {write("elongation", "en", "so", seed=seed) for seed in range(40)}
    assert held == {"sooo", "soooo", "sooooo"}


def test_languages_typed_through_an_input_method_have_no_key_slips():
    register: Register = REGISTERS.get("keyboard-typos")
    assert "several keys" in str(register.refuses(language("ja")))
