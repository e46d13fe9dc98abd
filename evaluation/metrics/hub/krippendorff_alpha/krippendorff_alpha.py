"""Krippendorff's alpha as an `evaluate` module; the computation is `evaluation.metrics.krippendorff_alpha`."""

from collections.abc import Sequence

import datasets
import evaluate

from evaluation.metrics import krippendorff_alpha, n_pairable
from evaluation.metrics.krippendorff_alpha import Measurement

_CITATION = "Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability."
_INPUTS = """
predictions: one rater's levels, None where it gave none.
references: for each item another rater's level, or the list of the other raters' levels; None where missing.
levels: K, the length of the scale 1..K.
measurement: `nominal`, `ordinal` or `interval`.
"""


class KrippendorffAlpha(evaluate.Metric):  # type: ignore[misc]
    """Krippendorff's alpha."""

    def _info(self) -> evaluate.MetricInfo:
        one = datasets.Value("float64")
        return evaluate.MetricInfo(
            description="Agreement of two or more raters with missing ratings; NaN where undefined.",
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=[
                datasets.Features({"predictions": one, "references": one}),
                datasets.Features({"predictions": one, "references": datasets.Sequence(one)}),
            ],
        )

    def _compute(
        self,
        predictions: Sequence[float | None],
        references: Sequence[float | None] | Sequence[Sequence[float | None]],
        levels: int,
        measurement: Measurement = "ordinal",
    ) -> dict[str, float]:
        others = [item if isinstance(item, Sequence) else [item] for item in references]
        ratings = list(zip(*([one, *rest] for one, rest in zip(predictions, others, strict=True)), strict=True))
        alpha = krippendorff_alpha(ratings, levels=levels, measurement=measurement)
        return {"krippendorff_alpha": alpha, "n": n_pairable(ratings, levels=levels)}
