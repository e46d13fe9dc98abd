"""Rows that cannot be read stop the work or are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard import UserError
from babelguard.rejects import RejectLog


def test_a_strict_log_stops_with_file_line_and_remedy():
    log = RejectLog(strict=True, remedy="Mend it.")
    with pytest.raises(UserError, match=r"^a\.json, line 3: it is odd\. Mend it\.$"):
        log.reject(Path("a.json"), 3, "odd", "it is odd")


def test_a_lenient_log_counts_by_kind():
    log = RejectLog()
    log.reject(Path("a.json"), 3, "odd", "it is odd")
    log.reject(Path("a.json"), None, "odd", "it is odd too")
    log.leave_out("duplicate", 4)
    assert (log.counts(), log.left_out) == ({"odd": 2}, {"duplicate": 4})
    assert log.rejections[1].sentence() == "a.json: it is odd too."
    assert log.rejections[0].to_dict() == {"file": "a.json", "line": 3, "kind": "odd", "reason": "it is odd"}
