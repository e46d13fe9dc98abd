"""Generative guards: the verdict from its first token's logits, and the categories that the guard writes.

A guard is described by data (see `evaluation.guarding.form`): the template that its model was trained with, the words
of its answer, and what its categories mean in ours. Presets of published guards are in recipes/evaluation/raters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babelguard.checksums import hash_of
from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.local_models.loading import LoadingOptions, fingerprint_of, load_model, name_of
from babelguard.local_models.local_model import Failure, LocalModel
from babelguard.local_models.shelf import SHELF
from babelguard.rating import Rating, Score, Status
from babelguard.taxonomy import TaxonomyMapping
from evaluation.guarding.adapter import find_adapter
from evaluation.guarding.answering import Answer, answer
from evaluation.guarding.conversation import Exchange, exchange_of
from evaluation.guarding.form import Target
from evaluation.guarding.grading import Asked, Grading
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import GuardPrompt, Prompting
from evaluation.preset import FOLDER
from evaluation.rater import RaterKind, Workbench, complete, fingerprint

AT_ONCE = 64
"""Items whose prompts are held in memory together and sorted by length."""
EMPTY = "the text is empty"
GREETING = ("Good morning!", "Good morning! What can I do for you?")


@dataclass
class GenerativeGuardRater:
    """A generative guard."""

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    options: GenerativeGuardOptions
    open: Callable[[], LocalModel]
    prompting: Prompting
    grading: Grading
    remarked: dict[str, int] = field(default_factory=dict)
    leads: dict[Target, str] = field(default_factory=dict)

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
            for remark in said:
                self.remarked[_kind(remark)] = self.remarked.get(_kind(remark), 0) + 1
            results = [
                Asked(prompt.policy.covers, *_answer_or_failure(prompt, answers.get(id(prompt)))) for prompt in asked
            ]
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

    def _answers(self, prompts: Sequence[Sequence[GuardPrompt]]) -> dict[int, Answer | Failure]:
        """Return answers by the prompt's identity; prompts of like length, and of one item, are neighbours."""
        found: dict[int, Answer | Failure] = {}
        for target in self.options.answers:
            groups = [[p for p in group if p.ids and p.target == target] for group in prompts]
            groups = sorted((group for group in groups if group), key=lambda group: -len(group[0].ids))
            asked = [prompt for group in groups for prompt in group]
            if not asked:
                continue
            for prompt, result in zip(asked, self._ask([p.ids for p in asked], target), strict=True):
                found[id(prompt)] = result
        return found

    def _ask(self, encoded: Sequence[tuple[int, ...]], target: Target) -> Iterator[Answer | Failure]:
        model = self.open()
        loaded, steps = model.loaded, self.prompting.steps(target, self._lead(model, target))

        def work(batch: Sequence[tuple[int, ...]]) -> Sequence[Answer]:
            sequences, rest = model.begin(batch)
            threshold, longest = self.options.threshold, self.options.longest_answer
            return answer(sequences, rest, steps, threshold, longest, loaded.end_tokens, loaded.tokenizer)

        return model.run(encoded, self.options.answer_length, work)

    def _lead(self, model: LocalModel, target: Target) -> str:
        """Return what stands before this model's answers: the lead with which they are likeliest on a greeting."""
        if len(self.options.leads) > 1 and target not in self.leads:
            greeting = Exchange(GREETING[: 1 if target == "prompt" else 2], target)
            ids = self.prompting.prompts(greeting)[0][0].ids
            masses = {}
            for lead in self.options.leads:
                steps = self.prompting.steps(target, lead)
                sequences, rest = model.begin([ids])
                found = answer(sequences, rest, steps, 2.0, 1, model.loaded.end_tokens, model.loaded.tokenizer)
                masses[lead] = found[0].mass
            self.leads[target] = max(masses, key=masses.__getitem__)
        return self.leads.get(target, self.options.leads[0])


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
    loading = LoadingOptions(**{key: getattr(options, key) for key in LoadingOptions.model_fields})
    weights = fingerprint_of(loading)
    adapter = find_adapter(options.adapter, options.adapter_revision) if options.adapter else None
    tokenizer, window = _tokenizer_and_window(loading)
    prompting = Prompting(
        tokenizer=tokenizer,
        template=_template(options),
        frame=options.frame,
        content=options.content,
        variables=options.variables,
        policies=options.policies,
        answers=options.answers,
        longest=min(options.longest_prompt, (window or options.longest_prompt) - options.answer_length),
        most_windows=options.most_windows,
    )
    for target in options.answers:
        for lead in options.leads:
            prompting.steps(target, lead)

    def load() -> LocalModel:
        loaded = load_model(loading)
        if adapter is not None:
            loaded = adapter.merge_into(loaded)
        tokens = options.batch_tokens or (1024 if loaded.model.device.type == "cpu" else 8192)
        return LocalModel(loaded, options.batch_size, tokens, options.share_prefix)

    decisive = [
        options.model_dump(mode="json", exclude=_NOT_DECISIVE),
        prompting.template,
        prompting.longest,
        weights,
        adapter.fingerprint if adapter else None,
        bench.taxonomy.names,
    ]
    key = hash_of("generative-guard", options.model_dump(mode="json"))
    return GenerativeGuardRater(
        name=name,
        description=f"The generative guard {name_of(loading)}: a verdict with its probability"
        + (", asked policy by policy." if options.policies else ", and the categories it names." if mapping else "."),
        covers=grading.covers,
        fingerprint=fingerprint("generative-guard", 1, decisive),
        options=options,
        open=lambda: SHELF.get(key, load),
        prompting=prompting,
        grading=grading,
    )


