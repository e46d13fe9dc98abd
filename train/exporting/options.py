"""The options of an export, as a training recipe's block `export` gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from babelguard.recipe import RecipeModel
from serve.bundle import Precision


class VocabularyOptions(RecipeModel):
    """Which tokens the bundle keeps."""

    languages: Literal["all", "trained"] | tuple[str, ...] = Field(
        "all",
        description="all: every token; trained: languages of the training split; or codes of the languages to keep",
    )
    max_size_mb: float | None = Field(
        None, gt=0, description="Fill the bundle, with its default precision alone, up to so many MB (10^6 bytes)"
    )
    least_count: int = Field(1, ge=1, description="Keep tokens that the training texts use at least so often")

    @property
    def prunes(self) -> bool:
        """Whether tokens are dropped at all."""
        return self.languages != "all" or self.max_size_mb is not None


class Int8Options(RecipeModel):
    """How weights and activations become 8-bit integers."""

    scheme: Literal["tokenwise", "dynamic", "blockwise"] = Field(
        "tokenwise",
        description="tokenwise: a scale for each output channel of the weights and for each token's activations; "
        "dynamic: one for all activations of a batch, faster and less close; blockwise: one for each block of a row of "
        "weights and of activations, slower",
    )
    outliers: int = Field(
        8, ge=0, le=256, description="Channels of a matrix's input that stay in fp32, in the tokenwise scheme"
    )
    smoothing: float = Field(
        0.7,
        ge=0,
        le=1,
        description="How much of activations' outliers moves into the weights, in the dynamic scheme; 0 is none",
    )
    block: Literal[16, 32, 64, 128] = Field(32, description="Values that share a scale, in the blockwise scheme")
    embedding_bits: Literal[4, 8] = Field(
        8,
        description="8: a scale a token; 4: a scale for each 32 values, half the size; loses little where the "
        "base model's own table is in 4 bits (Q4_0)",
    )
    exclude: Literal["auto", "none"] | tuple[str, ...] = Field(
        "auto", description="auto: spare the groups of matrices that hurt; or patterns of groups"
    )
    spared: Literal["blockwise", "fp32"] = Field("blockwise", description="How spared matrices are stored")
    tune_items: int = Field(256, ge=16, description="Texts on which it is measured what hurts")


class Bounds(RecipeModel):
    """How many decisions (levels and flags) may differ from the trained model's, as shares (0-1)."""

    fp32: float = Field(0.001, ge=0, le=1)
    fp16: float = Field(0.001, ge=0, le=1)
    int8: float = Field(0.01, ge=0, le=1)
    vocabulary: float = Field(1.0, ge=0, le=1, description="Differences that come from pruning the vocabulary alone")


class ExportOptions(RecipeModel):
    """How a trained classifier becomes a bundle."""

    precisions: tuple[Precision, ...] = Field(("fp32", "fp16", "int8"), min_length=1)
    default: Precision | None = Field(
        None, description="What is loaded unless asked otherwise; the smallest if not set"
    )
    vocabulary: VocabularyOptions = VocabularyOptions()
    int8: Int8Options = Int8Options()
    bounds: Bounds = Bounds()
    split: Literal["test", "calibration"] = Field("test", description="Items on which decisions are compared")
    items: Annotated[int, Field(ge=1)] | None = Field(
        None, description="Compare on so many of them, by hash; all if not set"
    )
    claimed: tuple[str, ...] | None = Field(
        None, description="Languages that the bundle claims to know; those of the training split if not set"
    )
    window: int | None = Field(None, ge=8, description="Tokens of a window when served; as trained if not set")
    overlap: int | None = Field(None, ge=0, description="Tokens that neighbouring windows share; as trained if not set")
    notes: Path | None = Field(None, description="Markdown file that ends the bundle's card: comparisons, notices")
    opset: int = Field(20, ge=18, le=23, description="Version of the ONNX operators")

    @property
    def default_precision(self) -> Precision:
        """The precision that a bundle loads by default."""
        if self.default is not None:
            return self.default
        smallest: tuple[Precision, ...] = ("int8", "fp16", "fp32")
        return next(one for one in smallest if one in self.precisions)

    @model_validator(mode="after")
    def _default_is_written(self) -> ExportOptions:
        if self.default is not None and self.default not in self.precisions:
            raise ValueError(f"'default' is {self.default}, which 'precisions' does not have")
        return self
