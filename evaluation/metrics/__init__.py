"""Agreement, error and interval metrics on label arrays with missing values: arrays in, numbers out.

Levels are 1..K; missing is None, NaN or masked. Undefined is NaN, never 0 or 1. docs/metrics.md has the formulas.
Importing this needs NumPy alone, and so does everything in it but the `hub` modules.
"""

from evaluation.metrics.binary_use import (
    binary_use,
    binary_use_excess,
    binary_use_excess_from_confusion,
    binary_use_from_confusion,
)
from evaluation.metrics.bootstrap import Bootstrap, bootstrap, bootstrap_interval
from evaluation.metrics.by_name import CONFUSION_METRICS, confusion_metric
from evaluation.metrics.cell import Cell, human_pair_cells
from evaluation.metrics.classification import (
    macro_f1,
    macro_f1_from_confusion,
    per_level_recall,
    per_level_recall_from_confusion,
)
from evaluation.metrics.cohen_kappa import cohen_kappa, cohen_kappa_from_confusion
from evaluation.metrics.confusion import ConfusionMetric, confusion_matrix, pooled_confusion
from evaluation.metrics.consensus import consensus
from evaluation.metrics.false_positive_rate import (
    false_positive_rate,
    false_positive_rate_from_confusion,
    flag_rate,
)
from evaluation.metrics.fleiss_kappa import fleiss_kappa
from evaluation.metrics.gwet import (
    gwet_ac,
    gwet_ac1,
    gwet_ac1_from_confusion,
    gwet_ac2,
    gwet_ac2_from_confusion,
)
from evaluation.metrics.holm import holm
from evaluation.metrics.human_agreement import (
    HumanAgreement,
    human_pairs,
    leave_one_out,
    leave_one_out_references,
)
from evaluation.metrics.interval import Interval
from evaluation.metrics.krippendorff_alpha import (
    coincidence_matrix,
    krippendorff_alpha,
    krippendorff_alpha_from_coincidences,
    krippendorff_alpha_from_confusion,
)
from evaluation.metrics.levels import MISSING, as_levels, as_table, complete_pairs, n_pairable, n_pairs
from evaluation.metrics.macro import macro_mean
from evaluation.metrics.percentage_agreement import percentage_agreement, percentage_agreement_from_confusion
from evaluation.metrics.prevalence_bias import (
    bias_index,
    bias_index_from_confusion,
    pabak,
    pabak_from_confusion,
    prevalence_index,
    prevalence_index_from_confusion,
)
from evaluation.metrics.rank_correlation import (
    kendall_tau_b,
    kendall_tau_b_from_confusion,
    spearman,
    spearman_from_confusion,
)
from evaluation.metrics.rating_counts import class_counts, class_distribution, item_counts
from evaluation.metrics.resampling import Resamples
from evaluation.metrics.score_ranking import auprc, auroc
from evaluation.metrics.signed_error import mean_signed_error, mean_signed_error_from_confusion
from evaluation.metrics.statistic import Comparison, Statistic, compare, difference_of, mean_of
from evaluation.metrics.weights import agreement_weights

__all__ = [
    "CONFUSION_METRICS",
    "MISSING",
    "Bootstrap",
    "Cell",
    "Comparison",
    "ConfusionMetric",
    "HumanAgreement",
    "Interval",
    "Resamples",
    "Statistic",
    "agreement_weights",
    "as_levels",
    "as_table",
    "auprc",
    "auroc",
    "bias_index",
    "bias_index_from_confusion",
    "binary_use",
    "binary_use_excess",
    "binary_use_excess_from_confusion",
    "binary_use_from_confusion",
    "bootstrap",
    "bootstrap_interval",
    "class_counts",
    "class_distribution",
    "cohen_kappa",
    "cohen_kappa_from_confusion",
    "coincidence_matrix",
    "compare",
    "complete_pairs",
    "confusion_matrix",
    "confusion_metric",
    "consensus",
    "difference_of",
    "false_positive_rate",
    "false_positive_rate_from_confusion",
    "flag_rate",
    "fleiss_kappa",
    "gwet_ac",
    "gwet_ac1",
    "gwet_ac1_from_confusion",
    "gwet_ac2",
    "gwet_ac2_from_confusion",
    "holm",
    "human_pair_cells",
    "human_pairs",
    "item_counts",
    "kendall_tau_b",
    "kendall_tau_b_from_confusion",
    "krippendorff_alpha",
    "krippendorff_alpha_from_coincidences",
    "krippendorff_alpha_from_confusion",
    "leave_one_out",
    "leave_one_out_references",
    "macro_f1",
    "macro_f1_from_confusion",
    "macro_mean",
    "mean_of",
    "mean_signed_error",
    "mean_signed_error_from_confusion",
    "n_pairable",
    "n_pairs",
    "pabak",
    "pabak_from_confusion",
    "per_level_recall",
    "per_level_recall_from_confusion",
    "percentage_agreement",
    "percentage_agreement_from_confusion",
    "pooled_confusion",
    "prevalence_index",
    "prevalence_index_from_confusion",
    "spearman",
    "spearman_from_confusion",
]
