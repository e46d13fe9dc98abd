from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evaluation import metrics as m
from evaluation.metrics import interval as interval_module

METRICS = list(m.CONFUSION_METRICS)


def ratings(seed: int, n: int = 60, levels: int = 3, clusters: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, levels + 1, n).astype(float)
    rater = np.where(rng.random(n) < 0.6, truth, rng.integers(1, levels + 1, n))
    rater[rng.random(n) < 0.1] = np.nan
    return rater, truth, rng.integers(0, clusters, n)


def single_items(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, n, p=[0.6, 0.25, 0.15]) + 1
    return np.where(rng.random(n) < 0.6, truth, rng.integers(1, 4, n)), truth, np.arange(n)


def test_replicates_equal_those_of_resampled_rows():
    """The point of the module: same draws, same figures, without copying a row."""
    rater, truth, source = ratings(0)
    resamples = m.Resamples.draw(source, n_resamples=40, rng=3)
    figures = m.bootstrap({"it": m.Cell.of(rater, truth, source, levels=3)}, METRICS, resamples=resamples)
    for replicate, draws in enumerate(resamples.counts()):
        rows = np.concatenate([np.flatnonzero(source == c) for c in np.repeat(resamples.clusters, draws)])
        confusion = m.confusion_matrix(rater[rows], truth[rows], levels=3)
        for name, metric in m.CONFUSION_METRICS.items():
            np.testing.assert_array_equal(figures.replicates[name][0, replicate], metric(confusion))


def test_leaving_out_a_cluster_equals_dropping_its_rows():
    rater, truth, source = ratings(1)
    resamples = m.Resamples.draw(np.append(source, 99), n_resamples=1)
    figures = m.bootstrap({"it": m.Cell.of(rater, truth, source, levels=3)}, METRICS, resamples=resamples)
    for name in METRICS:
        left_out = figures.statistic("it", name).jackknife()
        for place, cluster in enumerate(resamples.clusters):
            kept = source != cluster
            confusion = m.confusion_matrix(rater[kept], truth[kept], levels=3)
            np.testing.assert_array_equal(left_out[place], m.CONFUSION_METRICS[name](confusion))


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("name", ["quadratic_kappa", "ac2", "percentage_agreement", "signed_error"])
def test_intervals_equal_scipys_given_the_same_resamples(method: str, name: str):
    rater, truth, source = single_items(5, 80)
    resamples = m.Resamples.draw(source, n_resamples=999, rng=1)
    figures = m.bootstrap({"it": m.Cell.of(rater, truth, source, levels=3)}, [name], resamples=resamples)

    def statistic(a: np.ndarray, b: np.ndarray) -> float:
        return float(m.CONFUSION_METRICS[name](m.confusion_matrix(a, b, levels=3)))

    given_replicates = SimpleNamespace(bootstrap_distribution=figures.replicates[name][0])
    expected = stats.bootstrap(
        (rater, truth), statistic, paired=True, vectorized=False, n_resamples=0, bootstrap_result=given_replicates,
        method=method if method == "percentile" else "BCa",
    ).confidence_interval  # fmt: skip
    ours = figures.interval("it", name, method=method)
    assert ours.method == method
    np.testing.assert_allclose([ours.low, ours.high], [expected.low, expected.high], rtol=1e-9, atol=1e-12)


def test_bca_agrees_with_scipys_own_resamples():
    rater, truth, source = single_items(6, 150)
    ours = m.bootstrap_interval(rater, truth, source, "linear_kappa", levels=3, n_resamples=4000, rng=2)
    metric = m.CONFUSION_METRICS["linear_kappa"]
    theirs = stats.bootstrap(
        (rater, truth), lambda a, b: float(metric(m.confusion_matrix(a, b, levels=3))), paired=True,
        vectorized=False, n_resamples=4000, method="BCa", rng=np.random.default_rng(8),
    )  # fmt: skip
    # A tail quantile of 4000 replicates has a Monte Carlo error of about 0.04 standard errors.
    tolerance = 0.2 * theirs.standard_error
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=tolerance)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=tolerance)


