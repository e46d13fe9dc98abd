"""Percentage agreement as an `evaluate` module; the computation is `evaluation.metrics.percentage_agreement`."""

from collections.abc import Sequence

import datasets
import evaluate

from evaluation.metrics import n_pairs, percentage_agreement

_CITATION = "The share of items on which two raters agree; no source is needed."
_INPUTS = """
predictions: one rater's levels, None where it gave none.
references: the other's levels of the same items, None where it gave none.
levels: K, the length of the scale 1..K.
"""


class PercentageAgreement(evaluate.Metric):  # type: ignore[misc]
    """Percentage agreement."""

    def _info(self) -> evaluate.MetricInfo:
        one = datasets.Value("float64")
        return evaluate.MetricInfo(
            description="The share (0 to 1) of the items rated by both on which two raters gave the same level.",
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": one, "references": one}),
        )

    def _compute(
        self, predictions: Sequence[float | None], references: Sequence[float | None], levels: int
    ) -> dict[str, float]:
        n = n_pairs(predictions, references, levels=levels)
        return {"percentage_agreement": percentage_agreement(predictions, references, levels=levels), "n": n}
