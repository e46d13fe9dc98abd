"""An LLM judge: a language model that rates items by a rubric.

Two modes with one output. `generate` lets the model write its answer and parses it, as RTP-LX does; `score` forces the
answer's skeleton and reads only the levels from the model's logits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from babelguard.checksums import hash_of
from babelguard.errors import UserError
from babelguard.generator import GENERATORS, Decoding, Generation, GeneratorKind, TextGenerator
from babelguard.item import Item
from babelguard.local_models.choosing import ChoosingGenerator, Failure
from babelguard.rating import Rating, Score, Status
from babelguard.recipe import RecipeModel, validate
from babelguard.response_cache import cached, cached_chooser
from babelguard.taxonomy import Taxonomy
from evaluation.judging.answer import parse_answer
from evaluation.judging.examples import bundled_examples, load_examples
from evaluation.judging.layout import LaidOut, Layout, default_stop, lay_out
from evaluation.judging.level_chances import with_chances
from evaluation.judging.policy import DEFAULT_POLICY, apply_policy
from evaluation.judging.quoting import content_of, type_of
from evaluation.judging.rubric import OWN_RUBRIC, OWN_VALUES, Rubric, load_rubric
from evaluation.judging.scoring import answer_lines, record_of, scores_of
from evaluation.preset import preset_options
from evaluation.rater import RaterKind, Workbench, complete


class LlmJudgeOptions(RecipeModel):
    """Which model, how it is asked, and how its answer is read."""

    preset: str | None = Field(None, description="Name of a preset, as in docs/raters.md")
    model: str | None = Field(None, description="Hub name, local folder, or name at the service")
    backend: str = Field("transformers", description="How the model is reached: a generator of babelguard/generators")
    backend_options: dict[str, Any] = Field(default_factory=dict, description="The backend's own options")
    mode: Literal["generate", "score"] = Field("generate", description="Parse a written answer, or read the logits")
    layout: Layout = Field("chat", description="chat: through the chat template; completion: for base models")
    rubric: Path = Field(OWN_RUBRIC, description="Template: Jinja if it ends in .j2, else with $TYPE, $PROMPT, ...")
    labels: dict[str, str] = Field(default_factory=dict, description="Category -> its name in this rubric's answers")
    values: Path = Field(OWN_VALUES, description="Text file for VALUES")
    examples: Path | None = Field(None, description="YAML file for EXAMPLES; the project's own if not set")
    policy: str = Field(DEFAULT_POLICY, description="What to do with written values that are no levels")
    max_new_tokens: int = Field(200, ge=1, description="Where a written answer is stopped, in tokens")
    temperature: float = Field(0.0, ge=0.0, le=2.0, description="0 is greedy")
    stop: tuple[Annotated[str, Field(min_length=1)], ...] | None = Field(
        None, description="Strings that end a written answer; by layout if not set"
    )
    seed: int = Field(0, ge=0, description="Of sampling, where the temperature is above 0")

    _from_preset = preset_options("llm-judge")


@dataclass(frozen=True)
class LlmJudge:
    """A judge with its rubric. In mode `score` its ratings come from a `ChoosingGenerator`, else from any."""

    name: str
    description: str
    fingerprint: str
    rubric: Rubric
    layout: Layout
    decoding: Decoding
    policy: str
    generator: TextGenerator
    scorer: ChoosingGenerator | None
    notes: Sequence[str] = ()

    @property
    def covers(self) -> tuple[str, ...]:
        """All categories: the rubric asks for each."""
        return self.rubric.taxonomy.names

    def accepts(self, item: Item) -> bool:  # noqa: ARG002 - every text can be put to a model
        """Tell whether the rater can be asked; it always can."""
        return True

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item, in order; an empty text is not applicable and is not shown to the model.

        In mode `score` the raw answer is JSON: for every category the probabilities of its levels and the expectation.

        Raises:
            UserError: The model cannot be used as the recipe says; for example, it has no chat template.
        """
        # Items of one type share the rubric's words to the last, so that a model computes them once. One type is rated
        # after another: together they would ask a service more at once than its traffic allows.
        shown = [(place, item) for place, item in enumerate(items) if content_of(item).strip()]
        rated: dict[int, Rating] = {}
        for kind in dict.fromkeys(type_of(item) for _, item in shown):
            places, alike = zip(*((place, item) for place, item in shown if type_of(item) == kind), strict=True)
            rated.update(zip(places, self._rate(alike), strict=True))
        for place, item in enumerate(items):
            if place in rated:
                yield rated[place]
            else:
                scores = complete(self.rubric.taxonomy, {}, Status.NOT_APPLICABLE, "the text is empty")
                yield Rating(self.name, item.id, scores)

    def _rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        laid_out = []
        for item in items:
            text = self.rubric.render(item)
            laid_out.append(lay_out(self.layout, text, self.rubric.opening_of(text)))
        answers = self._read(laid_out) if self.scorer is None else self._score(self.scorer, laid_out)
        for item, (scores, raw) in zip(items, answers, strict=True):
            yield Rating(self.name, item.id, scores, raw)

    def _read(self, laid_out: Sequence[LaidOut]) -> Iterator[tuple[Mapping[str, Score], str | None]]:
        generations = self.generator.generate([one.prompt for one in laid_out], self.decoding)
        for one, generation in zip(laid_out, generations, strict=True):
            scores = _parsed(generation, one.opening, self.policy, self.rubric.taxonomy)
            if generation.top_logprobs:
                tokens = generation.top_logprobs
                scores = with_chances(scores, tokens, self.rubric.taxonomy, self.rubric.labels, one.opening)
            yield scores, generation.text or None

    def _score(
        self, scorer: ChoosingGenerator, laid_out: Sequence[LaidOut]
    ) -> Iterator[tuple[Mapping[str, Score], str | None]]:
        taxonomy = self.rubric.taxonomy
        before = laid_out[0].before if laid_out else ""
        lines = answer_lines(taxonomy, self.rubric.labels)
        for answer in scorer.choose([one.scored for one in laid_out], lines, before):
            if isinstance(answer, Failure):
                yield complete(taxonomy, {}, Status.ERROR, answer.detail), None
            else:
                yield scores_of(answer, taxonomy), record_of(answer, taxonomy)


