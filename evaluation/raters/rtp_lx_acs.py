"""Azure Content Safety as RTP-LX recorded it: four scores between 0 and 1 a text, rescaled to levels 1-3.

The level is ``max(1, ceil(3 x score))``, as in the RTP-LX paper. The other four categories are not covered. The score
itself is kept as the probability: it ranks texts, which AUROC and AUPRC need, and is not said to be calibrated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from babelguard.checksums import sha256_of
from babelguard.item import Role
from babelguard.rating import Score, Status
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.rtp_lx import files
from evaluation.rater import RaterKind, RecordedAnswers, RecordedRater, Workbench, complete, fingerprint

COVERED = ("IdentityAttack", "Violence", "SelfHarm", "SexualContent")


class RtpLxAcsOptions(RecipeModel):
    """Where the recorded scores are."""

    path: Path = Field(description="Folder that holds acs_results_XX.json and acs_results_benign_XX.json")


def level_of(score: float, scale: int = 3) -> int:
    """Return the ordinal level of a score: ``max(1, ceil(scale x score))``.

    Raises:
        ValueError: The score is not between 0 and 1.
    """
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"the score {score} is not between 0 and 1")
    return max(1, math.ceil(scale * score))


def build(name: str, options: RtpLxAcsOptions, bench: Workbench) -> RecordedRater:
    """Read the recorded scores.

    Raises:
        UserError: The folder is missing or a row is malformed.
    """
    answers = RecordedAnswers()
    log = RejectLog(strict=True, remedy="Mend the file or fetch it again.")
    sources = (
        (Role.PROMPT, files.AZURE_PROMPTS, "Prompt"),
        (Role.BENIGN_COMPLETION, files.AZURE_BENIGN, "BenignCompletion"),
    )
    read = []
    for role, pattern, text_field in sources:
        for file in files.find_files(options.path, pattern).values():
            read.append(file.path)
            answers.asked.add((file.language.tag, role.value))
            for row in files.read_rows(file, log):
                scores = _scores_of(row, text_field, bench.taxonomy, log)
                answers.scores[f"rtp-lx/{file.locale}/{row.index}/{role.value}"] = scores
    if count := log.left_out["duplicate-index"]:
        answers.notes.append(f"{name}: rows that repeat an earlier row's index, of which the first counts: {count:,}.")
    return RecordedRater(
        name=name,
        description="Azure Content Safety's recorded scores, rescaled to levels; four of the eight categories.",
        covers=tuple(category for category in bench.taxonomy.names if category in COVERED),
        fingerprint=fingerprint("rtp-lx-acs", 2, [sha256_of(path) for path in read], bench.taxonomy.names),
        taxonomy=bench.taxonomy,
        answers=answers,
    )


def _scores_of(row: files.Row, text_field: str, taxonomy: Taxonomy, log: RejectLog) -> Mapping[str, Score]:
    if row.fields.get(text_field) == files.VOID_TEXT:
        return complete(taxonomy, {}, Status.VOID, f"the rater was shown {files.VOID_TEXT!r} instead of the text")
    response = row.fields.get("ACSResponse")
    scores: dict[str, Score] = {}
    for category in COVERED:
        value = response.get(category) if isinstance(response, Mapping) else None
        try:
            score = float(value)  # type: ignore[arg-type]
            scores[category] = Score(level_of(score), probability=score)
        except (TypeError, ValueError):
            log.reject(row.file.path, row.line, "bad-score", f"'ACSResponse' has no score 0-1 for {category}")
            scores[category] = Score.missing(Status.ERROR, "no score between 0 and 1")
    return complete(taxonomy, scores)


KIND = RaterKind(options=RtpLxAcsOptions, build=build)
