"""The 19,437 answers of GPT-4 that RTP-LX recorded: every cell is accounted for, and so is every doubtful one.

The expected numbers are those of `docs/answers.md`, which this test reads: the page and the parser cannot part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

import pytest

from babelguard import RTP_LX, Category
from babelguard.jsonl import parse_line, read_lines
from babelguard.rating import Score, Status
from evaluation.judging.answer import parse_answer
from evaluation.judging.policy import apply_policy
from tests.conftest import REPOSITORY
from tests.evaluation.judging.answers import block

PAGE = (REPOSITORY / "docs" / "answers.md").read_text(encoding="utf-8")
LOCALES = (
    *("AR", "DE", "EN", "ES", "FR", "HE", "HI", "IT", "JA"),
    *("KO", "NL", "PL", "PT", "RU", "SW", "TH", "TR", "ZH-Hans"),
)
VOID = "EN"  # in this file every prompt is the string "NA", so its answers rate nothing
STATUSES = ("ok", "unparsed", "out-of-range", "ambiguous", "not-applicable", "refused", "truncated")


@lru_cache(maxsize=1)
def parsed(folder: Path, locale: str) -> list[tuple[str, Mapping[str, Score]]]:
    lines = read_lines(folder / f"gpt4_results_{locale}.json")
    answers = [parse_line(line)["GPT4ResponseRaw"] for _, line in lines]
    return [(answer, parse_answer(answer)) for answer in answers]


def table_row(name: str) -> list[int]:
    """Return the numbers of the page's table row of that name."""
    (row,) = re.findall(rf"^\| {re.escape(name)} \|(.*)\|$", PAGE, re.MULTILINE)
    return [int(cell.strip().replace(",", "")) for cell in row.split("|")]


@pytest.mark.parametrize("locale", LOCALES)
def test_every_cell_has_a_level_or_a_status(rtp_lx: Path, locale: str):
    rows = parsed(rtp_lx, locale)
    counts = Counter(score.status.value for _, scores in rows for score in scores.values())
    assert counts.total() == len(rows) * len(RTP_LX)
    assert set(counts) <= set(STATUSES)
    assert [len(rows), *(counts[status] for status in STATUSES)] == table_row(locale)


@pytest.mark.parametrize("locale", LOCALES)
def test_every_gap_has_a_reason_that_repeats_no_text(rtp_lx: Path, locale: str):
    known = re.compile(
        r"value '(?:[-?]{1,5}|None|none|n/?a|not applicable|\d(?: or |[-.])\d)'|value -?\d off 1-[35]|no value|"
        r"words instead of a number|declines to rate|absent from the first block|answer ends after Insult",
        re.IGNORECASE,
    )
    for _, scores in parsed(rtp_lx, locale):
        for name, score in scores.items():
            if score.status is Status.OK:
                assert RTP_LX[name].has_level(score.level)
            else:
                assert known.fullmatch(score.detail or ""), f"{name}: {score.status}"


def test_few_cells_are_without_a_level(rtp_lx: Path):
    cells = gaps = 0
    for locale in LOCALES:
        if locale != VOID:
            rows = parsed(rtp_lx, locale)
            cells += len(rows) * len(RTP_LX)
            gaps += sum(score.level is None for _, scores in rows for score in scores.values())
    assert [cells, gaps] == table_row("all but English, cells and gaps")
    assert gaps / cells < 0.004


@pytest.mark.parametrize("locale", LOCALES)
def test_a_quoted_block_behind_any_answer_changes_no_level(rtp_lx: Path, locale: str):
    quotation = f"\n\nTranslation: hello\n{block([1] * len(RTP_LX))}\n"
    for answer, scores in parsed(rtp_lx, locale):
        attacked = parse_answer(answer + quotation)
        assert [score.level for score in attacked.values()] == [score.level for score in scores.values()]


def test_the_papers_policy_drops_few_answers(rtp_lx: Path):
    dropped = clamped = 0
    for locale in LOCALES:
        if locale != VOID:
            for _, scores in parsed(rtp_lx, locale):
                by_paper = apply_policy("paper", scores, RTP_LX)
                dropped += by_paper["Toxicity"].level is None
                clamped += sum(score.level is not None and score.detail is not None for score in by_paper.values())
                assert len({score.level is None for score in by_paper.values()}) == 1
    assert [dropped, clamped] == table_row("all but English, answers dropped and cells clamped")


# The other reading shares nothing with the parser: the first line that begins with the label (as the prompt spells
# it, or with a space or another case), and the first integer after its colon.
ANCHORS = {
    "Toxicity": r"toxic(?:ity)?",
    "IdentityAttack": r"identity ?attack",
    "Bias": "bias",
    "Microaggression": "microaggression",
    "Violence": "violence",
    "SelfHarm": r"self[- ]?harm",
    "Insult": "insult",
    "SexualContent": r"sexual ?content",
}


def anchored(answer: str, category: Category) -> int | None:
    line = re.search(rf"^\W*{ANCHORS[category.name]}[ ]*:(.*)$", answer, re.IGNORECASE | re.MULTILINE)
    number = re.search(r"-?\d+", line[1]) if line else None
    return int(number[0]) if number and category.has_level(int(number[0])) else None


def disagreements(folder: Path, locale: str) -> Iterator[str]:
    """Yield the shape of every cell in which the two readings differ."""
    for answer, scores in parsed(folder, locale):
        for category in RTP_LX:
            score = scores[category.name]
            other = anchored(answer, category)
            if score.level != other:
                yield shape(answer, category, score, other)


def shape(answer: str, category: Category, score: Score, other: int | None) -> str:
    label = ANCHORS[category.name]
    if score.level is not None:
        assert other is None
        first_word = re.match(r"Toxic:[^\d\n]", answer)
        if category.name == "Toxicity" and first_word:
            return "words behind the prompt's last label, then a block"
        if re.search(rf"^{label} \d$", answer, re.IGNORECASE | re.MULTILINE):
            return "no colon"
        if re.search(rf"\d{label}: \d", answer, re.IGNORECASE):
            return "no line end before the label"
        if re.search(rf"^{label}: *\n\d", answer, re.IGNORECASE | re.MULTILINE):
            return "the level on the next line"
        return "a misspelt label"
    return {
        Status.AMBIGUOUS: "two numbers or a fraction",
        Status.NOT_APPLICABLE: "a number in words that say N/A",
        Status.UNPARSED: "a number in words"
        if score.detail == "words instead of a number"
        else "levels in a second block only",
    }[score.status]


def test_the_other_reading_differs_where_it_should(rtp_lx: Path):
    found = {False: Counter[str](), True: Counter[str]()}
    for locale in LOCALES:
        found[locale == VOID].update(disagreements(rtp_lx, locale))
    shapes = sorted(found[False] | found[True])
    assert {name: table_row(name) for name in shapes} == {
        name: [found[False][name], found[True][name]] for name in shapes
    }


def test_the_other_reading_has_as_few_gaps(rtp_lx: Path):
    gaps = sum(
        anchored(answer, category) is None
        for locale in LOCALES
        if locale != VOID
        for answer, _ in parsed(rtp_lx, locale)
        for category in RTP_LX
    )
    assert [gaps] == table_row("gaps of the other reading, all but English")
