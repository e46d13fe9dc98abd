"""Figures of raters on the same texts, against values worked out by hand (see run_folders.py for the levels)."""

from __future__ import annotations

from pathlib import Path

import pytest

from babelguard import UserError
from evaluation.comparing.comparison import Comparison, GroundFigures, compare_runs
from evaluation.comparing.selection import Selection
from tests.evaluation.comparing.run_folders import ALPHA, BETA, PEOPLE, TEXTS, labelled, rated, three_raters, write_run

PEOPLE_LEFT_OUT = "human-left-out"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return three_raters(tmp_path / "run")


def figures(ground: GroundFigures, metric: str) -> dict[tuple[str, str, str | None], float | None]:
    return {(m.rater, m.category, m.slice.language): m.value for m in ground.measures if m.metric == metric}


def widest(compared: Comparison) -> GroundFigures:
    return compared.grounds[0]


def test_means_are_over_the_cells_that_are_defined_for_all(run):
    """Linear kappa: in German, Insult is undefined for alpha, which like people never leaves level 1."""
    ground = widest(compare_runs([run], Selection()))
    assert (ground.ground.raters, ground.ground.n_items) == (("alpha", "beta"), 8)
    found = figures(ground, "linear_kappa")
    expected = {
        ("alpha", "Violence", "de"): 1.0,
        ("alpha", "Violence", "fr"): 0.5,  # disagreement 1/4 where chance gives (1/2 3/4 + 1/2 1/4) = 1/2
        ("alpha", "Insult", "fr"): 1.0,
        ("alpha", "Violence", None): 0.75,
        ("alpha", "Insult", None): 1.0,
        ("alpha", "macro", None): 0.875,
        ("alpha", "macro", "de"): 1.0,
        ("alpha", "macro", "fr"): 0.75,
        ("beta", "Violence", "de"): 0.5,
        ("beta", "Violence", "fr"): 1.0,
        ("beta", "Insult", "fr"): -1.0,
        ("beta", "macro", None): -0.125,
        ("beta", "macro", "de"): 0.5,
        ("beta", "macro", "fr"): 0.0,
        (PEOPLE_LEFT_OUT, "macro", None): 1.0,
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected)
    assert ("beta", "Insult", "de") not in found
    insult = 6
    assert ground.metrics["linear_kappa"].undefined == {("de", insult): (PEOPLE_LEFT_OUT, "alpha")}
    kappas = [m for m in ground.measures if m.metric == "linear_kappa" and m.slice.language is None]
    counts = {(m.rater, m.category): m.n_items for m in kappas}
    assert (counts["alpha", "macro"], counts["beta", "Insult"]) == (8, 4)


def test_macro_f1_counts_every_cell(run):
    found = figures(widest(compare_runs([run], Selection())), "macro_f1")
    # beta: Violence in German has F1 4/5 at level 1 and 2/3 at level 3; Insult 6/7 and 0, in French 0 and 0.
    assert found["beta", "Violence", "de"] == pytest.approx(11 / 15)
    assert found["beta", "macro", None] == pytest.approx(((11 / 15 + 1) / 2 + (3 / 7 + 0) / 2) / 2)
    assert found["alpha", "macro", None] == pytest.approx(((1 + 11 / 15) / 2 + 1) / 2)


def test_a_rater_of_fewer_categories_is_compared_in_those_and_on_its_texts(run):
    second = compare_runs([run], Selection()).grounds[1]
    assert (second.ground.raters, second.ground.n_items) == (("alpha", "beta", "gamma"), 7)
    assert second.ground.missing == {"alpha": 0, "beta": 0, "gamma": 1}
    found = figures(second, "linear_kappa")
    assert [found[name, "Violence", "de"] for name in ("alpha", "beta", "gamma")] == pytest.approx([1.0, 0.0, 1.0])
    assert [found[name, "macro", None] for name in ("alpha", "beta", "gamma")] == pytest.approx([0.75, 0.5, 0.5])


def test_without_the_rater_of_fewer_texts_the_others_have_all(run):
    compared = compare_runs([run], Selection(raters=("beta", "alpha"), categories=("Violence",)))
    (ground,) = compared.grounds
    assert (ground.ground.raters, ground.ground.n_items) == (("beta", "alpha"), 8)


def test_languages_are_kept_and_left_out(run):
    kept = compare_runs([run], Selection(languages=("FR",)))
    left = compare_runs([run], Selection(without=("deu",)))
    for compared in (kept, left):
        assert widest(compared).ground.languages == ("fr",)
        assert figures(widest(compared), "linear_kappa")["beta", "macro", None] == pytest.approx(0.0)


def test_a_language_in_which_a_rater_gave_nothing_is_left_out_and_told(tmp_path):
    german = {"Violence": (*ALPHA["Violence"][:4], *[None] * 4)}
    raters = {"alpha": rated("alpha", german), "beta": rated("beta", {"Violence": BETA["Violence"]})}
    ground = widest(compare_runs([write_run(tmp_path / "run", labelled(), raters)], Selection())).ground
    assert (ground.languages, ground.left_out, ground.labelled) == (("de",), {"fr": ("alpha",)}, 4)
    assert ground.missing == {"alpha": 0, "beta": 0}


def test_raters_measured_as_people_are(run):
    """With annotators who agree, what two of them say is what all say."""
    found = figures(widest(compare_runs([run], Selection(reference="other-humans"))), "linear_kappa")
    assert found["alpha", "macro", None] == pytest.approx(0.875)


