"""The annotators' agreement as a manifest keeps it, averaged over categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data_prep.reliability import Reliability, mean_over_categories


def mean_rows(records: Sequence[Mapping[str, Any]]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Return (part, role, language) -> the mean of each figure over the categories in which it is defined."""
    return mean_over_categories([_from_record(record) for record in records])


def _from_record(record: Mapping[str, Any]) -> Reliability:
    figures = {name: value for name, value in record.items() if name not in {"part", "role", "language"}}
    return Reliability(group=(record["part"], record["role"], record["language"]), **figures)
