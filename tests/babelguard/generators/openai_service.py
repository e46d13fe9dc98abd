"""A generator before a small server that answers as told, and what it is asked."""

from __future__ import annotations

from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.item import Message
from babelguard.recipe import validate

CANARY = "sk-canary-5f1d2c"
QUICK = {"first_wait_s": 0.01, "timeout_s": 60.0}
"""Nothing here waits for a time-out by the clock but where a test says so: a loaded machine is slow, not at fault."""


def generator(server, **options):
    kind = GENERATORS.get("openai-compatible")
    traffic = {**QUICK, **options.pop("traffic", {})}
    raw = {"base_url": f"{server.url}/v1", "model": "m", "traffic": traffic, **options}
    return kind.build(validate(raw, kind.options, "test"))


def chats(*texts):
    return [Prompt(messages=(Message("system", "Rate."), Message("user", text))) for text in texts]


def answers(made, *texts, decoding=None):
    return list(made.generate(chats(*texts), decoding or Decoding()))
