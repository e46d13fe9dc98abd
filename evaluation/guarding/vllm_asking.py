"""A guard behind vLLM in this process: the same prompts, tokens and steps as with transformers, read from its outputs.

vLLM gives log-probabilities of places and no logits. So each choice is one generated token of which only the decisive
ones are allowed, and how likely they are among all tokens is read from the likeliest ones of that place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from babelguard.generators.vllm import MOST_LOGPROBS, VllmEngine, VllmGenerator, choice_of, too_long
from babelguard.rating import Status
from evaluation.guarding.answering import Answer, EncodedStep
from evaluation.guarding.asking import Unanswered, greeting_to
from evaluation.guarding.form import Target
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import GuardPrompt, Prompting


@dataclass
class _Row:
    """One answer as it grows."""

    tokens: list[int]
    raw: str = ""
    chances: Mapping[str, float] = field(default_factory=dict)
    mass: float = 0.0
    flagged: bool = False
    written: str | None = None
    ended: bool = True
    failed: bool = False

    def say(self, step: EncodedStep, answer: str) -> None:
        self.tokens += [*step.forced, *step.answers[answer]]
        self.raw += step.step.say + answer

    def result(self) -> Answer | Unanswered:
        if self.failed:
            return Unanswered(Status.ERROR, "vLLM gave no probability for a choice")
        return Answer(self.chances, self.mass, self.flagged, self.written, self.ended, self.raw.strip())


@dataclass
class VllmAsker:
    """A guard behind vLLM.

    Attributes:
        generator: Knows how to load it.
        prompting: How it is asked.
        options: The rater's.
        leads: Target -> what stands before this model's answers, once it has been found out.
    """

    generator: VllmGenerator
    prompting: Prompting
    options: GenerativeGuardOptions
    leads: dict[Target, str] = field(default_factory=dict)

    def ask(self, prompts: Sequence[GuardPrompt], target: Target) -> Iterator[Answer | Unanswered]:
        """Yield one answer a prompt, in order, or why there is none; vLLM schedules all of them at once."""
        engine = self.generator.open()
        steps = self.prompting.steps(target, self._lead(engine, target))
        fits = [len(prompt.ids) + self.options.answer_length <= engine.window for prompt in prompts]
        rows = [_Row(list(prompt.ids)) for prompt, fit in zip(prompts, fits, strict=True) if fit]
        self._answer(engine, rows, steps)
        answered = iter(rows)
        for prompt, fit in zip(prompts, fits, strict=True):
            if fit:
                yield next(answered).result()
            else:
                yield Unanswered(Status.ERROR, too_long(prompt.ids, engine.window))

    def _answer(self, engine: VllmEngine, rows: Sequence[_Row], steps: Sequence[EncodedStep]) -> None:
        running, decided = list(rows), False
        for number, step in enumerate(steps):
            if not running:
                return
            if not step.answers:
                self._write(engine, running, step, decided)
                if decided and step.step.codes:
                    return
                continue
            self._choose(engine, running, step)
            running = [row for row in running if not row.failed]
            if step.step.verdict:
                decided = True
                running = [row for row in running if row.flagged]
                if not any(later.step.codes for later in steps[number + 1 :]):
                    return

    def _choose(self, engine: VllmEngine, rows: Sequence[_Row], step: EncodedStep) -> None:
        decisive = [tokens[0] for tokens in step.answers.values()]
        inputs = [[*row.tokens, *step.forced] for row in rows]
        how: dict[str, Any] = {"max_tokens": 1, "temperature": 0.0}
        chosen = engine.run(inputs, **how, allowed_token_ids=decisive, logprobs=len(decisive))
        masses = self._masses(engine, inputs, step) if step.step.verdict else [0.0] * len(rows)
        for row, output, mass in zip(rows, chosen, masses, strict=True):
            choice = choice_of(output, decisive)
            if choice is None:
                row.failed = True
                continue
            chances = dict(zip(step.answers, map(math.exp, choice.log_probabilities), strict=True))
            fitting = list(chances)
            if step.step.verdict:
                harms = step.step.choose or {}
                row.chances, row.mass = chances, mass
                harm = sum(chance for said, chance in chances.items() if harms[said] > 0)
                row.flagged = harm >= self.options.threshold
                fitting = [said for said in chances if (harms[said] > 0) == row.flagged]
            row.say(step, max(fitting, key=chances.__getitem__))

    def _write(self, engine: VllmEngine, rows: Sequence[_Row], step: EncodedStep, decided: bool) -> None:
        inputs = [[*row.tokens, *step.forced] for row in rows]
        longest = self.options.longest_answer
        for row, given, output in zip(
            rows, inputs, engine.run(inputs, max_tokens=longest, temperature=0.0, stop=["\n"]), strict=True
        ):
            completion = output.outputs[0]
            line, *more = completion.text.split("\n", 1)
            row.raw += step.step.say + line
            row.tokens = [*given, *_line_of(completion.token_ids, engine.tokenizer)]
            if step.step.codes and decided:
                row.written, row.ended = line, bool(more) or completion.finish_reason == "stop"

    def _masses(self, engine: VllmEngine, inputs: Sequence[Sequence[int]], step: EncodedStep) -> list[float]:
        """Return how likely the answers are together among all tokens, as far as they are among the likeliest."""
        decisive = {tokens[0] for tokens in step.answers.values()}
        outputs = engine.run(inputs, max_tokens=1, temperature=0.0, logprobs=MOST_LOGPROBS)
        places = [(output.outputs[0].logprobs or [{}])[0] for output in outputs]
        return [
            math.fsum(math.exp(entry.logprob) for token, entry in place.items() if token in decisive)
            for place in places
        ]

    def _lead(self, engine: VllmEngine, target: Target) -> str:
        if len(self.options.leads) > 1 and target not in self.leads:
            ids = greeting_to(self.prompting, target)
            masses = {}
            for lead in self.options.leads:
                first = self.prompting.steps(target, lead)[0]
                masses[lead] = self._masses(engine, [[*ids, *first.forced]], first)[0]
            self.leads[target] = max(masses, key=masses.__getitem__)
        return self.leads.get(target, self.options.leads[0])


def _line_of(ids: Sequence[int], tokenizer: Any) -> list[int]:  # noqa: ANN401 - a transformers tokenizer
    """Return the tokens of a written line: those before a line break or the end of the answer."""
    line: list[int] = []
    for token in ids:
        if token in tokenizer.all_special_ids or "\n" in tokenizer.decode([*line, token]):
            break
        line.append(token)
    return line
