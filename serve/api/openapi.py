"""The OpenAPI description of the API. Bodies are read by hand, so what they may hold is put into it here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from serve.api.answers import ErrorAnswer
from serve.api.requests import REQUESTS
from serve.api.settings import LimitSettings

_REFERENCE = "#/components/schemas/{model}"

_REFUSALS = {
    400: "The body is not JSON in UTF-8.",
    401: "No valid key.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not said to be JSON.",
    422: "The body is not what is described here, or holds too many or too long texts.",
    429: "The caller's allowance for the minute is used up; see the header Retry-After.",
    503: "The server has too much to do or is shutting down; see the header Retry-After.",
}


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a request's body, for `openapi_extra`."""
    schema = {"$ref": _REFERENCE.format(model=model.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def responses_of(answer: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """Return the description of an endpoint's answers."""
    answers: dict[int | str, dict[str, Any]] = {200: {"model": answer}}
    for status, about in _REFUSALS.items():
        answers[status] = {"model": ErrorAnswer, "description": about}
    return answers


def describe_bodies(api: FastAPI, limits: LimitSettings, *, with_keys: bool) -> None:
    """Make the app's description complete: bodies with their limits, and how keys are sent."""
    describe = api.openapi

    def complete() -> dict[str, Any]:
        if api.openapi_schema is not None:
            return api.openapi_schema
        schema = describe()
        _, found = models_json_schema([(model, "validation") for model in REQUESTS], ref_template=_REFERENCE)
        parts = schema.setdefault("components", {}).setdefault("schemas", {})
        parts |= found["$defs"]
        _add_limits(parts, limits)
        if with_keys:
            schema["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
            for path, operations in schema["paths"].items():
                if path.startswith("/v1/"):
                    for operation in operations.values():
                        operation["security"] = [{"key": []}]
        api.openapi_schema = schema
        return schema

    api.openapi = complete  # type: ignore[method-assign]


def _add_limits(parts: Mapping[str, Any], limits: LimitSettings) -> None:
    parts["ChatGuardRequest"]["properties"]["messages"]["maxItems"] = limits.messages
    for model in ("ModerationRequest", "RateRequest"):
        for choice in parts[model]["properties"]["input"]["anyOf"]:
            if choice["type"] == "array":
                choice["minItems"] = 1
                if choice["items"].get("type") == "string":
                    choice["maxItems"] = limits.texts
                    choice["items"]["maxLength"] = limits.text_characters
            else:
                choice["maxLength"] = limits.text_characters
