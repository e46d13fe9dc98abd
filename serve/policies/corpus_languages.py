"""In which language each text of a corpus is judged, found as the server finds it, and counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from babelguard.errors import UserError
from babelguard.languages import is_language_code, is_undetermined, language
from serve.language_identification import LanguageIdentifier, language_of
from serve.policies.corpus import CorpusText


@dataclass
class LanguageCounts:
    """How the languages of texts were found.

    Attributes:
        named: Texts whose language was said, by the corpus or for all of it.
        identified: Texts whose language was identified.
        not_identified: Texts of which none was said, and none found.
        not_known: Texts that name a language which Babelguard does not know.
        no_code: Texts that name something else than a language's code.
        first_without_code: Id of the first of those.
    """

    named: int = 0
    identified: int = 0
    not_identified: int = 0
    not_known: int = 0
    no_code: int = 0
    first_without_code: str | None = None

    @property
    def unknown(self) -> int:
        """Texts that are judged as of no known language."""
        return self.not_identified + self.not_known + self.no_code


class CorpusLanguages:
    """Finds the language of each text, and counts how.

    What a text names is taken, if it is a code; then what is said for all of them; then the language is identified. A
    text that names no code is judged as of no known language: a guess would hide that the corpus is wrong there.
    """

    def __init__(self, said: str | None, confidence: float | None) -> None:
        """Take what is said for all texts.

        Args:
            said: Code of the language of texts that name none; `None` where they may be of several.
            confidence: Least probability of an identified language; `None`: none is identified.

        Raises:
            UserError: `said` is no language's code.
        """
        if said is not None and not is_language_code(said):
            raise UserError(f"--language {said!r} is no language code; pass a BCP-47 tag, such as en or zh-Hant.")
        self._said = said
        self._confidence = confidence
        self.counts = LanguageCounts()

    @cached_property
    def _identifier(self) -> LanguageIdentifier | None:
        return None if self._confidence is None else LanguageIdentifier(self._confidence)

    def find(self, each: CorpusText) -> str | None:
        """Return the language in which a text is judged: its tag, or a code that Babelguard does not know.

        Raises:
            UserError: The language must be identified, and py3langid is not installed.
        """
        own = None if each.language is None or is_undetermined(each.language) else each.language
        given = own or self._said
        if given is None or is_undetermined(given):
            found = language_of(each.text, None, self._identifier).code
            self.counts.identified += found is not None
            self.counts.not_identified += found is None
            return found
        if not is_language_code(given):
            self.counts.no_code += 1
            self.counts.first_without_code = self.counts.first_without_code or each.id
            return None
        try:
            tag = language(given).tag
        except UserError:
            self.counts.not_known += 1
            return given
        self.counts.named += 1
        return tag
