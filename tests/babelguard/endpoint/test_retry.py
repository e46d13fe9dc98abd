"""Retry-After as servers write it, and waits that never undercut it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard.endpoint.retry import TrafficRecipe, retry_after_s, wait_s

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


@given(st.integers(0, 10**6))
def test_a_date_is_the_seconds_until_then(seconds):
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert retry_after_s({"retry-after": date}, NOW) == seconds


@given(st.text())
def test_no_header_breaks_the_reader(value):
    assert (found := retry_after_s({"retry-after": value}, NOW)) is None or found >= 0


@given(st.integers(1, 200), st.none() | st.floats(0, 1000))
def test_waits_grow_to_their_limit_and_never_undercut_the_server(attempt, asked):
    traffic = TrafficRecipe(first_wait_s=1, longest_wait_s=60)
    wait = wait_s(traffic, attempt, asked)
    if asked is not None:
        assert asked <= wait <= asked + 1
    else:
        most = min(60, 2 ** (attempt - 1))
        assert most / 2 <= wait <= most