def _parsed(generation: Generation, opening: str, policy: str, taxonomy: Taxonomy) -> Mapping[str, Score]:
    """Read an answer, which is all that the model wrote behind the prompt and nothing of the prompt."""
    without_text = generation.status is Status.TRUNCATED and not generation.text
    if generation.status not in (Status.OK, Status.TRUNCATED) or without_text:
        return complete(taxonomy, {}, generation.status, generation.detail)
    answer = f"{opening} {generation.text.lstrip()}" if opening else generation.text
    return apply_policy(policy, parse_answer(answer, taxonomy), taxonomy)


def build(name: str, options: LlmJudgeOptions, bench: Workbench) -> LlmJudge:
    """Read the rubric and make the generator; weights are loaded when the first item comes.

    Raises:
        UserError: The model, the backend, its options, the rubric or the policy cannot be used.
    """
    apply_policy(options.policy, {n: Score(1) for n in bench.taxonomy.names}, bench.taxonomy)  # an unknown name stops
    examples = options.examples or bundled_examples(bench.taxonomy)
    rubric = load_rubric(
        bench.taxonomy,
        options.rubric,
        options.labels,
        options.values,
        load_examples(examples, bench.taxonomy) if examples else (),
    )
    generator = _generator(name, options)
    scorer = generator if isinstance(generator, ChoosingGenerator) else None
    if options.mode == "score" and scorer is None:
        raise UserError(
            f"The rater {name}: the backend {options.backend} cannot score levels; set mode: generate, or a backend "
            "that runs the model in this process."
        )
    stop = tuple(default_stop(options.layout)) if options.stop is None else options.stop
    decoding = Decoding(options.max_new_tokens, options.temperature, stop, options.seed)
    how: list[str] = [options.mode, options.layout]
    if options.mode == "generate":
        how += [options.policy, repr(decoding)]
    return LlmJudge(
        name=name,
        description=_description(generator.name, options),
        fingerprint=hash_of("llm-judge", 1, rubric.fingerprint, generator.fingerprint, how),
        rubric=rubric,
        layout=options.layout,
        decoding=decoding,
        policy=options.policy,
        generator=cached(generator, bench.cache),
        scorer=None if options.mode != "score" or scorer is None else cached_chooser(scorer, generator, bench.cache),
        notes=tuple(_notes(name, rubric, options)),
    )


def _generator(name: str, options: LlmJudgeOptions) -> TextGenerator:
    kind: GeneratorKind = GENERATORS.get(options.backend)
    values = dict(options.backend_options)
    if options.model is not None:
        values["deployment" if "deployment" in kind.options.model_fields else "model"] = options.model
    checked = validate(values, kind.options, f"The rater {name}", ("backend_options",))
    return kind.build(checked)


def _description(model: str, options: LlmJudgeOptions) -> str:
    read = "levels read from its logits" if options.mode == "score" else "its written answer parsed"
    rubric = "the project's rubric" if options.rubric == OWN_RUBRIC else f"the rubric {options.rubric.name}"
    return f"{model} as a judge with {rubric}, {read}."


def _notes(name: str, rubric: Rubric, options: LlmJudgeOptions) -> Iterable[str]:
    if not rubric.sets_apart:
        yield (
            f"{name}: the rubric {options.rubric.name} puts items into the prompt as they are, so that an item can "
            "pass for instructions; a rubric that ends in .j2 gets every line of an item marked."
        )


KIND = RaterKind(options=LlmJudgeOptions, build=build)
