"""Times the clustered bootstrap of a whole RTP-LX-like table against a loop over scikit-learn's kappa.

    python benchmarks/bootstrap.py            # 18 languages x 8 categories, 10,000 resamples
    python benchmarks/bootstrap.py --resamples 1000 --languages 2

The table: in each language and category a GPT-4-like judge (all eight), an ACS-like classifier (four) and the three
pairs of humans, with percentage agreement, linear and quadratic kappa, AC1, AC2, signed error, macro-F1 and the
false-positive rate, their BCa intervals, the mean human pair and the average over categories. The labels are synthetic
and seeded: 999 source_ids in every language and about 80 of each language's own.

The loop resamples rows and calls `sklearn.metrics.cohen_kappa_score` (linear weights) for one metric alone; a part
of it is timed and scaled to the number of kappas in the table.
"""

import argparse
import os
import platform
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import cohen_kappa_score

from evaluation.metrics import Bootstrap, Cell, Resamples, bootstrap, human_pair_cells

CATEGORIES = (
    "Toxicity",
    "IdentityAttack",
    "Bias",
    "Microaggression",
    "Violence",
    "SelfHarm",
    "Insult",
    "SexualContent",
)
ACS_CATEGORIES = ("IdentityAttack", "Violence", "SelfHarm", "SexualContent")
METRICS = (
    "percentage_agreement", "linear_kappa", "quadratic_kappa", "ac1", "ac2", "signed_error", "macro_f1",
    "false_positive_rate",
)  # fmt: skip
SHARED, OWN = 999, 80
Key = tuple[int, str, str]


def labels(rng: np.random.Generator, levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns a judge, a classifier and three humans (some missing) for one language and category."""
    n = SHARED + OWN
    true = rng.choice(levels, n, p=np.array([6, 2, 2, 1, 1][:levels]) / sum([6, 2, 2, 1, 1][:levels])) + 1

    def noisy(share: float) -> np.ndarray:
        ratings = np.where(rng.random(n) < share, true, rng.integers(1, levels + 1, n)).astype(float)
        ratings[rng.random(n) < 0.01] = np.nan
        return ratings

    return noisy(0.6), noisy(0.5), np.stack([noisy(0.75) for _ in range(3)])


def table(languages: int, rng: np.random.Generator) -> tuple[dict[Key, Cell], list[np.ndarray], list[tuple]]:
    """Returns the cells, the cluster ids of each language, and some raw ratings for the loop."""
    cells: dict[Key, Cell] = {}
    clusters, raw = [], []
    for language in range(languages):
        ids = np.concatenate([np.arange(SHARED), SHARED + language * OWN + np.arange(OWN)])
        clusters.append(ids)
        for category in CATEGORIES:
            levels = 5 if category == "Toxicity" else 3
            judge, acs, humans = labels(rng, levels)
            truth = humans[0]
            raw.append((judge, truth, ids, levels))
            cells[language, category, "judge"] = Cell.of(judge, truth, ids, levels=levels)
            if category in ACS_CATEGORIES:
                cells[language, category, "acs"] = Cell.of(acs, truth, ids, levels=levels)
            for (i, j), cell in human_pair_cells(humans, ids, levels=levels).items():
                cells[language, category, f"human{i}-human{j}"] = cell
    return cells, clusters, raw


def intervals(figures: Bootstrap[Key], languages: int) -> int:
    """Makes every interval of the table and returns how many there are."""
    made = 0
    for metric in METRICS:
        for language in range(languages):
            humans = []
            for category in CATEGORIES:
                keys = [key for key in figures.cells if key[:2] == (language, category)]
                humans.append(figures.mean([key for key in keys if "human" in key[2]], metric))
                rows = [humans[-1], *(figures.statistic(key, metric) for key in keys if "human" not in key[2])]
                made += len([row.interval() for row in rows])
            for rater, categories in (("judge", CATEGORIES), ("acs", ACS_CATEGORIES)):
                figures.mean([(language, category, rater) for category in categories], metric).interval()
                made += 1
    return made


def seconds_per_kappa(raw: list[tuple], rng: np.random.Generator, calls: int) -> float:
    """Times resampling rows by cluster and scikit-learn's kappa, one replicate at a time."""
    start = time.perf_counter()
    for call in range(calls):
        judge, truth, ids, levels = raw[call % len(raw)]
        rows = rng.integers(len(ids), size=len(ids))  # one item a cluster: a row is a cluster
        both = rows[~np.isnan(judge[rows]) & ~np.isnan(truth[rows])]
        cohen_kappa_score(truth[both], judge[both], labels=range(1, levels + 1), weights="linear")
    return (time.perf_counter() - start) / calls


def machine() -> str:
    """Says what this ran on."""
    cpu = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line.split(":", 1)[1].strip() for line in information.read_text().splitlines() if "model name" in line]
        cpu = names[0] if names else cpu
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}"


def main() -> int:
    """Runs the benchmark; 1 if the vectorised bootstrap is not 100 times faster."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", type=int, default=18)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--loop-calls", type=int, default=1_000, help="kappas of the loop that are timed")
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    cells, clusters, raw = table(arguments.languages, rng)
    per_kappa = seconds_per_kappa(raw, rng, arguments.loop_calls)

    start = time.perf_counter()
    ids = np.concatenate(clusters)
    strata = np.maximum(ids - SHARED, -1) // OWN  # shared, and each language's own
    resamples = Resamples.draw(ids, n_resamples=arguments.resamples, rng=rng, strata=strata)
    figures = bootstrap(cells, METRICS, resamples=resamples)
    drawn = time.perf_counter() - start
    made = intervals(figures, arguments.languages)
    total = time.perf_counter() - start

    start = time.perf_counter()
    bootstrap(cells, ["linear_kappa"], resamples=resamples)
    alone = time.perf_counter() - start

    loop = per_kappa * len(cells) * arguments.resamples
    print(machine())
    print(f"{len(cells)} comparisons x {arguments.resamples} resamples x {len(METRICS)} metrics")
    print(f"bootstrap: {drawn:.1f} s for the replicates, {total:.1f} s with {made} BCa intervals")
    print(f"scikit-learn in a loop: {1e3 * per_kappa:.2f} ms a kappa, so {loop:.0f} s for one metric alone")
    print(f"ratio, its one metric against our {len(METRICS)} with intervals: {loop / total:.0f}")
    print(f"ratio, the same metric alone without intervals ({alone:.1f} s): {loop / alone:.0f}")
    return 0 if loop / total >= 100 else 1


if __name__ == "__main__":
    raise SystemExit(main())
