"""Language codes of four systems lead to one language."""

from __future__ import annotations

import langcodes
import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import UserError, language
from babelguard.languages import LANGUAGES, is_language_code, is_undetermined, languages_of, wider_language

PUBLISHED_TIERS = {
    5: "AR DE EN ES FR JA",
    4: "BCMS CS FI HI HU IT KO NL PL PT RU SV TR",
    3: "DA HE ID TH UK",
    2: "SW",
    1: "NO-NB ZH-Hans ZH-Hant",
}


def test_the_tiers_of_the_rtp_lx_code():
    for tier, locales in PUBLISHED_TIERS.items():
        for locale in locales.split():
            assert language(locale).rtp_lx_tier == tier
    listed = [locale for locales in PUBLISHED_TIERS.values() for locale in locales.split()]
    assert sorted(listed) == sorted(entry.rtp_lx_locale for entry in LANGUAGES if entry.rtp_lx_tier)


def test_bands_are_high_mid_and_low():
    assert [language(code).rtp_lx_band for code in ("EN", "KO", "HE", "SW", "ZH-Hans", "bn")] == [
        "high",
        "mid",
        "low",
        "low",
        "low",
        None,
    ]


def test_the_two_scales_are_kept_apart():
    assert (language("zh-Hans").joshi_class, language("zh-Hans").rtp_lx_tier) == (5, 1)
    assert (language("nb").joshi_class, language("sw").joshi_class) == (1, 2)


def test_rtp_lx_has_thirty_eight_languages():
    first = "ar bg ca cs cy da de el en es et fi fr he hi hu id it ja ko lt lv nl no"
    second = "pl pt ro ru sk sl sv sw th tr uk vi zh"
    on_the_publishers_card = f"{first} {second}".split()
    held = {entry.tag for entry in LANGUAGES if entry.rtp_lx_locale}
    assert {language(code).tag for code in on_the_publishers_card} <= held
    # The card lists Bosnian, Croatian, Montenegrin and Serbian by two codes for one file; Swiss German and the second
    # Chinese script are files of their own.
    assert language("hr") == language("sr") == language("BCMS")
    assert len(on_the_publishers_card) + 1 == 38
    assert len(held) == 38 + 2


@pytest.mark.parametrize(
    ("codes", "tag"),
    [
        ("ZH-Hans zh zh-CN zho zho_Hans zh_hans cmn", "zh-Hans"),
        ("ZH-Hant zh-TW zho_Hant zh-HK", "zh-Hant"),
        ("NO-NB nb nob nob_Latn no", "nb"),
        ("BCMS sh hbs bs hr sr srp_Cyrl hrv_Latn", "sh"),
        ("AR ar ara arb_Arab arz arz_Arab ar-EG", "ar"),
        ("PT pt por por_Latn pt-BR Pt-Br pt-PT", "pt"),
        ("HE he heb iw heb_Hebr", "he"),
        ("SW sw swa swh_Latn swh", "sw"),
        ("ID id ind in", "id"),
        ("DE de deu deu_Latn DE-de de-AT", "de"),
        ("DE-ch de-CH deu_CH de-Latn-CH", "de-CH"),
        ("BG bg bul bul_Cyrl", "bg"),
        ("LV lv lav lvs_Latn lvs", "lv"),
        ("SL sl slv slv_Latn", "sl"),
        ("CY cy cym cym_Latn", "cy"),
        ("EL el ell ell_Grek", "el"),
        ("JV jv jav jav_Latn", "jv"),
        ("FA fa pes_Arab fas", "fa"),
    ],
)
def test_every_code_of_a_language_leads_to_it(codes, tag):
    assert {language(code).tag for code in codes.split()} == {tag}


@pytest.mark.parametrize(
    "code", ["", "xx", "english", "not a code", "qqq_Latn", "und", "und-Cyrl", "UND_Latn", "root", "x-en"]
)
def test_unknown_codes_are_the_users_mistake(code):
    with pytest.raises(UserError):
        language(code)


def test_the_table_agrees_with_the_registries():
    for entry in LANGUAGES:
        parsed = langcodes.get(entry.iso639_3 if entry.tag == "sh" else entry.tag)
        assert parsed.is_valid()
        if entry.tag != "sh":  # langcodes replaces the macrolanguage by Serbian
            assert parsed.to_alpha3() == entry.iso639_3
            assert parsed.maximize().script == entry.script
        assert all(code.split("_")[0].isalpha() and len(code) == 8 for code in entry.flores)
    assert len({entry.tag for entry in LANGUAGES}) == len(LANGUAGES)


def test_directions():
    assert [entry.tag for entry in LANGUAGES if entry.right_to_left] == ["ar", "he", "fa", "ur"]


def test_a_code_speaks_of_every_region_and_without_a_script_of_every_script():
    assert languages_of("zh") == ("zh-Hans", "zh-Hant")
    assert languages_of("zho_Hant") == ("zh-Hant",)
    assert set(languages_of("de")) == set(languages_of("deu_Latn")) == {"de", "de-CH"}
    assert languages_of("no") == ("nb",)
    assert languages_of("tlh") == ()


@pytest.mark.parametrize("code", ["und", "UND", "und-Cyrl", "und_Latn", " und"])
def test_undetermined_is_no_language(code):
    assert is_undetermined(code)
    assert languages_of(code) == ()


def test_words_that_only_look_like_undetermined():
    assert not any(is_undetermined(code) for code in ("de", "undx", "un", "de-und"))


# Of ISO 3166-1 and UN M.49, whether the language is spoken there or not.
REGIONS = ["AT", "LI", "LU", "BE", "IT", "CA", "MX", "419", "150", "BR", "AO", "IN", "ZA", "AU", "SG", "EG", "US", "JP"]


@given(st.sampled_from(LANGUAGES), st.sampled_from(REGIONS), st.sampled_from("-_"))
def test_every_region_of_a_language_is_that_language(entry, region, between):
    if "-" in entry.tag and entry.tag != "de-CH":
        assert language(f"{entry.tag}{between}{region}") == entry  # the script says which
    elif entry.tag == "de-CH":
        assert language(f"de{between}{region}").tag == wider_language(entry.tag)
    else:
        assert language(f"{entry.tag}{between}{region}") == entry
        assert wider_language(entry.tag) is None


def test_only_a_region_has_a_wider_language():
    assert [wider_language(tag) for tag in ("de-CH", "de", "zh-Hans", "zh-Hant", "und", "xx-YY")] == [
        "de",
        None,
        None,
        None,
        None,
        None,
    ]


def test_a_code_need_not_be_in_the_table():
    codes = "tlh de de-CH BCMS NO-NB deu_Latn zh_hans und und-Cyrl es-419"
    assert [code for code in codes.split() if not is_language_code(code)] == []
    others = ["klingon", "xx", "", "english", "en-US-xyzzy", "1", "de" * 20]
    assert [code for code in others if is_language_code(code)] == []
