"""The items that a guard learns from: read from a corpus folder or any source, by split, with every loss counted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from babelguard.aggregation import AggregatedLabel
from babelguard.errors import UserError
from babelguard.item import Item, Role
from babelguard.languages import language
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.register_shift import shift_items
from data_prep.rtp_lx.alignment import split as split_by_hash
from train.corpus_recipe import Split
from train.recipe import PlannedPart, TrainPlan

SPLITS: tuple[Split, ...] = get_args(Split)
BENIGN_RULE = "benign-completion"
"""Rule of the level 1 that a benign completion without labels gets."""
PART = "training_part"
"""Key of an item's metadata: the part of the recipe's corpus that it comes from."""
REMEDY = "Mend the row, or set on_bad_row=set-aside for this part of the corpus to leave such rows out and count them."


@dataclass(frozen=True)
class TrainingCorpus:
    """All items of a training.

    Attributes:
        items: Items by split: ``train``, ``calibration`` (on which checkpoints are compared) and ``test``.
        sources: What they come from: name, licence, citation and number of training items.
        left_out: Rows and items that were not taken, by reason.
        remarks: What a reader of the results must know, in sentences.
    """

    items: Mapping[Split, list[Item]]
    sources: list[dict[str, Any]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)


def read_corpus(plan: TrainPlan[Any]) -> TrainingCorpus:
    """Read all parts of a plan's corpus.

    Raises:
        UserError: A part gives no items, two items share an id, or there is nothing to learn from or to compare
            checkpoints on.
    """
    items: dict[Split, list[Item]] = {split: [] for split in SPLITS}
    corpus = TrainingCorpus(items)
    seen: set[str] = set()
    for part in plan.parts:
        count = 0
        for item in _items_of(part, plan.taxonomy, corpus.left_out):
            count += 1
            key = item.id if len(plan.parts) == 1 else f"{part.recipe.name}:{item.id}"
            if key in seen:
                raise UserError(f"{part.recipe.name}: two items have the id {item.id!r}; ids must be unique.")
            seen.add(key)
            if item.split is None:
                corpus.left_out["without-split"] += 1
                continue
            items[_split_of(item)].append(replace(item, metadata={**item.metadata, PART: part.recipe.name}))
        if not count:
            raise UserError(f"{part.recipe.name} gives no items; check its path, languages, roles and splits.")
    _hold_out(items, plan.recipe.hold_out, corpus)
    _limit(items, plan.recipe.limit)
    _drop_repeats(items, corpus.left_out)
    _check(corpus, plan)
    corpus.sources.extend(record for part in plan.parts for record in _source_records(part, items))
    return corpus


def _items_of(part: PlannedPart, categories: Taxonomy, left_out: Counter[str]) -> Iterator[Item]:
    log = RejectLog(strict=part.recipe.on_bad_row == "stop", remedy=REMEDY)
    taken = (_as_asked(item, part, categories) for item in part.source.read(part.options, categories, log))
    wanted = (item for item in taken if _wanted(item, part, left_out))
    if part.recipe.twins is None:
        yield from wanted
    else:
        learning, others = RejectLog(), part.recipe.twins
        for item in wanted:
            if item.split == "test":
                yield item
            else:
                yield from shift_items([item], others, learning)
        left_out.update({f"no twin: {reason}": count for reason, count in learning.left_out.items()})
    left_out.update(log.counts())
    left_out.update(log.left_out)


def _as_asked(item: Item, part: PlannedPart, categories: Taxonomy) -> Item:
    recipe = part.recipe
    if recipe.split == "hash" or (recipe.split == "own" and item.split is None):
        item = replace(item, split=split_by_hash(item.source_id))
    elif recipe.split != "own":
        item = replace(item, split=recipe.split)
    benign = item.role is Role.BENIGN_COMPLETION and not item.labels and not item.aggregated
    if benign and recipe.benign_completions == "level-1":
        item = replace(item, aggregated={name: AggregatedLabel(1, BENIGN_RULE) for name in categories.names})
    return item


def _wanted(item: Item, part: PlannedPart, left_out: Counter[str]) -> bool:
    if part.recipe.splits is not None and item.split not in part.recipe.splits:
        return False
    if item.metadata.get("text_is_void"):
        left_out["text-is-void"] += 1
        return False
    if item.split == "train" and not _in_share(item.source_id, part.recipe.share):
        left_out["outside-share"] += 1
        return False
    return True


def _in_share(key: str, share: float) -> bool:
    return share >= 1 or _draw(f"share\0{key}") < share


def _draw(key: str) -> float:
    return int.from_bytes(hashlib.blake2b(key.encode("utf-8"), digest_size=8).digest()) / 2**64


def _split_of(item: Item) -> Split:
    for split in SPLITS:
        if item.split == split:
            return split
    raise UserError(f"The item {item.id} has the split {item.split!r}; splits are {', '.join(SPLITS)}.")


def _source_records(part: PlannedPart, items: Mapping[Split, list[Item]]) -> Iterator[dict[str, Any]]:
    """Yield licence, citation and number of training items of a part, or of each part inside it that gave items."""
    counts = {
        split: Counter(
            f"{item.metadata[PART]}/{item.metadata['part']}" if _has_parts(part) else item.metadata[PART]
            for item in row
            if item.metadata[PART] == part.recipe.name
        )
        for split, row in items.items()
    }
    for name, licence in part.licences.items():
        if any(count[name] for count in counts.values()):
            learnt = counts["train"][name]
            yield {"source": name, "licence": licence, "citation": part.source.citation, "items": learnt}


def _has_parts(part: PlannedPart) -> bool:
    return part.source.part_licences is not None and not part.recipe.licence


def _hold_out(items: dict[Split, list[Item]], codes: Iterable[str], corpus: TrainingCorpus) -> None:
    held = {language(code).tag for code in codes}
    if not held:
        return
    missing = held - {item.language for row in items.values() for item in row}
    if missing:
        raise UserError(f"hold_out names {', '.join(sorted(missing))}, of which the corpus has no item.")
    for split in ("train", "calibration"):
        kept = [item for item in items[split] if item.language not in held]
        corpus.left_out[f"held-out-language-{split}"] += len(items[split]) - len(kept)
        items[split] = kept


def _limit(items: dict[Split, list[Item]], limit: int | None) -> None:
    """Keep the source_ids with the smallest hashes, so that a larger limit keeps the items of a smaller one."""
    if limit is None:
        return
    for split, row in items.items():
        kept = frozenset(sorted({item.source_id for item in row}, key=_draw)[:limit])
        items[split] = [item for item in row if item.source_id in kept]


def _drop_repeats(items: dict[Split, list[Item]], left_out: Counter[str]) -> None:
    """Leave out of train what repeats a text of calibration or test, and of calibration what repeats test's.

    Only texts that are equal but for case and spaces are found here; a corpus that `python -m data_prep.build` made
    is free of near-duplicates too.
    """
    taken: set[str] = set()
    for split in ("test", "calibration", "train"):
        keys = [" ".join(shown_text(item).casefold().split()) for item in items[split]]
        kept = [item for item, key in zip(items[split], keys, strict=True) if key not in taken]
        left_out[f"repeats-a-held-out-text-{split}"] += len(keys) - len(kept)
        items[split] = kept
        taken.update(keys)
    for kind in [kind for kind, count in left_out.items() if not count]:
        del left_out[kind]


def shown_text(item: Item) -> str:
    """Return what a classifier reads of an item: its text, and the turns of a conversation below each other."""
    return "\n".join(part for part in (item.text, *(message.content for message in item.messages)) if part)


def _check(corpus: TrainingCorpus, plan: TrainPlan[Any]) -> None:
    items = corpus.items
    if not any(item.labels or item.aggregated for item in items["train"]):
        raise UserError(
            f"The corpus of {plan.recipe.name} has no labelled item in the split train; "
            "set 'split: hash' for a part that has no splits of its own."
        )
    if not any(item.labels or item.aggregated for item in items["calibration"]):
        raise UserError(
            f"The corpus of {plan.recipe.name} has no labelled item in the split calibration, on which checkpoints are "
            "compared and thresholds are fitted; set 'split: hash' for a part, or build the corpus with such a split."
        )
    learnt = {item.language for item in items["train"]}
    for tag, count in sorted(Counter(item.language for item in items["test"]).items()):
        if tag not in learnt:
            corpus.remarks.append(f"{tag} is in the test split only ({count:,} items): it is measured as never seen.")
    for reason, count in sorted(corpus.left_out.items()):
        corpus.remarks.append(f"{count:,} rows or items left out: {reason}.")
