"""Sequence classifiers: any model for sequence classification, with a mapping from its labels to the taxonomy.

Texts longer than the model's window are scored in overlapping windows, of which the likeliest counts; the run's notes
say how many texts that were. Probabilities are those of transformers' text-classification pipeline.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from pydantic import Field, field_validator

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import languages_of
from babelguard.rating import Rating, Score, Status
from babelguard.recipe import RecipeModel
from babelguard.taxonomy import Taxonomy
from evaluation.classifying.checkpoint import Checkpoint, open_checkpoint
from evaluation.classifying.labels import Activation, LabelMap, make_label_map, model_labels
from evaluation.classifying.scoring import Probabilities, Scorer
from evaluation.classifying.windows import window_of
from evaluation.preset import preset_options
from evaluation.rater import RaterKind, Workbench, complete, fingerprint

DIGITS = 6
"""Decimals of the probabilities that are kept, and that levels are read from."""


class SequenceClassifierOptions(RecipeModel):
    """Which model, what its labels mean, and how it is run."""

    preset: str | None = Field(None, description="A known model, as in docs/raters.md")
    model: str = Field(description="Hub name, or a local folder with config.json, tokenizer.json and *.safetensors")
    revision: str | None = Field(None, description="Commit, tag or branch on the hub; the default branch if not set")
    tokenizer: str | None = Field(None, description="Hub name or folder, where the model comes without a tokenizer")
    labels: Mapping[str, Mapping[str, int] | tuple[str, ...]] = Field(
        min_length=1,
        description="Label -> the categories it speaks for; as a mapping, with the lowest level it stands for",
    )
    label_names: tuple[str, ...] | None = Field(
        None, description="Names of the outputs, in order, for models that only number theirs"
    )
    activation: Literal["auto", "softmax", "sigmoid"] = Field(
        "auto", description="softmax: one label holds; sigmoid: any number; auto: as the model's configuration says"
    )
    thresholds: Mapping[str, tuple[float, ...]] = Field(
        default_factory=dict, description="Category -> probabilities from which level 2, 3, ... is given"
    )
    languages: tuple[str, ...] | None = Field(None, description="Rate only items in these languages; all if not set")
    window: int | None = Field(None, ge=8, description="Tokens read at once; as many as the model takes if not set")
    overlap: int | None = Field(
        None, ge=0, description="Tokens that neighbouring windows of a long text share; an eighth of one if not set"
    )
    batch_tokens: int | None = Field(
        None, ge=1, description="Tokens in a batch, at most; 1,024 on a CPU and 16,384 on a GPU if not set"
    )
    device: str = Field("auto", description="cpu, cuda, cuda:1, ...; auto is the first GPU, else the CPU")
    dtype: Literal["float32", "bfloat16", "float16"] = Field("float32", description="Type of the weights")
    trust_remote_code: bool = Field(False, description="Run Python code that comes with the model")

    _from_preset = preset_options("sequence-classifier")

    @field_validator("device")
    @classmethod
    def _holds_weights(cls, device: str) -> str:
        if device.split(":", maxsplit=1)[0] == "meta":
            raise ValueError("the device meta holds no weights; name cpu, cuda or auto")
        return device


@dataclass
class SequenceClassifierRater:
    """Rates with a classifier's probabilities.

    Attributes:
        languages: Tags that it rates; every language if `None`.
        seen: Ratings that count in the run.
        windowed: How many of them are of texts longer than the window.
    """

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    taxonomy: Taxonomy
    scorer: Scorer
    meaning: LabelMap
    languages: frozenset[str] | None = None
    seen: int = field(default=0, init=False)
    windowed: int = field(default=0, init=False)

    @property
    def notes(self) -> Sequence[str]:
        """How many texts were longer than the window."""
        if not self.windowed:
            return []
        return [
            f"{self.name}: {self.windowed:,} of {self.seen:,} texts are longer than the model's window of "
            f"{self.scorer.window:,} tokens; they were scored in overlapping windows, of which the highest counts."
        ]

    def accepts(self, item: Item) -> bool:
        """Tell whether the classifier is asked about the item's language."""
        return self.languages is None or item.language in self.languages

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item; the raw answer has the labels' probabilities and the number of windows."""
        texts = [content(item) for item in items]
        for item, text, scored in zip(items, texts, self.scorer.score(texts), strict=True):
            if not text.strip():
                yield self._missing(item, Status.NOT_APPLICABLE, "the text is empty")
            elif scored is None:
                yield self._missing(item, Status.ERROR, "a window of the text does not fit into memory")
            elif len(scored) == 0:
                yield self._missing(item, Status.NOT_APPLICABLE, "the text has no token")
            else:
                yield self._rating(item, scored)

    def observe(self, rating: Rating) -> None:
        """Count the ratings of texts that are longer than the window."""
        self.seen += 1
        if rating.raw is not None and json.loads(rating.raw)["windows"] > 1:
            self.windowed += 1

    def _rating(self, item: Item, scored: Probabilities) -> Rating:
        highest = [round(float(value), DIGITS) for value in scored.max(axis=0)]
        scores = {}
        for category in self.covers:
            probability = round(float(np.max(self.meaning.probability(category, scored))), DIGITS)
            scores[category] = Score(self.meaning.level(category, probability, highest), probability=probability)
        raw = {"windows": len(scored), "probabilities": dict(zip(self.meaning.labels, highest, strict=True))}
        return Rating(self.name, item.id, complete(self.taxonomy, scores), json.dumps(raw, ensure_ascii=False))

    def _missing(self, item: Item, status: Status, reason: str) -> Rating:
        scores = {category: Score.missing(status, reason) for category in self.covers}
        return Rating(self.name, item.id, complete(self.taxonomy, scores))


