"""Register twins: which there are, and where the decision flips."""

from __future__ import annotations

import pytest

from babelguard.errors import UserError
from demo.twins import make_twins
from demo.verdict import Moderator


def test_twins_and_those_left_out_are_all_registers(moderator: Moderator) -> None:
    from data_prep.register import REGISTERS

    found = make_twins(moderator, moderator.judge("an awful day, my friend", "en"))
    assert {twin.register for twin in found.twins} | set(found.left_out) == set(REGISTERS.names)
    assert found.left_out["arabizi"] == "it exists for ar only"


def test_flips_come_first_and_say_what_changed(moderator: Moderator) -> None:
    original = moderator.judge("an awful day, my friend", "en")
    assert original.flagged
    found = make_twins(moderator, original)
    flips = [twin.verdict.flagged is not original.flagged for twin in found.twins]
    assert flips == sorted(flips, reverse=True)
    assert any(flips)  # the tiny guard knows "awful" only as it is written
    for twin in found.flips:
        assert set(twin.lost) == {category.title for category in original.flags}
        assert twin.change < 0
        assert moderator.judge(twin.text, "en").flagged is False


def test_the_same_seed_gives_the_same_twins(moderator: Moderator) -> None:
    original = moderator.judge("guten Tag und der Tee", "de")
    first, second = make_twins(moderator, original), make_twins(moderator, original)
    assert [twin.text for twin in first.twins] == [twin.text for twin in second.twins]


def test_without_a_language_there_are_none(moderator: Moderator) -> None:
    with pytest.raises(UserError, match="Choose the text's language"):
        make_twins(moderator, moderator.judge("123", None))