def test_people_have_no_line_where_they_are_not_three(tmp_path):
    texts = [*labelled(texts=TEXTS[:4]), *labelled(annotators=1, texts=TEXTS[4:])]
    raters = {"alpha": rated("alpha", ALPHA), "beta": rated("beta", BETA)}
    ground = widest(compare_runs([write_run(tmp_path / "run", texts, raters)], Selection())).ground
    assert [subject.rater for subject in ground.subjects] == ["alpha", "beta"]
    assert ground.alone == ("fr",)


def test_one_rater_stands_beside_people_alone(tmp_path):
    run = write_run(tmp_path / "run", labelled(), {"alpha": rated("alpha", ALPHA)})
    assert [s.rater for s in widest(compare_runs([run], Selection())).ground.subjects] == [PEOPLE_LEFT_OUT, "alpha"]


def test_leads_are_over_every_other_in_every_metric(run):
    leads = compare_runs([run], Selection(), "alpha", ["beta", "gamma"]).leads
    assert leads is not None
    assert (leads.ahead, leads.behind) == (("fr",), ("de",))  # in German gamma is as good on the texts that it rated
    overall = {
        (d.other, d.metric): d.value for d in leads.differences if (d.category, d.slice.language) == ("macro", None)
    }
    assert overall["beta", "linear_kappa"] == pytest.approx(0.875 - -0.125 - 0)
    assert overall["gamma", "linear_kappa"] == pytest.approx(0.75 - 0.5)
    assert compare_runs([run], Selection(), "alpha", ["beta"]).leads.ahead == ("de", "fr")


def test_a_language_that_another_did_not_rate_is_said(tmp_path):
    german = {"Violence": (*BETA["Violence"][:4], *[None] * 4)}
    raters = {"alpha": rated("alpha", ALPHA), "beta": rated("beta", german), "gamma": rated("gamma", PEOPLE)}
    run = write_run(tmp_path / "run", labelled(), raters)
    leads = compare_runs([run], Selection(), "alpha", ["beta", "gamma"]).leads
    assert leads.not_rated == {"fr": ("beta",)}


def test_a_language_where_a_metric_is_undefined_is_no_lead(tmp_path):
    """Kappa is undefined where alpha, like people, never leaves level 1; F1 alone would put it ahead."""
    raters = {"alpha": rated("alpha", ALPHA), "beta": rated("beta", BETA)}
    run = write_run(tmp_path / "run", labelled(), raters)
    leads = compare_runs([run], Selection(categories=("Insult",)), "alpha").leads
    assert {d.metric for d in leads.differences if d.slice.language == "de"} == {"macro_f1"}
    assert (leads.ahead, leads.behind) == (("fr",), ("de",))


def test_a_leader_has_a_sure_lead_only_with_every_interval_above_zero(tmp_path):
    """Of one content only, every replicate is the data: the interval has no width."""
    texts = [item for item in labelled() if item.language == "de"]
    texts = [type(item)(**{**_fields(item), "source_id": "made/0"}) for item in texts]
    raters = {"alpha": rated("alpha", ALPHA, TEXTS[:4]), "beta": rated("beta", BETA, TEXTS[:4])}
    run = write_run(tmp_path / "run", texts, raters)
    leads = compare_runs([run], Selection(categories=("Violence",)), "alpha").leads
    assert (leads.ahead, leads.settled) == (("de",), ("de",))


def _fields(item: object) -> dict[str, object]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}


@pytest.mark.parametrize(
    ("selection", "rater", "against", "words"),
    [
        (Selection(raters=("alfa",)), None, (), "Unknown rater of the run 'alfa'. Did you mean 'alpha'?"),
        (
            Selection(languages=("da",)),
            None,
            (),
            "No labelled text of the run has the language 'da'; there are: de, fr",
        ),
        (Selection(without=("da",)), None, (), "has the language 'da'"),
        (Selection(languages=("nowhere",)), None, (), "Unknown language code 'nowhere'"),
        (Selection(languages=("de",), without=("de",)), None, (), "everything that was chosen"),
        (Selection(roles=("completion",)), None, (), "the role 'completion'; there are: prompt"),
        (Selection(registers=("formal",)), None, (), "the register 'formal'; there are: neutral"),
        (Selection(categories=("Insults",)), None, (), "Did you mean 'Insult'?"),
        (Selection(categories=("Bias",)), None, (), "No two raters gave levels"),
        (Selection(metrics=("linear",)), None, (), "Unknown metric 'linear'"),
        (Selection(reference="minority"), None, (), "Did you mean 'majority'?"),
        (Selection(), "delta", (), "Unknown rater of the run 'delta'"),
        (Selection(), "alpha", ("delta",), "Unknown rater of the run 'delta'"),
        (Selection(), "alpha", ("alpha",), "held against itself"),
        (Selection(), None, ("alpha",), "name that rater with --rater"),
        (Selection(raters=("alpha",)), "alpha", (), "the only rater"),
        (Selection(metrics=("signed_error",)), "alpha", (), "More of signed_error is not better"),
    ],
)
def test_bad_choices_are_told(run, selection, rater, against, words):
    with pytest.raises(UserError) as caught:
        compare_runs([run], selection, rater, against)
    assert words in str(caught.value)


def test_a_left_out_person_needs_two_others(tmp_path):
    run = write_run(tmp_path / "run", labelled(annotators=1), {"alpha": rated("alpha", ALPHA)})
    with pytest.raises(UserError, match="needs three annotators an item, and these have 1"):
        compare_runs([run], Selection(reference="other-humans"))
