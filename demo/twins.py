"""Register twins of one text: the same content in other registers, as the rules of `data_prep` write it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import language
from babelguard.rejects import RejectLog
from demo.verdict import Moderator, Verdict

_REASON = re.compile(r"register (?P<register>[a-z0-9.-]+): (?P<reason>.+)")
LABEL_WORDS = {
    "kept": "",
    "mostly-kept": "the rule can, rarely, make another word of one",
    "uncertain": "readers may judge this one differently",
}


@dataclass(frozen=True, slots=True)
class Twin:
    """One twin and what the guard says about it.

    Attributes:
        register: Name of the register.
        title: What the register is.
        caution: What to bear in mind when the decision differs; empty where only spelling or courtesy differs.
        text: The twin.
        verdict: What the guard says.
        gained: Titles of categories that are flagged in the twin alone.
        lost: Titles of categories that are flagged in the original alone.
        change: Probability of the original's leading category in the twin less that in the original.
        probability: Probability of the original's leading category in the twin.
    """

    register: str
    title: str
    caution: str
    text: str
    verdict: Verdict
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    change: float
    probability: float


@dataclass(frozen=True, slots=True)
class TwinSet:
    """All twins of one text.

    Attributes:
        original: What the guard says about the text itself.
        twins: Those whose decision differs first, then those with other flags, then by how much the leading
            category's probability moves.
        left_out: Register -> why the text has no twin in it.
    """

    original: Verdict
    twins: tuple[Twin, ...]
    left_out: dict[str, str]

    @property
    def flips(self) -> tuple[Twin, ...]:
        """The twins whose decision, flagged or not, is another than the original's."""
        return tuple(twin for twin in self.twins if twin.verdict.flagged is not self.original.flagged)


def make_twins(moderator: Moderator, original: Verdict, seed: int = 0) -> TwinSet:
    """Write a text's twins and rate them all at once.

    Args:
        moderator: The guard and its policy.
        original: What they say about the text.
        seed: Seed of the rules' choices; the same seed gives the same twins.

    Raises:
        UserError: The text's language is not known, so that no rule knows what to do, or a library of the rules is
            missing.
    """
    from data_prep.register import REGISTERS
    from data_prep.register_shift import ShiftOptions, shift_items

    if original.asked is None:
        raise UserError("Choose the text's language: the rules that write twins need it.")
    tag = language(original.asked).tag
    item = Item(id="asked", text=original.text, language=tag, source="demo", source_id="demo/asked")
    log = RejectLog()
    try:
        items = list(shift_items([item], ShiftOptions(keep_parents=False, seed=seed), log))
    except ModuleNotFoundError as error:
        raise UserError(
            f"The rules that write twins need the package {error.name!r}: pip install 'babelguard[data]'."
        ) from None
    verdicts = moderator.judge_all([twin.text for twin in items], [original.asked] * len(items))
    twins = [
        _twin(original, shifted, REGISTERS.get(shifted.register).title, verdict)
        for shifted, verdict in zip(items, verdicts, strict=True)
    ]
    twins.sort(
        key=lambda twin: (
            twin.verdict.flagged is original.flagged,
            not (twin.gained or twin.lost),
            -abs(twin.change),
        )
    )
    left_out = {found["register"]: found["reason"] for kind in log.left_out if (found := _REASON.fullmatch(kind))}
    return TwinSet(original, tuple(twins), dict(sorted(left_out.items())))


def _twin(original: Verdict, item: Item, title: str, verdict: Verdict) -> Twin:
    before = {category.name: category for category in original.categories}
    leading = original.leading
    probability = next(c.probability for c in verdict.categories if c.name == leading.name)
    return Twin(
        register=item.register,
        title=title,
        caution=LABEL_WORDS[item.provenance["label"]],
        text=item.text,
        verdict=verdict,
        gained=tuple(c.title for c in verdict.categories if c.flagged and not before[c.name].flagged),
        lost=tuple(c.title for c in verdict.categories if not c.flagged and before[c.name].flagged),
        change=probability - leading.probability,
        probability=probability,
    )
