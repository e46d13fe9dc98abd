from __future__ import annotations

import pytest

from train.exporting.scripts import fits, names_of, script_name


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("a", "LATIN"),
        ("ß", "LATIN"),
        ("й", "CYRILLIC"),
        ("ש", "HEBREW"),
        ("河", "CJK"),
        ("カ", "KATAKANA"),
        ("한", "HANGUL"),
    ],
)
def test_letters_have_scripts(character: str, name: str) -> None:
    assert script_name(character) == name


@pytest.mark.parametrize("character", ["1", "!", "\U0001f600", "\u0301", "\ue000"])
def test_digits_signs_and_marks_are_nobodys(character: str) -> None:
    assert script_name(character) is None


def test_a_text_fits_the_scripts_of_its_languages() -> None:
    japanese = names_of({"Jpan"})
    assert fits("川 river 1!", japanese)
    assert not fits("река", japanese)
    assert fits("река", names_of({"Zzzz"}))
