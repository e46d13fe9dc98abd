"""docs/sources.md lists every source with its licence and whom to cite."""

from __future__ import annotations

from pathlib import Path

import pytest

from data_prep.mappings import MAPPINGS
from data_prep.source import SOURCES

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "sources.md"


@pytest.mark.parametrize("name", SOURCES.names)
def test_every_source_is_listed(name):
    lines = DOCUMENT.read_text(encoding="utf-8").split("\n")
    rows = [line for line in lines if line.startswith(f"| `{name}` |")]
    source = SOURCES.get(name)
    published = bool(source.downloads or source.hub)
    assert len(rows) == (2 if published else 1)
    if published:
        assert source.citation in rows[1]
        spdx = source.licence.split(";")[0].split(" ")[0]
        assert spdx in rows[0] or "none stated" in rows[0]


@pytest.mark.parametrize("name", sorted(MAPPINGS))
def test_the_coverage_is_that_of_the_tables(name):
    row = next(line for line in DOCUMENT.read_text(encoding="utf-8").split("\n") if line.startswith(f"| `{name}` |"))
    covers = row.split(" | ")[3]
    table = MAPPINGS[name]
    assert [category for category in table.target.names if category in covers] == list(table.covered)
    assert ("presence only" in covers) == bool(table.only_present)
    assert covers.startswith("nothing") == (not table.covered)
