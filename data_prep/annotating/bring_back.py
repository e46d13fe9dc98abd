"""From a folder of filled-in sheets to merged items: the steps behind `python -m data_prep.annotation import`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from babelguard.item import Item
from babelguard.jsonl import write_jsonl
from data_prep.annotating.batch import Batch, read_batch
from data_prep.annotating.merge import Missing, count_missing, merge_levels, merge_transcreations, tally
from data_prep.annotating.returned import Problem, read_returned, refuse
from data_prep.reliability import Reliability


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """What the sheets of a batch came to."""

    batch: Batch
    folder: Path
    items: list[Item]
    missing: list[Missing]
    reliability: list[Reliability]
    problems: list[Problem]


def bring_back(folder: Path, returned: Path, set_aside: bool) -> BroughtBack:
    """Read, check and merge the returned sheets of a batch, and write ``merged/`` in its folder.

    Args:
        folder: The batch's folder.
        returned: Where the filled-in sheets are.
        set_aside: Leave wrong answers out and write them to ``rejected.jsonl``; otherwise they stop the import.

    Raises:
        UserError: A sheet cannot be read, or an answer is wrong and `set_aside` is not set.
    """
    batch, items = read_batch(folder)
    answers, problems = read_returned(batch, items, returned)
    if problems and not set_aside:
        raise refuse(problems)
    if batch.task == "transcreation":
        merged, reliability = list(merge_transcreations(batch, answers, items)), []
    else:
        merged = merge_levels(batch, answers, items)
        reliability = list(tally(batch, merged).reliabilities())
    missing = count_missing(batch, answers)
    target = folder / "merged"
    write_jsonl(target / "items.jsonl", (item.to_dict() for item in merged))
    write_jsonl(target / "rejected.jsonl", (problem.to_dict() for problem in problems))
    record = {
        "batch": batch.name,
        "people": list(batch.people),
        "missing": [{**asdict(one), "missing": one.missing} for one in missing],
        "reliability": [asdict(one) for one in reliability],
    }
    (target / "reliability.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return BroughtBack(batch, target, merged, missing, reliability, problems)
