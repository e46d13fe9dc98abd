"""What a text generator is: prompts in, generations out, in order, none lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from babelguard.item import Message
from babelguard.rating import Status
from babelguard.recipe import RecipeModel
from babelguard.registry import Registry

GENERATORS = Registry(kind="generator", package="babelguard.generators", attribute="GENERATOR")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is given: turns for a chat model, or a text for it to go on with.

    Attributes:
        messages: The turns; empty when `text` is given.
        text: The beginning that a base model completes; empty when `messages` are given.
    """

    messages: tuple[Message, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a model writes. It is in the recipe and in the record, and the same in every backend.

    Attributes:
        max_new_tokens: Where the model is stopped.
        temperature: 0 is greedy.
        stop: Strings that end the generation; they are not part of it.
        seed: Seed of sampling, where the temperature is above 0.
    """

    max_new_tokens: int = 200
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Generation:
    """What came of one prompt.

    Attributes:
        text: What the model wrote, and nothing of the prompt; empty where the status is not `ok` or `truncated`.
        status: `ok`, `truncated` (stopped at `max_new_tokens`), `blocked`, `refused` or `error`.
        detail: The reason in a few words where the status is not `ok`.
        prompt_tokens: Length of the prompt, where it is known.
        new_tokens: Length of the answer, where it is known.
        top_logprobs: For each new token from the first: the likeliest tokens in its place as text, with their
            natural-log probabilities, the token that was written first. Empty where the backend gives none.
    """

    text: str
    status: Status = Status.OK
    detail: str | None = None
    prompt_tokens: int | None = None
    new_tokens: int | None = None
    top_logprobs: tuple[Mapping[str, float], ...] = ()


class TextGenerator(Protocol):
    """A model behind any backend."""

    @property
    def name(self) -> str:
        """The model's name, for people."""
        ...

    @property
    def fingerprint(self) -> str:
        """Hash of all that decides its answers beside the prompt and the decoding: model, revision, dtype."""
        ...

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        """Yield one generation a prompt, in order; a prompt that fails yields the status that says why."""
        ...


@dataclass(frozen=True, slots=True)
class GeneratorKind:
    """One backend.

    Attributes:
        options: The recipe model of its options.
        build: Makes a generator.
    """

    options: type[RecipeModel]
    build: Callable[[Any], TextGenerator]
