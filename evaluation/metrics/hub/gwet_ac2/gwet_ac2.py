"""Gwet's AC2 as an `evaluate` module; the computation is `evaluation.metrics.gwet_ac2`."""

from collections.abc import Sequence

import datasets
import evaluate

from evaluation.metrics import gwet_ac2, n_pairs
from evaluation.metrics.weights import Weighting

_CITATION = "Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th edition."
_INPUTS = """
predictions: one rater's levels, None where it gave none.
references: the other's levels of the same items, None where it gave none.
levels: K, the length of the scale 1..K.
weights: `identity` (AC1), `linear` or `quadratic`.
"""


class GwetAC2(evaluate.Metric):  # type: ignore[misc]
    """Gwet's AC2."""

    def _info(self) -> evaluate.MetricInfo:
        one = datasets.Value("float64")
        return evaluate.MetricInfo(
            description="Agreement beyond chance that stays stable where one level prevails; NaN where undefined.",
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": one, "references": one}),
        )

    def _compute(
        self,
        predictions: Sequence[float | None],
        references: Sequence[float | None],
        levels: int,
        weights: Weighting = "quadratic",
    ) -> dict[str, float]:
        n = n_pairs(predictions, references, levels=levels)
        return {"gwet_ac2": gwet_ac2(predictions, references, levels=levels, weights=weights), "n": n}
