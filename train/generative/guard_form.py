"""Answers in Llama Guard's format: ``safe``, or ``unsafe`` and on the next line the codes of what is violated.

An item is unsafe where a category that it covers reaches its level of the recipe. What it does not cover is not listed
in its prompt, so that no answer says anything about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from babelguard.checksums import hash_of
from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.local_models.local_model import LocalModel
from babelguard.recipe import validate
from babelguard.taxonomy import Taxonomy, TaxonomyMapping
from evaluation.guarding.answering import EncodedStep
from evaluation.guarding.asking import LocalAsker
from evaluation.guarding.conversation import exchange_of
from evaluation.guarding.form import Step
from evaluation.guarding.grading import Grading
from evaluation.guarding.layout import continuation
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import Prompting
from evaluation.rater import Rater
from evaluation.raters.generative_guard import GenerativeGuardRater
from train.generative.form import Asked, LeftOutError, Levels
from train.generative.guard_prompt import CATEGORIES, codes_of, listing
from train.generative.options import AnswerRecipe

SAFE, UNSAFE = "safe", "unsafe"
STEPS = (Step(choose={SAFE: 0.0, UNSAFE: 1.0}, verdict=True), Step(say="\n", codes=True))


@dataclass(frozen=True)
class GuardForm:
    """Llama Guard's format.

    Attributes:
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        taxonomy: The categories.
        recipe: From which levels on categories are violated.
        template: The guard's chat template, as `guard_template` makes it.
        end: Token that ends an answer.
        longest: Tokens of prompt and answer together, at most.
        threshold: Probability of ``unsafe`` (0-1) from which on a text is flagged.
    """

    tokenizer: Any
    taxonomy: Taxonomy
    recipe: AnswerRecipe
    template: str
    end: int
    longest: int
    threshold: float = 0.5
    _prompting: dict[tuple[str, ...], Prompting] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.recipe.unsafe_from, dict):
            for name in self.recipe.unsafe_from:
                self.taxonomy[name]  # an unknown category is told with the nearest one
        for category in self.taxonomy:
            if self.recipe.first_unsafe_level(category.name) > category.scale:
                raise UserError(
                    f"answer.unsafe_from is above the highest level of {category.name} ({category.scale}); "
                    "give a level a category, such as {Toxicity: 3}."
                )

    @cached_property
    def longest_answer(self) -> int:
        """Tokens of the longest answer, its end included."""
        return len(self.answer({category.name: category.scale for category in self.taxonomy}))

    def ask(self, item: Item, covered: Sequence[str]) -> Asked:
        """Return the prompt, which lists the covered categories; a text that is too long is shown without its end.

        Raises:
            LeftOutError: There is no text, or no room for it.
        """
        exchange = exchange_of(item)
        if not exchange.texts[-1]:
            raise LeftOutError("the text is empty")
        prompts, remarks = self._prompting_of(tuple(covered)).prompts(exchange)
        if not prompts[0].ids:
            raise LeftOutError(prompts[0].failure)
        return Asked(prompts[0].ids, cut=len(prompts) > 1 or any("shortened" in remark for remark in remarks))

    def answer(self, levels: Levels) -> tuple[int, ...]:
        """Return the verdict, the codes of the violated categories, and the end.

        Raises:
            LeftOutError: No category is covered.
        """
        if not levels:
            raise LeftOutError("no category is covered")
        violated = self.violated(levels)
        verdict, written = self.steps
        ids = [*verdict.forced, *verdict.answers[UNSAFE if violated else SAFE]]
        if violated:
            codes = codes_of(self.taxonomy)
            line = ",".join(codes[name] for name in violated)
            ids += [*written.forced, *continuation(self.tokenizer, written.step.say, line)]
        return (*ids, self.end)

    def verdict(self, levels: Levels) -> str:
        """Return ``safe`` or ``unsafe``."""
        return UNSAFE if self.violated(levels) else SAFE

    def violated(self, levels: Levels) -> list[str]:
        """Return the covered categories that reach their level, in the taxonomy's order."""
        return [
            name
            for name in self.taxonomy.names
            if name in levels and levels[name] >= self.recipe.first_unsafe_level(name)
        ]

    def at(self, threshold: float) -> GuardForm:
        """Return the format with another threshold."""
        return replace(self, threshold=threshold)

    def rater(self, name: str, model: LocalModel) -> Rater:
        """Return a guard that reads the verdict from the model's logits."""
        options = validate({**self._options(), "model": name}, GenerativeGuardOptions, "the guard in training")
        prompting = self._prompting_of(self.taxonomy.names)
        mapping = TaxonomyMapping(name, self.taxonomy, options.mapping)
        grading = Grading(
            self.taxonomy, options.overall, mapping, (), options.threshold, options.flagged_level, options.least_mass
        )
        return GenerativeGuardRater(
            name=name,
            description="The guard in training: a verdict with its probability, and the categories it names.",
            covers=grading.covers,
            fingerprint=hash_of("in-training", name),
            options=options,
            prompting=prompting,
            asker=LocalAsker(lambda: model, prompting, options),
            grading=grading,
        )

    def export(self, folder: Path) -> dict[str, Any]:  # noqa: ARG002 - the template is the tokenizer's, written there
        """Return the options of a generative guard; its prompt is the exported tokenizer's chat template."""
        return {"kind": "generative-guard", "model": "${folder}", **self._options()}

    def _options(self) -> dict[str, Any]:
        steps = [step.model_dump(mode="json", exclude_defaults=True) for step in STEPS]
        return {
            "answers": {"prompt": steps, "response": steps},
            "mapping": {code: [name] for name, code in codes_of(self.taxonomy).items()},
            "overall": self.taxonomy.names[0],
            "threshold": self.threshold,
            "least_mass": self.recipe.least_mass,
            "longest_answer": 4 * len(self.taxonomy),
            "longest_prompt": max(128, self.longest - self.longest_answer),
        }

    @cached_property
    def steps(self) -> tuple[EncodedStep, ...]:
        """The answer's steps as tokens."""
        return self._prompting_for(self.taxonomy.names, self.longest).steps("prompt")

    def _prompting_of(self, covered: tuple[str, ...]) -> Prompting:
        if covered not in self._prompting:
            self._prompting[covered] = self._prompting_for(covered, self.longest - self.longest_answer)
        return self._prompting[covered]

    def _prompting_for(self, covered: tuple[str, ...], room: int) -> Prompting:
        everything = set(covered) == set(self.taxonomy.names)
        return Prompting(
            tokenizer=self.tokenizer,
            template=self.template,
            frame=(),
            content="text",
            variables={} if everything else {CATEGORIES: listing(self.taxonomy, covered)},
            policies=(),
            answers={"prompt": STEPS, "response": STEPS},
            longest=room,
            most_windows=64,
        )
