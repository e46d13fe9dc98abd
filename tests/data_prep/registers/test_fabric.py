"""What every register leaves alone: grapheme clusters, marks, joiners, direction; and that all can be undone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from babelguard.languages import language
from data_prep.register import REGISTERS, About, Register, apply_edits, undo_edits
from tests.data_prep.registers.alphabets import BIDI_CONTROLS, JOINERS, LETTERS, texts

SLOW_TO_LOAD = {"romaji", "romanised"}
FAST = [name for name in REGISTERS.names if name not in SLOW_TO_LOAD]
_KEPT = regex.compile(rf"[\p{{M}}{JOINERS}{BIDI_CONTROLS}]")


def valid(register: Register) -> list[str]:
    return [tag for tag in LETTERS if register.refuses(language(tag)) is None]


CASES = [(name, tag) for name in FAST for tag in valid(REGISTERS.get(name))]


def bounds(text: str) -> set[int]:
    return {0, *(match.end() for match in regex.finditer(r"\X", text))}


@pytest.mark.parametrize(("name", "tag"), CASES)
@settings(max_examples=12, deadline=None)
@given(data=st.data(), strength=st.sampled_from([0.2, 0.7, 1.0]), seed=st.integers(0, 2**32))
def test_the_fabric_of_a_text_survives(name, tag, data, strength, seed):
    register: Register = REGISTERS.get(name)
    text = data.draw(texts(tag))
    edits = list(register.edits(text, language(tag), strength, Random(seed)))
    shifted, spans = apply_edits(text, edits)

    assert edits == list(register.edits(text, language(tag), strength, Random(seed)))
    assert undo_edits(shifted, spans) == text
    controls = [sign for sign in text if sign in BIDI_CONTROLS]
    assert [sign for sign in shifted if sign in BIDI_CONTROLS] == controls
    if register.about:
        return
    before, after = Counter(_KEPT.findall(text)), Counter(_KEPT.findall(shifted))
    assert before <= after, "a mark or joiner is gone"
    clusters = bounds(text)
    assert all(start in clusters and end in clusters for start, end, _ in edits), "a cluster is cut"


@pytest.mark.parametrize("name", [name for name in FAST if REGISTERS.get(name).invert is not None])
@settings(max_examples=20, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_an_inverse_gives_back_texts_without_the_registers_signs(name, data, seed):
    register: Register = REGISTERS.get(name)
    tag = data.draw(st.sampled_from([tag for tag in ("en", "ar", "ru", "hi") if tag in valid(register)]))
    words = st.lists(st.text(LETTERS[tag].lower(), min_size=3, max_size=6), min_size=1, max_size=5)
    text = " ".join(word for word in data.draw(words) if not regex.search(r"(.)\1", word)) or LETTERS[tag][:3].lower()
    shifted, _ = apply_edits(text, register.edits(text, language(tag), 1.0, Random(seed)))
    assert register.invert is not None
    assert register.invert(shifted, language(tag)) == text


@pytest.mark.parametrize("name", REGISTERS.names)
def test_a_refusal_has_a_reason(name):
    register: Register = REGISTERS.get(name)
    for tag in LETTERS:
        reason = register.refuses(language(tag))
        assert reason is None or (reason and reason[0].islower() and not reason.endswith("."))


def test_about_says_which_registers_may_change_marks():
    about = {name for name in REGISTERS.names if About.MARKS in REGISTERS.get(name).about}
    assert about == {"no-diacritics", "no-vowel-points"}


def test_the_documentation_lists_every_register():
    page = (Path(__file__).parents[3] / "docs" / "registers.md").read_text(encoding="utf-8")
    assert [name for name in REGISTERS.names if f"`{name}`" not in page] == []
