"""The two-rater metrics by name: what a table's column or a recipe's list of metrics refers to.

A new metric is one module with a `*_from_confusion` function and one line here.
"""

import difflib
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from evaluation.metrics.binary_use import binary_use_excess_from_confusion, binary_use_from_confusion
from evaluation.metrics.classification import macro_f1_from_confusion
from evaluation.metrics.cohen_kappa import cohen_kappa_from_confusion
from evaluation.metrics.confusion import ConfusionMetric
from evaluation.metrics.false_positive_rate import false_positive_rate_from_confusion
from evaluation.metrics.gwet import gwet_ac1_from_confusion, gwet_ac2_from_confusion
from evaluation.metrics.krippendorff_alpha import krippendorff_alpha_from_confusion
from evaluation.metrics.percentage_agreement import percentage_agreement_from_confusion
from evaluation.metrics.prevalence_bias import (
    bias_index_from_confusion,
    pabak_from_confusion,
    prevalence_index_from_confusion,
)
from evaluation.metrics.rank_correlation import kendall_tau_b_from_confusion, spearman_from_confusion
from evaluation.metrics.signed_error import mean_signed_error_from_confusion

CONFUSION_METRICS: Final[Mapping[str, ConfusionMetric]] = MappingProxyType(
    {
        "percentage_agreement": percentage_agreement_from_confusion,
        "kappa": cohen_kappa_from_confusion,
        "linear_kappa": partial(cohen_kappa_from_confusion, weights="linear"),
        "quadratic_kappa": partial(cohen_kappa_from_confusion, weights="quadratic"),
        "ac1": gwet_ac1_from_confusion,
        "ac2_linear": partial(gwet_ac2_from_confusion, weights="linear"),
        "ac2": gwet_ac2_from_confusion,
        "alpha_nominal": partial(krippendorff_alpha_from_confusion, measurement="nominal"),
        "alpha_ordinal": krippendorff_alpha_from_confusion,
        "alpha_interval": partial(krippendorff_alpha_from_confusion, measurement="interval"),
        "spearman": spearman_from_confusion,
        "kendall_tau_b": kendall_tau_b_from_confusion,
        "signed_error": mean_signed_error_from_confusion,
        "macro_f1": macro_f1_from_confusion,
        "false_positive_rate": false_positive_rate_from_confusion,
        "binary_use": binary_use_from_confusion,
        "binary_use_excess": binary_use_excess_from_confusion,
        "prevalence_index": prevalence_index_from_confusion,
        "bias_index": bias_index_from_confusion,
        "pabak": pabak_from_confusion,
    }
)
"""Metric name -> function of confusion matrices, (..., K, K) -> (...)."""


def confusion_metric(metric: str | ConfusionMetric) -> ConfusionMetric:
    """Returns the function of that name, or the function itself.

    Raises:
        ValueError: If no metric has that name.
    """
    if callable(metric):
        return metric
    if metric in CONFUSION_METRICS:
        return CONFUSION_METRICS[metric]
    close = difflib.get_close_matches(metric, CONFUSION_METRICS, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"Unknown metric {metric!r}.{hint} Available: {', '.join(CONFUSION_METRICS)}.")
