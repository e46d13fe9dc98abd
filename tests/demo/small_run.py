"""A small run folder as `evaluation.run` writes it: two raters, two languages, two categories; made-up figures."""

from __future__ import annotations

from pathlib import Path

from evaluation.measures import MACRO, Findings, LevelCount, Measure, RaterSummary, Slice, StatusCount
from evaluation.run_folder import RunFolder

KAPPA = {("words", "en"): 0.25, ("words", "ar"): 0.75, ("ngrams", "en"): -0.1, ("ngrams", "ar"): 0.4}
CATEGORIES = ("Toxicity", "Insult")


def write_small_run(folder: Path) -> Path:
    """Write the run with its report, and return its folder."""
    from evaluation.report import write_report

    findings = small_findings()
    run = RunFolder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    run.write_recipe(dict(findings.recipe))
    run.write_findings(findings)
    write_report(findings, run.report)
    return folder


def small_findings() -> Findings:
    """Return the findings: kappa by language and category, and their means."""
    measures = []
    for (rater, tag), value in KAPPA.items():
        for category in (*CATEGORIES, MACRO):
            ends = {"low": value - 0.1, "high": value + 0.1}
            measures.append(
                Measure("linear_kappa", rater, "majority", category, Slice(tag), "cell", value, **ends, n_items=20)
            )
    for rater in ("words", "ngrams"):
        mean = (KAPPA[rater, "en"] + KAPPA[rater, "ar"]) / 2
        measures += [
            Measure("linear_kappa", rater, "majority", category, Slice(), "macro", mean, n_items=40)
            for category in (*CATEGORIES, MACRO)
        ]
        measures.append(Measure("signed_error", rater, "majority", "Insult", Slice(), "pooled", 0.5, n_items=40))
    taxonomy = tuple(
        {"name": n, "title": n, "definition": "", "scale": 3, "levels": ["a", "b", "c"]} for n in CATEGORIES
    )
    return Findings(
        recipe={"name": "small", "description": "Two raters.", "intervals": {"confidence": 0.95}},
        corpus={
            "source": "made-up",
            "licence": "CC0-1.0",
            "items": 40,
            "source_ids": 20,
            "languages": {"en": 20, "ar": 20},
        },
        taxonomy=taxonomy,
        raters=(
            RaterSummary("human-1", "human", "A person.", CATEGORIES, "h"),
            RaterSummary("words", "word-list", "Words.", CATEGORIES, "w"),
            RaterSummary("ngrams", "char-ngrams", "N-grams.", CATEGORIES, "n"),
        ),
        measures=tuple(measures),
        statuses=(StatusCount("words", "en", "Insult", "ok", 20),),
        levels=(LevelCount("words", "en", "Insult", 1, 20),),
        confusions=(),
        notes=("One note.",),
    )
