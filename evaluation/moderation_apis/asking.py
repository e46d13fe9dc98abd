"""Asks a service only what the cache does not know, and keeps what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from babelguard.endpoint.client import EndpointClient, Reply, Request
from babelguard.response_cache import ResponseCache, request_key


def ask(
    client: EndpointClient,
    cache: ResponseCache | None,
    source: str,
    requests: Sequence[Request],
    probe: Request,
    is_answer: Callable[[Mapping[str, Any]], bool],
) -> Iterator[Reply]:
    """Yield one reply a request, in order; equal requests are made once.

    Args:
        client: The service.
        cache: Where answers are kept; `None` keeps none.
        source: Who is asked; with the request, it decides the answer.
        requests: What to ask.
        probe: A harmless request, made once before the first of all.
        is_answer: Tells whether a body is an answer, to be kept.

    Raises:
        UserError: The service or the cache cannot be used.
    """
    keys = [request_key("moderation", 1, source, request.path, dict(request.payload)) for request in requests]
    known = {key: cache.get(key) for key in dict.fromkeys(keys)} if cache is not None else {}
    missing = {key: request for key, request in zip(keys, requests, strict=True) if known.get(key) is None}
    replies = client.post_all(missing.values(), probe) if missing else iter(())
    asked = iter(missing)
    given: dict[str, Reply] = {}
    for key in keys:
        stored = known.get(key)
        if stored is not None:
            yield Reply(body=stored)
            continue
        while key not in given:
            current = next(asked)
            given[current] = reply = next(replies)
            if cache is not None and reply.body is not None and is_answer(reply.body):
                cache.put(current, reply.body)
        yield given[key]
