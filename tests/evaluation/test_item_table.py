"""The item table holds what figures need, and no texts."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from babelguard import RTP_LX, Item, UserError
from evaluation.item_table import build_item_table, write_item_table
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
