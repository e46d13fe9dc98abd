"""Whatever a server sends, reading it ends in an object or a named failure."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard.endpoint.failure import Kind, RequestFailedError, read_answer

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "message", "innererror", "details", "metadata", "content_filter_result"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def outcome(status, body):
    try:
        return read_answer(status, body)
    except RequestFailedError as failure:
        return failure


@given(st.integers(100, 599), JSON)
def test_any_json_is_read(status, value):
    found = outcome(status, json.dumps(value).encode())
    if isinstance(found, RequestFailedError):
        assert found.detail
        assert "\n" not in found.detail + found.message
    else:
        assert found == value


@given(st.integers(100, 599), st.binary(max_size=40))
def test_any_bytes_are_read(status, body):
    found = outcome(status, body)
    assert isinstance(found, RequestFailedError | dict)


def test_deeply_nested_answers_are_malformed():
    found = outcome(200, b"[" * 100_000)
    assert found.kind is Kind.AGAIN


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (408, {}, Kind.AGAIN),
        (429, {"error": {"code": "rate_limit_exceeded"}}, Kind.AGAIN),
        (429, {"error": {"code": "insufficient_quota"}}, Kind.SETUP),
        (503, {}, Kind.AGAIN),
        (529, {}, Kind.AGAIN),
        (401, {}, Kind.SETUP),
        (402, {}, Kind.SETUP),
        (302, {}, Kind.SETUP),
        (400, {}, Kind.ITEM),
        (413, {}, Kind.ITEM),
        (400, {"error": {"code": "content_filter"}}, Kind.BLOCKED),
        (400, {"error": {"innererror": {"code": "ResponsibleAIPolicyViolation"}}}, Kind.BLOCKED),
        (200, {"error": {"message": "x"}}, Kind.AGAIN),
    ],
)
def test_what_an_error_means(status, body, kind):
    assert outcome(status, json.dumps(body).encode()).kind is kind
