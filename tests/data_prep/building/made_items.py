"""Small sources and plans for tests of the build."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from babelguard import RTP_LX, Item
from babelguard.jsonl import write_jsonl
from data_prep.building.assemble import build
from data_prep.building.recipe import BuildRecipe, Part, PartRecipe, Plan
from data_prep.sources.items import SOURCE, ItemsOptions

WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbour", "island", "juniper", "kettle")


def sentence(number: int) -> str:
    """A sentence that shares no long run of characters with those of other numbers."""
    return " ".join(f"{WORDS[(number * 7 + place * place) % len(WORDS)]}{number}x{place}" for place in range(8))


def item(number: int, **fields: object) -> Item:
    values: dict = {
        "id": f"made/{number}",
        "text": sentence(number),
        "language": "en",
        "source": "made",
        "source_id": f"made/{number}",
        "labels": {"Toxicity": (1 + number % 5, 1 + number % 3, None)},
    }
    return Item(**{**values, **fields})


def plan_of(tmp_path: Path, *parts: Iterable[Item], licences: tuple[str, ...] = (), **recipe: object) -> Plan:
    """A plan over one part for each group of items."""
    built = []
    for number, items in enumerate(parts):
        path = tmp_path / f"part-{number}.jsonl"
        write_jsonl(path, (one.to_dict() for one in items))
        licence = licences[number] if licences else "CC0-1.0"
        named = PartRecipe(source="items", name=f"part-{number}", licence=licence)
        built.append(Part(named, SOURCE, ItemsOptions(path=path)))
    values = {"name": "made", "output": tmp_path / "corpora", "sources": tuple(part.recipe for part in built), **recipe}
    return Plan(BuildRecipe.model_validate(values), RTP_LX, tuple(built))


def build_of(tmp_path: Path, *parts: Iterable[Item], **recipe: object) -> dict:
    """Build a corpus and return its manifest."""
    return build(plan_of(tmp_path, *parts, **recipe), lambda *_: None)
