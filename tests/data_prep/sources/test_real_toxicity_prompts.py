"""RealToxicityPrompts, and the seed that RTP-LX took from it."""

from __future__ import annotations

import random

import pytest

from babelguard.rejects import RejectLog
from tests.data_prep.sources.reading import check_items, items_of
from tests.data_prep.sources.rtp_lx_files import write


def row(number, prompt, continuation, **changes):
    return {
        "filename": "web.txt",
        "begin": 0,
        "end": 9,
        "challenging": False,
        "prompt": {"text": f"prompt {number}", "toxicity": prompt, "threat": 0.1},
        "continuation": {"text": f" goes on {number}", "toxicity": continuation, "threat": None},
        **changes,
    }


def test_the_scores_of_a_model_are_no_labels(tmp_path):
    write(tmp_path / "prompts.jsonl", row(1, 0.9, 0.2))
    prompt, completion = items_of("real-toxicity-prompts", tmp_path, roles=("prompt", "completion"))
    check_items([prompt, completion])
    assert (prompt.text, completion.text) == ("prompt 1", " goes on 1")
    assert prompt.source_id == completion.source_id
    assert prompt.labels == completion.labels == {}
    assert prompt.metadata == {"perspective": {"toxicity": 0.9, "threat": 0.1}, "challenging": False}


def test_the_seed_is_an_even_split_of_the_most_toxic(tmp_path):
    """Checked against sorting everything, which the reader never does."""
    dice = random.Random(7)
    scores = [(round(dice.random(), 2), round(dice.random(), 2)) for _ in range(500)]
    write(tmp_path / "prompts.jsonl", *(row(number, *pair) for number, pair in enumerate(scores)))
    explicit = sorted((n for n, (p, _) in enumerate(scores) if p >= 0.5), key=lambda n: (-scores[n][0], n))[:20]
    mild = sorted((n for n, (p, c) in enumerate(scores) if p < 0.5 <= c), key=lambda n: (-scores[n][1], n))[:20]
    log = RejectLog(strict=True)
    items = items_of("real-toxicity-prompts", tmp_path, log, selection="rtp-lx-seed", size=40)
    assert [item.text for item in items] == [f"prompt {number}" for number in sorted(explicit + mild)]
    assert log.left_out == {"not-in-seed": 460}


def test_rows_without_scores_cannot_be_chosen_and_are_counted(tmp_path):
    write(tmp_path / "prompts.jsonl", row(1, None, 0.9), row(2, 0.9, None), row(3, 0.9, 0.1), row(4, 0.1, 0.6))
    log = RejectLog(strict=True)
    items = items_of("real-toxicity-prompts", tmp_path, log, selection="rtp-lx-seed", size=2)
    assert [item.text for item in items] == ["prompt 3", "prompt 4"]
    assert log.left_out == {"no-score": 2}


@pytest.mark.parametrize("broken", [{**row(1, 0.5, 0.5), "prompt": value} for value in ("a string", {"text": ""})])
def test_a_row_without_a_text_is_named(tmp_path, broken):
    write(tmp_path / "prompts.jsonl", broken, row(2, 0.5, 0.5))
    log = RejectLog()
    assert len(items_of("real-toxicity-prompts", tmp_path, log)) == 1
    assert log.rejections[0].line == 1
