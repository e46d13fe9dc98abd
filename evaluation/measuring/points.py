"""Figures without intervals: the rest of the metrics, for every subject and language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from babelguard.taxonomy import Taxonomy
from evaluation.item_table import ItemTable
from evaluation.measures import Confusion, Measure, defined
from evaluation.measuring.slices import Family, Part
from evaluation.measuring.subject import HUMANS, Subject
from evaluation.metrics.by_name import confusion_metric
from evaluation.metrics.classification import per_level_recall_from_confusion
from evaluation.metrics.confusion import confusion_matrix
from evaluation.metrics.fleiss_kappa import fleiss_kappa
from evaluation.metrics.gwet import gwet_ac
from evaluation.metrics.krippendorff_alpha import krippendorff_alpha
from evaluation.metrics.levels import n_pairable
from evaluation.metrics.macro import macro_mean
from evaluation.metrics.score_ranking import auprc, auroc
from evaluation.rating_table import RatingTable

POINT_METRICS = (
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "spearman",
    "kendall_tau_b",
    "binary_use",
    "binary_use_excess",
    "prevalence_index",
    "bias_index",
    "pabak",
)


def parts_of(family: Family) -> list[tuple[Part, str]]:
    """Return the languages and, where there are several, the pool of all, each with its aggregate's name."""
    parts = [(part, "cell") for part in family.languages.values()]
    return [*parts, (family.whole, "pooled")] if len(parts) > 1 else parts


def point_measures(
    subjects: Sequence[Subject], family: Family, items: ItemTable, categories: Taxonomy
) -> Iterator[Measure]:
    """Yield the metrics that are given without intervals: correlation, use of the scale, recall by level."""
    for subject in subjects:
        if subject.brief:
            continue
        for part, aggregate in parts_of(family):
            for c in subject.categories:
                category = categories.categories[c]
                confusions = np.stack(
                    [
                        confusion_matrix(p.levels[part.mask, c], p.truth[part.mask, c], levels=category.scale)
                        for p in subject.parts
                    ]
                )
                clusters = _clusters(subject, part, items, c)
                for metric, value in _values(confusions):
                    yield Measure(
                        metric=metric,
                        rater=subject.rater,
                        reference=subject.reference,
                        category=category.name,
                        slice=part.slice,
                        aggregate=aggregate,
                        value=defined(value),
                        n_items=int(confusions.sum(axis=(1, 2)).min()),
                        n_clusters=clusters,
                    )


def _values(confusions: NDArray[np.int64]) -> Iterator[tuple[str, float]]:
    for metric in POINT_METRICS:
        yield metric, float(macro_mean(confusion_metric(metric)(confusions), undefined="skip"))
    recalls = macro_mean(per_level_recall_from_confusion(confusions), undefined="skip")
    for level, recall in enumerate(recalls, start=1):
        yield f"recall_level_{level}", float(recall)


def _clusters(subject: Subject, part: Part, items: ItemTable, category: int) -> int:
    counts = []
    for pairing in subject.parts:
        both = part.mask & (pairing.levels[:, category] > 0) & (pairing.truth[:, category] > 0)
        counts.append(len(np.unique(items.source_ids[both])))
    return min(counts)


def reliability_measures(family: Family, items: ItemTable, categories: Taxonomy) -> Iterator[Measure]:
    """Yield the agreement of all annotators together; nothing where an item has one annotator at most."""
    if items.annotators < 2:
        return
    for part, aggregate in parts_of(family):
        for c, category in enumerate(categories):
            table = items.raw[:, part.mask, c]
            scale = category.scale
            figures = {
                "alpha_nominal": krippendorff_alpha(table, levels=scale, measurement="nominal"),
                "alpha_ordinal": krippendorff_alpha(table, levels=scale, measurement="ordinal"),
                "alpha_interval": krippendorff_alpha(table, levels=scale, measurement="interval"),
                "fleiss_kappa": fleiss_kappa(table, levels=scale),
                "ac1": gwet_ac(table, levels=scale),
                "ac2": gwet_ac(table, levels=scale, weights="quadratic"),
            }
            for metric, value in figures.items():
                yield Measure(
                    metric=metric,
                    rater=HUMANS,
                    reference=HUMANS,
                    category=category.name,
                    slice=part.slice,
                    aggregate=aggregate,
                    value=defined(value),
                    n_items=n_pairable(table, levels=scale),
                    n_clusters=len(np.unique(items.source_ids[part.mask])),
                )


def ranking_measures(
    subjects: Sequence[Subject], tables: Sequence[RatingTable], family: Family, categories: Taxonomy
) -> Iterator[Measure]:
    """Yield AUROC and AUPRC of "level above 1" for raters that give probabilities."""
    probabilities = {table.summary.name: table.probabilities for table in tables}
    for subject in (subject for subject in subjects if subject.system):
        scores = probabilities[subject.rater]
        for part, aggregate in parts_of(family):
            for c in subject.categories:
                category = categories.categories[c]
                given, truth = scores[part.mask, c], subject.parts[0].truth[part.mask, c]
                known = ~np.isnan(given) & (truth > 0)
                if not known.any():
                    continue
                for metric, function in (("auroc", auroc), ("auprc", auprc)):
                    yield Measure(
                        metric=metric,
                        rater=subject.rater,
                        reference=subject.reference,
                        category=category.name,
                        slice=part.slice,
                        aggregate=aggregate,
                        value=defined(function(given, truth, levels=category.scale)),
                        n_items=int(known.sum()),
                    )


def confusions_of(subjects: Sequence[Subject], family: Family, categories: Taxonomy) -> Iterator[Confusion]:
    """Yield the confusion matrix of every rater with the majority, by language and category."""
    for subject in (subject for subject in subjects if subject.system):
        pairing = subject.parts[0]
        for tag, part in family.languages.items():
            for c in subject.categories:
                category = categories.categories[c]
                counts = confusion_matrix(
                    pairing.levels[part.mask, c], pairing.truth[part.mask, c], levels=category.scale
                )
                rows = tuple(tuple(int(count) for count in row) for row in counts)
                yield Confusion(subject.rater, subject.reference, tag, category.name, rows)
