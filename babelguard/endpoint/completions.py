"""The shapes of the OpenAI API's completions: a prompt as a request, an answer as a generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from babelguard.endpoint.client import Reply, Request, usage
from babelguard.endpoint.failure import Kind, filtered_categories
from babelguard.generator import Decoding, Generation, Prompt
from babelguard.item import Message
from babelguard.rating import Status

PROBE_MESSAGE = "Answer with the word: ready"
_PROBE_TOKENS = 16  # some reasoning models reject requests for fewer
_BLOCKED_ENDINGS = ("content_filter", "safety", "prohibited_content", "blocklist", "recitation", "guardrail")
_FAILED_ENDINGS = frozenset({"error", "insufficient_system_resource", "malformed_function_call"})


@dataclass(frozen=True, slots=True)
class CompletionSettings:
    """How a service wants to be asked.

    Attributes:
        model: The model's name; `None` where the address names it.
        token_limit: Name of the field that limits the answer's length.
        top_logprobs: Likeliest tokens to ask for in each place; 0 asks for none.
        omit: Fields that the service does not take.
        extra: Further fields.
        chat_path: Where chats go, below the address.
        text_path: Where texts to be completed go.
    """

    model: str | None
    token_limit: str = "max_tokens"  # noqa: S105 - a field, not a password
    top_logprobs: int = 0
    omit: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    chat_path: str = "chat/completions"
    text_path: str = "completions"


def request_of(prompt: Prompt, decoding: Decoding, settings: CompletionSettings) -> Request:
    """Return the request for one prompt."""
    payload: dict[str, Any] = {} if settings.model is None else {"model": settings.model}
    limit = settings.token_limit
    if prompt.messages:
        payload["messages"] = [{"role": turn.role, "content": turn.content} for turn in prompt.messages]
        if settings.top_logprobs:
            payload |= {"logprobs": True, "top_logprobs": settings.top_logprobs}
    else:
        payload["prompt"] = prompt.text
        limit = "max_tokens"
        if settings.top_logprobs:
            payload["logprobs"] = settings.top_logprobs
    payload |= {limit: decoding.max_new_tokens, "temperature": decoding.temperature}
    if decoding.temperature > 0:
        payload["seed"] = decoding.seed
    if decoding.stop:
        payload["stop"] = list(decoding.stop)
    payload = {name: value for name, value in payload.items() if name not in settings.omit}
    path = settings.chat_path if prompt.messages else settings.text_path
    return Request(path, payload | dict(settings.extra), decoding.max_new_tokens)


def probe_of(prompt: Prompt, decoding: Decoding, settings: CompletionSettings) -> Request:
    """Return a harmless request of the same form, to find out whether such requests are answered at all."""
    harmless = Prompt(messages=(Message("user", PROBE_MESSAGE),)) if prompt.messages else Prompt(text=PROBE_MESSAGE)
    short = Decoding(_PROBE_TOKENS, decoding.temperature, decoding.stop, decoding.seed)
    return request_of(harmless, short, settings)


def generation_of(reply: Reply, decoding: Decoding) -> Generation:
    """Return what came of a prompt."""
    if reply.failure is not None or reply.body is None:
        blocked = reply.failure is not None and reply.failure.kind is Kind.BLOCKED
        reason = reply.failure.detail if reply.failure is not None else "no answer"
        return Generation("", Status.BLOCKED if blocked else Status.ERROR, reason)
    prompt_tokens, new_tokens = usage(reply.body)
    choices = reply.body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, Mapping):
        return Generation("", Status.ERROR, "an answer without choices", prompt_tokens, new_tokens)
    text, status, detail = _outcome(choice)
    if status not in {Status.OK, Status.TRUNCATED}:
        return Generation("", status, detail, prompt_tokens, new_tokens)
    cut = min((place for stop in decoding.stop if stop and (place := text.find(stop)) >= 0), default=None)
    if cut is not None:  # a server that ignores `stop`
        text, status, detail = text[:cut], Status.OK, None
    return Generation(text, status, detail, prompt_tokens, new_tokens, top_logprobs_of(choice))


def _outcome(choice: Mapping[str, Any]) -> tuple[str, Status, str | None]:
    """Return (text, status, detail) of a choice."""
    message = choice.get("message")
    ending = str(choice.get("finish_reason") or "").lower()
    if stopped := _stopped(choice, ending):
        return "", *stopped
    text = _text_of(message.get("content") if isinstance(message, Mapping) else choice.get("text"))
    if ending == "length":
        return text or "", Status.TRUNCATED, "stopped at the limit of new tokens"
    if text is None:
        return "", Status.ERROR, "an answer without text"
    return text, Status.OK, None


def _stopped(choice: Mapping[str, Any], ending: str) -> tuple[Status, str] | None:
    """Return the status and detail of an answer that a filter or a fault stopped, `None` for any other."""
    message = choice.get("message")
    if ending.startswith(_BLOCKED_ENDINGS):
        results = choice.get("content_filter_results")
        categories = filtered_categories(results) if isinstance(results, Mapping) else ""
        return Status.BLOCKED, f"{ending[:40]} {categories}".strip()
    if isinstance(message, Mapping) and isinstance(message.get("refusal"), str) and message["refusal"]:
        return Status.BLOCKED, "refusal field"
    return (Status.ERROR, ending) if ending in _FAILED_ENDINGS else None


def _text_of(content: object) -> str | None:
    """Return the text of a message's content: a string, or a list of parts of which those of type text count."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str)) if parts else None
    return None


def top_logprobs_of(choice: Mapping[str, Any]) -> tuple[Mapping[str, float], ...]:
    """Return the log-probabilities of a choice as `Generation.top_logprobs` holds them, empty where there are none."""
    logprobs = choice.get("logprobs")
    if not isinstance(logprobs, Mapping):
        return ()
    if isinstance(logprobs.get("content"), list):
        places = [place for place in logprobs["content"] if isinstance(place, Mapping)]
        return tuple(_numbers([place, *_mappings(place.get("top_logprobs"))]) for place in places)
    tokens, values, tops = (logprobs.get(key) or [] for key in ("tokens", "token_logprobs", "top_logprobs"))
    if not all(isinstance(part, list) for part in (tokens, values, tops)):
        return ()
    read = []
    for number, (token, value) in enumerate(zip(tokens, values, strict=False)):
        top = tops[number] if number < len(tops) and isinstance(tops[number], Mapping) else {}
        rest = [{"token": name, "logprob": logprob} for name, logprob in top.items()]
        read.append(_numbers([{"token": token, "logprob": value}, *rest]))
    return tuple(read)


def _mappings(values: object) -> list[Mapping[str, Any]]:
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []


def _numbers(entries: list[Mapping[str, Any]]) -> dict[str, float]:
    """Return token -> log-probability, in the entries' order."""
    found: dict[str, float] = {}
    for entry in entries:
        token, logprob = entry.get("token"), entry.get("logprob")
        if isinstance(token, str) and isinstance(logprob, int | float):
            found.setdefault(token, float(logprob))
    return found
