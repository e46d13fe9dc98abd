"""The endpoints that judge texts."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import orjson
from fastapi import Request
from starlette.responses import Response

from serve.api.building import AnswerBuilder
from serve.api.errors import ApiError, ClientGoneError, closing
from serve.api.gate import Gate
from serve.api.metrics import Metrics
from serve.api.moderator import Judgement, Moderator
from serve.api.requests import (
    ChatGuardRequest,
    ModerationRequest,
    RateRequest,
    TextPart,
    check_lengths,
    check_number,
    parse,
)
from serve.api.settings import LimitSettings
from serve.api.turns import last_turns
from serve.api.watching import notes_of
from serve.batching import BatcherClosedError, OverloadedError
from serve.batching.window_cache import WindowCache
from serve.policies import Action

ResultT = TypeVar("ResultT")


class Endpoints:
    """Answers requests. Bodies go from bytes to models in one step, which is faster than through the framework."""

    def __init__(
        self,
        moderator: Moderator,
        builder: AnswerBuilder,
        gate: Gate,
        limits: LimitSettings,
        metrics: Metrics,
        cache: WindowCache | None,
    ) -> None:
        self._moderator = moderator
        self._builder = builder
        self._gate = gate
        self._limits = limits
        self._metrics = metrics
        self._cache = cache

    async def moderations(self, request: Request) -> Response:
        """Classify texts as OpenAI's endpoint does: for each, flags and scores by category."""
        caller, body = await self._gate.admit(request)
        asked = parse(body, ModerationRequest)
        texts = _texts_of(asked.input)
        check_number(texts, self._limits)
        judgement = await self._judge(request, caller, texts, [None] * len(texts))
        results = [self._builder.moderation(text) for text in judgement.texts]
        return _answer({**self._builder.head("modr", judgement.decider.policy), "results": results})

    async def rate(self, request: Request) -> Response:
        """Rate texts: levels, probabilities, matched rules of the policy, language, and the windows that triggered."""
        caller, body = await self._gate.admit(request)
        asked = parse(body, RateRequest)
        texts = [asked.input] if isinstance(asked.input, str) else asked.input
        check_number(texts, self._limits)
        languages: Sequence[str | None] = asked.languages or [asked.language] * len(texts)
        if len(languages) != len(texts):
            message = f"There are {len(texts)} texts and {len(languages)} languages; give each text one, or null."
            raise ApiError(422, message, "languages_do_not_match")
        judgement = await self._judge(request, caller, texts, languages)
        results = [self._builder.rated(text) for text in judgement.texts]
        return _answer({**self._builder.head("rate", judgement.decider.policy), "results": results})

    async def chat_guard(self, request: Request) -> Response:
        """Rate the user's last turn and the answer; while the answer is being written, only what is new is run."""
        caller, body = await self._gate.admit(request)
        asked = parse(body, ChatGuardRequest)
        if len(asked.messages) > self._limits.messages:
            message = (
                f"There are {len(asked.messages):,} messages and may be {self._limits.messages:,}; send the last ones."
            )
            raise ApiError(422, message, "too_many_messages")
        turns = last_turns(asked.messages)  # none where the last turn is, for example, a call of a tool
        judgement = await self._judge(
            request, caller, list(turns.values()), [asked.language] * len(turns), cache=self._cache
        )
        actions = [text.decision.action for text in judgement.texts]
        severest = max(actions, key=lambda action: action.severity, default=Action.ALLOW)
        rated = dict(zip(turns, map(self._builder.rated, judgement.texts), strict=True))
        head = self._builder.head("chat", judgement.decider.policy)
        parts = {role: rated.get(role) for role in ("user", "assistant")}
        return _answer({**head, "action": severest.value, **parts})

    async def _judge(
        self,
        request: Request,
        caller: str,
        texts: list[str],
        languages: Sequence[str | None],
        cache: WindowCache | None = None,
    ) -> Judgement:
        check_lengths(texts, self._limits)
        notes = notes_of(request.scope)
        notes |= {"caller": caller, "texts": len(texts), "characters": sum(map(len, texts))}
        self._gate.charge_texts(caller, len(texts))
        try:
            judging = self._moderator.judge(texts, languages, cache=cache, owner=caller, request=notes.get("request"))
            judgement = await unless_gone(request, judging)
        except OverloadedError as error:
            raise ApiError(503, str(error), "overloaded", {"Retry-After": str(error.retry_after_seconds)}) from None
        except BatcherClosedError:
            raise closing() from None
        acted = sum(text.decision.action is not Action.ALLOW for text in judgement.texts)
        notes |= {"not_allowed": acted, "policy": judgement.decider.policy.digest}
        return judgement


def _texts_of(given: str | list[str] | list[TextPart]) -> list[str]:
    if isinstance(given, str):
        return [given]
    parts = [each.text for each in given if isinstance(each, TextPart)]
    # OpenAI takes the parts of one input as one: an answer for all of them.
    return ["\n".join(parts)] if parts else [each for each in given if isinstance(each, str)]


async def unless_gone(request: Request, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Wait for work, and cancel it when the client closes the connection.

    Raises:
        ClientGoneError: It has closed it.
    """
    task = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientGoneError
    finally:
        task.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _answer(content: dict[str, Any]) -> Response:
    policy = content["policy"]
    headers = {"X-Babelguard-Policy": f"{policy['name']} {policy['version']} {policy['digest']}"}
    return Response(orjson.dumps(content), headers=headers, media_type="application/json")
