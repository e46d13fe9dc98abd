"""The manifest of a corpus: what it was made from, what is in it, and what became of every row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from babelguard import __version__
from babelguard.checksums import sha256_of
from data_prep.building.collect import Collected
from data_prep.building.count import count_rows
from data_prep.building.licence import terms_of
from data_prep.building.recipe import Part, Plan
from data_prep.building.tally import PartTally
from data_prep.building.write import Shard
from data_prep.reliability import Reliability

FORMAT = "babelguard-corpus/1"


def make_manifest(
    plan: Plan, collected: Collected, shards: Mapping[str, Sequence[Shard]], checked: Mapping[str, int], folder: Path
) -> dict[str, Any]:
    """Return the manifest as plain JSON values: the same for the same input, whenever and wherever it is made.

    Args:
        plan: The recipe.
        collected: The accounts of the parts.
        shards: What was written.
        checked: What the leak check found.
        folder: The corpus's folder, from whose shards the distributions are counted.
    """
    counts = count_rows(plan.taxonomy, folder, {split: [s.path for s in row] for split, row in shards.items()})
    parts = [_part(part, tally) for part, tally in zip(plan.parts, collected.tallies, strict=True)]
    return {
        "format": FORMAT,
        "babelguard": __version__,
        "name": plan.recipe.name,
        "description": plan.recipe.description,
        "use": plan.recipe.use,
        "taxonomy": {"name": plan.taxonomy.name, "scales": {c.name: c.scale for c in plan.taxonomy}},
        "items": sum(shard.items for row in shards.values() for shard in row),
        "splits": {
            split: {"items": sum(s.items for s in row), "shards": [shard.to_dict() for shard in row]}
            for split, row in shards.items()
        },
        "leak_check": {"crossing": 0, **checked},
        "coverage": counts.coverage,
        "balance": counts.balance,
        "levels": counts.levels,
        "parts": parts,
        "not_covered": not_covered(plan, collected.tallies),
        "reliability": {
            "read": [reliability_record(one) for one in collected.reliability.reliabilities()],
            "written": [reliability_record(one) for one in counts.reliability.reliabilities()],
        },
        "recipe": plan.resolved(),
    }


def _part(part: Part, tally: PartTally) -> dict[str, Any]:
    terms = terms_of(part.licence)
    return {
        "name": part.name,
        "source": part.recipe.source,
        "licence": part.licence,
        "licence_as_published": part.source.licence,
        "commercial_use": terms.commercial,
        "share_alike": terms.share_alike,
        "citation": part.source.citation,
        **tally.to_dict(next((path for path in _paths(part) if path.is_dir()), None)),
        "files": [record for path in _paths(part) for record in file_records(path)],
    }


def _paths(part: Part) -> list[Path]:
    return [value for name in type(part.options).model_fields if isinstance(value := getattr(part.options, name), Path)]


def file_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield name, size in bytes and SHA-256 of a file, or of every file in a folder in order of its name."""
    if path.is_file():
        yield {"path": path.name, "bytes": path.stat().st_size, "sha256": sha256_of(path)}
    elif path.is_dir():
        for file in sorted(p for p in path.rglob("*") if p.is_file()):
            name = file.relative_to(path).as_posix()
            yield {"path": name, "bytes": file.stat().st_size, "sha256": sha256_of(file)}


def not_covered(plan: Plan, tallies: Sequence[PartTally]) -> dict[str, list[str]]:
    """Return, by part, the categories that none of its items has a label for. Not covered is never clean."""
    return {tally.name: [name for name in plan.taxonomy.names if not tally.labelled[name]] for tally in tallies}


def reliability_record(one: Reliability) -> dict[str, Any]:
    """Return a reliability as plain JSON values."""
    part, role, language = one.group
    figures = asdict(one)
    del figures["group"]
    return {"part": part, "role": role, "language": language, **figures}
