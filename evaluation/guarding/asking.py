"""How a guard is asked, whatever it runs in: prompts in, answers out, in order, none lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol

from babelguard.local_models.choosing import Failure
from babelguard.local_models.local_model import LocalModel
from babelguard.rating import Status
from babelguard.response_cache import ResponseCache, request_key
from evaluation.guarding.answering import Answer, answer
from evaluation.guarding.conversation import Exchange
from evaluation.guarding.form import Target
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import GuardPrompt, Prompting

GREETING = ("Good morning!", "Good morning! What can I do for you?")


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why there is no answer to a prompt.

    Attributes:
        status: What becomes of the categories.
        detail: The reason in a few words, without any of the prompt.
    """

    status: Status
    detail: str


class Asker(Protocol):
    """A guard behind any backend."""

    def ask(self, prompts: Sequence[GuardPrompt], target: Target) -> Iterator[Answer | Unanswered]:
        """Yield one answer a prompt, in order, or why there is none."""
        ...


@dataclass
class LocalAsker:
    """A guard in this process.

    Attributes:
        open: Returns the model, loaded when it is first needed.
        prompting: How it is asked.
        options: The rater's.
        leads: Target -> what stands before this model's answers, once it has been found out.
    """

    open: Callable[[], LocalModel]
    prompting: Prompting
    options: GenerativeGuardOptions
    leads: dict[Target, str] = field(default_factory=dict)

    def ask(self, prompts: Sequence[GuardPrompt], target: Target) -> Iterator[Answer | Unanswered]:
        """Yield one answer a prompt, in order, or why there is none."""
        model = self.open()
        loaded, steps = model.loaded, self.prompting.steps(target, self._lead(model, target))

        def work(batch: Sequence[tuple[int, ...]]) -> Sequence[Answer]:
            sequences, rest = model.begin(batch)
            threshold, longest = self.options.threshold, self.options.longest_answer
            return answer(sequences, rest, steps, threshold, longest, loaded.end_tokens, loaded.tokenizer)

        for result in model.run([prompt.ids for prompt in prompts], self.options.answer_length, work):
            yield Unanswered(Status.ERROR, result.detail) if isinstance(result, Failure) else result

    def _lead(self, model: LocalModel, target: Target) -> str:
        """Return what stands before this model's answers: the lead with which they are likeliest on a greeting."""
        if len(self.options.leads) > 1 and target not in self.leads:
            ids = greeting_to(self.prompting, target)
            masses = {}
            for lead in self.options.leads:
                steps = self.prompting.steps(target, lead)
                sequences, rest = model.begin([ids])
                found = answer(sequences, rest, steps, 2.0, 1, model.loaded.end_tokens, model.loaded.tokenizer)
                masses[lead] = found[0].mass
            self.leads[target] = max(masses, key=masses.__getitem__)
        return self.leads.get(target, self.options.leads[0])


def greeting_to(prompting: Prompting, target: Target) -> tuple[int, ...]:
    """Return the tokens of a harmless prompt, to find out how a model begins its answers."""
    return prompting.prompts(Exchange(GREETING[: 1 if target == "prompt" else 2], target))[0][0].ids


@dataclass(frozen=True)
class CachedAsker:
    """A guard in this process that is asked only what is not in the cache, so that its weights may not be needed.

    Attributes:
        inner: The guard.
        cache: Where answers are kept; failures are not.
        decisive: All that decides its answers beside a prompt's tokens, as plain values.
    """

    inner: Asker
    cache: ResponseCache
    decisive: Mapping[str, object]

    def ask(self, prompts: Sequence[GuardPrompt], target: Target) -> Iterator[Answer | Unanswered]:
        """Yield one answer a prompt, in order, or why there is none."""
        keys = [request_key("guard", 1, self.decisive, target, prompt.ids) for prompt in prompts]
        stored = {key: self.cache.get(key) for key in dict.fromkeys(keys)}
        missing = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if stored[key] is None}
        answers = self.inner.ask(list(missing.values()), target) if missing else iter(())
        asked_for = iter(missing)
        given: dict[str, Answer | Unanswered] = {}
        for key in keys:
            record = stored[key]
            if record is not None:
                yield Answer(**record)
                continue
            while key not in given:
                current = next(asked_for)
                given[current] = found = next(answers)
                if isinstance(found, Answer):
                    self.cache.put(current, asdict(found))
            yield given[key]
