"""Register shift: the twin of an item in another register, with the same source_id and label."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from pydantic import Field, field_validator

from babelguard.item import Item, Message
from babelguard.languages import Language, language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from data_prep.register import REGISTERS, Register, apply_edits

TWIN_MARK = "#"
"""Stands between the parent's id and the register's name in a twin's id."""
NOT_DRAWN = "register shift: not in the share of source_ids that was asked for"


class RegisterChoice(RecipeModel):
    """One register to shift into."""

    kind: str = Field(description="Name of the register, as in docs/registers.md")
    strength: float | None = Field(None, gt=0, le=1, description="Share of the places to change; the register's own")
    name: str = Field("", pattern=r"^[a-z0-9.-]*$", description="Name in tables; the register's name if not set")

    @property
    def shown(self) -> str:
        """The register's name in tables: the twin's `Item.register`."""
        return self.name or self.kind


class ShiftOptions(RecipeModel):
    """Which twins to make."""

    registers: tuple[RegisterChoice, ...] = Field(
        (), description="Registers to shift into, by name or with their strength; all of them if left empty"
    )
    of: tuple[str, ...] = Field(("neutral",), description="Registers whose items are shifted; others pass through")
    keep_parents: bool = Field(True, description="Yield the items themselves too, before their twins")
    share: float = Field(
        1.0, gt=0, le=1, description="Share of the source_ids that get twins, drawn anew for each register by hash"
    )
    seed: int = Field(0, ge=0, description="Seed, with the item's id and the register's name, of every choice")

    @field_validator("registers", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        if value == "all":
            return ()
        if not isinstance(value, list | tuple):
            return value
        return [{"kind": entry} if isinstance(entry, str) else entry for entry in value]

    @field_validator("registers")
    @classmethod
    def _known_and_distinct(cls, value: tuple[RegisterChoice, ...]) -> tuple[RegisterChoice, ...]:
        names = [choice.shown for choice in value]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"two registers are named {doubled[0]!r}; give each its own name")
        unknown = sorted({choice.kind for choice in value} - set(REGISTERS.names))
        if unknown:
            raise ValueError(f"there is no register {unknown[0]!r}; there are {', '.join(REGISTERS.names)}")
        return value


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A register as a recipe wants it."""

    name: str
    kind: str
    register: Register
    strength: float


def shift_items(items: Iterable[Item], options: ShiftOptions, log: RejectLog) -> Iterator[Item]:
    """Yield every item and, after it, its twins.

    A twin has its parent's source_id, language, role, split and labels, the id ``<parent>#<register>``, and says in
    its provenance which register, parent, strength and seed made it, which spans differ, and whether the register's
    own inverse gives the parent back. Where a register does not exist for the item's language, or finds nothing to
    change in the text, there is no twin, and the log counts that.

    Args:
        items: Any items; those in the registers ``options.of`` are shifted.
        options: Which twins to make.
        log: Counts every twin that was not made, by register and reason.
    """
    registers = _look_up(options)
    rng = Random()  # noqa: S311 - seeded choices of where to edit, no secret
    parents = frozenset(options.of)
    for item in items:
        shifted = item.register in parents
        if options.keep_parents or not shifted:
            yield item
        if not shifted:
            continue
        if item.metadata.get("text_is_void"):
            log.leave_out("register shift: the text is void", len(registers))
            continue
        known = language(item.language)
        for one in registers:
            if not in_share(item.source_id, one.name, options):
                log.leave_out(NOT_DRAWN)
                continue
            twin = _twin(item, known, one, options.seed, rng, log)
            if twin is not None:
                yield twin


def _look_up(options: ShiftOptions) -> list[_Chosen]:
    choices = options.registers or tuple(RegisterChoice(kind=name) for name in REGISTERS.names)
    found = []
    for choice in choices:
        register: Register = REGISTERS.get(choice.kind)
        strength = register.strength if choice.strength is None else choice.strength
        found.append(_Chosen(choice.shown, choice.kind, register, strength))
    return found


def seed_of(item_id: str, register: str, seed: int) -> int:
    """Return the seed of one twin (64 bits): it depends on nothing but these three."""
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{register}\0{item_id}".encode(), digest_size=8).digest())


def in_share(source_id: str, register: str, options: ShiftOptions) -> bool:
    """Return whether a register's draw takes a content: the same in all its languages, roles and other registers."""
    if options.share >= 1:
        return True
    return seed_of(source_id, register, options.seed) < options.share * 2**64


def _twin(item: Item, known: Language, one: _Chosen, seed: int, rng: Random, log: RejectLog) -> Item | None:
    reason = one.register.refuses(known)
    if reason is not None:
        log.leave_out(f"register {one.name}: {reason}")
        return None
    turn = _last_user_turn(item)
    text = item.messages[turn].content if turn is not None else item.text
    own_seed = seed_of(item.id, one.name, seed)
    rng.seed(own_seed)
    shifted, spans = apply_edits(text, one.register.edits(text, known, one.strength, rng))
    if not spans:
        log.leave_out(f"register {one.name}: nothing to change in the text")
        return None
    invert = one.register.invert
    provenance: dict[str, Any] = {
        "register": one.kind,
        "parent": item.id,
        "strength": one.strength,
        "seed": own_seed,
        "spans": spans,
        "inverse": invert is not None and invert(shifted, known) == text,
        "label": one.register.label.value,
    }
    changed: dict[str, Any] = {"text": shifted}
    if turn is not None:
        provenance["message"] = turn
        changed = {"messages": _with_content(item.messages, turn, shifted)}
    return replace(item, id=f"{item.id}{TWIN_MARK}{one.name}", register=one.name, provenance=provenance, **changed)


def _last_user_turn(item: Item) -> int | None:
    """Return the turn that a conversation's twin changes; `None` for a text."""
    if not item.messages:
        return None
    turns = [place for place, message in enumerate(item.messages) if message.role == "user"]
    return turns[-1] if turns else len(item.messages) - 1


def _with_content(messages: tuple[Message, ...], turn: int, content: str) -> tuple[Message, ...]:
    changed = Message(messages[turn].role, content)
    return (*messages[:turn], changed, *messages[turn + 1 :])
