"""Where a word can begin and end.

Between two characters that both belong to scripts which separate words there is no end of a word; next to a character
of a script that does not (Chinese, Japanese, Thai, Lao, Khmer, Burmese) there always can be one. So a Thai entry is
found anywhere in Thai, and a Latin entry of a Japanese list is not found inside an English word.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

_UNSEPARATED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3038, 0x303B),
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # unified ideographs
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),  # Burmese
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),  # Kana
    (0x20000, 0x323AF),  # unified ideographs
)
_FIRST = [first for first, _ in _UNSEPARATED]


def is_word_character(character: str) -> bool:
    """Tell whether it is a letter, a digit, an underscore or a combining mark.

    Without the marks, a vowel sign would end a word in Hindi or in vowelled Arabic.
    """
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


def is_unseparated(character: str) -> bool:
    """Tell whether it belongs to a script that does not separate words."""
    code = ord(character)
    place = bisect_right(_FIRST, code) - 1
    return place >= 0 and code <= _UNSEPARATED[place][1]


def separates_words(character: str) -> bool:
    """Tell whether it is a word character of a script that separates words; two in a row belong to one word."""
    return is_word_character(character) and not is_unseparated(character)
