"""Parquet files, a batch at a time."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelguard import UserError
from babelguard.rejects import RejectLog
from data_prep.reading.parquet import BATCH_ROWS, read_parquet


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"text": [f"t{n}" for n in range(BATCH_ROWS + 2)], "n": range(BATCH_ROWS + 2)}), path)
    return path


def test_rows_are_numbered_over_batches(file):
    rows = list(read_parquet(file, RejectLog(strict=True), needed=("text",)))
    assert [row.line for row in rows] == list(range(1, BATCH_ROWS + 3))
    assert dict(rows[-1].fields) == {"text": f"t{BATCH_ROWS + 1}", "n": BATCH_ROWS + 1}


def test_another_schema_is_named(file):
    log = RejectLog()
    assert list(read_parquet(file, log, needed=("label",))) == []
    assert log.rejections[0].sentence().endswith("line 1: the file has no column 'label'; it has 'text', 'n'.")
    with pytest.raises(UserError, match="has no column 'label'"):
        list(read_parquet(file, RejectLog(strict=True), needed=("label",)))


def test_damage_is_named(file, tmp_path):
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        list(read_parquet(file, RejectLog()))
    with pytest.raises(UserError, match="does not exist"):
        list(read_parquet(tmp_path / "absent.parquet", RejectLog()))
