"""Puts the report together: every section from the findings, the page from the templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from evaluation.measures import Findings
from evaluation.report import svg, wording
from evaluation.report.agreement_plot import agreement_plots
from evaluation.report.band_plot import band_plot
from evaluation.report.comparison import find_comparison
from evaluation.report.contrasts import contrasts
from evaluation.report.coverage import coverage
from evaluation.report.distributions import binary_sentences, distributions
from evaluation.report.evidence import Evidence
from evaluation.report.facts import corpus_facts, recipe_yaml, setting_facts, summary_of_coverage, tiles
from evaluation.report.false_alarms import false_alarms
from evaluation.report.forest import forests
from evaluation.report.heat import STEPS, heat_pairs, shade
from evaluation.report.metric_texts import DEFINED, METRIC_TEXTS
from evaluation.report.register_shift import register_shift
from evaluation.report.reliability import reliability
from evaluation.report.slices import slice_sections
from evaluation.report.standings import standings
from evaluation.report.summary import like_people, summary
from evaluation.report.verdict import interval_words, verdict

_HERE = Path(__file__).parent


def write_report(findings: Findings, path: Path) -> None:
    """Write the report as one HTML file that needs nothing else; whole or not at all.

    Args:
        findings: What the run found.
        path: The file; its folder is made if need be.
    """
    page = render_report(findings)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(page.encode("utf-8"))
    partial.replace(path)


def render_report(findings: Findings) -> str:
    """Return the report; the same findings give the same text."""
    return _environment().get_template("page.html.j2").render(_context(findings))


def _context(findings: Findings) -> dict[str, Any]:
    evidence = Evidence(findings)
    comparison = find_comparison(evidence)
    ranks = standings(evidence, comparison)
    bars = distributions(evidence)
    return {
        "style": Markup((_HERE / "report.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        "findings": findings,
        "evidence": evidence,
        "name": str(findings.recipe.get("name") or "Evaluation"),
        "description": str(findings.recipe.get("description") or ""),
        "tiles": tiles(evidence),
        "corpus": corpus_facts(evidence),
        "settings": setting_facts(evidence),
        "recipe": recipe_yaml(findings.recipe),
        "covers": summary_of_coverage(evidence),
        "verdict": verdict(evidence, comparison, ranks),
        "ranks": ranks,
        "intervals": interval_words(evidence),
        "summary": summary(evidence, comparison),
        "heat": heat_pairs(evidence),
        "agreement": agreement_plots(evidence, comparison),
        "comparison": comparison,
        "like_people": like_people(evidence, comparison),
        "false_alarms": false_alarms(evidence),
        "forest": forests(evidence),
        "distributions": bars,
        "binary": binary_sentences(bars),
        "bands": band_plot(evidence, comparison),
        "coverage": coverage(evidence),
        "contrasts": contrasts(evidence),
        "reliability": reliability(evidence),
        "slices": slice_sections(evidence),
        "register_shift": register_shift(evidence),
    }


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": wording.shown,
        "interval": wording.interval,
        "number": wording.number,
        "percent": wording.percent,
        "listed": wording.listed,
        "plural": lambda count, noun, many=None: wording.plural(count, noun, many),
        "shade": shade,
        "series": svg.series,
        "glyph": svg.glyph,
    }
    environment.globals |= {"HEAT_STEPS": STEPS, "DEFINED": DEFINED, "METRIC_TEXTS": METRIC_TEXTS}
    return environment
