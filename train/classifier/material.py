"""What a classifier learns from: texts as tokens, targets, twins, and the plan of draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.item import Item
from train.classifier.columns import Columns, targets
from train.classifier.dataset import TrainingDraws, WindowList, partners_of, twin_groups
from train.classifier.encoding import EncodedTexts, encode_texts
from train.classifier.judging import Reference
from train.classifier.options import ClassifierOptions, LossRecipe, SharedLabelsRecipe
from train.classifier.sampling import DrawPlan, IntArray, balanced_weights, plan_draws
from train.classifier.shared_labels import share_labels
from train.corpus import TrainingCorpus, shown_text
from train.recipe import TrainPlan

NO_HARM = "none"


@dataclass(frozen=True)
class Material:
    """All that training reads.

    Attributes:
        columns: The columns.
        draws: The training items in planned order.
        plan: Which draws make which batch.
        windows: Beginnings of the texts that checkpoints are compared on.
        reference: What people said of those, in the order of `windows`.
        shares: For each category the share of training items above each level; `None` where not covered.
        positive_weights: Of each column, see `LossRecipe`.
        remarks: What a user should know, in sentences.
    """

    columns: Columns
    draws: TrainingDraws
    plan: DrawPlan
    windows: WindowList
    reference: Reference
    shares: list[list[float] | None]
    positive_weights: list[float]
    remarks: list[str]

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Categories that no training item covers."""
        return tuple(name for name, share in zip(self.columns.names, self.shares, strict=True) if share is None)


def prepare(
    plan: TrainPlan[ClassifierOptions],
    corpus: TrainingCorpus,
    tokenizer: Any,  # noqa: ANN401 - a tokenizer of transformers
    processes: int = 1,
) -> Material:
    """Make a training's material from its corpus.

    Args:
        plan: The recipe.
        corpus: The items.
        tokenizer: The model's.
        processes: Processes that train together.

    Raises:
        UserError: Every category has one and the same level in all training items.
    """
    options, seed = plan.options, plan.recipe.seed
    columns = Columns.of(plan.taxonomy)
    items = [item for item in corpus.items["train"] if item.labels or item.aggregated]
    wanted = targets(items, columns, soft=options.loss.soft_labels)
    remarks = [*corpus.remarks, *_check_levels(wanted, columns)]
    if options.loss.shared_labels is not None:
        wanted = _shared(wanted, items, columns, options.loss.shared_labels)
    texts = encode_texts(tokenizer, [shown_text(item) for item in items], options.model.prefix, options.model.window)
    remarks += _on_length(texts, options)
    groups = twin_groups(
        [item.source_id for item in items], [item.language for item in items], [item.role.value for item in items]
    )
    drawn = _plan_draws(plan, items, wanted, texts, groups, columns, processes)
    kept = _compared(corpus.items["calibration"], options.selection.items)
    windows, reference = _comparison(kept, tokenizer, plan, columns)
    return Material(
        columns=columns,
        draws=TrainingDraws(texts, drawn.items, wanted, groups, options.model.long_texts == "random-window", seed),
        plan=drawn,
        windows=windows,
        reference=reference,
        shares=_shares(wanted, columns),
        positive_weights=positive_weights(wanted, options.loss),
        remarks=remarks,
    )


def _shared(
    wanted: NDArray[np.float32], items: list[Item], columns: Columns, recipe: SharedLabelsRecipe
) -> NDArray[np.float32]:
    translated = [recipe.roles is None or item.role in recipe.roles for item in items]
    pools = [f"{item.source}\0{item.role.value}" for item in items]
    contents = [
        f"{pool}\0{item.source_id if lends else item.id}"
        for pool, item, lends in zip(pools, items, translated, strict=True)
    ]
    languages = [item.language for item in items]
    return share_labels(wanted, columns, contents=contents, languages=languages, pools=pools, share=recipe.share)


