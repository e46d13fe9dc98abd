"""Records irrCAC's coefficients on random tables with missing ratings, for `test_irrcac.py`.

irrCAC pins numpy<2, so it lives in an environment of its own, outside the repository:

    python3 -m venv /tmp/irr && /tmp/irr/bin/pip install irrCAC==0.4.4
    /tmp/irr/bin/python tests/evaluation/metrics/make_irrcac_reference.py

It rounds its results to `digits`; with 15 the rounding is below the tests' tolerance of 1e-12.
"""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
from irrCAC.raw import CAC

REFERENCE = Path(__file__).with_name("irrcac_reference.json")
WEIGHTINGS = ("identity", "linear", "quadratic")
TABLES = 40


def random_table(rng: np.random.Generator) -> tuple[int, np.ndarray]:
    """Draws K and a (items, raters) table of correlated ratings with NaN for missing."""
    levels, raters, items = int(rng.integers(2, 6)), int(rng.integers(2, 6)), int(rng.integers(8, 25))
    shares = rng.dirichlet(np.full(levels, rng.choice([0.5, 2.0])))
    truth = rng.choice(levels, size=(items, 1), p=shares) + 1
    noise = rng.integers(1, levels + 1, size=(items, raters))
    table = np.where(rng.random((items, raters)) < rng.uniform(0.3, 0.9), truth, noise).astype(float)
    table[rng.random((items, raters)) < rng.choice([0.0, 0.1, 0.4])] = np.nan
    return levels, table


def coefficients(levels: int, table: np.ndarray) -> dict[str, dict[str, float]]:
    """Asks irrCAC for AC1/AC2, Fleiss' kappa and Krippendorff's alpha."""
    frame, values = pd.DataFrame(table), {}
    for weighting in WEIGHTINGS:
        cac = CAC(frame, weights=weighting, categories=list(range(1, levels + 1)), digits=15)
        values[weighting] = {
            name: float(getattr(cac, name)()["est"]["coefficient_value"]) for name in ("gwet", "fleiss")
        }
        # `krippendorff()` leaves its estimate on the object alone.
        cac.krippendorff()
        values[weighting]["krippendorff"] = float(cac.coefficient_value)
    return values


def main() -> None:
    """Writes the reference file."""
    rng, cases = np.random.default_rng(20240611), []
    while len(cases) < TABLES:
        levels, table = random_table(rng)
        used = np.unique(table[~np.isnan(table)])
        pairable = (~np.isnan(table)).sum(axis=1) >= 2
        if len(used) < 2 or pairable.sum() < 2 or len(np.unique(table[pairable][~np.isnan(table[pairable])])) < 2:
            continue
        values = coefficients(levels, table)
        ratings = [[None if math.isnan(x) else int(x) for x in rater] for rater in table.T]
        cases.append({"levels": levels, "ratings": ratings, "irrcac": values})
    lines = ",\n".join(json.dumps(case) for case in cases)
    REFERENCE.write_text(f'{{"irrcac_version": "0.4.4", "cases": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
