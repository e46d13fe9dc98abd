"""Which language a text is in: a guess for those who do not say, and none where the text does not tell."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from babelguard.errors import UserError
from babelguard.languages import LANGUAGES, language

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

FEWEST_LETTERS = 8
"""Texts with fewer letters are not guessed at."""
LEAST_CONFIDENCE = 0.6
"""Probability below which a guess is not given."""
MOST_CHARACTERS = 4000
"""Only the beginning of a long text is looked at."""


def find_language(text: str) -> str | None:
    """Return the tag of the language of a text; `None` where the text is too short or the guess too weak."""
    text = text[:MOST_CHARACTERS]
    if sum(character.isalpha() for character in text) < FEWEST_LETTERS and text.isascii():
        return None
    code, confidence = _identifier().classify(text)
    if confidence < LEAST_CONFIDENCE:
        return None
    try:
        return language("zh-Hans" if code == "zh" else code).tag
    except UserError:
        return None


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    known = {entry.iso639_1 for entry in LANGUAGES} | {"hr", "sr", "bs", "no", "nb"}
    identifier.set_languages(sorted(known & set(identifier.labels)))
    return identifier
