"""Which language a text is in, where its sender does not say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from babelguard.errors import UserError
from babelguard.languages import is_undetermined, language

_CHARACTERS = 1000
"""Beginning of a text that is looked at; more says little new and costs time."""

_FEWEST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class IdentifiedLanguage:
    """What the text's language seems to be.

    Attributes:
        tag: BCP-47 tag of the most likely language; `None` where no language is likely enough, or the likely one is
            none of the languages that Babelguard knows.
        confidence: Its probability as the identifier gives it, 0 to 1.
    """

    tag: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class TextLanguage:
    """Which language a text is judged as.

    Attributes:
        code: As its sender said, in any system, or a tag as identified; `None` where it is not known.
        given: Whether its sender said it.
        confidence: Probability of an identified language; `None` where none was identified.
    """

    code: str | None
    given: bool
    confidence: float | None = None


class LanguageIdentifier:
    """Naive Bayes over byte n-grams (Lui and Baldwin, ACL 2012), as py3langid ships it.

    Short, mixed and romanised texts are often taken for something else, so an answer below `confidence` is none: the
    guard's pooled values are used then. A text without letters has no language.
    """

    def __init__(self, confidence: float = 0.5) -> None:
        """Load the model.

        Args:
            confidence: Least probability of an answer.

        Raises:
            UserError: py3langid is not installed.
        """
        try:
            from py3langid.langid import MODEL_FILE
            from py3langid.langid import LanguageIdentifier as NaiveBayes
        except ImportError:
            raise UserError(
                "Identifying languages needs py3langid; install babelguard[serve], or do without: set "
                "language.identify=false for the server, pass --no-identify to serve.policy."
            ) from None
        self._model: Any = NaiveBayes.from_model_file(MODEL_FILE, norm_probs=True)
        self._confidence = confidence
        self._tag: Callable[[str], str | None] = lru_cache(maxsize=512)(_known_tag)

    def identify(self, text: str) -> IdentifiedLanguage:
        """Return the language of a text; its first thousand characters are looked at."""
        beginning = text[:_CHARACTERS]
        if sum(character.isalpha() for character in beginning[:100]) < _FEWEST_LETTERS:
            return IdentifiedLanguage(None, 0.0)
        code, confidence = self._model.classify(beginning)
        tag = self._tag(code) if confidence >= self._confidence else None
        if tag is not None and tag.startswith("zh-"):
            tag = "zh-Hant" if _is_traditional(beginning) else "zh-Hans"
        return IdentifiedLanguage(tag, round(confidence, 4))


def language_of(text: str, given: str | None, identifier: LanguageIdentifier | None) -> TextLanguage:
    """Return which language a text is judged as, in the server and wherever its decisions are foretold.

    Args:
        text: The text.
        given: What its sender says: a code in any system; `None` and ``und`` say nothing.
        identifier: What is asked where the sender says nothing; nothing is if `None`.
    """
    if given is not None and not is_undetermined(given):
        return TextLanguage(given, given=True)
    if identifier is None:
        return TextLanguage(None, given=False)
    identified = identifier.identify(text)
    return TextLanguage(identified.tag, given=False, confidence=identified.confidence)


def _known_tag(code: str) -> str | None:
    try:
        return language(code).tag
    except UserError:
        return None


def _is_traditional(text: str) -> bool:
    """Tell whether more of a Chinese text's characters are outside the simplified set than outside the traditional one.

    The sets are those of GB 2312 and Big5; characters that both or neither hold say nothing.
    """
    traditional = simplified = 0
    for character in text:
        if "\u4e00" <= character <= "\u9fff":
            in_gb, in_big5 = _encodes(character, "gb2312"), _encodes(character, "big5")
            traditional += in_big5 and not in_gb
            simplified += in_gb and not in_big5
    return traditional > simplified


@lru_cache(maxsize=65536)
def _encodes(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