def _plan_draws(
    plan: TrainPlan[ClassifierOptions],
    items: list[Item],
    wanted: NDArray[np.float32],
    texts: EncodedTexts,
    groups: IntArray,
    columns: Columns,
    processes: int,
) -> DrawPlan:
    options, pace = plan.options, plan.recipe.optimisation
    weights = balanced_weights(
        options.sampling,
        languages=[item.language for item in items],
        registers=[item.register for item in items],
        labels=rarest_harms(wanted, columns),
        sources=[item.source for item in items],
    )
    partners = partners_of(groups) if options.loss.consistency else None

    def planned(passes: float) -> DrawPlan:
        return plan_draws(
            weights, texts.lengths, options.batches, passes=passes, seed=plan.recipe.seed, partners=partners
        )

    if pace.max_steps is None:
        return planned(pace.epochs)
    needed = pace.max_steps * pace.accumulation * processes
    # Passes differ by a few batches; a tenth more than needed is planned, and what is too much cut off.
    found = planned(1.1 * needed / planned(1.0).batches_per_pass + 0.1)
    return DrawPlan(found.items, found.batches[:needed], found.batches_per_pass)


def rarest_harms(wanted: NDArray[np.float32], columns: Columns) -> list[str]:
    """Return for each item the category above level 1 that fewest items have, or `NO_HARM`."""
    first = [part.start for part in columns.slices]
    harmful = np.nan_to_num(wanted[:, first]) >= 0.5
    counts = np.where(harmful, harmful.sum(axis=0), np.iinfo(np.int64).max)
    rarest = counts.argmin(axis=1)
    return [columns.names[c] if harmful[row, c] else NO_HARM for row, c in enumerate(rarest.tolist())]


def positive_weights(wanted: NDArray[np.float32], recipe: LossRecipe) -> list[float]:
    """Return the weight of the positive side of each column: the root of negatives / positives, from 1 to a cap."""
    if recipe.positive_weights == "none":
        return [1.0] * wanted.shape[1]
    positives = np.nansum(wanted, axis=0)
    negatives = np.nansum(1 - wanted, axis=0)
    ratios = np.sqrt(negatives / np.maximum(positives, 1.0))
    return [float(ratio) for ratio in np.clip(ratios, 1.0, recipe.largest_weight)]


def _shares(wanted: NDArray[np.float32], columns: Columns) -> list[list[float] | None]:
    found: list[list[float] | None] = []
    for part in columns.slices:
        known = wanted[~np.isnan(wanted[:, part.start]), part]
        above = np.where(np.isnan(known), known[:, :1] / 2, known)  # the start of a column that a source leaves open
        found.append([float(share) for share in above.mean(axis=0)] if len(known) else None)
    return found


def _check_levels(wanted: NDArray[np.float32], columns: Columns) -> list[str]:
    remarks, varied = [], 0
    for name, share in zip(columns.names, _shares(wanted, columns), strict=True):
        if share is None:
            remarks.append(f"{name} is covered by no training item: its loss is masked, and the guard never flags it.")
        elif all(value in (0.0, 1.0) for value in share):
            remarks.append(f"{name} has one and the same level in all training items that cover it: it is not learnt.")
        else:
            varied += 1
    if not varied:
        raise UserError(
            "All training items have one and the same level in every category that they cover: there is nothing to "
            "tell apart. Add items of other levels to the corpus."
        )
    return remarks


def _on_length(texts: EncodedTexts, options: ClassifierOptions) -> list[str]:
    if not texts.longer:
        return []
    how = {
        "truncate": "their beginnings are learnt from",
        "random-window": "each draw takes another part of them",
    }[options.model.long_texts]
    return [f"{texts.longer:,} of {len(texts):,} training texts are longer than {texts.window} tokens; {how}."]


def _compared(items: list[Item], limit: int | None) -> list[Item]:
    labelled = [item for item in items if item.labels or item.aggregated]
    if limit is None or limit >= len(labelled):
        return labelled
    # By hash of the id: the same items in every run, and no language or source first.
    return sorted(labelled, key=lambda item: item.content_key())[:limit]


def _comparison(
    items: list[Item],
    tokenizer: Any,  # noqa: ANN401 - a tokenizer of transformers
    plan: TrainPlan[ClassifierOptions],
    columns: Columns,
) -> tuple[WindowList, Reference]:
    model = plan.options.model
    texts = encode_texts(tokenizer, [shown_text(item) for item in items], model.prefix, model.window)
    windows = WindowList.first_windows(texts, targets(items, columns, soft=plan.options.loss.soft_labels))
    return windows, Reference.of([items[text] for text in windows.order.tolist()], plan.taxonomy)
