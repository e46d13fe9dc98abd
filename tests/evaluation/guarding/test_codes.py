"""Lists of categories, as guards write them and as they should not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.guarding.codes import read_codes

NUMBERED = [f"S{number}" for number in range(1, 15)]
NAMED = ["Violent", "Sexual Content or Sexual Acts", "Suicide & Self-Harm", "PII"]


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("S1", ("S1",)),
        ("S1,S10", ("S1", "S10")),
        (" S1, S10\n", ("S1", "S10")),
        ("S2 S11", ("S2", "S11")),
        ("s3", ("S3",)),
        ("S1: Violent Crimes.", ("S1",)),
        ("[S4]", ("S4",)),
        ("S5, S5", ("S5",)),
        ("None", ()),
        ("", ()),
    ],
)
def test_codes(written: str, known: tuple[str, ...]) -> None:
    found = read_codes(written, NUMBERED)
    assert (found.known, found.unknown) == (known, ())


@pytest.mark.parametrize(
    ("written", "known"),
    [
        (" Violent", ("Violent",)),
        (" Violent, Suicide & Self-Harm", ("Violent", "Suicide & Self-Harm")),
        ("sexual content or sexual acts", ("Sexual Content or Sexual Acts",)),
        ("None", ()),
    ],
)
def test_names(written: str, known: tuple[str, ...]) -> None:
    assert read_codes(written, NAMED).known == known


@pytest.mark.parametrize("written", ["S99", "S1S2", "S", "Violent S1", "category one"])
def test_what_is_not_known_is_told_and_not_dropped(written: str) -> None:
    found = read_codes(written, NUMBERED)
    assert (found.known, found.unknown) == ((), (written,))


def test_known_and_unknown_stand_side_by_side() -> None:
    found = read_codes("S1,S99,S10", NUMBERED)
    assert (found.known, found.unknown) == (("S1", "S10"), ("S99",))


@given(st.lists(st.sampled_from(NUMBERED), unique=True), st.sampled_from([",", ", ", ";", "\n", " "]))
def test_every_list_of_codes_is_read_back(codes: list[str], between: str) -> None:
    assert read_codes(between.join(codes), NUMBERED).known == tuple(codes)


@given(st.text())
def test_any_text_is_read_without_error(written: str) -> None:
    found = read_codes(written, NUMBERED)
    assert set(found.known) <= set(NUMBERED)
