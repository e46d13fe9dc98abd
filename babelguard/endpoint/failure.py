"""What an answer that is no answer means: ask again, leave the item, or stop and tell the user."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

BLOCKING_CODES = frozenset(
    {
        "content_filter",  # OpenAI, Azure OpenAI
        "responsibleaipolicyviolation",  # Azure OpenAI, in innererror
        "content_policy_violation",  # OpenAI
        "moderation_blocked",  # OpenAI
        "data_inspection_failed",  # Alibaba Model Studio
        "datainspectionfailed",
    }
)
"""Error codes, in lower case, by which services say that a filter stopped a request."""
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_CODE = re.compile(r"[A-Za-z0-9_.-]{1,60}")
_SHOWN = 200


class Kind(Enum):
    """What to do about a failure."""

    AGAIN = "again"
    """It may pass: ask again after a wait."""
    BLOCKED = "blocked"
    """A filter stopped this item."""
    ITEM = "item"
    """This request will not be answered, others may."""
    SETUP = "setup"
    """No request will be answered until the user mends something."""
    BUDGET = "budget"
    """The budget is spent."""


class RequestFailedError(Exception):
    """A request without a usable answer.

    Attributes:
        kind: What to do about it.
        detail: What happened, in a few words that hold nothing of the item and no key.
        http_status: The answer's HTTP status, where there was an answer.
        code: The service's own code for the error, in lower case.
        message: What the service says about it; may quote the item, so it is shown only where no item was sent.
        asked_s: Seconds that the service asks to wait.
        may_be_charged: Whether the service may charge for the request all the same.
    """

    def __init__(
        self,
        kind: Kind,
        detail: str,
        *,
        http_status: int | None = None,
        code: str | None = None,
        message: str = "",
        asked_s: float | None = None,
        may_be_charged: bool = False,
    ) -> None:
        super().__init__(detail)
        self.kind, self.detail, self.http_status, self.code = kind, detail, http_status, code
        self.message, self.asked_s, self.may_be_charged = message, asked_s, may_be_charged


def read_answer(http_status: int, body: bytes, asked_s: float | None = None) -> Mapping[str, Any]:
    """Return the JSON object that a service answered.

    Args:
        http_status: The answer's HTTP status.
        body: The answer, whole.
        asked_s: Seconds that the service asks to wait.

    Raises:
        RequestFailedError: The answer is an error, or is not a JSON object.
    """
    parsed = _parsed(body)
    succeeded = 200 <= http_status < 300
    if succeeded and isinstance(parsed, dict) and not parsed.get("error"):
        return parsed
    if succeeded and not isinstance(parsed, dict):
        what = "a web page" if _is_html(body) else "an empty answer" if not body.strip() else "malformed JSON"
        raise RequestFailedError(Kind.AGAIN, f"answered {what}", http_status=http_status, may_be_charged=True)
    errors = list(_errors(parsed))
    codes = [code for error in errors for code in _codes(error)]
    kind = _kind(http_status, codes, errors)
    filtered = _filtered_categories(errors) if kind is Kind.BLOCKED else ""
    code = next(iter(codes), None)
    detail = " ".join(part for part in (f"HTTP {http_status}", code, filtered) if part)
    said = (error.get(key) for error in errors for key in ("message", "detail"))
    message = next((words for words in said if isinstance(words, str)), "")
    raise RequestFailedError(
        kind,
        detail,
        http_status=http_status,
        code=code,
        message="a web page" if _is_html(body) else " ".join(message.split())[:_SHOWN],
        asked_s=asked_s,
    )


def _kind(http_status: int, codes: list[str], errors: list[Mapping[str, Any]]) -> Kind:
    if BLOCKING_CODES.intersection(codes) or any(_flagged(error) for error in errors):
        return Kind.BLOCKED
    if _QUOTA_CODES.intersection(codes):
        return Kind.SETUP
    if http_status < 300 or http_status in {408, 409, 425, 429} or http_status >= 500:
        return Kind.AGAIN
    if http_status in {401, 402} or http_status < 400:
        return Kind.SETUP
    return Kind.ITEM


def _errors(parsed: object) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that describe an error, outermost first, in the shapes that services use."""
    if isinstance(parsed, list):
        for part in parsed[:1]:
            yield from _errors(part)
    if not isinstance(parsed, Mapping):
        return
    error = parsed.get("error", parsed)
    if isinstance(error, str):
        yield {"message": error}
        return
    depth = 0
    while isinstance(error, Mapping) and depth < 4:
        yield error
        error, depth = error.get("innererror") or error.get("inner_error"), depth + 1


def _codes(error: Mapping[str, Any]) -> Iterator[str]:
    """Yield an error's codes, the most telling first; Google's are in its details."""
    details = error.get("details")
    listed = [part for part in details if isinstance(part, Mapping)] if isinstance(details, list) else []
    named = [part.get(key) for part in listed for key in ("errorType", "reason")]
    for value in (*named, *(error.get(key) for key in ("code", "status", "type"))):
        if isinstance(value, str) and _CODE.fullmatch(value):
            yield value.lower()


def _flagged(error: Mapping[str, Any]) -> bool:
    """Tell whether an error says that a moderation model flagged the input, as OpenRouter does."""
    metadata = error.get("metadata")
    return isinstance(metadata, Mapping) and "flagged_input" in metadata


def _filtered_categories(errors: list[Mapping[str, Any]]) -> str:
    """Return Azure's account of what was filtered: ``hate (high), jailbreak``."""
    for error in errors:
        results = error.get("content_filter_result") or error.get("content_filter_results")
        if isinstance(results, Mapping):
            return filtered_categories(results)
    return ""


def filtered_categories(results: Mapping[str, Any]) -> str:
    """Return which categories of Azure OpenAI's content filter stopped a text, with their severities."""
    found = []
    for category, result in results.items():
        if isinstance(result, Mapping) and result.get("filtered") is True and _CODE.fullmatch(str(category)):
            severity = result.get("severity")
            found.append(f"{category} ({severity})" if severity in {"safe", "low", "medium", "high"} else str(category))
    return ", ".join(found)


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _is_html(body: bytes) -> bool:
    return body.lstrip()[:100].lower().startswith((b"<!doctype", b"<html", b"<head"))
