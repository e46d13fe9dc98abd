"""All figures of a run, from its item table and rating tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
from evaluation.measuring.subject import HUMAN_LEFT_OUT, Subject, human_name, make_subjects
from evaluation.measuring.twins import find_twins
from evaluation.rating_table import STATUSES, RatingTable


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
    subjects = make_subjects(items, tables, categories)
    found_families = families(items)
    resamples = draw_resamples(items, intervals)
    measures: list[Measure] = list(benign_measures(tables, items, categories, resamples, intervals))
    measures += block_rate_measures(tables, items, categories, resamples, intervals)
    twins = find_twins(items)
    measures += register_measures(tables, twins, items, categories, resamples, intervals)
    common = CommonGround((), frozenset(), partial=False)
    for family in found_families:
        if not family.languages:
            continue
        ground = find_common_ground(subjects, family, len(categories))
        common = ground if family.main else common
        measures += measure_family(subjects, family, ground, items, categories, resamples, intervals)
    main = found_families[0]
    measures += point_measures(subjects, main, items, categories)
    measures += reliability_measures(main, items, categories)
    measures += ranking_measures(subjects, tables, main, categories)
    return Findings(
        recipe=recipe,
        corpus=corpus,
        taxonomy=tuple(
            {"name": c.name, "title": c.title, "definition": c.definition, "scale": c.scale, "levels": list(c.levels)}
            for c in categories
        ),
        raters=(*_people(items, categories), *(table.summary for table in tables)),
        measures=tuple(measures),
        statuses=tuple(status_counts(tables, items, categories)),
        levels=tuple(level_counts(tables, items, categories)),
        confusions=tuple(confusions_of(subjects, main, categories)),
        differences=tuple(differences(subjects, main, items, categories, resamples, intervals)),
        notes=(*notes, *_notes(items, tables, subjects, main, common, categories), *register_notes(twins)),
        settings={
            "replicates": intervals.replicates,
            "confidence": intervals.confidence,
            "method": intervals.method,
            "seed": intervals.seed,
            "clusters": "source_id",
            "babelguard": __version__,
        },
    )


def _people(items: ItemTable, categories: Taxonomy) -> list[RaterSummary]:
    return [
        RaterSummary(human_name(number), "human", f"Annotator {number + 1} of the corpus.", categories.names, "")
        for number in range(items.annotators)
    ]


def _notes(
    items: ItemTable,
    tables: Sequence[RatingTable],
    subjects: Sequence[Subject],
    family: Family,
    common: CommonGround,
    categories: Taxonomy,
) -> list[str]:
    notes = []
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
        void = Counter(items.languages[(table.statuses == STATUSES.index("void")).all(axis=1)].tolist())
        if void:
            listed = ", ".join(f"{count:,} in {tag}" for tag, count in sorted(void.items()))
            notes.append(f"{table.summary.name} was not shown these items, so that its answers are void: {listed}.")
        if table.stale:
            notes.append(
                f"{table.summary.name}: {table.stale:,} stored ratings are of other texts or settings and do not count."
            )
    return notes
