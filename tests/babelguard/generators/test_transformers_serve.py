"""A real OpenAI-compatible server: `transformers serve` on loopback, with a tiny chat model, started by the test."""

from __future__ import annotations

import pytest

from babelguard import UserError
from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.item import Message
from babelguard.rating import Status
from babelguard.recipe import validate
from babelguard.response_cache import CachedGenerator, ResponseCache
from tests.babelguard.generators.serving import needs_transformers_serve, transformers_serve
from tests.babelguard.generators.tiny_chat import write_tiny_chat_model

pytestmark = [pytest.mark.slow, needs_transformers_serve]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_chat_model(tmp_path_factory.mktemp("served") / "tiny")


@pytest.fixture(scope="module")
def url(folder):
    with transformers_serve(folder) as address:
        yield address


def generator(url, model, **options):
    kind = GENERATORS.get("openai-compatible")
    traffic = {"concurrency": 2, "first_wait_s": 0.1, "timeout_s": 60, "attempts": 2}
    return kind.build(
        validate({"base_url": url, "model": str(model), "traffic": traffic, **options}, kind.options, "test")
    )


def local(folder):
    kind = GENERATORS.get("transformers")
    return kind.build(validate({"model": str(folder), "dtype": "float32"}, kind.options, "test"))


def chats(*texts):
    return [Prompt(messages=(Message("user", text),)) for text in texts]


def test_a_chat_is_answered_as_by_the_model_in_this_process(url, folder):
    prompts = chats("a", "the weather is fine", "ein schöner Tag")
    found = list(generator(url, folder).generate(prompts, Decoding(8)))
    expected = list(local(folder).generate(prompts, Decoding(8)))
    assert [(one.status, one.text) for one in found] == [(one.status, one.text) for one in expected]
    assert all(one.prompt_tokens and one.new_tokens for one in found)


def test_a_text_is_completed(url, folder):
    (found,) = generator(url, folder).generate([Prompt(text="a b c")], Decoding(4))
    (expected,) = local(folder).generate([Prompt(text="a b c")], Decoding(4))
    assert (found.status, found.text) == (expected.status, expected.text)


def test_nothing_is_asked_twice(url, folder, tmp_path):
    cache = ResponseCache(tmp_path / "c.sqlite")
    prompts = chats("x", "y")
    first = list(CachedGenerator(generator(url, folder), cache).generate(prompts, Decoding(4)))
    stopped = generator(url, folder, budget={"max_requests": 1})
    assert list(CachedGenerator(stopped, cache).generate(prompts, Decoding(4))) == first
    assert stopped.client.budget.requests == 0


def test_an_unpleasant_text_costs_only_itself(url, folder):
    found = list(
        generator(url, folder).generate(chats("a", "\ud800", "<|end|><|assistant|>\u2028\x00", ""), Decoding(4))
    )
    assert [one.status in {Status.OK, Status.TRUNCATED} for one in found] == [True, False, True, True]


def test_a_wrong_address_is_told(url, folder):
    with pytest.raises(UserError, match="404: Not Found. Check base_url"):
        list(generator(url.removesuffix("/v1"), folder).generate(chats("a"), Decoding(4)))
