"""Checks that nominal 95% intervals of the clustered bootstrap cover 93% to 97%; exit code 1 if one does not.

    python benchmarks/bootstrap_coverage.py                     # 2,000 simulations, a minute on two cores
    python benchmarks/bootstrap_coverage.py --simulations 200   # a quick look
    python benchmarks/bootstrap_coverage.py --scenario rare     # harm in 3% of clusters: too few, see docs/metrics.md

Each simulation draws clusters of 1 to 5 items. A cluster is mild or harmful, and given its kind its items' true levels
and two raters' levels are independent draws from known distributions, so items of a cluster are alike and every metric
has an exact population value: that of the expected confusion matrix. Both raters have the same distribution, so the
population difference is 0 and the paired test should reject it in 5% of simulations.

For contrast it also prints the coverage of a bootstrap that resamples items as if they were independent.
"""

import argparse
import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np

from evaluation.metrics import CONFUSION_METRICS, Cell, Interval, Resamples, bootstrap, compare

METRICS = (
    "percentage_agreement", "kappa", "linear_kappa", "quadratic_kappa", "ac1", "ac2", "signed_error", "macro_f1",
    "false_positive_rate",
)  # fmt: skip
METHODS = ("percentile", "bca")
LEVELS, LARGEST_CLUSTER = 3, 5
# For each scenario the shares of mild and harmful clusters, and the true levels in each.
SCENARIOS = {
    "common": (np.array([0.7, 0.3]), np.array([[0.90, 0.08, 0.02], [0.15, 0.35, 0.50]])),
    "rare": (np.array([0.97, 0.03]), np.array([[0.995, 0.004, 0.001], [0.15, 0.35, 0.50]])),
}
# In harmful clusters the raters are harsher: agreement, too, varies between clusters.
RATED_GIVEN_TRUE = np.array(
    [
        [[0.92, 0.06, 0.02], [0.35, 0.50, 0.15], [0.10, 0.30, 0.60]],
        [[0.60, 0.30, 0.10], [0.10, 0.60, 0.30], [0.03, 0.12, 0.85]],
    ]
)
ACCEPTED = (0.93, 0.97)


def population(scenario: str) -> dict[str, float]:
    """Returns each metric of the expected confusion matrix, exactly."""
    confusion = np.einsum("k,kt,ktr->tr", *SCENARIOS[scenario], RATED_GIVEN_TRUE)
    return {name: float(CONFUSION_METRICS[name](confusion)) for name in METRICS}


def draw(rng: np.random.Generator, probabilities: np.ndarray) -> np.ndarray:
    """Draws a level, 1 to K, from each row of probabilities."""
    return 1 + (rng.random((len(probabilities), 1)) > np.cumsum(probabilities, axis=1)[:, :-1]).sum(axis=1)


def simulate(seed: np.random.SeedSequence, clusters: int, resamples: int, scenario: str) -> dict[str, float]:
    """Runs one simulation and returns, by figure, whether its interval covers (and whether a test rejects)."""
    rng, (kinds, true_given_kind) = np.random.default_rng(seed), SCENARIOS[scenario]
    source = np.repeat(np.arange(clusters), rng.integers(1, LARGEST_CLUSTER + 1, clusters))
    kind = rng.choice(2, clusters, p=kinds)[source]
    truth = draw(rng, true_given_kind[kind])
    raters = {name: draw(rng, RATED_GIVEN_TRUE[kind, truth - 1]) for name in ("first", "second")}
    outcome: dict[str, float] = {}
    cells = {name: Cell.of(rater, truth, source, levels=LEVELS) for name, rater in raters.items()}
    figures = bootstrap(cells, METRICS, resamples=Resamples.draw(source, n_resamples=resamples, rng=rng))
    items = np.arange(len(source))
    alone = {"first": Cell.of(raters["first"], truth, items, levels=LEVELS)}
    naive = bootstrap(alone, METRICS, resamples=Resamples.draw(items, n_resamples=resamples, rng=rng))
    for metric, value in population(scenario).items():
        one, other = (figures.statistic(name, metric) for name in ("first", "second"))
        for method in METHODS:
            outcome[f"{metric} {method}"] = covers(one.interval(method=method), value)
            compared = compare(one, other, method=method)
            outcome[f"{metric} difference {method}"] = covers(compared.difference, 0)
        outcome[f"{metric} rejected"] = float(compared.p_value <= 0.05)
        outcome[f"{metric} items"] = covers(naive.interval("first", metric, method="percentile"), value)
    return outcome


def covers(interval: Interval, value: float) -> float:
    """Returns 1 if the interval holds the value, else 0."""
    return float(interval.low <= value <= interval.high)


def report(outcomes: Iterable[dict[str, float]], scenario: str) -> bool:
    """Prints the coverages; returns whether all of those of the clustered bootstrap are accepted."""
    rows = list(outcomes)
    share = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    columns = ("percentile", "bca", "difference percentile", "difference bca", "rejected", "items")
    print(f"{'metric':22}{'population':>11}" + "".join(f"{name:>23}" for name in columns))
    for metric, value in population(scenario).items():
        print(f"{metric:22}{value:11.4f}" + "".join(f"{share[f'{metric} {name}']:23.4f}" for name in columns))
    checked = [share[f"{metric} {name}"] for metric in METRICS for name in columns[:4]]
    error = np.sqrt(0.95 * 0.05 / len(rows))
    low, high = ACCEPTED
    print(f"coverage of the clustered intervals: {min(checked):.4f} to {max(checked):.4f} (standard error {error:.4f})")
    print("'rejected' should be near 0.05; 'items' ignores the clusters and is for contrast")
    return low <= min(checked) and max(checked) <= high


def main() -> int:
    """Runs the simulations; 1 if a coverage is not accepted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=2_000)
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=2_000)
    parser.add_argument("--scenario", choices=SCENARIOS, default="common")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    seeds = np.random.SeedSequence(arguments.seed).spawn(arguments.simulations)
    run = partial(simulate, clusters=arguments.clusters, resamples=arguments.resamples, scenario=arguments.scenario)
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        accepted = report(pool.map(run, seeds, chunksize=20), arguments.scenario)
    return 0 if accepted else 1


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each worker has one core
    raise SystemExit(main())
