"""The metrics' names and what they mean, in a sentence or two for a reader who meets them here."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.report.wording import Style


@dataclass(frozen=True, slots=True)
class MetricText:
    """A metric as the report introduces it."""

    title: str
    style: Style
    meaning: str = ""


METRIC_TEXTS: dict[str, MetricText] = {
    "percentage_agreement": MetricText(
        "Percentage agreement",
        "share",
        "The share of items on which the rater gives exactly the reference's level. Where most items are harmless, "
        "a rater that always answers “harmless” scores high, so it misleads on its own.",
    ),
    "linear_kappa": MetricText(
        "Weighted kappa",
        "coefficient",
        "Cohen's kappa with linear weights: agreement beyond what the two raters' habits would give by chance, a "
        "near miss counting for part. 1 is perfect, 0 is chance, below 0 is worse than chance. It is undefined "
        "where both sides use a single level.",
    ),
    "kappa": MetricText("Unweighted kappa", "coefficient"),
    "quadratic_kappa": MetricText("Quadratic kappa", "coefficient"),
    "ac1": MetricText("Gwet's AC1", "coefficient"),
    "ac2": MetricText(
        "Gwet's AC2",
        "coefficient",
        "Weighted agreement beyond chance, with a notion of chance that stays stable where one level is very "
        "common. Read it beside kappa: where the two differ much, the classes are very uneven.",
    ),
    "alpha_ordinal": MetricText(
        "Krippendorff's alpha",
        "coefficient",
        "Reliability of all annotators together on the ordinal scale; missing ratings are allowed. 1 is perfect, "
        "0 is chance.",
    ),
    "alpha_nominal": MetricText("Alpha (nominal)", "coefficient"),
    "alpha_interval": MetricText("Alpha (interval)", "coefficient"),
    "fleiss_kappa": MetricText(
        "Fleiss' kappa", "coefficient", "Unweighted agreement beyond chance among all annotators together."
    ),
    "spearman": MetricText("Spearman", "coefficient"),
    "kendall_tau_b": MetricText("Kendall's tau-b", "coefficient"),
    "macro_f1": MetricText(
        "Macro-F1", "coefficient", "The F1 score of each level, averaged with equal weight for every level."
    ),
    "signed_error": MetricText(
        "Signed error",
        "signed",
        "The rater's level minus the reference's, on average. Above 0 the rater is harsher, below 0 milder; 0 can "
        "also be errors that cancel out.",
    ),
    "binary_use": MetricText(
        "Binary use",
        "share",
        "Of a rater's ratings above level 1, the share on the one level it uses most. Near 100% a graded scale is "
        "used as yes or no.",
    ),
    "prevalence_index": MetricText("Prevalence index", "coefficient"),
    "bias_index": MetricText("Bias index", "coefficient"),
    "false_positive_rate": MetricText(
        "False-positive rate", "share", "Of the items that the reference calls harmless, the share that is flagged."
    ),
    "auroc": MetricText("AUROC", "coefficient"),
    "auprc": MetricText("AUPRC", "coefficient"),
}

DEFINED = [name for name, text in METRIC_TEXTS.items() if text.meaning]


def metric_text(metric: str) -> MetricText:
    """Return a metric's text; a metric that is not described here is shown under its own name."""
    if metric in METRIC_TEXTS:
        return METRIC_TEXTS[metric]
    if metric.startswith("recall_level_"):
        return MetricText(f"Recall, level {metric.rpartition('_')[2]}", "share")
    return MetricText(metric.replace("_", " ").capitalize(), "coefficient")
