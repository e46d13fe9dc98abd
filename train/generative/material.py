"""What a generative guard learns from and is compared on: examples, preference pairs and items, every loss told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from babelguard.errors import UserError
from babelguard.item import Item
from train.classifier.columns import Columns, targets
from train.classifier.material import rarest_harms
from train.classifier.options import BatchRecipe
from train.classifier.sampling import balanced_weights, plan_draws
from train.corpus import TrainingCorpus
from train.generative.examples import Example, Tally, in_context, make_examples
from train.generative.form import Form, levels_of
from train.generative.options import GenerativeOptions
from train.generative.preferences import Pair, draw_pairs, make_pairs
from train.generative.rating import some_source_ids
from train.recipe import TrainPlan


@dataclass(frozen=True)
class Material:
    """All that training reads.

    Attributes:
        examples: The examples of one pass; an item that is drawn more often than once is there as often.
        pairs: Preference pairs; empty without a preference step.
        compared: Items of the calibration split that checkpoints rate.
        compared_examples: The same as examples, for the loss.
        compared_pairs: Pairs of the calibration split, for the loss of the preference step.
        uncovered: Categories that no training item covers.
        remarks: What a user should know, in sentences.
    """

    examples: list[Example]
    pairs: list[Pair]
    compared: list[Item]
    compared_examples: list[Example]
    compared_pairs: list[Pair]
    uncovered: tuple[str, ...]
    remarks: list[str]


def prepare(plan: TrainPlan[GenerativeOptions], corpus: TrainingCorpus, form: Form) -> Material:
    """Make a training's material from its corpus.

    Raises:
        UserError: There is nothing to learn from or to compare on, all answers are the same, or there is no pair for
            the preference step.
    """
    learnt = _shown(corpus.items["train"], plan)
    held = some_source_ids(corpus.items["calibration"], plan.options.selection.source_ids)
    tallies = {what: Tally() for what in ("training items", "compared items", "preference pairs", "compared pairs")}
    examples = list(make_examples(_drawn(learnt, plan), form, tallies["training items"]))
    if not examples:
        reasons = "; ".join(f"{count:,}: {why}" for why, count in tallies["training items"].left_out.items())
        raise UserError(f"Nothing can be learnt from the corpus's training items ({reasons or 'there are none'}).")
    compared = [item for item in held if item.aggregated_labels()]
    compared_examples = list(make_examples(compared, form, tallies["compared items"]))
    if not compared_examples:
        raise UserError(
            "No item of the calibration split can be rated, so that checkpoints cannot be compared; "
            "raise selection.source_ids or model.longest."
        )
    _check_answers(learnt, form, plan)
    remarks = list(corpus.remarks)
    pairs: list[Pair] = []
    compared_pairs: list[Pair] = []
    if plan.options.preference is not None:
        pairs = list(make_pairs(learnt, form, tallies["preference pairs"]))
        pairs = draw_pairs(pairs, plan.options.preference.most_pairs)
        compared_pairs = list(make_pairs(_shown(held, plan), form, tallies["compared pairs"]))
        _check_pairs(pairs, compared_pairs, tallies["preference pairs"])
    for what, tally in tallies.items():
        remarks += tally.remarks(what)
    covered = {name for item in learnt for name in item.aggregated_labels()}
    uncovered = tuple(name for name in plan.taxonomy.names if name not in covered)
    remarks += [
        f"{name} is covered by no training item: what the guard says of it was not learnt." for name in uncovered
    ]
    return Material(examples, pairs, compared, compared_examples, compared_pairs, uncovered, remarks)


def _shown(items: Sequence[Item], plan: TrainPlan[GenerativeOptions]) -> list[Item]:
    labelled = [item for item in items if item.aggregated_labels()]
    if not plan.options.answer.in_context:
        return labelled
    return [*labelled, *(item for item in in_context(items) if item.aggregated_labels())]


def _drawn(items: Sequence[Item], plan: TrainPlan[GenerativeOptions]) -> list[Item]:
    """Return the items of one pass: each as often as `sampling` says, in an order of the seed's."""
    if not items:
        return []
    columns = Columns.of(plan.taxonomy)
    weights = balanced_weights(
        plan.options.sampling,
        languages=[item.language for item in items],
        registers=[item.register for item in items],
        labels=rarest_harms(targets(items, columns, soft=False), columns),
        sources=[item.source for item in items],
    )
    lengths = np.array([len(item.text) for item in items], dtype=np.int64)
    drawn = plan_draws(weights, lengths, BatchRecipe(group_by_length=False), passes=1.0, seed=plan.recipe.seed).items
    return [items[place] for place in drawn.tolist()]


def _check_answers(items: Sequence[Item], form: Form, plan: TrainPlan[GenerativeOptions]) -> None:
    """Check that there is something to tell apart.

    Raises:
        UserError: All items that cover the same categories have the same answer.
    """
    verdicts: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for item in items:
        levels = levels_of(item)
        if levels:
            verdicts[tuple(levels)].add(form.verdict(levels))
    if all(len(found) == 1 for found in verdicts.values()):
        only = sorted({verdict for found in verdicts.values() for verdict in found})
        told = only[0] if len(only) == 1 else "the same answer"
        raise UserError(
            f"All training items have one answer ({told}), so that there is nothing to tell apart; add items of other "
            "levels to the corpus"
            + (", or change answer.unsafe_from." if plan.options.answer.format == "llama-guard" else ".")
        )


def _check_pairs(pairs: list[Pair], compared: list[Pair], tally: Tally) -> None:
    if pairs and compared:
        return
    split = "train" if not pairs else "calibration"
    reasons = "; ".join(f"{count:,}: {why}" for why, count in tally.left_out.items())
    raise UserError(
        f"The split {split} gives no preference pair ({reasons or 'it has no completions'}); a pair needs a toxic and "
        "a benign completion of one prompt. Add the roles completion and benign-completion to the corpus, or remove "
        "'preference'."
    )
