"""Answers in the judge's format: a line a category, ``Insult: 2``, as `evaluation.judging` asks for and parses them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from babelguard.checksums import hash_of
from babelguard.generator import Decoding, Generation, Prompt
from babelguard.item import Item
from babelguard.local_models.encoding import encode_after, encode_prompt
from babelguard.local_models.local_model import LocalModel
from babelguard.taxonomy import Taxonomy
from evaluation.guarding.windows import windows
from evaluation.judging.layout import Layout, lay_out
from evaluation.judging.policy import DEFAULT_POLICY
from evaluation.judging.rubric import Rubric, load_rubric
from evaluation.judging.scoring import answer_lines
from evaluation.rater import Rater
from evaluation.raters.llm_judge import LlmJudge
from train.generative.form import Asked, LeftOutError, Levels

_TRIES = 4
RUBRIC = "rubric.j2"


@dataclass(frozen=True)
class JudgeForm:
    """The judge's format.

    Attributes:
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        taxonomy: The categories.
        rubric: What the judge is shown.
        rubric_file: Where the rubric was read from.
        layout: As a turn of a chat, or as a text to go on with.
        template_options: Variables of the chat template.
        end: Token that ends an answer.
        longest: Tokens of prompt and answer together, at most.
    """

    tokenizer: Any
    taxonomy: Taxonomy
    rubric: Rubric
    rubric_file: Path
    layout: Layout
    template_options: dict[str, Any]
    end: int
    longest: int

    @cached_property
    def longest_answer(self) -> int:
        """Tokens of the longest answer, its end included."""
        return len(self.answer({category.name: category.scale for category in self.taxonomy}))

    def ask(self, item: Item, covered: Sequence[str]) -> Asked:  # noqa: ARG002 - a rubric asks for every category
        """Return the prompt; a text that is too long is shown without its end.

        Raises:
            LeftOutError: There is no text, a conversation is too long, or the rubric leaves no room.
        """
        if not item.text.strip() and not item.messages:
            raise LeftOutError("the text is empty")
        room = self.longest - self.longest_answer
        ids = self._encode(item)
        if len(ids) <= room:
            return Asked(ids, cut=False)
        if item.messages:
            raise LeftOutError(f"the conversation is longer than model.longest ({self.longest} tokens)")
        left = room - len(self._encode(replace(item, text="-")))
        for _ in range(_TRIES):
            if left < 1:
                break
            ids = self._encode(replace(item, text=windows(item.text, left, self.tokenizer)[0]))
            if len(ids) <= room:
                return Asked(ids, cut=True)
            left -= len(ids) - room
        raise LeftOutError(f"the rubric leaves no room for the text in model.longest ({self.longest} tokens)")

    def answer(self, levels: Levels) -> tuple[int, ...]:
        """Return the lines of the covered categories, in the taxonomy's order, and the end.

        Raises:
            LeftOutError: No category is covered.
        """
        if not levels:
            raise LeftOutError("no category is covered")
        before = self._before
        ids: list[int] = []
        for category, line in zip(self.taxonomy, answer_lines(self.taxonomy, self.rubric.labels), strict=True):
            if category.name not in levels:
                continue
            label = line.label if ids else line.label.lstrip("\n")
            written = label + line.choices[levels[category.name] - 1]
            ids += encode_after(self.tokenizer, before, written)
            before += written
        return (*ids, self.end)

    def verdict(self, levels: Levels) -> str:
        """Return the levels themselves."""
        return " ".join(f"{name}={levels[name]}" for name in self.taxonomy.names if name in levels)

    def rater(self, name: str, model: LocalModel) -> Rater:
        """Return a judge that reads levels from the model's logits (mode: score)."""
        return LlmJudge(
            name=name,
            description="The guard in training as a judge, its levels read from its logits.",
            fingerprint=hash_of("in-training", name),
            rubric=self.rubric,
            layout=self.layout,
            decoding=Decoding(),
            policy=DEFAULT_POLICY,
            generator=_NoGenerator(name),
            scorer=replace(model, template_options=self.template_options),
        )

    def export(self, folder: Path) -> dict[str, Any]:
        """Copy the rubric, and return the options of a judge."""
        shutil.copyfile(self.rubric_file, folder / RUBRIC)
        options: dict[str, Any] = {
            "kind": "llm-judge",
            "model": "${folder}",
            "mode": "score",
            "layout": self.layout,
            "rubric": "${folder}/" + RUBRIC,
            "max_new_tokens": self.longest_answer + 8,
        }
        if self.template_options:
            options["backend_options"] = {"template_options": self.template_options}
        return options

    @property
    def _before(self) -> str:
        return "" if self.layout == "chat" else "\n"

    def _encode(self, item: Item) -> tuple[int, ...]:
        text = self.rubric.render(item)
        laid_out = lay_out(self.layout, text, self.rubric.opening_of(text))
        return tuple(encode_prompt(self.tokenizer, laid_out.scored, self.template_options))


def judge_form(
    tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
    taxonomy: Taxonomy,
    rubric: Path,
    layout: Layout,
    template_options: dict[str, Any],
    end: int,
    longest: int,
) -> JudgeForm:
    """Read the rubric and make the format; see `JudgeForm` for the arguments and `load_rubric` for what is raised."""
    return JudgeForm(tokenizer, taxonomy, load_rubric(taxonomy, rubric), rubric, layout, template_options, end, longest)


@dataclass(frozen=True)
class _NoGenerator:
    """Stands where a judge that writes would have its generator."""

    name: str
    fingerprint: str = ""

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        raise NotImplementedError("levels are read from logits here")
