"""GPT-4's recorded answers: joined by text, parsed, every one accounted for."""

from __future__ import annotations

from collections import Counter

import pytest

from babelguard import RTP_LX, Item, Status, UserError
from babelguard.jsonl import read_lines
from babelguard.rejects import RejectLog
from data_prep.sources.rtp_lx import RtpLxOptions, read
from evaluation.rater import Workbench
from evaluation.raters.rtp_lx_gpt4 import RtpLxGpt4Options, build, join_key
from tests.data_prep.sources.rtp_lx_files import azure_row, corpus_row, gpt4_row, write

BENCH = Workbench(RTP_LX, lambda splits: [])


def answer(toxicity: object) -> str:
    names = ("IdentityAttack", "Bias", "Microaggression", "Violence", "Self-harm", "Insult", "SexualContent")
    return "\n".join([f"Toxic: {toxicity}", *(f"{name}: 1" for name in names)])


def make(folder, **options):
    return build("gpt-4", RtpLxGpt4Options(path=folder, **options), BENCH)


def toxicity_of(rater, index: int, locale: str = "DE", tag: str = "de"):
    (rating,) = rater.rate([Item(f"rtp-lx/{locale}/{index}/prompt", "x", tag, "rtp-lx", "rtp-lx/1")])
    return rating.scores["Toxicity"]


def test_answers_are_joined_by_text_where_the_file_is_renumbered(tmp_path):
    write(tmp_path / "RTP_LX_DE.json", corpus_row("959"), corpus_row("961", Prompt="a  ｂ"))
    write(tmp_path / "gpt4_results_DE.json", gpt4_row(959, answer(2)), gpt4_row(960, answer(3), Prompt="a b "))
    rater = make(tmp_path)
    assert (toxicity_of(rater, 959).level, toxicity_of(rater, 961).level) == (2, 3)
    assert toxicity_of(rater, 960).status is Status.VOID


def test_the_index_breaks_ties(tmp_path):
    write(tmp_path / "RTP_LX_DE.json", corpus_row(1, Prompt="same"), corpus_row(2, Prompt="same"))
    first, second = gpt4_row(1, answer(1), Prompt="same"), gpt4_row(2, answer(5), Prompt="same")
    write(tmp_path / "gpt4_results_DE.json", first, second)
    rater = make(tmp_path)
    assert (toxicity_of(rater, 1).level, toxicity_of(rater, 2).level) == (1, 5)


def test_the_azure_file_lends_its_spelling_of_a_prompt(tmp_path):
    write(tmp_path / "RTP_LX_DE.json", corpus_row(1, Prompt="text"))
    write(tmp_path / "acs_results_DE.json", azure_row(1, Prompt="- text"))
    write(tmp_path / "gpt4_results_DE.json", gpt4_row(1, answer(4), Prompt="- text"))
    assert toxicity_of(make(tmp_path), 1).level == 4


def test_answers_that_belong_to_no_item_are_counted(tmp_path):
    write(tmp_path / "RTP_LX_DE.json", corpus_row(1))
    write(tmp_path / "gpt4_results_DE.json", gpt4_row(1, answer(1)), gpt4_row(2, answer(1), Prompt="unheard of"))
    assert make(tmp_path).notes == ["gpt4_results_DE.json: answers that belong to no item, and are left out: 1."]


def test_a_void_prompt_is_void_whatever_the_answer(tmp_path):
    write(tmp_path / "RTP_LX_EN.json", corpus_row(0))
    write(tmp_path / "gpt4_results_EN.json", gpt4_row(0, answer(5), Prompt="NA"))
    assert toxicity_of(make(tmp_path), 0, "EN", "en").status is Status.VOID


def test_the_policy_of_the_paper_is_chosen_by_name(tmp_path):
    write(tmp_path / "RTP_LX_DE.json", corpus_row(0))
    write(tmp_path / "gpt4_results_DE.json", gpt4_row(0, answer(9)))
    assert toxicity_of(make(tmp_path), 0).status is Status.OUT_OF_RANGE
    assert toxicity_of(make(tmp_path, policy="paper"), 0).level == 5
    with pytest.raises(UserError, match="Unknown policy 'papre'. Did you mean 'paper'"):
        make(tmp_path, policy="papre")


def test_join_keys_fold_width_and_white_space():
    assert join_key(" ａ\u00a0\n b ") == join_key("a b")


def test_every_published_answer_is_accounted_for(rtp_lx):
    """Levels and statuses add up to rows x 8 in every language, and few cells are without a level."""
    rater = make(rtp_lx)
    counted: dict[str, Counter[Status]] = {}
    for item in read(RtpLxOptions(path=rtp_lx), RTP_LX, RejectLog(strict=True)):
        (rating,) = rater.rate([item])
        counted.setdefault(item.id.split("/")[1], Counter()).update(s.status for s in rating.scores.values())
    rows = {p.stem.split("_")[-1]: sum(1 for _ in read_lines(p)) for p in rtp_lx.glob("gpt4_results_*.json")}
    assert {locale: statuses.total() for locale, statuses in counted.items()} == {
        locale: 8 * count for locale, count in rows.items()
    }
    assert counted["EN"] == {Status.VOID: 8 * 999}
    others = sum((counter for locale, counter in counted.items() if locale != "EN"), Counter())
    assert others[Status.VOID] == 8  # the Hebrew answer whose prompt is no item's
    missing = others.total() - others[Status.OK] - others[Status.VOID]
    assert missing / others.total() <= 0.004
