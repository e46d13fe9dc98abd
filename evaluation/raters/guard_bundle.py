"""Guards of our own: a bundle that `train.export` wrote, run by `serve` without torch.

A text longer than the guard's window is scored in overlapping windows, of which the highest counts. A language without
calibration and thresholds of its own is judged by the pooled ones. The run's notes count both, and the ratings in
languages that the guard does not claim to know.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.rating import Rating, Score, Status
from babelguard.recipe import RecipeModel
from babelguard.taxonomy import Taxonomy
from evaluation.rater import RaterKind, Workbench, complete, fingerprint
from evaluation.raters.sequence_classifier import content
from serve.bundle import Bundle, GuardManifest, read_bundle
from serve.calibration import Calibrator
from serve.guard import Guard, GuardRating
from serve.starter import starter_bundle

DIGITS = 6
"""Decimals of the probabilities that are kept."""


class GuardBundleOptions(RecipeModel):
    """Which bundle, and how it is run."""

    path: Path | None = Field(None, description="Folder of the bundle; the starter guard that comes along if not set")
    precision: Literal["fp32", "fp16", "int8"] | None = Field(None, description="The bundle's default if not set")
    provider: Literal["auto", "cpu", "cuda", "tensorrt"] = Field("auto", description="auto is CUDA where it works")
    threads: int | None = Field(None, ge=1, description="CPU cores to use; all that the process may use if not set")
    batch_tokens: int | None = Field(None, ge=1, description="Tokens in a batch; what suits the processor if not set")
    claimed_only: bool = Field(False, description="Rate only items in languages that the guard claims to know")


@dataclass
class GuardBundleRater:
    """Rates with a guard's calibrated probabilities and thresholds.

    Attributes:
        claimed_only: Whether items in other languages are left alone.
        seen: Ratings that count in the run.
        windowed: How many of them are of texts longer than the window.
        repaired: How many are of texts with lone surrogates, read as U+FFFD.
        languages: Language of the items -> how many of them.
    """

    name: str
    source: Bundle
    options: GuardBundleOptions
    taxonomy: Taxonomy
    fingerprint: str
    calibrator: Calibrator
    seen: int = field(default=0, init=False)
    windowed: int = field(default=0, init=False)
    repaired: int = field(default=0, init=False)
    languages: dict[str, int] = field(default_factory=dict, init=False)

    @property
    def description(self) -> str:
        """Name, version and base model of the guard."""
        manifest = self.source.manifest
        return f"The guard {manifest.name} {manifest.version}, trained from {manifest.model.base_model}."

    @property
    def covers(self) -> tuple[str, ...]:
        """The guard's categories."""
        return tuple(name for name in self.taxonomy.names if name in self.source.manifest.category_names)

    @property
    def notes(self) -> Sequence[str]:
        """How many texts were cut into windows or repaired, or are in languages that the guard does not know well."""
        return [
            f"{self.name}: {sentence}"
            for sentence in (*self._notes_on_texts(), *self._notes_on_languages())
            if sentence is not None
        ]

    @cached_property
    def guard(self) -> Guard:
        """The guard, loaded when the first item comes; the bundle has been verified when the rater was made."""
        return Guard.load(
            self.source.folder,
            precision=self.options.precision,
            provider=self.options.provider,
            threads=self.options.threads,
            batch_tokens=self.options.batch_tokens,
            verify=False,
        )

    def accepts(self, item: Item) -> bool:
        """Tell whether the guard is asked about the item's language."""
        return not self.options.claimed_only or _claims(self.source.manifest, self.calibrator, item.language)

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item; the raw answer has all probabilities, the windows and what language was used."""
        judged = self.guard.rate([content(item) for item in items], [item.language for item in items])
        for item, rated in zip(items, judged, strict=True):
            yield self._rating(item, rated) if rated.windows else self._without_text(item)

    def observe(self, rating: Rating) -> None:
        """Count what the notes tell of."""
        if rating.raw is None:
            return
        raw = json.loads(rating.raw)
        self.seen += 1
        self.windowed += raw["windows"] > 1
        self.repaired += "replaced" in raw
        self.languages[raw["asked"]] = self.languages.get(raw["asked"], 0) + 1

    def _rating(self, item: Item, rated: GuardRating) -> Rating:
        scores = {
            category: Score(rated.levels[category], probability=round(rated.probabilities[category][0], DIGITS))
            for category in self.covers
        }
        raw = {
            "asked": item.language,
            "language": rated.language,
            "windows": rated.windows,
            "flagged": [category for category in self.covers if rated.flagged[category]],
            "probabilities": {c: [round(p, DIGITS) for p in rated.probabilities[c]] for c in self.covers},
            **({"replaced": rated.replaced} if rated.replaced else {}),
        }
        return Rating(self.name, item.id, complete(self.taxonomy, scores), json.dumps(raw, ensure_ascii=False))

    def _without_text(self, item: Item) -> Rating:
        missing = Score.missing(Status.NOT_APPLICABLE, "the text has no token")
        return Rating(self.name, item.id, complete(self.taxonomy, dict.fromkeys(self.covers, missing)))

    def _notes_on_texts(self) -> Iterator[str]:
        if self.windowed:
            yield (
                f"{self.windowed:,} of {self.seen:,} texts are longer than the guard's window of "
                f"{self.source.manifest.model.window:,} tokens; they were scored in overlapping windows, of which the "
                "highest counts."
            )
        if self.repaired:
            yield f"{self.repaired:,} of {self.seen:,} texts hold lone surrogates, which were read as U+FFFD."

    def _notes_on_languages(self) -> Iterator[str]:
        pooled = {code: n for code, n in self.languages.items() if self.calibrator.is_pooled(code)}
        if pooled:
            yield (
                f"{sum(pooled.values()):,} of {self.seen:,} ratings use the pooled calibration and thresholds, for "
                f"their languages have none of their own: {', '.join(sorted(pooled))}."
            )
        manifest = self.source.manifest
        unclaimed = {code for code in self.languages if not _claims(manifest, self.calibrator, code)}
        if unclaimed:
            yield f"the guard does not claim to know {', '.join(sorted(unclaimed))}; figures there are what they are."


def build(name: str, options: GuardBundleOptions, bench: Workbench) -> GuardBundleRater:
    """Verify the bundle and check its categories; its model is loaded when the first item comes.

    Raises:
        UserError: The bundle is damaged or lacks the precision, or its categories are not the taxonomy's.
    """
    source = read_bundle(starter_bundle() if options.path is None else options.path.expanduser())
    precision, _ = source.model(options.precision)
    for category in source.manifest.categories:
        if bench.taxonomy[category.name].scale != category.scale:
            raise UserError(
                f"{source.folder}: the guard's scale of {category.name} ends at {category.scale}, and that of the "
                f"taxonomy {bench.taxonomy.name} at {bench.taxonomy[category.name].scale}; evaluate it by its own "
                f"taxonomy, {source.manifest.taxonomy}."
            )
    return GuardBundleRater(
        name=name,
        source=source,
        options=options,
        taxonomy=bench.taxonomy,
        fingerprint=fingerprint("guard-bundle", 1, source.digest, precision, bench.taxonomy.names),
        calibrator=Calibrator(source.manifest),
    )


def flagged_categories(rating: Rating) -> tuple[str, ...] | None:
    """Return the categories that the guard flagged at its own flag thresholds; `None` where it read no text."""
    return None if rating.raw is None else tuple(json.loads(rating.raw)["flagged"])


def _claims(manifest: GuardManifest, calibrator: Calibrator, language: str) -> bool:
    facts = manifest.languages.get(calibrator.resolve(language) or "")
    return facts is not None and facts.claimed


KIND = RaterKind(options=GuardBundleOptions, build=build)
