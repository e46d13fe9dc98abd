"""What a run says, in sentences made from its numbers and never stronger than its intervals."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.report.evidence import AGREEMENT, KAPPA, Evidence, cell
from evaluation.report.ground import CommonGround
from evaluation.report.languages import language_name
from evaluation.report.standings import Standing, Standings, settled
from evaluation.report.wording import listed, number, ordinal, percent, plural, shown, with_interval


@dataclass(frozen=True, slots=True)
class Verdict:
    """The headline, and the sentences under it."""

    headline: str
    sentences: tuple[str, ...]


def verdict(evidence: Evidence, ground: CommonGround, ranks: Standings) -> Verdict:
    """Say what the run found."""
    if not evidence.systems:
        return Verdict("No rater was compared with people in this run.", (_about_ceiling(evidence, ranks),))
    if ranks.by_kappa[0].rank is None and ranks.by_agreement[0].rank is None:
        reason = "Where raters share no category or language, or where no item has a human label, nothing compares."
        return Verdict("No overall figure is defined for any rater, so they cannot be ranked.", (reason,))
    sentences = [_basis(evidence, ground), _leaders(evidence, ranks), _rank_change(evidence, ranks)]
    sentences += [_about_ceiling(evidence, ranks), _range_of_languages(evidence, ranks)]
    return Verdict(_headline(evidence, ranks), tuple(sentence for sentence in sentences if sentence))


def _headline(evidence: Evidence, ranks: Standings) -> str:
    first, best = ranks.by_agreement[0], ranks.by_kappa[0]
    if len(evidence.systems) == 1 or best.rank is None:
        kappa, agreement = shown(best.figure), shown(first.figure, "share")
        return f"{first.subject.label} agrees on {agreement} of the ratings; its weighted kappa is {kappa}."
    if first.subject == best.subject:
        return f"{best.subject.label} ranks first by both percentage agreement and weighted kappa."
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


def _basis(evidence: Evidence, ground: CommonGround) -> str:
    if ground.same_coverage or len(evidence.systems) < 2:
        return ""
    titles = listed(evidence.titles[name] for name in ground.categories)
    shared = f"{plural(len(ground.categories), 'category', 'categories')} ({titles})"
    return (
        f"The raters do not all cover the same, so they are compared on what they share: {shared} "
        f"in {plural(len(ground.languages), 'language')}."
    )


def _leaders(evidence: Evidence, ranks: Standings) -> str:
    first, best = ranks.by_agreement[0], ranks.by_kappa[0]
    share = with_interval(first.figure, "share", evidence.confidence)
    kappa = with_interval(best.figure, confidence=evidence.confidence)
    if len(evidence.systems) == 1:
        return f"{first.subject.label}: percentage agreement {share}, linearly weighted kappa {kappa}."
    if first.subject == best.subject:
        return f"It has a percentage agreement of {share} and a linearly weighted kappa of {kappa}."
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
            return "The data settle both orders."
        openness = _openness(evidence, ranks)
        return f"{openness[0].upper()}{openness[1:]}."
    sure = settled(evidence, KAPPA, best, ranks.by_kappa[1])
    runner_up = f"{ranks.by_kappa[1].subject.label} ({shown(ranks.by_kappa[1].figure)})"
    if sure is None:
        return f"Whether its lead in kappa over {runner_up} is more than chance, no interval says."
    return f"Its lead in kappa over {runner_up} {'is settled' if sure else 'is not settled'} by the data."


def _about_ceiling(evidence: Evidence, ranks: Standings) -> str:
    ceiling = ranks.ceiling[1]
    if ceiling.value is None:
        if len(evidence.humans) <= 1:
            return (
                "There is one human label an item, so there is no human ceiling: the figures say how close raters "
                "come to that label, not how close people come to one another."
            )
        return "How well people agree with one another was not measured here, so there is no human ceiling."
    if not ranks.by_kappa or (best := ranks.by_kappa[0]).figure.value is None:
        return f"People reach a weighted kappa of {with_interval(ceiling, confidence=evidence.confidence)}."
    gap = best.figure.value - ceiling.value
    side = "above" if gap > 0 else "below"
    overlap = ""
    if best.figure.low is not None and best.figure.high is not None and ceiling.low is not None:
        apart = best.figure.low > (ceiling.high or 0.0) or best.figure.high < ceiling.low
        overlap = ", and their intervals do not overlap" if apart else ", but their intervals overlap"
    return (
        f"One annotator against the others reaches {number(ceiling.value)} (the human ceiling); the best rater by "
        f"kappa, {best.subject.label}, is {number(abs(gap))} {side} it{overlap}. Raters are compared with the "
        f"majority of all annotators, a steadier reference, which tends to flatter them."
    )


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
    by = f", {method}" if method else ""
    return (
        f"Ranges are {percent(evidence.confidence)} intervals from {how} over source_ids{by}: versions of one text "
        "in several languages or registers are drawn together."
    )
