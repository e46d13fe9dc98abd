"""One corpus from plan to folder: the steps behind `python -m data_prep.build`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from babelguard.errors import UserError
from babelguard.jsonl import write_jsonl
from babelguard.progress import Shown
from data_prep.building.balance import beyond_bounds
from data_prep.building.card import make_card
from data_prep.building.collect import NOBODY, Collected, collect
from data_prep.building.leakcheck import check_no_leak
from data_prep.building.licence import check_use
from data_prep.building.manifest import make_manifest
from data_prep.building.near_duplicates import find_clusters, unite_equal
from data_prep.building.recipe import Plan
from data_prep.building.split import DROPPED, FREE, Assignment, assign_splits
from data_prep.building.tally import PartTally
from data_prep.building.write import write_shards

MANIFEST = "manifest.json"


def build(plan: Plan, shown: Shown) -> dict[str, Any]:
    """Build the corpus of a plan, whole or not at all, and return its manifest.

    The work is done in a folder beside the target, which takes the target's name when all is written and checked. A
    corpus that stands there from an earlier build is replaced.

    Args:
        plan: The recipe and what its names stand for.
        shown: Told what is read and how many items of it, now and then.

    Raises:
        UserError: A licence forbids the recipe's use, the target is not a corpus, another build works there, nothing
            is left to write, or a source cannot be read.
        LeakError: The same content is in two splits.
    """
    check_use(plan.recipe.use, [one for part in plan.parts for one in part.licences()])
    with _staging(plan.recipe.folder) as staging:
        manifest = _build_in(staging, plan, shown)
        _put_in_place(staging, plan.recipe.folder)
    return manifest


def _build_in(staging: Path, plan: Plan, shown: Shown) -> dict[str, Any]:
    spool = staging / ".spool.arrow"
    with (staging / "left_out.jsonl").open("wb") as left_out:
        collected = collect(plan, spool, left_out, shown)
        if not len(collected.numbers):
            raise UserError(_nothing_left(plan.recipe.name, collected.tallies))
        shown("near-duplicates", len(collected.numbers))
        clusters = _clusters(plan, collected)
        collected.signatures = None
        assignment = _assign(plan, collected, clusters)
        shown("shards", len(collected.numbers))
        shards = write_shards(
            collected, assignment, clusters, staging, plan.recipe.shard_megabytes * 1_000_000, left_out
        )
    spool.unlink()
    checked = check_no_leak(staging, {split: [shard.path for shard in row] for split, row in shards.items()})
    for tally in collected.tallies:
        problem = tally.problem()
        if problem is not None:
            raise AssertionError(problem)
    _write_rejected(staging, collected)
    manifest = make_manifest(plan, collected, shards, checked, staging)
    (staging / "README.md").write_text(make_card(manifest), encoding="utf-8")
    (staging / "recipe.yaml").write_text(
        yaml.safe_dump(plan.resolved(), sort_keys=False, allow_unicode=True), encoding="utf-8"
    )
    text = json.dumps(manifest, ensure_ascii=False, allow_nan=False, indent=1)
    (staging / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return manifest


def _nothing_left(name: str, tallies: Sequence[PartTally]) -> str:
    told = f"The recipe {name} leaves no item; check the paths and the filter."
    rejections = [rejection for tally in tallies for rejection in tally.log.rejections]
    if not rejections:
        return told
    return f"{told} {len(rejections):,} rows or files could not be read, the first: {rejections[0].sentence()}"


def _clusters(plan: Plan, collected: Collected) -> NDArray[np.int64]:
    near = plan.recipe.deduplicate.near
    if near is None or collected.signatures is None:
        clusters = np.arange(len(collected.numbers))
    else:
        clusters = find_clusters(collected.signatures.signatures(), near.threshold)
    return unite_equal(clusters, np.frombuffer(collected.numbers.texts, dtype=np.int64))


def _assign(plan: Plan, collected: Collected, clusters: NDArray[np.int64]) -> Assignment:
    numbers = collected.numbers
    contents = np.frombuffer(numbers.contents, dtype=np.int64)
    own = np.frombuffer(numbers.own, dtype=np.int64)
    ranks = numbers.ranks()
    out = np.full(len(numbers), "", dtype=object)
    near, roles = plan.recipe.deduplicate.near, np.frombuffer(numbers.roles, dtype=np.int32)
    if near is not None and near.action == "drop":
        out[_repeated(clusters, roles, own)] = "near-duplicate"
    if plan.recipe.deduplicate.exact == "drop":
        out[_repeated(np.frombuffer(numbers.texts, dtype=np.int64), roles, own)] = "exact-duplicate"
    left = np.flatnonzero(out == "")
    languages = np.frombuffer(numbers.languages, dtype=np.int32)
    outcomes = np.frombuffer(numbers.outcomes, dtype=np.int8)
    beyond = beyond_bounds(plan.recipe.balance, languages[left], outcomes[left], ranks[contents[left]])
    out[left[beyond]] = "balance"
    left = np.flatnonzero(out == "")
    found = assign_splits(contents[left], clusters[left], own[left], list(numbers.source_ids), ranks, plan.recipe.split)
    splits = np.full(len(numbers), DROPPED)
    splits[left] = found.splits
    out[left] = found.reasons
    _drop_orphans(splits, out, np.frombuffer(numbers.parents, dtype=np.int64))
    return Assignment(splits, out)


def _drop_orphans(splits: NDArray[np.int64], out: NDArray[np.object_], parents: NDArray[np.int64]) -> None:
    """Drop the twins of what was dropped: a test row's near-duplicate is not to be learnt from in another register."""
    while True:
        orphans = (parents != NOBODY) & (splits != DROPPED)
        orphans[orphans] = splits[parents[orphans]] == DROPPED
        if not orphans.any():
            return
        splits[orphans] = DROPPED
        out[orphans] = "twin-of-left-out"


def _repeated(clusters: NDArray[np.int64], roles: NDArray[np.int32], own: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which items repeat another of their cluster, language, role and register.

    The first stays, but one with a split of its own before one without, and the test split's before others.
    """
    place = np.where(own == FREE, own.max(initial=0) + 1, own)
    order = np.lexsort((np.arange(len(own)), place, roles, clusters))
    same = np.zeros(len(own), dtype=bool)
    same[1:] = (clusters[order][1:] == clusters[order][:-1]) & (roles[order][1:] == roles[order][:-1])
    repeated = np.zeros(len(own), dtype=bool)
    repeated[order] = same
    return repeated


def _write_rejected(staging: Path, collected: Collected) -> None:
    write_jsonl(
        staging / "rejected.jsonl",
        (
            {"part": tally.name, **rejection.to_dict()}
            for tally in collected.tallies
            for rejection in tally.log.rejections
        ),
    )


@contextmanager
def _staging(target: Path) -> Iterator[Path]:
    """Give an empty folder beside the target, held against other builds and gone at the end.

    Raises:
        UserError: Something that is no corpus stands at the target, or another build works there.
    """
    from filelock import FileLock, Timeout

    if target.exists() and not (target / MANIFEST).is_file():
        raise UserError(f"{target} exists and is not a corpus; move it away, or choose another name or output.")
    target.parent.mkdir(parents=True, exist_ok=True)
    staging = target.parent / f".{target.name}.building"
    lock = FileLock(target.parent / f".{target.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UserError(f"Another build of {target} is at work; wait for it to end, or stop it.") from None
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        lock.release()


def _put_in_place(staging: Path, target: Path) -> None:
    old = target.parent / f".{target.name}.old"
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    staging.rename(target)
    shutil.rmtree(old, ignore_errors=True)
