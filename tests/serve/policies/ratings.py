"""Made-up ratings, and policies that act on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from babelguard.taxonomy import RTP_LX
from serve.bundle import GuardManifest
from serve.policies import Decider, load_policy

NAMES = RTP_LX.names


@dataclass(frozen=True)
class Rating:
    levels: dict[str, int]
    probabilities: dict[str, tuple[float, ...]]
    flagged: dict[str, bool]


CALM = Rating(
    dict.fromkeys(NAMES, 1),
    {c.name: (0.1,) * (c.scale - 1) for c in RTP_LX},
    dict.fromkeys(NAMES, False),
)


def rating(
    category: str, level: int = 1, probabilities: tuple[float, ...] | None = None, flagged: bool = False
) -> Rating:
    return replace(
        CALM,
        levels={**CALM.levels, category: level},
        probabilities={**CALM.probabilities, category: probabilities or CALM.probabilities[category]},
        flagged={**CALM.flagged, category: flagged},
    )


def write(folder: Path, name: str = "policy.yaml", **content: object) -> Path:
    path = folder / name
    whole = {"format": 1, "name": "test", "version": "1", **content}
    path.write_text(yaml.safe_dump(whole, allow_unicode=True), encoding="utf-8")
    return path


def decider(folder: Path, guard: GuardManifest, **content: object) -> Decider:
    return Decider(load_policy(write(folder, **content), guard), guard)
