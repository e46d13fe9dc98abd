"""What a run says, in sentences made from its numbers and never stronger than its intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.report.comparison import Comparison
from evaluation.report.contrasts import largest_family, survives_correction
from evaluation.report.evidence import AGREEMENT, KAPPA, Evidence, Figure, cell
from evaluation.report.languages import language_name
from evaluation.report.standings import Standing, Standings, paired_difference, settled
from evaluation.report.wording import listed, number, ordinal, percent, plural, shown, with_interval

_METHODS = {"bca": "BCa"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The headline, and the sentences under it."""

    headline: str
    sentences: tuple[str, ...]


def verdict(evidence: Evidence, comparison: Comparison, ranks: Standings) -> Verdict:
    """Say what the run found."""
    if not evidence.systems:
        return Verdict("No rater was compared with people in this run.", (_about_people(evidence, comparison, ranks),))
    if ranks.by_kappa[0].rank is None and ranks.by_agreement[0].rank is None:
        reason = "Where raters share no category or language, or where no item has a human label, nothing compares."
        return Verdict("No overall figure is defined for any rater, so they cannot be ranked.", (reason,))
    sentences = [
        _basis(evidence, comparison),
        _leaders(evidence, ranks),
        _rank_change(evidence, ranks),
        _about_people(evidence, comparison, ranks),
        _range_of_languages(evidence, ranks),
    ]
    return Verdict(_headline(evidence, ranks), tuple(sentence for sentence in sentences if sentence))


def _headline(evidence: Evidence, ranks: Standings) -> str:
    first, best = ranks.by_agreement[0], ranks.by_kappa[0]
    if len(evidence.systems) == 1 or best.rank is None:
        kappa, agreement = shown(best.figure), shown(first.figure, "share")
        return f"{first.subject.label} agrees on {agreement} of the ratings; its weighted kappa is {kappa}."
    if first.subject == best.subject:
        figures = f"{shown(first.figure, 'share')} agreement and a weighted kappa of {shown(best.figure)}"
        supported = settled(evidence, KAPPA, best, ranks.by_kappa[1])
        doubt = "" if supported else "; its lead may be chance"
        return f"{best.subject.label} ranks first by both: {figures}, where 0 is chance and 1 is perfect{doubt}."
    if _misleads(evidence, ranks):
        place = f"it ranks {_rank_in(ranks, first)}" if len(evidence.systems) > 2 else f"{best.subject.label} leads"
        return f"Percentage agreement misleads here: {first.subject.label} leads by it, but by weighted kappa {place}."
    return (
        f"{first.subject.label} is ahead by percentage agreement, {best.subject.label} by weighted kappa, "
        f"but {_openness(evidence, ranks)}."
    )


def _misleads(evidence: Evidence, ranks: Standings) -> bool:
    first, best = ranks.by_agreement[0], ranks.by_kappa[0]
    agreement = settled(evidence, AGREEMENT, first, _place_of(ranks.by_agreement, best))
    return bool(agreement and settled(evidence, KAPPA, best, _place_of(ranks.by_kappa, first)))


def _openness(evidence: Evidence, ranks: Standings) -> str:
    first, best = ranks.by_agreement[0], ranks.by_kappa[0]
    answers = (
        settled(evidence, AGREEMENT, first, _place_of(ranks.by_agreement, best)),
        settled(evidence, KAPPA, best, _place_of(ranks.by_kappa, first)),
    )
    if False in answers:
        return "the intervals leave the order open"
    return "no interval says whether the order is more than chance"


def _basis(evidence: Evidence, comparison: Comparison) -> str:
    if not comparison.partial or len(evidence.systems) < 2:
        return ""
    titles = listed(evidence.titles[name] for name in comparison.categories)
    shared = f"{plural(len(comparison.categories), 'category', 'categories')} ({titles})"
    return (
        f"The raters do not all cover the same, so they are compared on what they share: {shared} "
        f"in {plural(len(comparison.languages), 'language')}."
    )


def _leaders(evidence: Evidence, ranks: Standings) -> str:
    first, best = ranks.by_agreement[0], ranks.by_kappa[0]
    share = with_interval(first.figure, "share", evidence.confidence)
    kappa = with_interval(best.figure, confidence=evidence.confidence)
    if len(evidence.systems) == 1:
        return f"{first.subject.label}: percentage agreement {share}, linearly weighted kappa {kappa}."
    if first.subject == best.subject:
        name = best.subject.label
        return f"{name} has a percentage agreement of {share} and a linearly weighted kappa of {kappa}."
    other_kappa = shown(_place_of(ranks.by_kappa, first).figure)
    other_share = shown(_place_of(ranks.by_agreement, best).figure, "share")
    return (
        f"{first.subject.label} has the highest percentage agreement, {share}, but a linearly weighted kappa of "
        f"{other_kappa}; {best.subject.label} has the highest kappa, {kappa}, with an agreement of {other_share}."
    )


