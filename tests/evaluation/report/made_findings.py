"""Made-up findings of realistic size, in the shape that `evaluation.measuring` gives them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from babelguard.taxonomy import RTP_LX
from evaluation.measures import (
    MACRO,
    Confusion,
    Difference,
    Findings,
    LevelCount,
    RaterSummary,
    Slice,
    StatusCount,
)
from tests.evaluation.report.world import GPT4, HEADLINE, PEOPLE, REGISTERS, SAMPLE_TAGS, World


def raters_of(world: World) -> tuple[RaterSummary, ...]:
    people = [
        RaterSummary(f"human-{n}", "human", "Native annotator.", RTP_LX.names, "")
        for n in range(1, world.annotators + 1)
    ]
    systems = [
        RaterSummary(p.rater, "rtp-lx-recorded", f"Recorded answers of {p.rater}.", p.covers, "9f2c41d07ab3e655")
        for p in world.systems
    ]
    return (*people, *systems)


def statuses_of(world: World, raters: Sequence[RaterSummary]) -> Iterable[StatusCount]:
    for rater in raters:
        if rater.kind == "human":
            continue
        for tag in world.tags:
            for name in RTP_LX.names:
                if name not in rater.covers:
                    yield StatusCount(rater.name, tag, name, "not-covered", world.items)
                    continue
                void = world.items if (rater.name, tag) in world.void else 0
                lost = 0 if void else random.Random(f"{rater.name}{tag}{name}").randrange(0, 25)
                yield StatusCount(rater.name, tag, name, "ok", world.items - void - lost)
                yield StatusCount(rater.name, tag, name, "void", void)
                yield StatusCount(rater.name, tag, name, "unparsed", lost - lost // 3)
                yield StatusCount(rater.name, tag, name, "refused", lost // 3)


def levels_of(world: World, raters: Sequence[RaterSummary]) -> Iterable[LevelCount]:
    for rater in [*raters, *([replace(raters[0], name="majority")] if world.annotators > 1 else [])]:
        for name in rater.covers:
            scale = RTP_LX[name].scale
            shares = {3: (0.74, 0.17, 0.09), 5: (0.3, 0.25, 0.22, 0.13, 0.1)}[scale]
            if rater.name == "gpt-4" and scale == 3:
                shares = (0.62, 0.015, 0.365)
            for level, share in enumerate(shares, start=1):
                for tag in world.tags:
                    yield LevelCount(rater.name, tag, name, level, int(world.items * share))


def differences_of(world: World) -> Iterable[Difference]:
    if len(world.systems) < 2 or not world.differences:
        return
    one, two = world.systems[0], world.systems[1]
    for metric in ("linear_kappa", "percentage_agreement"):
        gap = one.kappa - two.kappa if metric == "linear_kappa" else one.agreement - two.agreement
        yield Difference(metric, one.rater, two.rater, MACRO, Slice(), gap, gap - 0.02, gap + 0.02, 0.0002, 0.004, 9000)
        for tag in world.tags:
            p = 0.3 if tag == "sw" else 0.001
            low = gap - 0.5 if tag == "sw" else gap - abs(gap) / 2
            where = Slice(language=tag)
            yield Difference(metric, one.rater, two.rater, MACRO, where, gap, low, gap + 0.05, p, min(1, 20 * p), 950)


def build(world: World) -> Findings:
    metrics = (*HEADLINE, "signed_error", "macro_f1", "false_positive_rate")
    for player in world.systems:
        world.measure(player, metrics)
        world.measure_benign(player)
        if world.registers:
            world.measure_registers(player)
    if world.annotators > 1:
        for player in PEOPLE if world.annotators > 2 else PEOPLE[:1]:
            world.measure(player, metrics)
        world.measure_together()
    if world.annotators > 2:
        for player in world.systems:
            world.measure(replace(player, reference="other-humans", kappa=player.kappa - 0.02), HEADLINE)
    raters = raters_of(world)
    taxonomy = [{"name": c.name, "title": c.title, "definition": c.definition, "levels": c.levels} for c in RTP_LX]
    interval = {"replicates": 2000 if world.intervals else 0, "confidence": 0.95, "method": "percentile", "seed": 0}
    return Findings(
        recipe={
            "name": world.name,
            "description": "Recorded judges against three native annotators a language, prompts only.",
            "taxonomy": "rtp-lx",
            "corpus": {"source": "rtp-lx", "path": "/data/rtp_lx", "splits": None},
            "raters": [{"kind": "recorded", "name": player.rater} for player in world.systems],
            "intervals": interval,
        },
        corpus={
            "source": "rtp-lx",
            "items": world.items * len(world.tags),
            "source_ids": 1135,
            "languages": dict.fromkeys(world.tags, world.items),
            "licence": "MIT, with third-party parts",
            "annotators": world.annotators,
            "set_aside": {"bad-label": 3},
            "left_out": {},
        },
        taxonomy=tuple(taxonomy),
        raters=raters,
        measures=tuple(world.measures),
        statuses=tuple(statuses_of(world, raters)),
        levels=tuple(levels_of(world, raters)),
        confusions=(Confusion("gpt-4", "majority", "de", "Bias", ((5, 1, 0), (1, 2, 0), (0, 0, 1))),),
        differences=tuple(differences_of(world)),
        notes=tuple(world.notes),
        settings={**interval, "version": "0.1.0"},
    )


def make(**changes: object) -> Findings:
    """Return findings of a world that differs from the RTP-LX run in the named ways."""
    return build(World(**changes))  # type: ignore[arg-type]


def sample(**changes: object) -> Findings:
    """Return findings like the bundled sample corpus's: one label, four registers, raters of one coverage."""
    systems = (replace(GPT4, rater="blocklist", kappa=0.12, agreement=0.7), replace(GPT4, rater="guard"))
    basis = {"tags": SAMPLE_TAGS, "annotators": 1, "registers": REGISTERS, "systems": systems, "items": 96}
    return make(**{**basis, "name": "sample", "notes": (), "undefined": (), **changes})