def test_the_acceleration_of_one_stratum_is_efrons():
    values = np.random.default_rng(0).normal(size=30) ** 2
    spread = values.mean() - values
    expected = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5)
    assert interval_module.acceleration(values, np.zeros(30, dtype=int)) == pytest.approx(expected)


def test_the_same_seed_gives_the_same_intervals_and_another_does_not():
    rater, truth, source = ratings(2)

    def run(rng: object) -> m.Interval:
        return m.bootstrap_interval(rater, truth, source, "ac2", levels=3, n_resamples=300, rng=rng)

    assert run(7) == run(7) == run(np.random.default_rng(7))
    assert run(7) != run(8)
    generator = np.random.default_rng(7)
    assert run(generator) != run(generator)


@given(st.integers(1, 40), st.integers(1, 1200), st.integers(0, 5))
@settings(max_examples=20, deadline=None)
def test_draws_are_as_many_as_clusters_in_every_stratum(clusters: int, n_resamples: int, seed: int):
    ids = np.arange(clusters)
    resamples = m.Resamples.draw(ids, n_resamples=n_resamples, rng=seed, strata=ids % 3)
    draws = resamples.counts()
    assert draws.shape == (n_resamples, clusters)
    for stratum in range(min(3, clusters)):
        own = resamples.strata == stratum
        assert (draws[:, own].sum(axis=1) == own.sum()).all()
    assert np.array_equal(draws, resamples.counts())


def test_draws_are_uniform_and_independent_of_the_item_order():
    ids = np.array(["b", "a", "c", "a"])
    resamples = m.Resamples.draw(ids, n_resamples=6000, rng=0)
    assert resamples.clusters.tolist() == ["a", "b", "c"]
    draws = resamples.counts()
    np.testing.assert_allclose(draws.mean(axis=0), 1, atol=0.05)
    np.testing.assert_allclose(draws.var(axis=0), 2 / 3, atol=0.05)
    assert np.array_equal(draws, m.Resamples.draw(ids[::-1], n_resamples=6000, rng=0).counts())


def test_strata_keep_their_share():
    rater, truth, source = ratings(3, n=200, clusters=200)
    strata = np.where(source < 100, "aligned", "manual")
    resamples = m.Resamples.draw(source, n_resamples=50, strata=strata)
    cell = m.Cell.of(rater[source < 100], truth[source < 100], source[source < 100], levels=3)
    rows = resamples.rows(cell.clusters)
    assert (resamples.counts()[:, rows].sum(axis=1) == len(rows)).all()
    figures = m.bootstrap({"part": cell}, ["ac2"], resamples=resamples)
    assert figures.interval("part", "ac2").method == "bca"


def test_undefined_replicates_are_counted():
    # One varied item of twenty: about a third of the replicates lack it, and kappa is then 0/0.
    rater, truth = [1] * 19 + [2], [1] * 19 + [2]
    resamples = m.Resamples.draw(range(20), n_resamples=1000, rng=0)
    cells = {"it": m.Cell.of(rater, truth, range(20), levels=3)}
    figures = m.bootstrap(cells, ["kappa", "ac1"], resamples=resamples)
    kappa = figures.interval("it", "kappa")
    lacking = int((resamples.counts()[:, 19] == 0).sum())
    assert kappa.n_undefined == lacking > 250
    assert (kappa.low, kappa.high, kappa.method) == (1, 1, "percentile-fallback")
    assert figures.interval("it", "ac1").n_undefined == 0
    both = m.compare(figures.statistic("it", "kappa"), figures.statistic("it", "ac1"))
    assert both.difference.n_undefined == lacking


