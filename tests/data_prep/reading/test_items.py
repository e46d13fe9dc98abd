"""From rows to items."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard import Item, UserError
from babelguard.rejects import RejectLog
from data_prep.reading.items import items_from
from data_prep.reading.locale import tag_of
from data_prep.reading.row import Row, RowError


def rows(*names):
    return [Row(Path("f.csv"), number + 1, number, {"id": name}) for number, name in enumerate(names, start=1)]


def one(row):
    return [Item(row.value("id"), "text", "en", "s", row.value("id"))]


def test_a_repeated_id_is_named_and_the_first_row_counts():
    log = RejectLog()
    assert [item.id for item in items_from(rows("a", "b", "a"), one, log)] == ["a", "b"]
    assert [rejection.sentence() for rejection in log.rejections] == [
        "f.csv, line 4: the id 'a' was given to an earlier row."
    ]
    with pytest.raises(UserError, match="f.csv, line 4"):
        list(items_from(rows("a", "b", "a"), one, RejectLog(strict=True)))


def test_a_row_gives_all_of_its_items_or_none():
    def build(row):
        yield from one(row)
        if row.value("id") == "b":
            raise RowError("broken", "the second text is blank")

    log = RejectLog()
    assert [item.id for item in items_from(rows("a", "b", "c"), build, log)] == ["a", "c"]
    assert log.counts() == {"broken": 1}


def test_values_and_texts():
    row = Row(Path("f.csv"), 2, 1, {"text": "  x ", "blank": " ", "number": 3, "list": [1], "none": None})
    assert (row.text("text"), row.value("text"), row.value("number"), row.value("none")) == ("  x ", "x", "3", "")
    for column in ("blank", "none", "number", "absent"):
        with pytest.raises(RowError, match=f"'{column}' must hold a text"):
            row.text(column)
    with pytest.raises(RowError, match="must hold one value, found a list"):
        row.value("list")


def test_locales_by_code_and_by_name():
    assert [tag_of(code) for code in ("DE-ch", "zho_Hant", "Chinese", "english", "Croatian", "pt-BR")] == [
        "de-CH",
        "zh-Hant",
        "zh-Hans",
        "en",
        "sh",
        "pt",
    ]
    for unknown in ("", "Klingon", "qq"):
        with pytest.raises(RowError):
            tag_of(unknown)
