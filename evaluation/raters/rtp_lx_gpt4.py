"""GPT-4 as RTP-LX recorded it: raw answers to the paper's rubric, parsed here.

These files renumber several languages, so an answer belongs to the item with the same prompt (NFKC, white space
folded); where several items share a prompt, the index decides.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
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
from evaluation.judging.answer import parse_answer
from evaluation.judging.policy import apply_policy
from evaluation.rater import RaterKind, RecordedAnswers, RecordedRater, Workbench, complete, fingerprint


class RtpLxGpt4Options(RecipeModel):
    """Where the recorded answers are and how their gaps are read."""

    path: Path = Field(description="Folder that holds gpt4_results_XX.json and the files of the items")
    policy: str = Field("strict", description="What to do with values that are no levels: strict, or the paper's way")


def join_key(text: str) -> str:
    """Return a prompt as it is compared between files: NFKC, runs of white space folded to one space."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def build(name: str, options: RtpLxGpt4Options, bench: Workbench) -> RecordedRater:
    """Read, join and parse the recorded answers.

    Raises:
        UserError: The folder is missing, a row is malformed or the policy is unknown.
    """
    answers = RecordedAnswers()
    log = RejectLog(strict=True, remedy="Mend the file or fetch it again.")
    items = _prompts_of(options.path)
    digests = []
    for file in files.find_files(options.path, files.GPT4_PROMPTS).values():
        digests.append(sha256_of(file.path))
        answers.asked.add((file.language.tag, Role.PROMPT.value))
        _read_file(file, items.get(file.locale, {}), answers, options.policy, bench.taxonomy, log)
    return RecordedRater(
        name=name,
        description=f"GPT-4's recorded answers to the paper's rubric, read with the policy {options.policy!r}.",
        covers=bench.taxonomy.names,
        fingerprint=fingerprint("rtp-lx-gpt4", 1, options.policy, digests, bench.taxonomy.names),
        taxonomy=bench.taxonomy,
        answers=answers,
    )


def _prompts_of(folder: Path) -> dict[str, Mapping[str, set[int]]]:
    """Return locale -> prompt -> indexes, from the corpus files and the Azure files, which share their index."""
    quiet = RejectLog()
    prompts: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for pattern in (files.CORPUS, files.AZURE_PROMPTS):
        for locale, file in files.find_files(folder, pattern).items():
            for row in files.read_rows(file, quiet):
                text = row.fields.get("Prompt")
                if isinstance(text, str):
                    prompts[locale][join_key(text)].add(row.index)
    return dict(prompts)


def _read_file(
    file: files.LocaleFile,
    prompts: Mapping[str, set[int]],
    answers: RecordedAnswers,
    policy: str,
    taxonomy: Taxonomy,
    log: RejectLog,
) -> None:
    unjoined = 0
    for row in files.read_rows(file, log):
        shown, answer = row.fields.get("Prompt"), row.fields.get("GPT4ResponseRaw")
        if not isinstance(shown, str) or not isinstance(answer, str):
            log.reject(row.file.path, row.line, "bad-answer", "'Prompt' and 'GPT4ResponseRaw' must be strings")
            continue
        index = _index_of_item(row, shown, prompts)
        if index is None:
            unjoined += 1
            continue
        item = f"rtp-lx/{file.locale}/{index}/{Role.PROMPT.value}"
        answers.raw[item] = answer
        answers.scores[item] = _scores_of(shown, answer, policy, taxonomy)
    if unjoined:
        answers.notes.append(f"{file.path.name}: answers that belong to no item, and are left out: {unjoined}.")


def _index_of_item(row: files.Row, shown: str, prompts: Mapping[str, set[int]]) -> int | None:
    if shown == files.VOID_TEXT:
        return row.index  # no text to join by; the English files are not renumbered
    candidates = prompts.get(join_key(shown), set())
    if len(candidates) <= 1:
        return next(iter(candidates), None)
    entry = row.fields.get("OriginalEntry")
    told = str(entry.get("Index", "")) if isinstance(entry, Mapping) else ""
    for index in (int(told) if told.isdecimal() else -1, row.index):
        if index in candidates:
            return index
    return None


def _scores_of(shown: str, answer: str, policy: str, taxonomy: Taxonomy) -> Mapping[str, Score]:
    if shown == files.VOID_TEXT:
        return complete(taxonomy, {}, Status.VOID, f"the rater was shown {files.VOID_TEXT!r} instead of the text")
    return apply_policy(policy, parse_answer(answer, taxonomy), taxonomy)


KIND = RaterKind(options=RtpLxGpt4Options, build=build)