def test_an_undefined_estimate_has_no_interval():
    result = m.bootstrap_interval([1, 1, None], [1, 1, 1], [0, 1, 2], "kappa", levels=3, n_resamples=50)
    assert np.isnan([result.estimate, result.low, result.high]).all()
    assert (result.n_items, result.n_clusters, result.n_undefined) == (2, 2, 50)


def test_a_figure_without_variation_has_an_interval_without_width():
    result = m.bootstrap_interval([1, 2, 3], [1, 2, 3], [0, 1, 2], "percentage_agreement", levels=3, n_resamples=50)
    assert (result.low, result.estimate, result.high, result.method) == (1, 1, 1, "bca")


def test_comparisons_are_paired():
    """A judge and a copy of it with a few ratings put right vary together; the difference varies less."""
    rater, truth, source = ratings(4, n=100, clusters=100)
    better = rater.copy()
    wrong = np.flatnonzero((rater != truth) & ~np.isnan(rater))[:6]
    better[wrong] = truth[wrong]
    resamples = m.Resamples.draw(source, n_resamples=2000, rng=1)
    cells = {name: m.Cell.of(r, truth, source, levels=3) for name, r in (("judge", rater), ("better", better))}
    figures = m.bootstrap(cells, ["quadratic_kappa"], resamples=resamples)
    result = figures.compare("better", "judge", "quadratic_kappa")
    assert result.difference.estimate > 0
    assert result.p_value < 0.05
    widths = [figures.interval(key, "quadratic_kappa") for key in cells]
    unpaired = np.hypot(*(width.high - width.low for width in widths))
    assert result.difference.high - result.difference.low < 0.7 * unpaired
    opposite = figures.compare("judge", "better", "quadratic_kappa")
    assert opposite.p_value == result.p_value
    assert opposite.difference.low == pytest.approx(-result.difference.high)
    itself = figures.compare("judge", "judge", "quadratic_kappa")
    assert (itself.p_value, itself.difference.low, itself.difference.high) == (1, 0, 0)


def test_means_are_taken_replicate_by_replicate():
    resamples = m.Resamples.draw(range(25), n_resamples=200, rng=1)
    cells = {}
    for seed, levels in enumerate((3, 3, 5)):
        rater, truth, source = ratings(seed, levels=levels)
        cells[seed] = m.Cell.of(rater, truth, source, levels=levels)
    figures = m.bootstrap(cells, ["ac2", "kappa"], resamples=resamples)
    average = figures.mean(cells, "ac2")
    np.testing.assert_allclose(average.replicates, figures.replicates["ac2"].mean(axis=0))
    assert average.estimate == pytest.approx(np.mean([figures.statistic(key, "ac2").estimate for key in cells]))
    assert average.n_items == min(cell.n_items for cell in cells.values())
    interval = average.interval()
    assert interval.low < interval.estimate < interval.high
    ahead = m.compare(figures.statistic(0, "ac2"), average)
    assert ahead.difference.estimate == pytest.approx(figures.statistic(0, "ac2").estimate - average.estimate)


def test_the_mean_human_pair():
    rng = np.random.default_rng(0)
    humans = rng.integers(1, 4, (3, 40))
    cells = m.human_pair_cells(humans, range(40), levels=3)
    assert list(cells) == [(0, 1), (0, 2), (1, 2)]
    figures = m.bootstrap(cells, ["linear_kappa"], resamples=m.Resamples.draw(range(40), n_resamples=50))
    expected = m.human_pairs(humans, "linear_kappa", levels=3).mean
    assert figures.mean(cells, "linear_kappa").estimate == pytest.approx(expected)


def test_a_mean_over_an_undefined_cell():
    varied, constant = [1, 2, 3, 1], [1, 1, 1, 1]
    cells = {
        "varied": m.Cell.of(varied, varied, range(4), levels=3),
        "constant": m.Cell.of(constant, constant, range(4), levels=3),
    }
    figures = m.bootstrap(cells, ["kappa"], resamples=m.Resamples.draw(range(4), n_resamples=50))
    assert np.isnan(figures.mean(cells, "kappa").interval().low)
    assert figures.mean(cells, "kappa", undefined="skip").estimate == 1


