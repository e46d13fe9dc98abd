"""A guard behind a service: the service has the chat template, and its answers come as text.

Turns are sent as a chat, which the service lays out with the model's own template; what a preset's template needs goes
along as `chat_template_kwargs`, as vLLM and others take it. A whole prompt that the user brought is sent as text to
complete. Whether a text that spells a control token is read as letters is then up to the service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from babelguard.checksums import hash_of
from babelguard.endpoint.generator import EndpointGenerator
from babelguard.errors import UserError
from babelguard.generator import Decoding, Prompt, TextGenerator
from babelguard.item import Message
from evaluation.guarding.answering import Answer
from evaluation.guarding.asking import Unanswered
from evaluation.guarding.conversation import Exchange
from evaluation.guarding.form import Policy, Target
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import (
    OMISSION,
    ONE_QUESTION,
    GuardPrompt,
    messages_of,
    template_variables,
)
from evaluation.guarding.published_words import Words
from evaluation.guarding.reading import read_answer
from evaluation.guarding.windows import windows

_BYTES = SimpleNamespace(is_fast=False)
"""Stands for a tokenizer that is not known here: no tokenizer makes more tokens of a text than it has bytes."""


@dataclass(frozen=True)
class ServedPrompting:
    """How a guard behind a service is asked.

    Half of `longest_prompt`, in bytes of UTF-8, is left to the rated text, and a quarter to the turns before it; longer
    ones are read in windows, or shortened in their middle.

    Attributes:
        options: The rater's.
        words: What the user brought of the publisher's words.
    """

    options: GenerativeGuardOptions
    words: Words

    def prompts(self, exchange: Exchange) -> tuple[list[GuardPrompt], list[str]]:
        """Return the prompts for an exchange, windows times policies, and remarks about them."""
        policies = self.words.policies or (ONE_QUESTION,)
        texts, remarks = list(exchange.texts), []
        room = max(1, self.options.longest_prompt // (4 * max(1, len(texts) - 1)))
        earlier = [_shortened(text, room) for text in texts[:-1]]
        if earlier != texts[:-1]:
            remarks.append("turns before the rated one are shown shortened in their middle")
        cut = windows(texts[-1], self.options.longest_prompt // 2, _BYTES)
        if len(cut) > self.options.most_windows:
            reason = f"{len(cut)} windows are more than 'most_windows' ({self.options.most_windows})"
            return [GuardPrompt(exchange.target, policy, (), reason) for policy in policies], []
        if len(cut) > 1:
            remarks.append(f"read in {len(cut)} windows")
        made = [
            GuardPrompt(exchange.target, policy, request=self._request([*earlier, window], exchange.target, policy))
            for window in cut
            for policy in policies
        ]
        return made, remarks

    def _request(self, texts: Sequence[str], target: Target, policy: Policy) -> Prompt:
        given = {**self.options.variables, **self.words.variables}
        variables = template_variables(texts, target, policy, given)
        if self.words.template is not None:
            return Prompt(text=_rendered(self.words.template, texts, variables))
        turns = messages_of(self.options.frame, texts, variables)
        return Prompt(messages=tuple(Message(turn["role"], turn["content"]) for turn in turns))


@dataclass
class EndpointAsker:
    """A guard behind a service.

    Attributes:
        generator: How it is reached.
        prepare: Puts a cache before a generator, where there is one.
        options: The rater's.
        words: What the user brought of the publisher's words.
    """

    generator: EndpointGenerator
    prepare: Callable[[TextGenerator], TextGenerator]
    options: GenerativeGuardOptions
    words: Words

    def ask(self, prompts: Sequence[GuardPrompt], target: Target) -> Iterator[Answer | Unanswered]:
        """Yield one answer a prompt, in order, or why there is none."""
        decoding = Decoding(max_new_tokens=self.options.answer_length)
        found: dict[int, Answer | Unanswered] = {}
        for policy in {prompt.policy.name: prompt.policy for prompt in prompts}.values():
            asked = [number for number, prompt in enumerate(prompts) if prompt.policy.name == policy.name]
            generator = self.prepare(self._generator_for(policy, target))
            written = generator.generate([prompts[number].request for number in asked], decoding)
            for number, generation in zip(asked, written, strict=True):
                found[number] = read_answer(generation, self.options.answers[target], self.options.threshold)
        for number in range(len(prompts)):
            yield found[number]

    def _generator_for(self, policy: Policy, target: Target) -> TextGenerator:
        """Return the generator with the template's variables in every request; budget and connections are shared."""
        variables = {**self.options.variables, **policy.variables_for(target)}
        if not variables or self.words.template is not None:
            return self.generator
        extra = dict(self.generator.settings.extra)
        extra["chat_template_kwargs"] = {**extra.get("chat_template_kwargs", {}), **variables}
        return replace(
            self.generator,
            fingerprint=hash_of(self.generator.fingerprint, variables),
            settings=replace(self.generator.settings, extra=extra),
        )


def _shortened(text: str, room: int) -> str:
    parts = windows(text, room, _BYTES)
    return text if len(parts) < 3 else parts[0] + OMISSION + parts[-1]


def _rendered(template: str, texts: Sequence[str], variables: Mapping[str, Any]) -> str:
    """Fill a whole prompt in; the first token is the service's to write."""
    from jinja2 import StrictUndefined, TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    try:
        return environment.from_string(template).render(messages=turns, bos_token="", **variables).removeprefix("<s>")
    except TemplateError as error:
        raise UserError(f"The guard's template refuses the conversation: {error}.") from None