_NOT_DECISIVE = {
    *LoadingOptions.model_fields,
    "preset",
    "adapter",
    "adapter_revision",
    "template",
    "batch_size",
    "batch_tokens",
    "share_prefix",
}
"""Options that do not decide answers, or that the model's and the template's own contents stand for."""


def _tokenizer_and_window(loading: LoadingOptions) -> tuple[Any, int | None]:
    """Return the tokenizer and the model's window, so that mistakes show before weights are loaded."""
    if loading.gguf_file or loading.model.endswith(".gguf"):
        loaded = load_model(loading)
        return loaded.tokenizer, loaded.window
    from transformers import AutoConfig, AutoTokenizer

    path = Path(loading.model).expanduser()
    source = str(path) if path.is_dir() else loading.model
    common = {"revision": loading.revision, "trust_remote_code": loading.trust_remote_code}
    try:
        config = AutoConfig.from_pretrained(source, **common).get_text_config()
        tokenizer = AutoTokenizer.from_pretrained(source, **common)
    except (OSError, ValueError, ImportError) as error:
        first = str(error).strip().split("\n")[0][:300]
        raise UserError(f"The tokenizer of {name_of(loading)} cannot be loaded: {first}") from None
    longest = getattr(config, "max_position_embeddings", None)
    return tokenizer, longest if isinstance(longest, int) else None


def _template(options: GenerativeGuardOptions) -> str | None:
    named = options.template
    if named is None:
        return None
    path = next((p for p in (Path(named), FOLDER / named) if p.is_file()), None)
    if path is None:
        raise UserError(f"The template {named} does not exist, neither here nor in {FOLDER}; give a Jinja file.")
    return path.read_text(encoding="utf-8")


def _kind(remark: str) -> str:
    """Return a remark without its numbers, for counting."""
    return "".join("several" if part.isdigit() else part for part in _numbers(remark))


def _numbers(text: str) -> Iterator[str]:
    import re

    yield from re.split(r"(\d+)(?= (?:windows|earlier))", text)


def _answer_or_failure(prompt: GuardPrompt, result: Answer | Failure | None) -> tuple[Answer | None, str]:
    if isinstance(result, Answer):
        return result, ""
    return None, prompt.failure or (result.detail if result is not None else "the guard was not asked")


def _raw(asked: Sequence[GuardPrompt], results: Sequence[Asked]) -> str | None:
    said = [(prompt.policy.name, result.answer) for prompt, result in zip(asked, results, strict=True)]
    lines = [f"{policy}: {found.raw}" if policy else found.raw for policy, found in said if found is not None]
    return "\n".join(lines) or None


KIND = RaterKind(options=GenerativeGuardOptions, build=build)
