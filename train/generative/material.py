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
    compared = [item for item in held if item.aggregated_labels()]
    learning, comparing = Tally(), Tally()
    examples = list(make_examples(_drawn(learnt, plan), form, learning))
    if not examples:
        raise UserError(f"Nothing can be learnt from the corpus's training items ({_reasons(learning)}).")
    compared_examples = list(make_examples(compared, form, comparing))
    if not compared_examples:
        raise UserError(
            f"No item of the calibration split can be rated ({_reasons(comparing)}), so that checkpoints cannot be "
            "compared; raise selection.source_ids or model.longest."
        )
    _check_answers(learnt, form, plan)
    pairs, compared_pairs, told = _pairs(learnt, _shown(held, plan), form, plan)
    covered = {name for item in learnt for name in item.aggregated_labels()}
    uncovered = tuple(name for name in plan.taxonomy.names if name not in covered)
    remarks = [*corpus.remarks, *learning.remarks("training items"), *comparing.remarks("compared items"), *told]
    remarks += [
        f"{name} is covered by no training item: what the guard says of it is not learnt." for name in uncovered
    ]
    return Material(examples, pairs, compared, compared_examples, compared_pairs, uncovered, remarks)


def _pairs(
    learnt: Sequence[Item], held: Sequence[Item], form: Form, plan: TrainPlan[GenerativeOptions]
) -> tuple[list[Pair], list[Pair], list[str]]:
    """Return pairs to learn from, pairs for the loss at an evaluation, and remarks; all empty without such a step."""
    if plan.options.preference is None:
        return [], [], []
    learning, comparing = Tally(), Tally()
    pairs = draw_pairs(list(make_pairs(learnt, form, learning)), plan.options.preference.most_pairs)
    compared = list(make_pairs(held, form, comparing))
    for split, found, tally in (("train", pairs, learning), ("calibration", compared, comparing)):
        if not found:
            raise UserError(
                f"The split {split} gives no preference pair ({_reasons(tally)}); a pair needs a toxic and a benign "
                "completion of one prompt. Add the roles completion and benign-completion to the corpus, or remove "
                "'preference'."
            )
    return pairs, compared, [*learning.remarks("preference pairs"), *comparing.remarks("compared pairs")]


def _reasons(tally: Tally) -> str:
    return "; ".join(f"{count:,}: {why}" for why, count in tally.left_out.items()) or "there are none"


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
