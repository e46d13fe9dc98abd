"""The options of a generative guard's export, as a training recipe's block `export` gives them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from babelguard.recipe import RecipeModel


class GenerativeExportOptions(RecipeModel):
    """How a trained generative guard is exported: a recipe's block `export`."""

    dtype: Literal["float32", "bfloat16", "float16"] = Field(
        "bfloat16", description="Of the merged weights; they are merged in float32"
    )
    onnx: bool = Field(True, description="Whether to write an ONNX graph of the decisive token, where that is possible")
    opset: int = Field(18, ge=18, description="Version of the ONNX operators")
    split: Literal["calibration", "test"] = Field("test", description="Split on whose items decisions are compared")
    source_ids: int | None = Field(50, ge=1, description="Compare on so many source_ids, by hash; all if null")
    most_flips: float | None = Field(
        None, ge=0, le=1, description="Share of levels that may differ; 0.001 in float32 and 0.01 otherwise if not set"
    )

    @property
    def bound(self) -> float:
        """Share of levels that may differ from those of the training's own weights."""
        if self.most_flips is not None:
            return self.most_flips
        return 0.001 if self.dtype == "float32" else 0.01
