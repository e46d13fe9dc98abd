"""What must hold for any ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evaluation import metrics as m

LEVELS = 4
SYMMETRIC = (
    "percentage_agreement", "kappa", "linear_kappa", "quadratic_kappa", "ac1", "ac2_linear", "ac2", "alpha_nominal",
    "alpha_ordinal", "alpha_interval", "spearman", "kendall_tau_b", "macro_f1", "prevalence_index", "pabak",
)  # fmt: skip
ANTISYMMETRIC = ("signed_error", "bias_index", "binary_use_excess")
NOMINAL = ("percentage_agreement", "kappa", "ac1", "alpha_nominal", "macro_f1")
REVERSIBLE = (*NOMINAL, "linear_kappa", "quadratic_kappa", "ac2_linear", "ac2", "alpha_ordinal", "alpha_interval",
              "spearman", "kendall_tau_b")  # fmt: skip
PERFECT_IS_ONE = tuple(set(SYMMETRIC) - {"prevalence_index"})
BOUNDS = {"signed_error": (1 - LEVELS, LEVELS - 1), "percentage_agreement": (0, 1), "macro_f1": (0, 1),
          "false_positive_rate": (0, 1), "binary_use": (1 / (LEVELS - 1), 1)}  # fmt: skip

confusions = hnp.arrays(np.int64, (LEVELS, LEVELS), elements=st.integers(0, 12))
maybe_level = st.one_of(st.none(), st.integers(1, LEVELS))
pairs = st.lists(st.tuples(maybe_level, maybe_level), max_size=25)
tables = hnp.arrays(
    np.float64, st.tuples(st.integers(2, 4), st.integers(1, 12)), elements=st.sampled_from([1, 2, 3, 4, np.nan])
)


def value(name: str, confusion: np.ndarray) -> float:
    return float(m.CONFUSION_METRICS[name](confusion))


def same(actual: object, expected: object):
    np.testing.assert_allclose(actual, expected, atol=1e-12)


@given(confusions)
def test_exchanging_the_raters(confusion: np.ndarray):
    for name in SYMMETRIC:
        same(value(name, confusion.T), value(name, confusion))
    for name in ANTISYMMETRIC:
        same(value(name, confusion.T), -value(name, confusion))


@given(confusions, st.permutations(range(LEVELS)))
def test_relabelling(confusion: np.ndarray, order: list[int]):
    for name in NOMINAL:
        same(value(name, confusion[np.ix_(order, order)]), value(name, confusion))
    for name in REVERSIBLE:
        same(value(name, confusion[::-1, ::-1]), value(name, confusion))


@given(confusions)
def test_bounds(confusion: np.ndarray):
    for name in m.CONFUSION_METRICS:
        low, high = BOUNDS.get(name, (-np.inf if name.startswith("a") else -1, 1))
        figure = value(name, confusion)
        assert np.isnan(figure) or low - 1e-12 <= figure <= high + 1e-12


@given(st.lists(st.integers(1, 9), min_size=LEVELS, max_size=LEVELS))
def test_perfect_agreement_on_varied_items_is_one(counts: list[int]):
    for name in PERFECT_IS_ONE:
        same(value(name, np.diag(counts)), 1)


@given(st.integers(0, LEVELS - 1), st.integers(1, 20))
def test_a_constant_rater_against_the_same_constant(level: int, n: int):
    confusion = np.zeros((LEVELS, LEVELS))
    confusion[level, level] = n
    for name in (
        "kappa",
        "linear_kappa",
        "quadratic_kappa",
        "alpha_nominal",
        "alpha_ordinal",
        "spearman",
        "kendall_tau_b",
    ):
        assert np.isnan(value(name, confusion)), name
    for name in ("percentage_agreement", "ac1", "ac2", "macro_f1", "pabak"):
        assert value(name, confusion) == 1, name
    ratings = np.full((3, n), level + 1)
    assert np.isnan(m.fleiss_kappa(ratings, levels=LEVELS))
    assert np.isnan(m.krippendorff_alpha(ratings, levels=LEVELS))
    assert m.gwet_ac(ratings, levels=LEVELS) == 1


def test_nothing_rated_is_undefined():
    for name in m.CONFUSION_METRICS:
        assert np.isnan(value(name, np.zeros((3, 3)))), name
    nothing = [[None, 1], [2, None]]
    for metric in (m.gwet_ac, m.fleiss_kappa, m.krippendorff_alpha):
        assert np.isnan(metric(nothing, levels=3))
        assert np.isnan(metric([[], []], levels=3))
    assert np.isnan(m.per_level_recall([1], [1], levels=3)).tolist() == [False, True, True]
    assert np.isnan(m.flag_rate([None], levels=3))
    assert np.isnan(m.macro_f1([], [], levels=3, absent="zero"))
    assert np.isnan(m.auroc([0.1], [1], levels=3))
    assert np.isnan(m.auprc([], [], levels=3))


@given(pairs)
def test_missing_ratings_are_as_good_as_absent_items(items: list[tuple[int | None, int | None]]):
    complete = [(a, b) for a, b in items if a is not None and b is not None]
    for metric in (m.percentage_agreement, m.cohen_kappa, m.gwet_ac1, m.gwet_ac2, m.spearman, m.kendall_tau_b,
                   m.macro_f1, m.mean_signed_error, m.false_positive_rate, m.prevalence_index, m.bias_index,
                   m.pabak, m.per_level_recall):  # fmt: skip
        with_missing = metric([a for a, _ in items], [b for _, b in items], levels=LEVELS)
        same(with_missing, metric([a for a, _ in complete], [b for _, b in complete], levels=LEVELS))


@given(tables)
def test_items_with_one_rating_do_not_change_alpha(table: np.ndarray):
    several = (~np.isnan(table)).sum(axis=0) >= 2
    same(m.krippendorff_alpha(table, levels=4), m.krippendorff_alpha(table[:, several], levels=4))


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_raters_and_items_does_not_matter(table: np.ndarray, random: object):
    raters, items = list(range(table.shape[0])), list(range(table.shape[1]))
    random.shuffle(raters)
    random.shuffle(items)
    shuffled = table[np.ix_(raters, items)]
    for metric in (m.gwet_ac, m.fleiss_kappa, m.krippendorff_alpha):
        same(metric(shuffled, levels=4), metric(table, levels=4))
    assert np.array_equal(m.consensus(shuffled, levels=4), m.consensus(table, levels=4)[items])


@given(confusions)
def test_two_complete_raters_get_the_same_from_either_form(confusion: np.ndarray):
    truth, rater = (np.repeat(axis.ravel() + 1, confusion.ravel()) for axis in np.indices(confusion.shape))
    both = [rater, truth]
    for weights in ("identity", "linear", "quadratic"):
        same(m.gwet_ac(both, levels=4, weights=weights), m.gwet_ac2_from_confusion(confusion, weights=weights))
    for measurement in ("nominal", "ordinal", "interval"):
        pair = m.krippendorff_alpha_from_confusion(confusion, measurement=measurement)
        same(m.krippendorff_alpha(both, levels=4, measurement=measurement), pair)


@given(hnp.arrays(np.int64, (2, 3, LEVELS, LEVELS), elements=st.integers(0, 9)))
def test_a_stack_of_matrices_gives_each_ones_figure(stack: np.ndarray):
    for name, metric in m.CONFUSION_METRICS.items():
        figures = metric(stack)
        assert figures.shape == (2, 3)
        one_by_one = [[value(name, matrix) for matrix in row] for row in stack]
        np.testing.assert_allclose(figures, one_by_one, rtol=1e-12, atol=1e-12)
    assert m.per_level_recall_from_confusion(stack).shape == (2, 3, LEVELS)


@given(confusions)
def test_byrts_identity(confusion: np.ndarray):
    """Kappa of the cut table is (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2) (Byrt et al. 1993)."""
    cut = [[confusion[0, 0], confusion[0, 1:].sum()], [confusion[1:, 0].sum(), confusion[1:, 1:].sum()]]
    prevalence, bias, pabak = (value(name, confusion) for name in ("prevalence_index", "bias_index", "pabak"))
    chance = 1 - prevalence**2 + bias**2
    if confusion.sum() and chance > 1e-9:
        same(m.cohen_kappa_from_confusion(cut), (pabak - prevalence**2 + bias**2) / chance)


@pytest.mark.parametrize("levels", [2, 3, 5])
def test_weights(levels: int):
    for weighting in ("identity", "linear", "quadratic"):
        weights = m.agreement_weights(levels, weighting)
        assert (np.diag(weights) == 1).all()
        assert weights[0, -1] == 0
        assert np.array_equal(weights, weights.T)
    with pytest.raises(ValueError, match="Unknown weighting 'cubic'"):
        m.agreement_weights(levels, "cubic")
