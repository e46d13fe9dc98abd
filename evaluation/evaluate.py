"""One evaluation from plan to report: the steps behind `python -m evaluation.run`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.jsonl import write_jsonl
from babelguard.progress import progress
from babelguard.rejects import RejectLog
from babelguard.response_cache import open_cache
from evaluation.item_table import ItemTable, build_item_table, write_item_table
from evaluation.measures import Findings
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.findings import make_findings
from evaluation.rate import rate_all
from evaluation.rater import Observant, Rater, Workbench
from evaluation.rating_table import RatingTable, load_rating_table, summary_of
from evaluation.recipe import Plan
from evaluation.run_folder import RunFolder

REMEDY = "Mend the row, or set corpus.on_bad_row=set-aside to leave such rows out and count them."


@dataclass(frozen=True, slots=True)
class Corpus:
    """The items of a plan: streamed anew at every pass, so that no more than a chunk is in memory."""

    plan: Plan
    chosen: frozenset[str] | None = None

    def items(self, splits: Sequence[str] | None, log: RejectLog) -> Iterator[Item]:
        """Stream the items of the given splits (all if `None`), in the source's order."""
        for item in self.plan.source.read(self.plan.source_options, self.plan.taxonomy, log):
            if splits is None or item.split in splits:
                yield item

    def rated(self, log: RejectLog) -> Iterator[Item]:
        """Stream the items that the plan rates."""
        for item in self.items(self.plan.recipe.corpus.splits, log):
            if self.chosen is None or item.source_id in self.chosen:
                yield item

    def new_log(self) -> RejectLog:
        """Return a log that stops at the first bad row or not, as the recipe says."""
        return RejectLog(strict=self.plan.recipe.corpus.on_bad_row == "stop", remedy=REMEDY)


def open_corpus(plan: Plan) -> Corpus:
    """Return the corpus, limited to whole source_ids where the plan has a limit.

    The source_ids with the smallest hashes are taken, so that a larger limit keeps the items of a smaller one.
    """
    corpus = Corpus(plan)
    if plan.recipe.limit is None:
        return corpus
    keys = {item.source_id for item in corpus.rated(corpus.new_log())}
    ranked = sorted(keys, key=lambda key: sha256(key.encode("utf-8")).hexdigest())
    return Corpus(plan, frozenset(ranked[: plan.recipe.limit]))


def build_raters(plan: Plan, corpus: Corpus) -> list[Rater]:
    """Make every rater of the plan."""

    def items_of(splits: Sequence[str]) -> Iterable[Item]:
        return corpus.items(splits, corpus.new_log())

    bench = Workbench(plan.taxonomy, items_of, open_cache(plan.recipe.cache))
    return [kind.build(recipe.name, options, bench) for recipe, kind, options in plan.raters]


def evaluate(plan: Plan) -> tuple[Findings, RunFolder]:
    """Read the corpus, put the raters on it, measure, and write everything into the run folder.

    A run that was stopped goes on where it was: ratings that are stored are not made again.

    Raises:
        UserError: The corpus, a rater or a stored file is wrong.
    """
    from evaluation.report import write_report

    # Nothing is written before corpus and raters are known to be sound: a mistake leaves no folder behind.
    corpus = open_corpus(plan)
    log = corpus.new_log()
    items = build_item_table(corpus.rated(log), plan.taxonomy, f"The source {plan.recipe.corpus.source}")
    raters = build_raters(plan, corpus)
    folder = RunFolder(plan.run_folder)
    with folder.locked():
        folder.write_recipe(plan.resolved())
        folder.write_environment()
        write_item_table(items, plan.taxonomy, folder.path / "items.parquet")
        write_jsonl(folder.path / "rejected.jsonl", (rejection.to_dict() for rejection in log.rejections))
        tables = [_rate(plan, corpus, rater, items, folder) for rater in raters]
        notes = [note for rater in raters for note in rater.notes]
        settings = plan.recipe.intervals
        findings = make_findings(
            items=items,
            tables=tables,
            categories=plan.taxonomy,
            intervals=Intervals(settings.replicates, settings.confidence, settings.method, settings.seed),
            recipe=plan.resolved(),
            corpus=describe_corpus(plan, items, log),
            notes=notes,
        )
        folder.write_findings(findings)
        write_report(findings, folder.report)
    return findings, folder


def _rate(plan: Plan, corpus: Corpus, rater: Rater, items: ItemTable, folder: RunFolder) -> RatingTable:
    kind = next(recipe.kind for recipe, _, _ in plan.raters if recipe.name == rater.name)
    file = folder.ratings(rater.name)
    with progress(f"{rater.name} rates", len(items)) as shown:
        rate_all(rater, corpus.rated(corpus.new_log()), plan.taxonomy, file, shown)
    observe = rater.observe if isinstance(rater, Observant) else None
    table = load_rating_table(file, summary_of(rater, kind), items, plan.taxonomy, observe)
    if (table.statuses == -1).all():
        raise UserError(f"The rater {rater.name} accepts none of the run's items; check its files and languages.")
    return table


def describe_corpus(plan: Plan, items: ItemTable, log: RejectLog) -> dict[str, Any]:
    """Return what the report says about the corpus."""
    tags, counts = np.unique(items.languages, return_counts=True)
    return {
        "source": plan.recipe.corpus.source,
        "licence": plan.source.licence,
        "citation": plan.source.citation,
        "items": len(items),
        "source_ids": len(np.unique(items.source_ids)),
        "languages": {str(tag): int(count) for tag, count in zip(tags, counts, strict=True)},
        "roles": sorted(set(items.roles.tolist())),
        "registers": sorted(set(items.registers.tolist())),
        "annotators": items.annotators,
        "set_aside": dict(log.counts()),
        "left_out": dict(log.left_out),
        "remarks": dict(log.remarks),
    }
