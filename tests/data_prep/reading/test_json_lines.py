"""JSON lines, plain and gzipped."""

from __future__ import annotations

import gzip

import pytest

from babelguard import UserError
from babelguard.rejects import RejectLog
from data_prep.reading.json_lines import read_json_lines

CONTENT = b'\xef\xbb\xbf{"text": "a\xe2\x80\xa8b"}\r\n\nnot json\n{"other": 1}\n{"text": "c"}\n'


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_rows_and_reasons(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(CONTENT) if name.endswith(".gz") else CONTENT)
    log = RejectLog()
    rows = list(read_json_lines(path, log, needed=("text",)))
    assert [(row.line, row.number, row.fields["text"]) for row in rows] == [(1, 1, "a\u2028b"), (5, 4, "c")]
    assert [(one.line, one.kind) for one in log.rejections] == [(3, "not-json"), (4, "another-schema")]


def test_a_cut_gzip_is_named(tmp_path):
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(CONTENT * 100)[:-20])
    with pytest.raises(UserError, match="damaged or cut short"):
        list(read_json_lines(path, RejectLog()))
    path.write_bytes(b"plain text")
    with pytest.raises(UserError, match="damaged or cut short"):
        list(read_json_lines(path, RejectLog()))
    with pytest.raises(UserError, match="does not exist"):
        list(read_json_lines(tmp_path / "absent.jsonl.gz", RejectLog()))
