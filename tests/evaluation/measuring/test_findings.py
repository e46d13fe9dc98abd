"""Findings equal the metrics applied by hand, and say what they are about."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from babelguard import RTP_LX
from evaluation.measures import MACRO, MACRO_COMMON, Findings, Measure, Slice
from evaluation.measuring.agreement import Intervals
from evaluation.measuring.findings import make_findings
from evaluation.metrics import cohen_kappa, consensus, krippendorff_alpha, percentage_agreement
from tests.evaluation.measuring.corpora import benign_items, labelled_items, rating_table, table_of

FOUR = ("IdentityAttack", "Violence", "SelfHarm", "SexualContent")


def findings_of(items, tables, replicates=200) -> Findings:
    intervals = Intervals(replicates, 0.95, "percentile", 0)
    return make_findings(items, tables, RTP_LX, intervals, recipe={}, corpus={})


def pick(findings: Findings, **wanted) -> Measure:
    """The one measure with these fields."""
    found = [m for m in findings.measures if all(getattr(m, name) == value for name, value in wanted.items())]
    assert len(found) == 1, (wanted, len(found))
    return found[0]


@pytest.fixture(scope="module")
def run():
    items = table_of(labelled_items(("de", "ko", "sw")))
    tables = [rating_table(items, "judge", void=("sw",)), rating_table(items, "azure", FOUR, seed=2)]
    return items, tables, findings_of(items, tables)


def test_a_cell_is_the_metric_against_the_majority(run):
    items, tables, findings = run
    rows, bias = items.languages == "ko", RTP_LX.names.index("Bias")
    truth = consensus(items.raw[:, rows, bias], levels=3)
    ours = tables[0].levels[rows, bias]
    cell = pick(
        findings,
        metric="linear_kappa",
        rater="judge",
        reference="majority",
        category="Bias",
        slice=Slice(language="ko"),
    )
    assert cell.value == pytest.approx(cohen_kappa(ours, truth, levels=3, weights="linear"), abs=1e-12)
    assert (cell.aggregate, cell.n_items, cell.n_clusters) == ("cell", 40, 40)
    assert cell.low < cell.value < cell.high


def test_pooled_and_macro_are_what_they_say(run):
    items, tables, findings = run
    violence = RTP_LX.names.index("Violence")
    truth = consensus(items.raw[:, :, violence], levels=3)
    ours = tables[1].levels[:, violence]
    pooled = pick(
        findings, metric="linear_kappa", rater="azure", reference="majority", category="Violence", slice=Slice(),
        aggregate="pooled",
    )  # fmt: skip
    assert pooled.value == pytest.approx(cohen_kappa(ours, truth, levels=3, weights="linear"), abs=1e-12)
    by_language = [
        cohen_kappa(ours[items.languages == tag], truth[items.languages == tag], levels=3, weights="linear")
        for tag in ("de", "ko", "sw")
    ]
    macro = pick(
        findings, metric="linear_kappa", rater="azure", reference="majority", category="Violence", slice=Slice(),
        aggregate="macro",
    )  # fmt: skip
    assert macro.value == pytest.approx(np.mean(by_language), abs=1e-12)


def test_means_over_categories_are_over_those_that_the_rater_covers(run):
    _, _, findings = run
    cells = [
        pick(findings, metric="ac2", rater="azure", reference="majority", category=name, slice=Slice(language="de"))
        for name in FOUR
    ]
    mean = pick(findings, metric="ac2", rater="azure", reference="majority", category=MACRO, slice=Slice(language="de"))
    assert mean.value == pytest.approx(np.mean([cell.value for cell in cells]), abs=1e-12)


def test_the_common_ground_is_the_same_cells_for_everyone(run):
    _, _, findings = run
    for rater, reference in (("judge", "majority"), ("human-pairs", "humans")):
        cells = [
            pick(
                findings, metric="linear_kappa", rater=rater, reference=reference, category=name,
                slice=Slice(language=tag),
            ).value
            for tag in ("de", "ko")
            for name in FOUR
        ]  # fmt: skip
        common = pick(
            findings, metric="linear_kappa", rater=rater, reference=reference, category=MACRO_COMMON, slice=Slice()
        )
        assert common.value == pytest.approx(np.mean(cells), abs=1e-12)
    note = next(note for note in findings.notes if "macro-common" in note)
    assert "4 of 8 categories and 2 of 3 languages; left out: sw" in note


def test_what_is_void_counts_for_nothing(run):
    _, _, findings = run
    cell = pick(
        findings,
        metric="linear_kappa",
        rater="judge",
        reference="majority",
        category="Bias",
        slice=Slice(language="sw"),
    )
    assert (cell.value, cell.low, cell.n_items) == (None, None, 0)


def test_people_are_compared_pair_by_pair_and_left_out(run):
    items, _, findings = run
    rows, insult = items.languages == "de", RTP_LX.names.index("Insult")
    raw = items.raw[:, rows, insult]
    where = {"category": "Insult", "slice": Slice(language="de"), "metric": "percentage_agreement"}
    pairs = [percentage_agreement(raw[i], raw[j], levels=3) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert pick(findings, rater="human-2", reference="human-1", **where).value == pytest.approx(pairs[0], abs=1e-12)
    assert pick(findings, rater="human-pairs", **where).value == pytest.approx(np.mean(pairs), abs=1e-12)
    left_out = pick(findings, rater="human-left-out", **where)
    judged = pick(findings, rater="judge", reference="other-humans", **where)
    assert 0 <= judged.value <= 1
    assert 0 <= left_out.value <= 1
    alpha = pick(findings, rater="humans", **{**where, "metric": "alpha_ordinal"})
    assert alpha.value == pytest.approx(krippendorff_alpha(raw, levels=3), abs=1e-12)


def test_every_rating_is_accounted_for(run):
    items, _, findings = run
    counted = Counter()
    for row in findings.statuses:
        counted[row.rater, row.language, row.category] += row.count
    assert set(counted.values()) == {40}
    assert len(counted) == 2 * 3 * 8
    levels = Counter()
    for row in findings.levels:
        levels[row.rater] += row.count
    assert levels["human-1"] == levels["majority"] == len(items) * 8
    assert levels["judge"] == 2 * 40 * 8
    assert levels["azure"] == len(items) * 4


def test_differences_are_paired_and_corrected(run):
    _, _, findings = run
    row = next(
        d for d in findings.differences if d.metric == "linear_kappa" and d.slice == Slice() and d.category == MACRO
    )
    assert (row.rater, row.other) == ("judge", "azure")
    sides = [
        pick(findings, metric="linear_kappa", rater=rater, reference="majority", category=MACRO_COMMON, slice=Slice())
        for rater in ("judge", "azure")
    ]
    assert row.value == pytest.approx(sides[0].value - sides[1].value, abs=1e-12)
    assert row.p <= row.p_holm <= 1
    assert {d.slice.language for d in findings.differences} == {None, "de", "ko"}


def test_subsets_have_figures_of_their_own(run):
    items, tables, findings = run
    rows = (items.subsets == "a") & (items.languages == "de")
    truth = consensus(items.raw[:, rows, 0], levels=5)
    cell = pick(
        findings, metric="percentage_agreement", rater="judge", reference="majority", category="Toxicity",
        slice=Slice(language="de", subset="a"),
    )  # fmt: skip
    assert cell.value == pytest.approx(percentage_agreement(tables[0].levels[rows, 0], truth, levels=5), abs=1e-12)


def test_bands_pool_the_languages_of_a_band(run):
    _, _, findings = run
    bands = {m.slice.band for m in findings.measures if m.slice.band}
    assert bands == {"high", "mid", "low"}


def test_a_rater_with_probabilities_is_ranked(run):
    _, _, findings = run
    cell = pick(
        findings, metric="auroc", rater="judge", reference="majority", category="Bias", slice=Slice(language="de")
    )
    assert 0.5 < cell.value <= 1


def test_the_same_seed_gives_the_same_findings():
    items = table_of(labelled_items(contents=12))
    tables = [rating_table(items, "judge")]
    assert findings_of(items, tables) == findings_of(items, tables)


def test_benign_completions_need_no_label():
    items = table_of([*labelled_items(("de",)), *benign_items("de", 10)])
    judge = rating_table(items, "judge")
    findings = findings_of(items, [judge])
    benign = items.roles == "benign-completion"
    cell = pick(
        findings, metric="false_positive_rate", rater="judge", reference="benign-by-construction", category="Bias"
    )
    assert cell.value == pytest.approx((judge.levels[benign, RTP_LX.names.index("Bias")] > 1).mean())
    assert (cell.slice, cell.n_items) == (Slice(language="de", role="benign-completion"), 10)
    anything = pick(findings, reference="benign-by-construction", category="any")
    assert anything.value == pytest.approx((judge.levels[benign] > 1).any(axis=1).mean())


@pytest.mark.parametrize(("annotators", "words"), [(1, "one human label"), (0, "No item has a human label")])
def test_without_several_people_the_findings_say_so(annotators, words):
    items = table_of(labelled_items(annotators=annotators))
    findings = findings_of(items, [rating_table(items, "judge")])
    assert any(words in note for note in findings.notes)
    assert not [m for m in findings.measures if m.rater.startswith("human")]


def test_findings_are_plain_json(run):
    import json

    record = json.loads(json.dumps(run[2].to_dict(), allow_nan=False))
    assert {"metric", "rater", "language", "category", "value", "low", "high"} <= set(record["measures"][0])
