"""Generative guards: the verdict from its first token's logits, and the categories that the guard writes.

A guard is described by data (see `evaluation.guarding.form`): the template that its model was trained with, the words
of its answer, and what its categories mean in ours. Presets of published guards are in recipes/evaluation/raters. It
runs in this process, or behind a service (see `evaluation.guarding.backends`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from babelguard.item import Item
from babelguard.local_models.loading import LoadingOptions
from babelguard.rating import Rating, Score, Status
from babelguard.taxonomy import TaxonomyMapping
from evaluation.guarding.answering import Answer
from evaluation.guarding.asking import Asker, Unanswered
from evaluation.guarding.backends import Prompter, open_guard
from evaluation.guarding.conversation import Exchange, exchange_of
from evaluation.guarding.form import Target
from evaluation.guarding.grading import BETWEEN_REMARKS, Asked, Grading
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import GuardPrompt
from evaluation.rater import RaterKind, Workbench, complete, fingerprint

AT_ONCE = 64
"""Items whose prompts are held in memory together and sorted by length."""
EMPTY = "the text is empty"


@dataclass
class GenerativeGuardRater:
    """A generative guard."""

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    options: GenerativeGuardOptions
    prompting: Prompter
    asker: Asker
    grading: Grading
    remarked: dict[str, int] = field(default_factory=dict, init=False)

    @property
    def notes(self) -> Sequence[str]:
        """What was rated otherwise than as it stands, with counts."""
        return [f"{self.name}: {remark}: {count:,} items." for remark, count in sorted(self.remarked.items())]

    def accepts(self, item: Item) -> bool:
        """Tell whether the guard answers about items of this kind (prompts, responses)."""
        return self._exchange(item).target in self.options.answers

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item, in order; the raw answers are what the guard said, and nothing of the item."""
        for start in range(0, len(items), AT_ONCE):
            yield from self._rate(items[start : start + AT_ONCE])

    def observe(self, rating: Rating) -> None:
        """Count what the overall category's detail says: there it holds remarks alone, whichever start wrote it."""
        overall = rating.scores[self.grading.overall]
        if overall.level is None or overall.detail is None:
            return
        for remark in overall.detail.split(BETWEEN_REMARKS):
            self.remarked[_kind(remark)] = self.remarked.get(_kind(remark), 0) + 1

    def _exchange(self, item: Item) -> Exchange:
        return exchange_of(item, self.options.conversation, self.options.without_prompt)

    def _rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        exchanges = [self._exchange(item) for item in items]
        prompts: list[list[GuardPrompt]] = []
        remarks: list[list[str]] = []
        for exchange in exchanges:
            made, more = self.prompting.prompts(exchange) if exchange.texts[-1] else ([], [])
            prompts.append(made)
            remarks.append([*exchange.remarks, *more])
        answers = self._answers(prompts)
        for item, exchange, asked, said in zip(items, exchanges, prompts, remarks, strict=True):
            results = [_asked(prompt, answers.get(id(prompt))) for prompt in asked]
            yield self._rating(item, exchange, asked, results, said)

    def _rating(
        self,
        item: Item,
        exchange: Exchange,
        asked: Sequence[GuardPrompt],
        results: Sequence[Asked],
        remarks: Sequence[str],
    ) -> Rating:
        taxonomy = self.grading.taxonomy
        if not asked:
            empty = {name: Score.missing(Status.NOT_APPLICABLE, EMPTY) for name in self.covers}
            return Rating(self.name, item.id, complete(taxonomy, empty))
        scores = self.grading.scores(results, self._harms(exchange.target), remarks)
        return Rating(self.name, item.id, complete(taxonomy, scores), _raw(asked, results))

    def _harms(self, target: Target) -> Mapping[str, float]:
        return next(step.choose or {} for step in self.options.answers[target] if step.verdict)

    def _answers(self, prompts: Sequence[Sequence[GuardPrompt]]) -> dict[int, Answer | Unanswered]:
        """Return answers by the prompt's identity; prompts of like length, and of one item, are neighbours."""
        found: dict[int, Answer | Unanswered] = {}
        for target in self.options.answers:
            groups = [[p for p in group if not p.failure and p.target == target] for group in prompts]
            groups = sorted((group for group in groups if group), key=lambda group: -group[0].length)
            asked = [prompt for group in groups for prompt in group]
            if not asked:
                continue
            for prompt, result in zip(asked, self.asker.ask(asked, target), strict=True):
                found[id(prompt)] = result
        return found


def build(name: str, options: GenerativeGuardOptions, bench: Workbench) -> GenerativeGuardRater:
    """Load the guard.

    Raises:
        UserError: The mapping names a category that the taxonomy lacks, the model cannot be loaded, it has no
            template, or its tokenizer does not fit the answers.
    """
    mapping = (
        TaxonomyMapping(options.preset or options.model, bench.taxonomy, options.mapping) if options.mapping else None
    )
    grading = Grading(
        taxonomy=bench.taxonomy,
        overall=bench.taxonomy[options.overall].name,
        mapping=mapping,
        policies=tuple(bench.taxonomy[c].name for policy in options.policies for c in policy.covers),
        threshold=options.threshold,
        flagged_level=options.flagged_level,
        least_mass=options.least_mass,
    )
    guard = open_guard(name, options, bench.cache)
    decisive = [
        options.model_dump(mode="json", exclude=_NOT_DECISIVE),
        guard.decisive,
        bench.taxonomy.names,
    ]
    return GenerativeGuardRater(
        name=name,
        description=f"The generative guard {guard.name}: a verdict with its probability"
        + (", asked policy by policy." if options.policies else ", and the categories it names." if mapping else "."),
        covers=grading.covers,
        fingerprint=fingerprint("generative-guard", 2, decisive),
        options=options,
        prompting=guard.prompting,
        asker=guard.asker,
        grading=grading,
    )


_NOT_DECISIVE = {
    *LoadingOptions.model_fields,
    "preset",
    "adapter",
    "adapter_revision",
    "backend",
    "backend_options",
    "template",
    "prompt_file",
    "published",
    "policies",
    "batch_size",
    "batch_tokens",
    "share_prefix",
}
"""Options that do not decide answers, or that the model's and the template's own contents stand for."""


def _kind(remark: str) -> str:
    """Return a remark without its numbers, for counting."""
    return "".join("several" if part.isdigit() else part for part in _numbers(remark))


def _numbers(text: str) -> Iterator[str]:
    yield from re.split(r"(\d+)(?= (?:windows|earlier))", text)


def _asked(prompt: GuardPrompt, result: Answer | Unanswered | None) -> Asked:
    covers = prompt.policy.covers
    if isinstance(result, Answer):
        return Asked(covers, result)
    if result is None:
        return Asked(covers, None, prompt.failure or "the guard was not asked")
    return Asked(covers, None, result.detail, result.status)


def _raw(asked: Sequence[GuardPrompt], results: Sequence[Asked]) -> str | None:
    said = [(prompt.policy.name, result.answer) for prompt, result in zip(asked, results, strict=True)]
    lines = [f"{policy}: {found.raw}" if policy else found.raw for policy, found in said if found is not None]
    return "\n".join(lines) or None


KIND = RaterKind(options=GenerativeGuardOptions, build=build)