def _rank_change(evidence: Evidence, ranks: Standings) -> str:
    if len(evidence.systems) < 2 or ranks.by_kappa[0].rank is None:
        return ""
    first, best = ranks.by_agreement[0], ranks.by_kappa[0]
    if first.subject != best.subject:
        if _misleads(evidence, ranks):
            return f"The intervals support both orders{_after_correction(evidence, [AGREEMENT, KAPPA], first, best)}."
        openness = _openness(evidence, ranks)
        return f"{openness[0].upper()}{openness[1:]}."
    runner_up = ranks.by_kappa[1]
    sure = settled(evidence, KAPPA, best, runner_up)
    lead = f"Its lead in kappa over {runner_up.subject.label} ({shown(runner_up.figure)})"
    if sure is None:
        return f"{lead} has no interval that says whether it is more than chance."
    if not sure:
        return f"{lead} is not supported by the intervals."
    return f"{lead} is supported by the intervals{_after_correction(evidence, [KAPPA], best, runner_up)}."


def _after_correction(evidence: Evidence, metrics: Sequence[str], one: Standing, other: Standing) -> str:
    """Say what Holm's correction leaves of the differences between two raters that the intervals support."""
    pairs = [paired_difference(evidence, metric, one.subject, other.subject) for metric in metrics]
    found = [pair for pair in pairs if pair is not None and pair.p_holm is not None]
    if not found:
        return ""
    count = largest_family(evidence)
    lasting = all(survives_correction(evidence, difference) for difference in found)
    correction = f"correcting for all {plural(count, 'difference')} of the run in that metric"
    return f", also after {correction}" if lasting else f", though not after {correction}"


def _about_people(evidence: Evidence, comparison: Comparison, ranks: Standings) -> str:
    ceiling = ranks.ceiling[1]
    if evidence.ceiling is None or ceiling.value is None:
        if len(evidence.humans) <= 1:
            return (
                "There is one human label an item, so there is no human ceiling: the figures say how close raters "
                "come to that label, not how close people come to one another."
            )
        return "How well people agree with one another was not measured here, so there is no human ceiling."
    people = "one person against the others" if evidence.left_out else "the mean pair of people"
    reached = with_interval(ceiling, confidence=evidence.confidence)
    if not ranks.by_kappa or (best := ranks.by_kappa[0]).figure.value is None:
        return f"The human ceiling, {people}, is a weighted kappa of {reached}."
    twin = evidence.like_a_person(best.subject)
    figure = comparison.overall(KAPPA, twin) if twin else best.figure
    if figure.value is None:
        figure, twin = best.figure, None
    text = f"The human ceiling, {people}, is a kappa of {reached}. {best.subject.label}"
    text += f", measured in the same way, reaches {shown(figure)}" if twin else f" reaches {shown(figure)}"
    text += f", which is {_gap(figure, ceiling)}."
    if not twin:
        text += " It is measured against the majority, a cleaner reference, which tends to flatter it."
    return text


def _gap(figure: Figure, ceiling: Figure) -> str:
    assert figure.value is not None
    assert ceiling.value is not None
    gap = figure.value - ceiling.value
    words = f"{number(abs(gap))} {'above' if gap > 0 else 'below'} it" if round(gap, 2) else "level with it"
    if figure.low is None or figure.high is None or ceiling.low is None or ceiling.high is None:
        return f"{words}; no interval says whether that is more than chance"
    apart = figure.low > ceiling.high or figure.high < ceiling.low
    return f"{words}; the intervals {'do not overlap' if apart else 'overlap'}"


def _range_of_languages(evidence: Evidence, ranks: Standings) -> str:
    subject = ranks.by_kappa[0].subject
    values = {
        tag: figure.value
        for tag in evidence.languages_of(subject)
        if (figure := evidence.mean(KAPPA, subject, subject.covers, cell(tag))).value is not None
    }
    if len(values) < 3:
        return ""
    low, high = min(values, key=lambda tag: values[tag]), max(values, key=lambda tag: values[tag])
    return (
        f"Over all categories that it covers, the kappa of {subject.label} runs from {number(values[low])} in "
        f"{language_name(low)} to {number(values[high])} in {language_name(high)}."
    )


def _place_of(order: tuple[Standing, ...], wanted: Standing) -> Standing:
    return next(standing for standing in order if standing.subject == wanted.subject)


def _rank_in(ranks: Standings, wanted: Standing) -> str:
    rank = _place_of(ranks.by_kappa, wanted).rank
    if rank is None:
        return "nowhere, its kappa being undefined,"
    count = len(ranks.by_kappa)
    if rank == count and count > 2:
        return f"last of {count}"
    return f"{ordinal(rank)} of {count}"


def interval_words(evidence: Evidence) -> str:
    """Say in one sentence what the intervals are."""
    if not evidence.has_intervals:
        return "No intervals were computed in this run, so no difference between figures can be called settled."
    replicates, method = evidence.setting("replicates"), evidence.setting("method")
    how = f"{replicates:,} bootstrap replicates" if isinstance(replicates, int) else "a bootstrap"
    by = f" ({_METHODS.get(method, method)})" if method else ""
    return (
        f"Ranges are {percent(evidence.confidence)} intervals{by} from {how} over source_ids: versions of one text "
        "in several languages or registers are drawn together."
    )
