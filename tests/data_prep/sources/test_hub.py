"""Data sets in the hub's layout, here in local folders."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelguard import UserError
from babelguard.rejects import RejectLog
from tests.data_prep.sources.reading import check_items, items_of

pytest.importorskip("datasets")

MAPPING = {
    "dataset": "mine",
    "columns": {"text": "text"},
    "language": "en",
    "labels": {"Toxicity": {"columns": ["label"], "levels": {"0": 1, "1": 2}}},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    data = tmp_path / "set" / "data"
    data.mkdir(parents=True)
    for part, rows in {"train": [("a", 0), ("b", 1)], "test": [("c", 1), ("d", 7)]}.items():
        table = pa.Table.from_pylist([{"text": text, "label": label} for text, label in rows])
        pq.write_table(table, data / f"{part}-00000-of-00001.parquet")
    return tmp_path / "set"


def test_a_local_folder_is_read_offline(folder):
    log = RejectLog()
    items = items_of("hub", log=log, repository=str(folder), **MAPPING)
    check_items(items)
    assert [(item.id, item.text, item.labels["Toxicity"]) for item in items] == [
        ("mine/train-1", "a", (1,)),
        ("mine/train-2", "b", (2,)),
        ("mine/test-1", "c", (2,)),
    ]
    assert [(one.line, one.kind) for one in log.rejections] == [(2, "label-off-scale")]


def test_chosen_parts(folder):
    items = items_of("hub", log=RejectLog(), repository=str(folder), parts=("test",), **MAPPING)
    assert [item.text for item in items] == ["c"]
    with pytest.raises(UserError, match="has no split 'validation'; it has test, train|train, test"):
        items_of("hub", repository=str(folder), parts=("validation",), **MAPPING)


def test_another_schema_and_a_missing_set_are_named(folder, tmp_path):
    log = RejectLog()
    other = {**MAPPING, "columns": {"text": "sentence"}}
    assert items_of("hub", log=log, repository=str(folder), **other) == []
    assert {one.kind for one in log.rejections} == {"another-schema"}
    with pytest.raises(UserError, match="cannot be loaded .* Check the name and the network"):
        items_of("hub", repository=str(tmp_path / "absent"), **MAPPING)
