"""A comparison as Markdown: tables to read in a terminal, or to paste into a card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from evaluation.comparing.comparison import Comparison, GroundFigures
from evaluation.comparing.figures import MetricFigures
from evaluation.comparing.flagging import BENIGN, HARMFUL, HARMLESS, LEVELS, OWN, SHARED
from evaluation.comparing.leads import Leads
from evaluation.measures import MACRO, Difference, Measure, Slice
from evaluation.measuring.subject import HUMAN_LEFT_OUT, MAJORITY, OTHER_HUMANS

PEOPLE = "people: one left out"
NONE = "–"
_TRUTHS = {
    MAJORITY: "the majority of the annotators",
    OTHER_HUMANS: "what all annotators but one say, mean over the one",
}
_KINDS = {BENIGN: "benign completions", HARMLESS: "harmless by majority", HARMFUL: "harmful by majority"}
_RULES = {LEVELS: "level above 1", OWN: "own flag thresholds"}


def to_markdown(comparison: Comparison) -> str:
    """Return the whole comparison."""
    lines = [f"# {', '.join(folder.name for folder in comparison.run.folders)}", "", *_about(comparison)]
    for each in comparison.grounds:
        lines += _ground(each, comparison)
    if comparison.leads is not None:
        lines += _leads(comparison.leads, comparison)
    lines += _flags(comparison)
    return "\n".join(lines) + "\n"


def _about(comparison: Comparison) -> Iterator[str]:
    roles = ", ".join(sorted(set(comparison.run.items.roles.tolist())))
    registers = ", ".join(sorted(set(comparison.run.items.registers.tolist())))
    settings, truth = comparison.run.intervals, _TRUTHS[comparison.selection.reference]
    yield (
        f"Roles: {roles}. Registers: {registers}. Raters are measured against {truth}; "
        f"{PEOPLE} is an annotator against the others. A table's figures are of the same texts for every rater in it. "
        "A cell is a category in a language; it counts where the metric is defined for everybody. A category's figure "
        "is the mean over its languages, the mean that of the categories. "
        f"Brackets: {settings.confidence:.0%} intervals ({settings.method}, {settings.replicates:,} bootstrap "
        "replicates over source_ids)."
    )
    shown = {rater for each in comparison.grounds for rater in each.ground.raters}
    if absent := [name for name in comparison.run.raters if name not in shown]:
        yield from (
            "",
            f"In no table, as no other rater gave levels in the same texts and categories: {_names(absent)}.",
        )


def _ground(each: GroundFigures, comparison: Comparison) -> Iterator[str]:
    ground, names = each.ground, comparison.run.categories.names
    titles = [comparison.run.categories.categories[c].title for c in ground.categories]
    what = titles[0] if len(titles) == 1 else f"{len(titles)} categories"
    yield from ("", f"## {what}, {_plural(len(ground.languages), 'language')}: {ground.n_items:,} texts", "")
    yield from _coverage(each, titles)
    for metric, figures in each.metrics.items():
        rows = [measure for measure in each.measures if measure.metric == metric]
        yield from ("", f"### {metric}", "", *_undefined(figures, titles, ground.categories), "")
        if not figures.places:
            yield "There is no cell in which it is defined for everybody."
            continue
        yield from _by_category(rows, [names[c] for c in ground.categories], titles)
        if len(ground.languages) > 1:
            yield from ("", *_by_language(rows))


def _coverage(each: GroundFigures, titles: Sequence[str]) -> Iterator[str]:
    ground = each.ground
    if len(titles) > 1:
        yield f"Categories: {', '.join(titles)}."
    lacking = [f"{name} {count:,}" for name, count in ground.missing.items() if count]
    without = f"; without a level in some category: {', '.join(lacking)}" if lacking else ""
    yield f"{ground.n_items:,} of {ground.labelled:,} labelled texts{without}."
    for tag, raters in ground.left_out.items():
        why = f"no level from {', '.join(raters)}" if raters else "no text with a level from everybody"
        yield f"Left out: {tag} ({why})."
    if ground.alone:
        yield f"No line for people: texts without three annotators in {', '.join(ground.alone)}."


def _undefined(figures: MetricFigures, titles: Sequence[str], categories: Sequence[int]) -> Iterator[str]:
    total = len(figures.places) + len(figures.undefined)
    yield f"{len(figures.places)} of {total} cells count."
    if figures.undefined:
        known = dict(zip(categories, titles, strict=True))
        listed = (f"{known[c]} in {tag} ({_names(raters)})" for (tag, c), raters in figures.undefined.items())
        yield f"Undefined: {'; '.join(listed)}."


def _names(raters: Iterable[str]) -> str:
    return ", ".join("people" if rater == HUMAN_LEFT_OUT else rater for rater in raters)


def _by_category(rows: Sequence[Measure], names: Sequence[str], titles: Sequence[str]) -> Iterator[str]:
    raters = list(dict.fromkeys(row.rater for row in rows))
    whole = {(row.rater, row.category): row for row in rows if row.slice == Slice()}
    columns = [MACRO, *names]
    counts = [whole[raters[-1], name].n_items if (raters[-1], name) in whole else 0 for name in columns]
    body = [["texts", *(f"{count:,}" for count in counts)]]
    for rater in raters:
        cells = [_figure(whole.get((rater, name)), interval=name == MACRO) for name in columns]
        body.append([_label(rater), *cells])
    yield from _table(["", "mean", *titles], body)


def _by_language(rows: Sequence[Measure]) -> Iterator[str]:
    raters = list(dict.fromkeys(row.rater for row in rows))
    at = {(row.slice.language, row.rater): row for row in rows if row.category == MACRO and row.slice.language}
    tags = sorted({tag for tag, _ in at if tag is not None})
    body = [
        [tag, f"{at[tag, raters[-1]].n_items:,}", *(_figure(at[tag, rater], interval=False) for rater in raters)]
        for tag in tags
    ]
    yield from _table(["language", "texts", *(_label(rater) for rater in raters)], body)


def _leads(leads: Leads, comparison: Comparison) -> Iterator[str]:
    metrics = comparison.selection.metrics
    yield from ("", f"## {leads.rater} against {' and '.join(leads.others)}", "")
    yield "Differences on the texts and categories that the two rated; p-values with Holm's correction over the others."
    yield ""
    overall = [row for row in leads.differences if row.category == MACRO and row.slice == Slice()]
    body = [[row.other, row.metric, f"{row.n_items:,}", _gap(row), _p(row.p_holm)] for row in overall]
    yield from _table(["against", "metric", "texts of the smallest cell", "difference", "p"], body)
    yield ""
    yield f"Ahead of all in {' and '.join(metrics)} in {_listed(leads.ahead)}."
    yield f"Of these, with every interval above zero: {_listed(leads.settled)}. Not ahead: {_listed(leads.behind)}."
    for tag, others in leads.not_rated.items():
        yield f"Not compared in {tag}: {', '.join(others)} has no figure there."
    yield ""
    yield from _lead_by_language(leads)


def _lead_by_language(leads: Leads) -> Iterator[str]:
    rows = {(r.slice.language, r.other, r.metric): r for r in leads.differences if r.slice.language is not None}
    columns = list(dict.fromkeys((other, metric) for _, other, metric in rows))
    body = [
        [tag, *(_gap(rows.get((tag, *column))) for column in columns)]
        for tag in sorted({tag or "" for tag, _, _ in rows})
    ]
    yield from _table(["language", *(f"{metric}, {other}" for other, metric in columns)], body)


def _flags(comparison: Comparison) -> Iterator[str]:
    if not comparison.flags:
        return
    yield from ("", "## Texts that are flagged in some category", "")
    whole = {(row.rater, row.category, row.reference): row for row in comparison.flags if row.slice == Slice()}
    kinds = [kind for kind in _KINDS if any(reference == kind for _, _, reference in whole)]
    yield from _flag_table(whole, kinds)
    if any(whole.get((r, c, kind + SHARED)) != row for (r, c, kind), row in whole.items() if kind in kinds):
        yield from ("", "On the texts that every rater of the column rated:", "")
        yield from _flag_table(whole, [kind + SHARED for kind in kinds])
    benign = [row for row in comparison.flags if row.reference == BENIGN and row.slice.language]
    if len({row.slice.language for row in benign}) > 1:
        yield from ("", "Benign completions by language:", "")
        at = {(row.slice.language or "", row.rater, row.category): row for row in benign}
        columns = list(dict.fromkeys((rater, rule) for _, rater, rule in at))
        body = [[tag, *(_share(at.get((tag, *column))) for column in columns)] for tag in sorted({t for t, _, _ in at})]
        yield from _table(["language", *(f"{rater}: {_RULES[rule]}" for rater, rule in columns)], body)


def _flag_table(whole: Mapping[tuple[str, str, str], Measure], kinds: Sequence[str]) -> Iterator[str]:
    lines = list(dict.fromkeys((rater, rule) for rater, rule, _ in whole))
    body = [[rater, _RULES[rule], *(_share(whole.get((rater, rule, kind))) for kind in kinds)] for rater, rule in lines]
    yield from _table(["rater", "flagged by", *(_KINDS[kind.removesuffix(SHARED)] for kind in kinds)], body)


def _share(row: Measure | None) -> str:
    return NONE if row is None or row.value is None else f"{row.value:.1%} of {row.n_items:,}"


def _figure(row: Measure | None, *, interval: bool) -> str:
    if row is None or row.value is None:
        return NONE
    if not interval or row.low is None or row.high is None:
        return f"{row.value:.3f}"
    return f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]"


def _gap(row: Difference | None) -> str:
    if row is None or row.value is None:
        return NONE
    ends = f" [{row.low:+.3f}, {row.high:+.3f}]" if row.low is not None and row.high is not None else ""
    return f"{row.value:+.3f}{ends}"


def _p(value: float | None) -> str:
    return NONE if value is None else "< 0.001" if value < 0.0005 else f"{value:.3f}"


def _label(rater: str) -> str:
    return PEOPLE if rater == HUMAN_LEFT_OUT else rater


def _listed(tags: Sequence[str]) -> str:
    return f"{_plural(len(tags), 'language')} ({', '.join(tags)})" if tags else "none"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|---|{'--:|' * (len(head) - 1)}"
    for row in body:
        yield f"| {' | '.join(row)} |"
