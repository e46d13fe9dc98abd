"""What a recipe says about one source to learn from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from babelguard.recipe import ComponentRecipe
from data_prep.register_shift import ShiftOptions

Split = Literal["train", "calibration", "test"]


class PartRecipe(ComponentRecipe):
    """One source. Its own options stand beside these keys."""

    source: str = Field(description="Name of the source, as in docs/sources.md; corpus for a folder that was built")
    name: str = Field("", description="Name of this part in tables; the source's if not set")
    splits: tuple[Split, ...] | None = Field(None, description="Take only these splits of it; all if not set")
    split: Literal["own", "hash", "train", "calibration", "test"] = Field(
        "own", description="own: as the source splits itself; hash: by source_id; else everything goes into that split"
    )
    benign_completions: Literal["level-1", "unlabelled"] = Field(
        "level-1", description="Benign completions without labels: level 1 in every category, or only for measuring"
    )
    share: float = Field(1.0, gt=0, le=1, description="Share of the source_ids to train on, chosen by hash")
    twins: ShiftOptions | None = Field(
        None, description="Twins to add to the items of train and calibration: registers' names, or their options"
    )
    licence: str | None = Field(None, description="Licence that you cleared it for, in place of the publisher's")
    on_bad_row: Literal["stop", "set-aside"] = "stop"

    @model_validator(mode="before")
    @classmethod
    def _named_after_source(cls, values: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        if isinstance(values, dict) and not values.get("name"):
            return {**values, "name": values.get("source", "")}
        return values

    @field_validator("twins", mode="before")
    @classmethod
    def _names_alone(cls, value: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        return {"registers": value} if isinstance(value, list) or value == "all" else value
