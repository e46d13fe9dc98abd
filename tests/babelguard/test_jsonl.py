r"""Lines end at \n alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import UserError
from babelguard.jsonl import dump_line, parse_line, read_lines, write_jsonl


@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=5))
def test_records_survive_a_file(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("jsonl") / "records.jsonl"
    assert write_jsonl(path, records) == len(records)
    assert [parse_line(line) for _, line in read_lines(path)] == records


def test_a_line_separator_inside_a_string_is_no_line_end(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(dump_line({"a": "one\u2028two\u0085three"}) + dump_line({"a": 2}))
    assert [number for number, _ in read_lines(path)] == [1, 2]


def test_marks_blank_lines_and_carriage_returns_are_dropped(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\r\n\r\n  \n{"a":2}')
    assert [(number, parse_line(line)) for number, line in read_lines(path)] == [(1, {"a": 1}), (4, {"a": 2})]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"a": "cut', "truncated"),
        (b'{"a": 1', "truncated"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[1]", "a JSON list, not an object"),
        (b"nonsense", "not JSON"),
        (b"[" * 100_000, "nests too deep"),
    ],
)
def test_a_bad_line_says_what_it_is(line, words):
    with pytest.raises(ValueError, match=words):
        parse_line(line)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"absent\.jsonl does not exist"):
        list(read_lines(tmp_path / "absent.jsonl"))
    with pytest.raises(UserError, match="cannot be read"):
        list(read_lines(tmp_path))


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "x.jsonl"
    write_jsonl(path, [{"a": 1}])

    def broken():
        yield {"a": 2}
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_jsonl(path, broken())
    assert path.read_bytes() == b'{"a":1}\n'
