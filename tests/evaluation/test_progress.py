"""Progress: plain lines where there is no terminal."""

from __future__ import annotations

import io

from evaluation.progress import progress


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
