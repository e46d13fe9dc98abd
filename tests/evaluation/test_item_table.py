"""The item table holds what figures need, and no texts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelguard import RTP_LX, Item, UserError
from babelguard.aggregation import AggregatedLabel
from evaluation.item_table import build_item_table, read_item_table, write_item_table
from evaluation.measuring.subject import majority_levels, published_levels
from evaluation.metrics.levels import MISSING


def an_item(number: int, **changes) -> Item:
    return Item(
        **{"id": f"i/{number}", "text": "x", "language": "zh-Hans", "source": "s", "source_id": "s/1", **changes}
    )


def test_missing_labels_stay_missing():
    table = build_item_table(
        [an_item(0, labels={"Bias": (1, None, 3)}), an_item(1), an_item(2, labels={"Bias": (2,)})], RTP_LX, "test"
    )
    bias = RTP_LX.names.index("Bias")
    assert table.raw[:, :, bias].T.tolist() == [[1, MISSING, 3], [MISSING] * 3, [2, MISSING, MISSING]]
    assert table.annotators == 3
    assert (table.bands.tolist(), table.subsets.tolist()) == (["low"] * 3, [""] * 3)


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([], "test gives no items"),
        ([an_item(0), an_item(0)], "two items have the id 'i/0'"),
        ([an_item(0, labels={"Spam": (1,)})], "labels for 'Spam', which the taxonomy rtp-lx does not have"),
        ([an_item(0, labels={"Bias": (4,)})], "level 4 for Bias, off the scale 1-3"),
        ([an_item(0, aggregated={"Bias": AggregatedLabel(4, "gold")})], "level 4 for Bias, off the scale 1-3"),
    ],
)
def test_a_bad_corpus_is_told(items, words):
    with pytest.raises(UserError, match=words):
        build_item_table(items, RTP_LX, "test")


def test_the_file_holds_no_texts(tmp_path):
    table = build_item_table([an_item(0, text="secret", labels={"Bias": (1, None)})], RTP_LX, "test")
    write_item_table(table, RTP_LX, tmp_path / "items.parquet")
    read = pq.read_table(tmp_path / "items.parquet")
    assert "text" not in read.column_names
    assert read["Bias"].to_pylist() == [[1, None]]
    assert read["Toxicity"].to_pylist() == [[None, None]]
    assert b"secret" not in (tmp_path / "items.parquet").read_bytes()


def test_a_published_label_stands_before_the_majority_and_missing_ones_do_not(tmp_path):
    gold = {"IdentityAttack": AggregatedLabel(1, "gold")}
    items = [
        an_item(0, labels={"IdentityAttack": (2, 2, 1)}, aggregated=gold),
        an_item(1, labels={"IdentityAttack": (2, 2, 1)}),
        an_item(2, labels={"IdentityAttack": (1, 1, 2)}, aggregated=gold),
        an_item(3, aggregated=gold),
    ]
    table = build_item_table(items, RTP_LX, "test")
    column = RTP_LX.names.index("IdentityAttack")
    levels = majority_levels(table, RTP_LX)
    assert levels[:, column].tolist() == [1, 2, 1, 1]
    assert set(np.delete(levels, column, axis=1).ravel()) == {MISSING}
    assert published_levels(table, RTP_LX) == (2, 1)
    write_item_table(table, RTP_LX, tmp_path / "items.parquet")
    own = pq.read_table(tmp_path / "items.parquet")["published"].to_pylist()
    assert [row[column] for row in own] == [1, None, 1, 1]


def test_what_is_written_is_read_back(tmp_path):
    gold = {"Bias": AggregatedLabel(3, "gold")}
    items = [an_item(0, labels={"Bias": (1, None), "Insult": (2, 3)}), an_item(1), an_item(2, aggregated=gold)]
    for chosen in (items, items[:2], items[1:2]):
        table = build_item_table(chosen, RTP_LX, "test")
        write_item_table(table, RTP_LX, tmp_path / "items.parquet")
        read = read_item_table(tmp_path / "items.parquet", RTP_LX)
        for field in dataclasses.fields(table):
            np.testing.assert_array_equal(getattr(read, field.name), getattr(table, field.name))
        assert read.at(np.array([len(chosen) - 1])).ids.tolist() == [chosen[-1].id]


def test_a_file_of_other_categories_is_told(tmp_path):
    pq.write_table(pa.table({"id": ["x"]}), tmp_path / "items.parquet")
    with pytest.raises(UserError, match="lacks the columns .*Toxicity"):
        read_item_table(tmp_path / "items.parquet", RTP_LX)
