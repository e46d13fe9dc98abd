"""Cohen's weighted kappa as an `evaluate` module; the computation is `evaluation.metrics.cohen_kappa`."""

from collections.abc import Sequence

import datasets
import evaluate

from evaluation.metrics import cohen_kappa, n_pairs
from evaluation.metrics.weights import Weighting

_CITATION = "Cohen, J. (1968). Weighted kappa. Psychological Bulletin 70(4), 213-220."
_INPUTS = """
predictions: one rater's levels, None where it gave none.
references: the other's levels of the same items, None where it gave none.
levels: K, the length of the scale 1..K.
weights: `identity`, `linear` or `quadratic`.
"""


class WeightedKappa(evaluate.Metric):  # type: ignore[misc]
    """Cohen's weighted kappa."""

    def _info(self) -> evaluate.MetricInfo:
        one = datasets.Value("float64")
        return evaluate.MetricInfo(
            description="Cohen's kappa on an ordinal scale of K levels; NaN where undefined.",
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
        return {"weighted_kappa": cohen_kappa(predictions, references, levels=levels, weights=weights), "n": n}
