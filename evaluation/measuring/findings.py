"""All figures of a run, from its item table and rating tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelguard import __version__
from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import Findings, Measure, RaterSummary
from evaluation.measuring.agreement import Intervals, draw_resamples, measure_family
from evaluation.measuring.benign import benign_measures
from evaluation.measuring.block_rate import block_rate_measures
from evaluation.measuring.common_ground import CommonGround, find_common_ground
from evaluation.measuring.counts import level_counts, status_counts
from evaluation.measuring.differences import differences
from evaluation.measuring.points import confusions_of, point_measures, ranking_measures, reliability_measures
from evaluation.measuring.register_shift import register_measures, register_notes
from evaluation.measuring.slices import Family, families
from evaluation.measuring.subject import HUMAN_LEFT_OUT, Subject, human_name, make_subjects, published_levels
from evaluation.measuring.twins import find_twins
from evaluation.metrics.resampling import Resamples
from evaluation.rating_table import RatingTable


def make_findings(
    items: ItemTable,
    tables: Sequence[RatingTable],
    categories: Taxonomy,
    intervals: Intervals,
    recipe: Mapping[str, Any],
    corpus: Mapping[str, Any],
    notes: Sequence[str] = (),
) -> Findings:
    """Measure every rater, and people, on every part of the corpus.

    Args:
        items: What was rated.
        tables: What the raters said.
        categories: The taxonomy.
        intervals: How intervals are made.
        recipe: The resolved recipe, for the record.
        corpus: What the corpus is, for the record.
        notes: Sentences that a reader must know, beside those that are found here.
    """
    ground = Ground.of(items, tables, categories, intervals)
    return Findings(
        recipe=recipe,
        corpus=corpus,
        taxonomy=tuple(
            {"name": c.name, "title": c.title, "definition": c.definition, "scale": c.scale, "levels": list(c.levels)}
            for c in categories
        ),
        raters=(*_people(items, categories), *(table.summary for table in tables)),
        measures=tuple(_measures(ground, tables)),
        statuses=tuple(status_counts(tables, items, categories)),
        levels=tuple(level_counts(tables, items, categories)),
        confusions=tuple(confusions_of(ground.subjects, ground.main, categories)),
        differences=tuple(
            differences(ground.subjects, ground.main, items, categories, ground.resamples, ground.intervals)
        ),
        notes=(*notes, *_notes(ground, tables), *register_notes(find_twins(items))),
        settings={
            "replicates": intervals.replicates,
            "confidence": intervals.confidence,
            "method": intervals.method,
            "seed": intervals.seed,
            "clusters": "source_id",
            "babelguard": __version__,
        },
    )


@dataclass(frozen=True, slots=True)
class Ground:
    """What every figure of a run stands on.

    Attributes:
        items: What was rated.
        categories: The taxonomy.
        intervals: How intervals are made.
        subjects: Who is measured against whom.
        families: The parts of the corpus, the whole of it first.
        resamples: The draws that all figures share.
    """

    items: ItemTable
    categories: Taxonomy
    intervals: Intervals
    subjects: list[Subject]
    families: list[Family]
    resamples: Resamples

    @classmethod
    def of(cls, items: ItemTable, tables: Sequence[RatingTable], categories: Taxonomy, intervals: Intervals) -> Ground:
        """Work out subjects, families and draws."""
        subjects = make_subjects(items, tables, categories)
        return cls(items, categories, intervals, subjects, families(items), draw_resamples(items, intervals))

    @property
    def main(self) -> Family:
        """The whole corpus."""
        return self.families[0]

    def common(self, family: Family) -> CommonGround:
        """Return where all raters compare within a family."""
        return find_common_ground(self.subjects, family, len(self.categories))


def _measures(ground: Ground, tables: Sequence[RatingTable]) -> Iterator[Measure]:
    items, categories, draws, intervals = ground.items, ground.categories, ground.resamples, ground.intervals
    yield from benign_measures(tables, items, categories, draws, intervals)
    yield from block_rate_measures(tables, items, categories, draws, intervals)
    yield from register_measures(tables, find_twins(items), items, categories, draws, intervals)
    for family in ground.families:
        if family.languages:
            common = ground.common(family)
            yield from measure_family(ground.subjects, family, common, items, categories, draws, intervals)
    yield from point_measures(ground.subjects, ground.main, items, categories)
    yield from reliability_measures(ground.main, items, categories)
    yield from ranking_measures(ground.subjects, tables, ground.main, categories)


def _people(items: ItemTable, categories: Taxonomy) -> list[RaterSummary]:
    return [
        RaterSummary(human_name(number), "human", f"Annotator {number + 1} of the corpus.", categories.names, "")
        for number in range(items.annotators)
    ]


def _notes(ground: Ground, tables: Sequence[RatingTable]) -> list[str]:
    items, family, categories = ground.items, ground.main, ground.categories
    subjects, common = ground.subjects, ground.common(ground.main)
    notes = []
    own, others = published_levels(items, categories)
    if own:
        notes.append(
            f"The reference of {own:,} labels is the one that the source publishes for all its annotators, in place of "
            f"their majority, from which it differs in {others:,}."
        )
    if not family.languages:
        notes.append("No item has a human label, so no agreement with people can be measured.")
    elif items.annotators == 1:
        notes.append("Every item has one human label, so there is no human agreement to compare raters with.")
    if any(subject.rater == HUMAN_LEFT_OUT for subject in subjects):
        notes.append(
            "Raters are measured against the majority of all annotators, which is a cleaner reference than two "
            "annotators are. The figures with the reference other-humans compare a rater with a left-out person fairly."
        )
    if common.partial:
        left_out = sorted(set(family.languages) - common.languages)
        outside = f"; left out: {', '.join(left_out)}" if left_out else ""
        notes.append(
            f"All raters gave levels in {len(common.categories)} of {len(categories)} categories and "
            f"{len(common.languages)} of {len(family.languages)} languages{outside}. "
            "Only figures marked macro-common are means over the same cells for everyone."
        )
    for table in tables:
        for reason, counts in sorted(table.void.items()):
            listed = ", ".join(f"{count:,} in {tag}" for tag, count in sorted(counts.items()))
            notes.append(f"Answers of {table.summary.name} that are void and count for nothing ({reason}): {listed}.")
        if table.retried:
            name = table.summary.name
            notes.append(
                f"Ratings of {name} that failed and were asked for again when the run went on: {table.retried:,}."
            )
        if table.stale:
            name = table.summary.name
            notes.append(f"Stored ratings of {name} for other texts or settings, which do not count: {table.stale:,}.")
    return notes
