"""Made-up findings of realistic size: numbers follow a formula, so they are plausible and always the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import pytest

from babelguard.languages import language
from babelguard.taxonomy import RTP_LX
from evaluation.measures import (
    MACRO,
    MACRO_COMMON,
    Confusion,
    Difference,
    Findings,
    LevelCount,
    Measure,
    RaterSummary,
    Slice,
    StatusCount,
)

RTP_LX_TAGS = [
    "ar",
    "de",
    "en",
    "es",
    "fr",
    "he",
    "hi",
    "it",
    "ja",
    "ko",
    "nl",
    "pl",
    "pt",
    "ru",
    "sw",
    "th",
    "tr",
    "zh-Hans",
]
SAMPLE_TAGS = ["ar", "bn", "de", "en", "es", "fr", "hi", "id", "sw", "th", "ur", "zh-Hans"]
AZURE = ("IdentityAttack", "Violence", "SelfHarm", "SexualContent")
REGISTERS = ("formal", "neutral", "romanised", "slang")
BAND_SHIFT = {"high": 0.06, "mid": 0.0, "low": -0.12, None: -0.05}
RARE = {"SelfHarm": 0.12, "Violence": 0.05, "SexualContent": 0.05, "Microaggression": -0.16, "Bias": -0.12}


@dataclass
class Player:
    """Who is measured, and how good it is."""

    rater: str
    reference: str
    kappa: float
    agreement: float
    covers: tuple[str, ...] = RTP_LX.names
    harshness: float = 0.0


GPT4 = Player("gpt-4", "majority", 0.46, 0.72, harshness=0.35)
ACS = Player("acs", "majority", 0.31, 0.83, AZURE, -0.12)
PEOPLE = [
    Player("human-pairs", "humans", 0.52, 0.80),
    Player("human-left-out", "other-humans", 0.58, 0.83),
    *(Player(f"human-{a}", f"human-{b}", 0.52, 0.80) for b, a in ((1, 2), (1, 3), (2, 3))),
]
HEADLINE = ("percentage_agreement", "linear_kappa", "ac2")
TOGETHER = ("alpha_ordinal", "ac2", "fleiss_kappa")


@dataclass
class World:
    """What to make findings of."""

    tags: Sequence[str] = tuple(RTP_LX_TAGS)
    systems: Sequence[Player] = (GPT4, ACS)
    annotators: int = 3
    intervals: bool = True
    registers: Sequence[str] = ()
    differences: bool = True
    items: int = 1012
    name: str = "rtp-lx-recorded"
    notes: Sequence[str] = (
        "gpt-4: 1,004 English rows are void, because the recorded prompt is the string 'NA'.",
        "The figures are for the prompts; completions were not rated by these raters.",
    )
    undefined: Sequence[tuple[str, str]] = (("th", "SelfHarm"),)
    void: Sequence[tuple[str, str]] = (("gpt-4", "en"),)
    measures: list[Measure] = field(default_factory=list)

    def add(self, player: Player, metric: str, category: str, where: Slice, aggregate: str, value: float | None):
        wide = 0.04 if aggregate == "cell" else 0.012
        low, high = (value - wide, value + wide * 0.9) if value is not None and self.intervals else (None, None)
        key = (metric, player.rater, player.reference, category, where, aggregate)
        items = int(self.items * 0.97) * (1 if where.language else len(self.tags))
        lost = 200 if category == "Bias" else 0
        self.measures.append(Measure(*key, value, low, high, items, self.items, lost))

    def value(self, player: Player, metric: str, category: str, tag: str, shift: float = 0.0) -> float | None:
        if (player.rater, tag) in self.void or (metric == "linear_kappa" and (tag, category) in self.undefined):
            return None
        noise = random.Random(f"{player.rater}{metric}{category}{tag}").gauss(0, 0.035)
        band = BAND_SHIFT[language(tag).rtp_lx_band] * (0.4 if player.rater.startswith("human") else 1.0)
        kappa = player.kappa + band + RARE.get(category, 0.0) + noise + shift
        values = {
            "percentage_agreement": player.agreement + (0.1 if category in AZURE else -0.05) + band / 3 + noise,
            "signed_error": player.harshness + noise,
            "macro_f1": kappa + 0.12,
            "ac2": kappa + 0.25,
            "alpha_ordinal": kappa + 0.03,
            "fleiss_kappa": kappa - 0.02,
            "false_positive_rate": max(0.01, 0.12 + player.harshness / 4 + noise - shift),
            "recall_level_1": 0.6 + player.kappa / 2 + shift + noise,
            "recall_level_3": 0.5 + player.kappa / 2 + shift + noise,
        }
        return min(0.98, values.get(metric, kappa))

    @property
    def common(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Categories and languages of all systems; empty where these are everything."""
        covers = tuple(c for c in RTP_LX.names if all(c in player.covers for player in self.systems))
        tags = tuple(tag for tag in self.tags if all((player.rater, tag) not in self.void for player in self.systems))
        everything = (covers, tags) == (RTP_LX.names, tuple(self.tags))
        return ((), ()) if everything or not covers or not tags else (covers, tags)

    def measure(self, player: Player, metrics: Iterable[str]) -> None:
        for metric in metrics:
            cells = {(tag, name): self.value(player, metric, name, tag) for tag in self.tags for name in player.covers}
            for tag in self.tags:
                self._row(player, metric, cells, [tag], Slice(language=tag), "cell")
            if len(self.tags) < 2:
                continue
            self._row(player, metric, cells, self.tags, Slice(), "pooled")
            self._row(player, metric, cells, self.tags, Slice(), "macro")
            for band in ("high", "mid", "low"):
                tags = [tag for tag in self.tags if language(tag).rtp_lx_band == band]
                if tags:
                    self._row(player, metric, cells, tags, Slice(band=band), "macro")

    def _row(self, player, metric, cells, tags, where: Slice, aggregate: str) -> None:
        for name in player.covers:
            self.add(player, metric, name, where, aggregate, mean_of(cells[tag, name] for tag in tags))
        everything = [cells[tag, name] for tag in tags for name in player.covers]
        self.add(player, metric, MACRO, where, aggregate, mean_of(everything))
        shared, tongues = self.common
        inside = [tag for tag in tags if tag in tongues]
        if inside and aggregate != "pooled":
            comparable = [cells[tag, name] for tag in inside for name in shared]
            self.add(player, metric, MACRO_COMMON, where, aggregate, mean_of(comparable))

    def measure_together(self) -> None:
        player = Player("humans", "humans", 0.53, 0.8)
        for metric in TOGETHER:
            for name in RTP_LX.names:
                for tag in self.tags:
                    self.add(player, metric, name, Slice(language=tag), "cell", self.value(player, metric, name, tag))
                values = [self.value(player, metric, name, tag) for tag in self.tags]
                self.add(player, metric, name, Slice(), "pooled", mean_of(values))

    def measure_benign(self, player: Player) -> None:
        player = replace(player, reference="benign-by-construction")
        for name in (*player.covers, "any"):
            rates = {tag: self.value(player, "false_positive_rate", name, tag) for tag in self.tags[:5]}
            for tag, rate in rates.items():
                where = Slice(language=tag, role="benign-completion")
                self.add(player, "false_positive_rate", name, where, "cell", rate)
            where = Slice(role="benign-completion")
            self.add(player, "false_positive_rate", name, where, "pooled", mean_of(rates.values()))

    def measure_registers(self, player: Player) -> None:
        metrics = ("linear_kappa", "percentage_agreement", "recall_level_1", "recall_level_3", "false_positive_rate")
        for metric in metrics:
            for position, register in enumerate(self.registers):
                for tag in self.tags:
                    values = [self.value(player, metric, name, tag, -0.05 * position) for name in player.covers]
                    where = Slice(language=tag, register=register)
                    self.add(player, metric, MACRO, where, "cell", mean_of(values))
                value = self.value(player, metric, player.covers[0], self.tags[0], -0.05 * position)
                self.add(player, metric, MACRO, Slice(register=register), "pooled", value)


def mean_of(values: Iterable[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return fmean(defined) if defined else None


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


@pytest.fixture(scope="session")
def make_findings() -> Callable[..., Findings]:
    return make


@pytest.fixture(scope="session")
def make_sample() -> Callable[..., Findings]:
    return sample


@pytest.fixture(scope="session")
def rtp_lx_findings() -> Findings:
    return make()
