"""Languages: their codes in four systems, their scripts, and how well they are resourced by two scales.

The two scales are kept apart because they disagree. `Language.joshi_class` is the class (0 left behind - 5 winners)
of Joshi et al., "The State and Fate of Linguistic Diversity and Inclusion in the NLP World" (ACL 2020).
`Language.rtp_lx_tier` is the number that the RTP-LX authors' code gave the language; it puts both Chinese scripts
at 1, where Joshi et al. put Mandarin at 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from babelguard.errors import UserError, unknown_name

_LONGEST_CODE = 35
"""Letters of a language code; RFC 5646 asks nobody to keep more."""

UNDETERMINED = "und"
"""BCP-47's code for a language that is not known."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language as Babelguard names it.

    Attributes:
        tag: BCP-47 tag, with the script only where the language is written in several here (``zh-Hans``).
        name: English name.
        iso639_1: Two-letter code, where there is one.
        iso639_3: Three-letter code (a macrolanguage's where the corpora do not tell its members apart).
        flores: FLORES-200 codes; several where RTP-LX spans several.
        script: ISO 15924 code of the script it is written in here.
        joshi_class: Class 0-5 of Joshi et al. (2020).
        rtp_lx_locale: Code in RTP-LX file names; `None` where the corpus lacks the language.
        rtp_lx_tier: Tier in the RTP-LX authors' code; `None` for languages outside the 28 files of the paper.
        aliases: Further codes that corpora use for it.
    """

    tag: str
    name: str
    iso639_1: str | None
    iso639_3: str
    flores: tuple[str, ...]
    script: str
    joshi_class: int
    rtp_lx_locale: str | None = None
    rtp_lx_tier: int | None = None
    aliases: tuple[str, ...] = ()

    @property
    def rtp_lx_band(self) -> str | None:
        """The paper's reading of its tiers: ``high`` (5), ``mid`` (4) or ``low`` (3 and below)."""
        if self.rtp_lx_tier is None:
            return None
        return {5: "high", 4: "mid"}.get(self.rtp_lx_tier, "low")

    @property
    def right_to_left(self) -> bool:
        """Whether the script runs from right to left."""
        return self.script in {"Arab", "Hebr"}


_ARABIC = tuple(f"{code}_Arab" for code in ["arb", "acm", "acq", "aeb", "ajp", "apc", "ars", "ary", "arz"])

LANGUAGES: tuple[Language, ...] = (
    Language("ar", "Arabic", "ar", "ara", _ARABIC, "Arab", 5, "AR", 5),
    Language(
        "sh",
        "Bosnian, Croatian, Montenegrin, Serbian",
        "sh",
        "hbs",
        ("bos_Latn", "hrv_Latn", "srp_Cyrl"),
        "Latn",
        4,  # Croatian's and Serbian's; Joshi et al. have Bosnian at 3 and "Serbo-Croatian" at 1
        "BCMS",
        4,
        aliases=("bs", "hr", "sr", "cnr", "sr-Cyrl", "sr-Latn"),
    ),
    Language("cs", "Czech", "cs", "ces", ("ces_Latn",), "Latn", 4, "CS", 4),
    Language("da", "Danish", "da", "dan", ("dan_Latn",), "Latn", 3, "DA", 3),
    Language("de", "German", "de", "deu", ("deu_Latn",), "Latn", 5, "DE", 5),
    Language("en", "English", "en", "eng", ("eng_Latn",), "Latn", 5, "EN", 5),
    Language("es", "Spanish", "es", "spa", ("spa_Latn",), "Latn", 5, "ES", 5),
    Language("fi", "Finnish", "fi", "fin", ("fin_Latn",), "Latn", 4, "FI", 4),
    Language("fr", "French", "fr", "fra", ("fra_Latn",), "Latn", 5, "FR", 5),
    Language("he", "Hebrew", "he", "heb", ("heb_Hebr",), "Hebr", 3, "HE", 3),
    Language("hi", "Hindi", "hi", "hin", ("hin_Deva",), "Deva", 4, "HI", 4),
    Language("hu", "Hungarian", "hu", "hun", ("hun_Latn",), "Latn", 4, "HU", 4),
    Language("id", "Indonesian", "id", "ind", ("ind_Latn",), "Latn", 3, "ID", 3),
    Language("it", "Italian", "it", "ita", ("ita_Latn",), "Latn", 4, "IT", 4),
    Language("ja", "Japanese", "ja", "jpn", ("jpn_Jpan",), "Jpan", 5, "JA", 5),
    Language("ko", "Korean", "ko", "kor", ("kor_Hang",), "Kore", 4, "KO", 4),
    Language("nl", "Dutch", "nl", "nld", ("nld_Latn",), "Latn", 4, "NL", 4),
    Language("nb", "Norwegian Bokmål", "nb", "nob", ("nob_Latn",), "Latn", 1, "NO-NB", 1, aliases=("no",)),
    Language("pl", "Polish", "pl", "pol", ("pol_Latn",), "Latn", 4, "PL", 4),
    Language("pt", "Portuguese", "pt", "por", ("por_Latn",), "Latn", 4, "PT", 4),
    Language("ru", "Russian", "ru", "rus", ("rus_Cyrl",), "Cyrl", 4, "RU", 4),
    Language("sv", "Swedish", "sv", "swe", ("swe_Latn",), "Latn", 4, "SV", 4),
    Language("sw", "Swahili", "sw", "swa", ("swh_Latn",), "Latn", 2, "SW", 2),
    Language("th", "Thai", "th", "tha", ("tha_Thai",), "Thai", 3, "TH", 3),
    Language("tr", "Turkish", "tr", "tur", ("tur_Latn",), "Latn", 4, "TR", 4),
    Language("uk", "Ukrainian", "uk", "ukr", ("ukr_Cyrl",), "Cyrl", 3, "UK", 3),
    Language("zh-Hans", "Chinese (simplified)", "zh", "zho", ("zho_Hans",), "Hans", 5, "ZH-Hans", 1),
    Language("zh-Hant", "Chinese (traditional)", None, "zho", ("zho_Hant",), "Hant", 5, "ZH-Hant", 1),
    # Languages that RTP-LX took up after the paper; their locales are the ISO codes in the publisher's style.
    Language("bg", "Bulgarian", "bg", "bul", ("bul_Cyrl",), "Cyrl", 3, "BG"),
    Language("ca", "Catalan", "ca", "cat", ("cat_Latn",), "Latn", 4, "CA"),
    Language("cy", "Welsh", "cy", "cym", ("cym_Latn",), "Latn", 1, "CY"),
    Language("de-CH", "German (Switzerland)", None, "deu", (), "Latn", 5, "DE-ch"),
    Language("el", "Greek", "el", "ell", ("ell_Grek",), "Grek", 3, "EL"),
    Language("et", "Estonian", "et", "est", ("est_Latn",), "Latn", 3, "ET"),
    Language("lt", "Lithuanian", "lt", "lit", ("lit_Latn",), "Latn", 3, "LT"),
    Language("lv", "Latvian", "lv", "lav", ("lvs_Latn",), "Latn", 3, "LV"),
    Language("ro", "Romanian", "ro", "ron", ("ron_Latn",), "Latn", 3, "RO"),
    Language("sk", "Slovak", "sk", "slk", ("slk_Latn",), "Latn", 3, "SK"),
    Language("sl", "Slovenian", "sl", "slv", ("slv_Latn",), "Latn", 3, "SL"),
    Language("vi", "Vietnamese", "vi", "vie", ("vie_Latn",), "Latn", 4, "VI"),
    # Languages of other corpora.
    Language("bn", "Bengali", "bn", "ben", ("ben_Beng",), "Beng", 3),
    Language("fa", "Persian", "fa", "fas", ("pes_Arab",), "Arab", 4),
    Language("jv", "Javanese", "jv", "jav", ("jav_Latn",), "Latn", 1),
    Language("ta", "Tamil", "ta", "tam", ("tam_Taml",), "Taml", 3),
    Language("ur", "Urdu", "ur", "urd", ("urd_Arab",), "Arab", 3),
)


@cache
def _by_code() -> Mapping[str, Language]:
    index: dict[str, Language] = {}
    for entry in LANGUAGES:
        for code in (entry.tag, entry.rtp_lx_locale, entry.iso639_1, entry.iso639_3, *entry.flores, *entry.aliases):
            if code is not None:
                index.setdefault(_fold(code), entry)
    return index


def _fold(code: str) -> str:
    return code.strip().replace("_", "-").casefold()


@lru_cache(maxsize=4096)  # codes may come from strangers, and never end
def language(code: str) -> Language:
    """Return the language for an RTP-LX locale, an ISO 639, a FLORES or a BCP-47 code, in any letter case.

    Regions and deprecated codes are understood: ``pt-BR`` is Portuguese, ``zh-TW`` traditional Chinese and
    ``iw`` Hebrew. Only Swiss Standard German is a language of its own here, because RTP-LX keeps it apart.

    Raises:
        UserError: The code is malformed, names a language that the table does not hold, or is `UNDETERMINED`.
    """
    index = _by_code()
    if (entry := index.get(_fold(code))) is not None:
        return entry
    import langcodes

    try:
        given = langcodes.get(_fold(code)).prefer_macrolanguage()
    except (LookupError, ValueError):
        raise unknown_name("language code", code, [entry.tag for entry in LANGUAGES]) from None
    if given.language in {None, UNDETERMINED}:  # to which CLDR's likely subtags would give English, or Russian
        raise UserError(f"The language code {code!r} names no language; write one, such as 'en'.")
    parsed = given.maximize()
    regional, written = f"{parsed.language}-{parsed.territory}", f"{parsed.language}-{parsed.script}"
    for candidate in (regional, written, parsed.language or ""):
        entry = index.get(_fold(candidate))
        if entry is not None:
            return entry
    raise UserError(
        f"The language {code!r} is not in the table of babelguard/languages.py; "
        "add a line there with its codes, script and Joshi class."
    )


def is_undetermined(code: str) -> bool:
    """Tell whether a code says that the language is not known: ``und``, with a script or region or without."""
    return _fold(code).split("-", 1)[0] == UNDETERMINED


@lru_cache(maxsize=4096)
def is_language_code(code: str) -> bool:
    """Tell whether a code is a language's in one of the four systems, be the language in the table or not.

    ``tlh`` is Klingon's; ``klingon`` is no code, and neither is ``xx``, which the registries do not hold.
    """
    if _fold(code) in _by_code():
        return True
    import langcodes

    return len(code) <= _LONGEST_CODE and langcodes.tag_is_valid(_fold(code))


@lru_cache(maxsize=4096)
def wider_language(tag: str) -> str | None:
    """Return the tag of the language of which a tag names a region's variety: ``de`` for ``de-CH``.

    `None` where there is none. A script is not a region: ``zh-Hant`` has no wider language.
    """
    base, _, region = tag.partition("-")
    return base if region and any(entry.tag == base for entry in LANGUAGES) else None


def languages_of(code: str) -> tuple[str, ...]:
    """Return the tags of the table's languages that a code speaks of; none where the table lacks it.

    A language's code speaks of all its regions: ``de`` and ``deu_Latn`` are German in Switzerland too. It speaks of
    every script where it names none: ``zh`` is simplified and traditional Chinese.
    """
    try:
        known = language(code)
    except UserError:
        return ()
    base = known.tag.partition("-")[0]
    any_script = code.isalpha()
    return tuple(
        entry.tag
        for entry in LANGUAGES
        if entry.tag.partition("-")[0] == base and (any_script or entry.script == known.script)
    )
