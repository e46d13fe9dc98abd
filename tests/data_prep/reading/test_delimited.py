r"""CSV and TSV files: what people and programs do to them, and no row lost without a line."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import UserError
from babelguard.rejects import RejectLog
from data_prep.reading.delimited import CSV, TSV, Dialect, read_delimited


def read(path, content, log=None, **options):
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return list(read_delimited(path, log or RejectLog(strict=True), **options))


def values(rows):
    return [tuple(row.fields.values()) for row in rows]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "rows.csv"


@pytest.mark.parametrize(
    "content",
    [
        b"text,label\na,1\nb,2\n",
        b"\xef\xbb\xbftext,label\na,1\nb,2\n",  # byte order mark
        b"text,label\r\na,1\rb,2\n",  # three kinds of line end
        b"text,label\na,1\nb,2",  # no last line end
        b"text,label\n\na,1\n\n\nb,2\n\n",  # blank lines
        b'"text","label"\n"a","1"\nb,2\n',
    ],
)
def test_what_editors_do_to_a_file(file, content):
    rows = read(file, content)
    assert values(rows) == [("a", "1"), ("b", "2")]
    assert [row.number for row in rows] == [1, 2]


def test_quotes_newlines_and_delimiters_inside_quotes(file):
    rows = read(file, 'text,label\n"a ""b"" c, d\ne\r\nf",1\ng,2\n')
    assert values(rows) == [('a "b" c, d\ne\r\nf', "1"), ("g", "2")]
    assert [row.line for row in rows] == [2, 5]


def test_line_separators_of_unicode_end_no_line(file):
    assert values(read(file, "text\na\u2028b\x0bc\n")) == [("a\u2028b\x0bc",)]


def test_a_dialect_without_quotes_reads_them_as_characters(file):
    assert values(read(file, 'a\tb\n"x\ty"\n', dialect=Dialect(delimiter="\t", quoted=False))) == [('"x', 'y"')]


def test_a_file_without_a_header(file):
    assert values(read(file, b'\xef\xbb\xbf"x"\r\ny\r\n', dialect=Dialect(columns=("prompt",)))) == [("x",), ("y",)]


@pytest.mark.parametrize(
    ("content", "kept", "line", "kind", "words"),
    [
        ("t,l\na,1\nb\nc,3\n", ["a", "c"], 3, "ragged-row", "1 fields where the header has 2"),
        ("t,l\na,1\nb,2,3\nc,3\n", ["a", "c"], 3, "ragged-row", "3 fields where the header has 2"),
        ('t,l\na,1\n"b" x,2\nc,3\n', ["a", "c"], 3, "bad-quotes", "without being doubled"),
        ('t,l\na,1\n"b,2\nc,3\n', ["a", "c"], 3, "bad-quotes", "opens on this line and does not close"),
        (b"t,l\na,1\nb\xff,2\nc,3\n", ["a", "c"], 3, "wrong-encoding", "bytes that are not utf-8"),
    ],
)
def test_a_bad_row_is_named_and_costs_no_other(file, content, kept, line, kind, words):
    log = RejectLog()
    assert [row.fields["t"] for row in read(file, content, log)] == kept
    assert [(one.line, one.kind) for one in log.rejections] == [(line, kind)]
    assert words in log.rejections[0].reason
    with pytest.raises(UserError, match=f"rows.csv, line {line}: .*{words}"):
        read(file, content)


def test_an_unclosed_quote_does_not_swallow_the_file(file):
    lines = ["t,l", '"never closed,1', *(f"row {number},1" for number in range(5000))]
    log = RejectLog()
    rows = read(file, "\n".join(lines), log)
    assert len(rows) == 5000
    assert [(one.line, one.kind) for one in log.rejections] == [(2, "bad-quotes")]
    assert rows[0].line == 3
    assert rows[-1].line == 5002


@pytest.mark.parametrize(
    ("content", "needed", "words"),
    [
        (b"a,b\n1,2\n", ("text",), "has no column 'text'; it has 'a', 'b'"),
        (b"a,a\n1,2\n", (), "two columns named 'a'"),
        (b"", (), "the file is empty"),
        ("text\nx\n".encode("utf-16"), ("text",), "the file is UTF-16"),
    ],
)
def test_another_schema_is_named_for_the_whole_file(file, content, needed, words):
    log = RejectLog()
    assert read(file, content, log, needed=needed) == []
    assert words in log.rejections[0].reason


def test_encodings_that_the_recipe_names(file):
    assert values(read(file, "text\ncafé\n".encode("latin-1"), dialect=Dialect(encoding="latin-1"))) == [("café",)]
    assert values(read(file, "text\ncafé\n".encode("utf-16"), dialect=Dialect(encoding="utf-16"))) == [("café",)]
    with pytest.raises(UserError, match="the encoding 'klingon' is not known"):
        read(file, b"text\n", dialect=Dialect(encoding="klingon"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match="absent.csv does not exist"):
        list(read_delimited(tmp_path / "absent.csv", RejectLog()))


_CELL = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=12)


@given(st.lists(st.tuples(_CELL, _CELL), max_size=8), st.sampled_from([CSV, TSV]))
def test_whatever_the_standard_library_writes_comes_back(tmp_path_factory, table, dialect):
    path = tmp_path_factory.mktemp("written") / "rows.csv"
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=dialect.delimiter, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *table])
    assert values(read(path, stream.getvalue(), dialect=dialect)) == table


@given(st.binary(max_size=200))
def test_any_bytes_give_rows_or_reasons(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "rows.csv"
    log = RejectLog()
    for row in read(path, b"a,b\n" + content, log):
        assert set(row.fields) == {"a", "b"}
    assert all(one.reason for one in log.rejections)