def test_one_cell_of_many_languages_and_scales():
    """Cells with other clusters and scales get the figures they get alone."""
    universe = np.arange(40)
    resamples = m.Resamples.draw(universe, n_resamples=1100, rng=5)
    cells = {}
    for seed in range(6):
        rater, truth, source = ratings(seed, levels=3 + 2 * (seed % 2), clusters=20)
        cells[seed] = m.Cell.of(rater, truth, source + 20 * (seed // 3), levels=3 + 2 * (seed % 2))
    together = m.bootstrap(cells, ["ac2", "macro_f1"], resamples=resamples)
    for place, (key, cell) in enumerate(cells.items()):
        alone = m.bootstrap({key: cell}, ["ac2", "macro_f1"], resamples=resamples)
        for name in ("ac2", "macro_f1"):
            np.testing.assert_array_equal(together.replicates[name][place], alone.replicates[name][0])


def test_large_counts_are_exact():
    """Counts beyond 2^24 switch to float64: the order of a sum never shows."""
    counts = np.full((4, 3, 3), 2**23) + np.arange(36).reshape(4, 3, 3)
    cell = m.Cell(np.arange(4), counts)
    resamples = m.Resamples.draw(range(4), n_resamples=20)
    figures = m.bootstrap({"big": cell}, ["kappa"], resamples=resamples)
    exact = [float(m.cohen_kappa_from_confusion(np.tensordot(draws, counts, 1))) for draws in resamples.counts()]
    assert figures.replicates["kappa"][0].tolist() == exact


def test_errors_are_sentences():
    cell = m.Cell.of([1, 2], [1, 2], ["a", "b"], levels=3)
    resamples = m.Resamples.draw(["a", "b"], n_resamples=5)
    figures = m.bootstrap({"it": cell}, ["kappa"], resamples=resamples)
    with pytest.raises(ValueError, match="Cluster b is not among"):
        m.bootstrap({"it": cell}, ["kappa"], resamples=m.Resamples.draw(["a"], n_resamples=5))
    with pytest.raises(ValueError, match="Unknown metric 'kapa'"):
        m.bootstrap({"it": cell}, ["kapa"], resamples=resamples)
    with pytest.raises(ValueError, match="no cell 'other'"):
        figures.interval("other", "kappa")
    with pytest.raises(ValueError, match="no metric 'ac2' here"):
        figures.interval("it", "ac2")
    with pytest.raises(ValueError, match="The method is"):
        figures.interval("it", "kappa", method="basic")
    with pytest.raises(ValueError, match="between 0 and 1"):
        figures.interval("it", "kappa", level=95)
    other = m.bootstrap({"it": cell}, ["kappa"], resamples=m.Resamples.draw(["a", "b"], n_resamples=5))
    with pytest.raises(ValueError, match="same Resamples"):
        m.compare(figures.statistic("it", "kappa"), other.statistic("it", "kappa"))
    with pytest.raises(ValueError, match="one or more"):
        m.mean_of([])
    with pytest.raises(ValueError, match="three lists of the same items"):
        m.Cell.of([1], [1, 2], ["a", "b"], levels=3)


@pytest.mark.parametrize(
    ("clusters", "strata", "said"),
    [
        ([], None, "must be 1 or more"),
        (["a", None], None, "at least one is missing"),
        ([0.0, float("nan")], None, "at least one is NaN"),
        ([["a"]], None, "have the shape"),
        (["a", "a"], [0, 1], "Cluster a is in two strata"),
        (["a", "b"], [0], "one for each item"),
    ],
)
def test_wrong_clusters(clusters: list, strata: list | None, said: str):
    with pytest.raises(ValueError, match=said):
        m.Resamples.draw(clusters, n_resamples=5, strata=strata)
