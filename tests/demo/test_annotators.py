"""Annotators' names: which are taken, and how they stand in names of files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard.errors import UserError
from demo.annotators import check_names, safe_name


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("Łukasz", "Lukasz-"),
        ("José María", "Jose-Maria-"),
        ("Åse Ørsted", "Ase-Orsted-"),
        ("Æsa", "AEsa-"),
        ("Işık Weiß", "Isik-Weis-"),
        ("李明", "annotator-"),
        ("Ana P.", "Ana-P-"),
    ],
)
def test_safe_names_can_be_read(name: str, start: str) -> None:
    assert re.fullmatch(re.escape(start) + "[0-9a-f]{4}", safe_name(name))


def test_a_safe_name_stays_and_different_names_differ() -> None:
    assert safe_name("ana_B.2-x") == "ana_B.2-x"
    assert len({safe_name(name) for name in ("Jose", "José", "李明", "李", "Jose Maria", "Jose-Maria")}) == 6


@given(st.text(st.characters(categories=["L", "M", "Nd"]), min_size=1, max_size=40))
def test_every_safe_name_is_one_that_sheets_take(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", safe_name(name))


def test_names_are_brought_into_one_form() -> None:
    assert check_names("  Jose\u0301   Mari\u0301a ", ["", "  ", "ben"]) == ["Jos\u00e9 Mar\u00eda", "ben"]


@pytest.mark.parametrize("name", ["../x", "a/b", "=1+1", ".hidden", "-x", "a\x00b", "\u0301a", "a\u202eb", "<b>", "🙂"])
def test_what_is_no_name_is_told(name: str) -> None:
    with pytest.raises(UserError, match="cannot be an annotator's name"):
        check_names(name, [])
    with pytest.raises(UserError, match="cannot be an annotator's name"):
        check_names("ana", [name])


def test_other_faults_are_told() -> None:
    for empty in ("", "  "):
        with pytest.raises(UserError, match=r"Write your name or initials\."):
            check_names(empty, ["ben"])
    with pytest.raises(UserError, match="more than 40 characters"):
        check_names("x" * 41, [])
    with pytest.raises(UserError, match="'Ana' stands among the names twice"):
        check_names("ana", ["ben", "Ana"])
