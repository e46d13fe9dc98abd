"""Progress: plain lines where there is no terminal."""

from __future__ import annotations

import io

import pytest

from babelguard.progress import counting, progress


def test_plain_lines_end_with_the_whole_count():
    stream = io.StringIO()
    with progress("judge rates", 2000, stream) as shown:
        shown.advance(1500)
        shown.advance(500)
    assert stream.getvalue() == "judge rates: 2,000 of 2,000 items\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar():
    with progress("judge rates", 2, Terminal()) as shown:
        shown.advance(2)
    assert shown.bar.finished


def test_work_of_unknown_size_writes_plain_lines_now_and_then(monkeypatch):
    clock = iter([0.0, 1.0, 20.0, 20.0, 21.0])
    monkeypatch.setattr("babelguard.progress.time.monotonic", lambda: next(clock))
    stream = io.StringIO()
    with counting(stream) as shown:
        shown("part", 1)
        shown("part", 2_000)
        shown("shards", 3)
    assert stream.getvalue() == "part: 2,000 items\n"


def test_the_present_standard_error_is_written_to(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("reading", 2) as shown:
        shown.advance(2)
    with counting() as count:
        count("reading", 1)
    assert capsys.readouterr().err == "reading: 2 of 2 items\n"
