"""What the pages use of a run's `metrics.json`, checked once as it is read, so that no page meets a wrong type."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Part(BaseModel):
    """A part of the record; what the pages do not use may be anything."""

    model_config = ConfigDict(strict=True, extra="ignore")


class _Recipe(_Part):
    name: str | None = None
    description: str | None = None


class _Corpus(_Part):
    source: str | None = None
    licence: str | None = None
    items: int = 0
    source_ids: int = 0
    languages: dict[str, Any] = {}


class _Category(_Part):
    name: str
    title: str | None = None


class _Rater(_Part):
    name: str
    kind: str


class _Measure(_Part):
    metric: str
    rater: str
    reference: str
    category: str
    aggregate: str
    language: str | None
    band: str | None
    subset: str | None
    role: str | None
    register_: str | None = Field(alias="register")
    value: Finite | None
    low: Finite | None = None
    high: Finite | None = None
    n_items: int | None = None


class _Record(_Part):
    recipe: _Recipe
    corpus: _Corpus
    taxonomy: list[_Category]
    raters: list[_Rater]
    measures: list[_Measure]
    notes: list[str] = []


def fault_of(record: object) -> str:
    """Return where a record is not as `evaluation.run` writes it, ``corpus.items`` say; empty where it is."""
    try:
        _Record.model_validate(record)
    except ValidationError as error:
        return ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"])) or "record"
    return ""
