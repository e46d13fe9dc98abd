"""A made-up run's measures: numbers follow a formula, so they are plausible and always the same."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from babelguard.languages import language
from babelguard.taxonomy import RTP_LX
from evaluation.measures import MACRO, MACRO_COMMON, Measure, Slice

RTP_LX_TAGS = (
    "ar", "de", "en", "es", "fr", "he", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sw", "th", "tr", "zh-Hans",
)  # fmt: skip
SAMPLE_TAGS = ("ar", "bn", "de", "en", "es", "fr", "hi", "id", "sw", "th", "ur", "zh-Hans")
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

    tags: Sequence[str] = RTP_LX_TAGS
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