def content(item: Item) -> str:
    """Return what is classified: the text, or the turns of a conversation, joined by line breaks."""
    return "\n".join(part for part in (item.text, *(message.content for message in item.messages)) if part)


def build(name: str, options: SequenceClassifierOptions, bench: Workbench) -> SequenceClassifierRater:
    """Open the model and check its labels against the mapping; its weights are loaded when the first item comes.

    Raises:
        UserError: The model cannot be opened, or the options do not fit it.
    """
    checkpoint = open_checkpoint(
        options.model, options.revision, options.tokenizer, trust_remote_code=options.trust_remote_code
    )
    meaning = make_label_map(
        labels=model_labels(_labels_in(checkpoint), options.label_names, checkpoint.name),
        meanings=options.labels,
        activation=_activation(options, checkpoint),
        thresholds=options.thresholds,
        taxonomy=bench.taxonomy,
        model=checkpoint.name,
    )
    window = window_of(checkpoint.config, checkpoint.tokenizer, options.window, checkpoint.name)
    overlap = window // 8 if options.overlap is None else options.overlap
    free = window - checkpoint.tokenizer.num_special_tokens_to_add(pair=False)
    if overlap >= free:
        raise UserError(f"overlap is {overlap} tokens, and a window holds {free} of a text; set overlap to less.")
    scorer = Scorer(
        checkpoint=checkpoint,
        activation=meaning.activation,
        window=window,
        overlap=overlap,
        batch_tokens=options.batch_tokens,
        device=options.device,
        dtype=options.dtype,
    )
    return SequenceClassifierRater(
        name=name,
        description=f"The classifier {checkpoint.name}, its labels carried into {len(meaning.speakers)} categories.",
        covers=tuple(meaning.speakers),
        fingerprint=fingerprint(
            "sequence-classifier",
            1,
            checkpoint.digest,
            [meaning.labels, meaning.activation, meaning.speakers, meaning.lowest, meaning.thresholds],
            [window, overlap, options.dtype],
            bench.taxonomy.names,
        ),
        taxonomy=bench.taxonomy,
        scorer=scorer,
        meaning=meaning,
        languages=_tags(options.languages),
    )


def _labels_in(checkpoint: Checkpoint) -> list[str]:
    named = {int(number): str(label) for number, label in checkpoint.config.id2label.items()}
    return [named[number] for number in sorted(named)]


def _activation(options: SequenceClassifierOptions, checkpoint: Checkpoint) -> Activation:
    if options.activation != "auto":
        return options.activation
    problem, outputs = checkpoint.config.problem_type, checkpoint.config.num_labels
    if problem == "regression":
        raise UserError(
            f"The model {checkpoint.name} gives a number on a scale of its own, not probabilities; "
            "if it was trained with a sigmoid or softmax, set activation."
        )
    return "sigmoid" if problem == "multi_label_classification" or outputs == 1 else "softmax"


def _tags(codes: Sequence[str] | None) -> frozenset[str] | None:
    if codes is None:
        return None
    return frozenset(tag for code in codes for tag in languages_of(code))


KIND = RaterKind(options=SequenceClassifierOptions, build=build)
