"""The same numbers as the libraries that have them, to 1e-12."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sk
from statsmodels.stats import inter_rater
from statsmodels.stats.multitest import multipletests

from evaluation import metrics as m

REFERENCE = json.loads(Path(__file__).with_name("irrcac_reference.json").read_text(encoding="utf-8"))
SEEDS = range(25)
SKLEARN_WEIGHTS = {"identity": None, "linear": "linear", "quadratic": "quadratic"}


def close(expected: float) -> object:
    return pytest.approx(expected, abs=1e-12, rel=1e-12)


def two_raters(seed: int) -> tuple[int, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    levels, n = int(rng.integers(2, 6)), int(rng.integers(20, 200))
    truth = rng.choice(levels, size=n, p=rng.dirichlet(np.ones(levels))) + 1
    rater = np.where(rng.random(n) < 0.6, truth, rng.integers(1, levels + 1, n))
    return levels, rater, truth


def several_raters(seed: int) -> tuple[int, np.ndarray]:
    rng = np.random.default_rng(seed)
    levels, raters, n = int(rng.integers(2, 6)), int(rng.integers(2, 6)), int(rng.integers(10, 60))
    truth = rng.integers(1, levels + 1, n)
    noise = rng.integers(1, levels + 1, (raters, n))
    table = np.where(rng.random((raters, n)) < 0.7, truth, noise).astype(float)
    table[rng.random((raters, n)) < 0.25] = np.nan
    return levels, table


@pytest.mark.parametrize("seed", SEEDS)
def test_kappa_and_agreement_equal_scikit_learn(seed: int):
    levels, rater, truth = two_raters(seed)
    scale = list(range(1, levels + 1))
    assert m.percentage_agreement(rater, truth, levels=levels) == close(sk.accuracy_score(truth, rater))
    for weights, name in SKLEARN_WEIGHTS.items():
        expected = sk.cohen_kappa_score(truth, rater, labels=scale, weights=name)
        assert m.cohen_kappa(rater, truth, levels=levels, weights=weights) == close(expected)
    assert np.array_equal(
        m.confusion_matrix(rater, truth, levels=levels), sk.confusion_matrix(truth, rater, labels=scale)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_kappa_equals_statsmodels(seed: int):
    levels, rater, truth = two_raters(seed)
    table = m.confusion_matrix(rater, truth, levels=levels)
    for weights, name in SKLEARN_WEIGHTS.items():
        expected = inter_rater.cohens_kappa(table, wt=name, return_results=False)
        assert m.cohen_kappa_from_confusion(table, weights=weights) == close(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_f1_and_recall_equal_scikit_learn(seed: int):
    levels, rater, truth = two_raters(seed)
    rater[rater == levels] = 1  # a level that the rater never gives
    scale = list(range(1, levels + 1))
    assert m.macro_f1(rater, truth, levels=levels) == close(sk.f1_score(truth, rater, average="macro"))
    zero = sk.f1_score(truth, rater, average="macro", labels=scale, zero_division=0)
    assert m.macro_f1(rater, truth, levels=levels, absent="zero") == close(zero)
    recall = sk.recall_score(truth, rater, labels=scale, average=None, zero_division=np.nan)
    np.testing.assert_allclose(m.per_level_recall(rater, truth, levels=levels), recall, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_rank_correlations_equal_scipy(seed: int):
    levels, rater, truth = two_raters(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        rho, tau = stats.spearmanr(rater, truth).statistic, stats.kendalltau(rater, truth).statistic
    np.testing.assert_allclose(m.spearman(rater, truth, levels=levels), rho, atol=1e-12)
    np.testing.assert_allclose(m.kendall_tau_b(rater, truth, levels=levels), tau, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_auroc_and_auprc_equal_scikit_learn(seed: int):
    levels, rater, truth = two_raters(seed)
    scores = np.round(rater + np.random.default_rng(seed).normal(size=len(truth)), 1)  # with ties
    flags = truth > 1
    if 0 < flags.sum() < len(flags):
        assert m.auroc(scores, truth, levels=levels) == close(sk.roc_auc_score(flags, scores))
        assert m.auprc(scores, truth, levels=levels) == close(sk.average_precision_score(flags, scores))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("measurement", ["nominal", "ordinal", "interval"])
def test_alpha_equals_krippendorff(seed: int, measurement: str):
    levels, table = several_raters(seed)
    expected = krippendorff.alpha(
        reliability_data=table, level_of_measurement=measurement, value_domain=list(range(1, levels + 1))
    )
    assert m.krippendorff_alpha(table, levels=levels, measurement=measurement) == close(expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_kappa_equals_statsmodels(seed: int):
    levels, table = several_raters(seed)
    table = np.where(np.isnan(table), 1, table)  # statsmodels takes no missing ratings
    expected = inter_rater.fleiss_kappa(m.item_counts(table, levels=levels))
    assert m.fleiss_kappa(table, levels=levels) == close(expected)


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=range(len(REFERENCE["cases"])))
def test_several_raters_equal_irrcac(case: dict):
    levels, ratings = case["levels"], case["ratings"]
    for weights, expected in case["irrcac"].items():
        assert m.gwet_ac(ratings, levels=levels, weights=weights) == close(expected["gwet"])
        assert m.fleiss_kappa(ratings, levels=levels, weights=weights) == close(expected["fleiss"])
    alphas = {"nominal": case["irrcac"]["identity"], "interval": case["irrcac"]["quadratic"]}
    for measurement, expected in alphas.items():
        ours = m.krippendorff_alpha(ratings, levels=levels, measurement=measurement)
        assert ours == close(expected["krippendorff"])


@pytest.mark.parametrize("seed", SEEDS)
def test_holm_equals_statsmodels(seed: int):
    p_values = np.round(np.random.default_rng(seed).random(seed + 1) ** 3, 2)
    expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(m.holm(p_values), expected, atol=1e-12)
