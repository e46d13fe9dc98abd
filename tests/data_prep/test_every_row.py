"""Every row of the published files has one fate: the readers' accounts against counts made with other libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard import RTP_LX
from babelguard.rejects import FileRows, RejectLog
from data_prep.building.recipe import Part, load_plan

RECIPE = Path(__file__).resolve().parents[2] / "recipes" / "data_prep" / "everything.yaml"
PARTS = tuple(part.name for part in load_plan(RECIPE).parts)


def read_whole(part: Part) -> tuple[dict[Path, FileRows], int]:
    log = RejectLog()
    items = sum(1 for _ in part.source.read(part.options, RTP_LX, log))
    return {Path(file): account for file, account in log.files.items()}, items


def counted_otherwise(path: Path) -> int:
    """Rows of a file by pandas, or, of JSON lines, by the line feeds."""
    if path.suffix in {".json", ".jsonl"}:
        return sum(1 for line in path.read_bytes().split(b"\n") if line.strip())
    pandas = pytest.importorskip("pandas")
    header = None if path.parent.parent.name == "xsafety" else 0
    separator = "\t" if path.suffix == ".tsv" else ","
    return len(pandas.read_csv(path, sep=separator, dtype=str, keep_default_na=False, header=header))


@pytest.mark.parametrize("name", PARTS)
def test_every_row_of_every_file_has_one_fate(shared_data, name):
    plan = load_plan(RECIPE, [f"data={shared_data}"])
    part = next(one for one in plan.parts if one.name == name)
    accounts, items = read_whole(part)
    assert accounts
    for path, account in accounts.items():
        assert account.rows == counted_otherwise(path), path.name
        assert account.rows == account.with_items + account.set_aside.total() + account.left_out.total(), path.name
    assert sum(account.items for account in accounts.values()) == items


def test_a_row_of_several_items_is_one_row(shared_data):
    plan = load_plan(RECIPE, [f"data={shared_data}"])
    parts = {part.name: read_whole(part) for part in plan.parts if part.name in {"paradetox", "multijail"}}
    totals = {name: sum(account.rows for account in accounts.values()) for name, (accounts, _) in parts.items()}
    assert totals == {"paradetox": 11_927, "multijail": 315}
    assert {name: items for name, (_, items) in parts.items()} == {"paradetox": 11_927 + 19_743, "multijail": 6 * 315}
