"""Any table, through a mapping in the recipe."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelguard import Role, UserError
from babelguard.item import Message
from babelguard.recipe import validate
from babelguard.rejects import RejectLog
from data_prep.sources.table import TableOptions
from tests.data_prep.sources.reading import check_items, items_of, write_csv

COLUMNS = {"text": "comment", "id": "nr", "language": "lang", "source_id": "pair", "variety": "tone", "split": "part"}
LABELS = {"Toxicity": {"columns": ["a1", "a2", "a3"]}, "Bias": {"columns": ["biased"], "levels": {"no": 1, "yes": 2}}}
HEADER = ["nr", "pair", "lang", "tone", "part", "comment", "a1", "a2", "a3", "biased", "topic"]
ROWS = [
    ["1", "p1", "DE", "", "train", "guten Tag", "1", "", "2", "no", "greeting"],
    ["2", "p1", "fra_Latn", "formal", "validation", "bonjour", "NA", "1", "5", "", "greeting"],
]
MAPPING = {"dataset": "mine", "columns": COLUMNS, "labels": LABELS, "metadata": ["topic"]}


def check(items):
    check_items(items)
    first, second = items
    assert (first.id, first.source_id, first.language, first.register, first.split) == (
        "mine/1",
        "mine/p1",
        "de",
        "neutral",
        "train",
    )
    assert (second.id, second.source_id, second.language, second.register, second.split) == (
        "mine/2",
        "mine/p1",
        "fr",
        "formal",
        "calibration",
    )
    assert first.labels == {"Toxicity": (1, None, 2), "Bias": (1,)}
    assert second.labels == {"Toxicity": (None, 1, 5), "Bias": (None,)}
    assert first.metadata == {"topic": "greeting"}
    assert "Violence" not in first.aggregated_labels(), "a category without an entry is not covered"


def test_csv_and_tsv(tmp_path):
    check(items_of("table", write_csv(tmp_path / "a.csv", HEADER, *ROWS), **MAPPING))
    check(items_of("table", write_csv(tmp_path / "a.tsv", HEADER, *ROWS, delimiter="\t"), **MAPPING))
    odd = write_csv(tmp_path / "a.txt", HEADER, *ROWS, delimiter=";")
    check(items_of("table", odd, format="csv", delimiter=";", **MAPPING))


def test_json_lines_and_parquet(tmp_path):
    records = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    check(items_of("table", lines, **MAPPING))
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "a.parquet")
    check(items_of("table", tmp_path / "a.parquet", **MAPPING))


def test_a_folder_of_files_without_ids(tmp_path):
    write_csv(tmp_path / "b.csv", ["text"], ["two"])
    write_csv(tmp_path / "a.csv", ["text"], ["one"], ["more"])
    items = items_of("table", tmp_path, dataset="mine", columns={"text": "text"}, language="sw", role="response")
    assert [item.id for item in items] == ["mine/a-1", "mine/a-2", "mine/b-1"]
    assert {(item.language, item.role) for item in items} == {("sw", Role.RESPONSE)}


def test_annotators_in_a_list_and_levels_as_numbers(tmp_path):
    records = [{"text": "t", "raw": [1, None, 3], "turns": [{"role": "user", "content": "hi"}]}]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "a.parquet")
    mapping = {"dataset": "mine", "language": "en", "labels": {"Violence": {"columns": ["raw"]}}}
    (item,) = items_of("table", tmp_path / "a.parquet", columns={"text": "text"}, **mapping)
    assert item.labels == {"Violence": (1, None, 3)}
    (item,) = items_of("table", tmp_path / "a.parquet", columns={"messages": "turns"}, **mapping)
    assert (item.text, item.messages) == ("", (Message("user", "hi"),))


def test_bad_rows_are_named_with_file_and_row(tmp_path):
    bad = [
        ["1", "p", "DE", "", "", "repeated id", "1", "1", "1", "no", ""],
        ["3", "p", "Klingon", "", "", "unknown locale", "1", "1", "1", "no", ""],
        ["4", "p", "DE", "", "", "off the scale", "1", "6", "1", "no", ""],
        ["5", "p", "DE", "", "", "unknown label", "1", "1", "1", "perhaps", ""],
        ["6", "p", "DE", "", "", "half a level", "1.5", "1", "1", "no", ""],
        ["7", "p", "DE", "", "", " ", "1", "1", "1", "no", ""],
        ["8", "p", "DE", "", "holdout", "unknown split", "1", "1", "1", "no", ""],
        ["9", "p", "DE", "", "", "ragged"],
    ]
    path = write_csv(tmp_path / "a.csv", HEADER, *ROWS, *bad)
    log = RejectLog()
    check(items_of("table", path, log, **MAPPING))
    assert [(one.line, one.kind) for one in log.rejections] == [
        (4, "duplicate-id"),
        (5, "unknown-locale"),
        (6, "label-off-scale"),
        (7, "label-off-scale"),
        (8, "label-off-scale"),
        (9, "no-text"),
        (10, "unknown-split"),
        (11, "ragged-row"),
    ]
    with pytest.raises(UserError, match="a.csv, line 4: the id 'mine/1' was given to an earlier row"):
        items_of("table", path, **MAPPING)


def test_a_file_with_another_schema_is_set_aside(tmp_path):
    path = write_csv(tmp_path / "a.csv", ["text"], ["one"])
    log = RejectLog()
    assert items_of("table", path, log, **MAPPING) == []
    assert "has no column 'comment'" in log.rejections[0].reason


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"columns": {"id": "nr"}}, "name the column of the text or that of the messages"),
        ({"columns": {"text": "t"}}, "give the language of all rows or the column of it"),
        ({"columns": {"txt": "t"}}, "unknown key 'columns.txt'. Did you mean 'text'?"),
        ({"dataset": "a b"}, "dataset"),
    ],
)
def test_a_wrong_mapping_is_explained(tmp_path, changes, words):
    with pytest.raises(UserError) as caught:
        validate({"path": tmp_path, **MAPPING, **changes}, TableOptions, "recipe.yaml")
    assert words in str(caught.value)


def test_wrong_options_are_explained(tmp_path):
    path = write_csv(tmp_path / "a.csv", HEADER, *ROWS)
    with pytest.raises(UserError, match="Unknown category .*'Toxicty'. Did you mean 'Toxicity'"):
        items_of("table", path, **{**MAPPING, "labels": {"Toxicty": {"columns": ["a1"]}}})
    with pytest.raises(UserError, match="the ending does not tell the format"):
        items_of("table", path.rename(tmp_path / "a.dat"), **MAPPING)
