"""A character n-gram classifier, trained on the corpus's own training split: the honest baseline.

TF-IDF of character n-grams inside word boundaries, and one logistic regression a category over its levels. No
download, any language; it learns spelling, not meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.rating import Rating, Score
from babelguard.recipe import RecipeModel
from babelguard.taxonomy import Taxonomy
from evaluation.metrics.consensus import consensus
from evaluation.metrics.levels import MISSING
from evaluation.rater import RaterKind, Workbench, complete, fingerprint


class CharNgramsOptions(RecipeModel):
    """How the classifier is trained."""

    train_splits: tuple[str, ...] = Field(("train",), description="Splits to train on; they must not be rated")
    longest: int = Field(4, ge=1, le=8, description="Longest n-gram in characters")
    inverse_regularisation: float = Field(10.0, gt=0, description="C of the logistic regressions")


@dataclass(frozen=True)
class CharNgramRater:
    """A vectoriser and, for every category that the training labels cover, a classifier over its levels."""

    name: str
    description: str
    covers: tuple[str, ...]
    fingerprint: str
    taxonomy: Taxonomy
    vectoriser: Any
    classifiers: Mapping[str, Any]
    trained_on: frozenset[str]
    notes: Sequence[str] = ()

    def accepts(self, item: Item) -> bool:  # noqa: ARG002 - every text has characters
        """Tell whether the rater can be asked; it always can."""
        return True

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        """Yield one rating an item, with the probability of a level above 1.

        Raises:
            UserError: An item belongs to a content that the classifier was trained on.
        """
        seen = next((item for item in items if item.source_id in self.trained_on), None)
        if seen is not None:
            raise UserError(
                f"The rater {self.name} was trained on {seen.source_id}, which the run rates (item {seen.id}); "
                "set corpus.splits so that it leaves out the rater's train_splits."
            )
        if not items:
            return
        features = self.vectoriser.transform([item.text for item in items])
        columns = {name: _levels_and_harm(model, features) for name, model in self.classifiers.items()}
        for row, item in enumerate(items):
            scores = {
                name: Score(int(levels[row]), probability=round(float(harm[row]), 6))
                for name, (levels, harm) in columns.items()
            }
            yield Rating(self.name, item.id, complete(self.taxonomy, scores))


def build(name: str, options: CharNgramsOptions, bench: Workbench) -> CharNgramRater:
    """Train on the corpus's training splits.

    Raises:
        UserError: The splits hold no labelled item, or no category has two levels in them.
    """
    from sklearn import __version__ as sklearn_version
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    items = [item for item in bench.items_of(options.train_splits) if item.labels]
    if not items:
        raise UserError(f"The rater {name}: the splits {', '.join(options.train_splits)} hold no labelled item.")
    vectoriser = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, options.longest), sublinear_tf=True, min_df=2)
    features = vectoriser.fit_transform([item.text for item in items])
    classifiers = {}
    for category in bench.taxonomy:
        labels = _training_levels(items, category.name, category.scale)
        known = labels != MISSING
        if len(np.unique(labels[known])) < 2:
            continue
        model = LogisticRegression(C=options.inverse_regularisation, class_weight="balanced", max_iter=2000)
        classifiers[category.name] = model.fit(features[known], labels[known])
    if not classifiers:
        raise UserError(f"The rater {name}: no category has two different levels in the training splits.")
    content = sorted((item.content_key(), sorted(item.labels.items())) for item in items)
    return CharNgramRater(
        name=name,
        description=f"Character n-grams and logistic regression, trained on {len(items):,} texts of the same corpus.",
        covers=tuple(classifiers),
        fingerprint=fingerprint("char-ngrams", 1, options.model_dump(mode="json"), sklearn_version, content),
        taxonomy=bench.taxonomy,
        vectoriser=vectoriser,
        classifiers=classifiers,
        trained_on=frozenset(item.source_id for item in items),
    )


def _training_levels(items: Sequence[Item], category: str, scale: int) -> NDArray[np.int64]:
    width = max(len(item.labels.get(category, ())) for item in items)
    table = np.full((max(width, 1), len(items)), MISSING)
    for column, item in enumerate(items):
        for row, level in enumerate(item.labels.get(category, ())):
            table[row, column] = MISSING if level is None else level
    return consensus(table, levels=scale)


def _levels_and_harm(model: Any, features: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # noqa: ANN401
    probabilities = model.predict_proba(features)
    levels = model.classes_[probabilities.argmax(axis=1)]
    harm = probabilities[:, model.classes_ > 1].sum(axis=1)
    return levels, np.clip(harm, 0.0, 1.0)


KIND = RaterKind(options=CharNgramsOptions, build=build)
