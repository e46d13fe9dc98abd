from __future__ import annotations

from dataclasses import replace

import pytest

from evaluation.measures import Findings
from evaluation.report.comparison import find_comparison
from evaluation.report.contrasts import contrasts
from evaluation.report.evidence import Evidence
from evaluation.report.standings import standings
from evaluation.report.verdict import Verdict, verdict
from tests.evaluation.report.made_findings import make, sample
from tests.evaluation.report.world import ACS, GPT4


def said(findings: Findings) -> Verdict:
    evidence = Evidence(findings)
    comparison = find_comparison(evidence)
    return verdict(evidence, comparison, standings(evidence, comparison))


def test_agreement_that_misleads_is_the_headline():
    found = said(make())
    assert found.headline == "Percentage agreement misleads here: acs leads by it, but by weighted kappa gpt-4 leads."
    assert (
        "The intervals support both orders, also after correcting for all 19 differences of the run in that metric."
        in found.sentences
    )


def test_the_rank_is_told_where_there_are_several():
    judges = [replace(GPT4, rater=f"judge-{n}", kappa=0.2 + 0.1 * n, agreement=0.9 - 0.05 * n) for n in range(4)]
    findings = make(systems=(judges[1], judges[0], judges[2], judges[3]), void=())
    assert said(findings).headline == (
        "Percentage agreement misleads here: judge-0 leads by it, but by weighted kappa it ranks last of 4."
    )


def test_an_order_that_the_intervals_leave_open_is_not_claimed():
    findings = make()
    wide = tuple(replace(d, low=-0.5, high=0.5, p=0.5, p_holm=1.0) for d in findings.differences)
    found = said(replace(findings, differences=wide))
    assert "misleads" not in found.headline
    assert found.headline.endswith("but the intervals leave the order open.")


def test_without_intervals_nothing_is_claimed():
    found = said(make(intervals=False, differences=False))
    assert found.headline.endswith("no interval says whether the order is more than chance.")


def test_two_intervals_apart_stand_in_for_a_difference():
    found = said(make(differences=False))
    assert "misleads" in found.headline
    assert "The intervals support both orders." in found.sentences


def test_what_does_not_survive_the_correction_is_told():
    findings = make()
    weak = tuple(replace(d, p_holm=0.2) for d in findings.differences)
    sentences = said(replace(findings, differences=weak)).sentences
    assert any("though not after correcting for all 19 differences" in sentence for sentence in sentences)


def test_one_leader_by_both():
    found = said(sample(systems=(GPT4, replace(GPT4, rater="weak", kappa=0.1, agreement=0.6))))
    assert found.headline.startswith("gpt-4 ranks first by both:")
    assert "may be chance" not in found.headline


def test_a_lead_without_an_interval_is_doubted():
    weak = replace(GPT4, rater="weak", kappa=0.1, agreement=0.6)
    found = said(sample(systems=(GPT4, weak), intervals=False, differences=False))
    assert found.headline.endswith("its lead may be chance.")


def test_people_are_compared_in_the_same_way():
    text = " ".join(said(make()).sentences)
    assert "gpt-4, measured in the same way, reaches" in text
    assert "the intervals do not overlap" in text
    assert "flatter" not in text


def test_without_the_same_way_the_easier_reference_is_told():
    findings = make()
    kept = tuple(m for m in findings.measures if m.reference != "other-humans" or m.rater == "human-left-out")
    text = " ".join(said(replace(findings, measures=kept)).sentences)
    assert "a cleaner reference, which tends to flatter it" in text


@pytest.mark.parametrize(("replicates", "told"), [(500, True), (2000, False)])
def test_too_few_replicates_for_the_correction_are_told(replicates, told):
    findings = make()
    settings = {**findings.settings, "replicates": replicates}
    note = contrasts(Evidence(replace(findings, settings=settings))).resolution
    assert bool(note) is told
    if told:
        assert "It takes at least 760 replicates" in note


def test_an_equal_figure_shares_the_rank():
    twin = replace(ACS, rater="acs")
    findings = make(systems=(twin, GPT4))
    measures = [m for m in findings.measures if m.rater != "gpt-4"]
    measures += [replace(m, rater="gpt-4") for m in findings.measures if m.rater == "acs"]
    evidence = Evidence(replace(findings, measures=tuple(measures)))
    ranks = standings(evidence, find_comparison(evidence))
    assert [standing.rank for standing in ranks.by_kappa] == [1, 1]
