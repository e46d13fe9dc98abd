"""Reading what is learnt from: splits, shares, twins, repeats, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from babelguard.item import Item, Role
from babelguard.jsonl import write_jsonl
from train.corpus import BENIGN_RULE, TrainingCorpus, read_corpus
from train.recipe import load_plan


def rows() -> list[Item]:
    return [
        Item(
            id=f"{number}",
            text=f"harmless text number {number}",
            language=("en", "de")[number % 2],
            source="made",
            source_id=f"made/{number // 2}",
            split=("train", "train", "calibration", "test")[number // 2 % 4],
            labels={"Insult": (1 + number % 3,)},
        )
        for number in range(80)
    ]


def read(folder: Path, items: list[Item], part: str = "", *sets: str) -> TrainingCorpus:
    write_jsonl(folder / "items.jsonl", (item.to_dict() for item in items))
    recipe = folder / "recipe.yaml"
    recipe.write_text(
        "name: x\nkind: classifier\nmodel: {base: none}\n"
        f"corpus: {{source: items, path: {folder}/items.jsonl{part}}}\n"
    )
    return read_corpus(load_plan(recipe, sets))


def test_items_go_where_the_source_says(tmp_path: Path) -> None:
    corpus = read(tmp_path, rows())
    assert {split: len(items) for split, items in corpus.items.items()} == {"train": 40, "calibration": 20, "test": 20}
    assert corpus.sources[0]["items"] == 40
    assert not corpus.remarks


def test_hash_splits_keep_contents_together(tmp_path: Path) -> None:
    corpus = read(tmp_path, rows(), ", split: hash")
    keys = [{item.source_id for item in items} for items in corpus.items.values()]
    assert not keys[0] & keys[1]
    assert not keys[0] & keys[2]
    assert sum(map(len, corpus.items.values())) == 80


def test_a_share_takes_whole_contents_and_counts_the_rest(tmp_path: Path) -> None:
    corpus = read(tmp_path, rows(), ", share: 0.5")
    taken = {item.source_id for item in corpus.items["train"]}
    assert len(corpus.items["train"]) == 2 * len(taken) < 40
    assert corpus.left_out["outside-share"] == 40 - len(corpus.items["train"])
    assert len(corpus.items["test"]) == 20


def test_benign_completions_are_level_one_unless_asked_otherwise(tmp_path: Path) -> None:
    benign = replace(rows()[0], id="b", text="another", role=Role.BENIGN_COMPLETION, labels={})
    corpus = read(tmp_path, [*rows(), benign])
    found = next(item for item in corpus.items["train"] if item.id == "b")
    assert set(found.aggregated) >= {"Toxicity", "SexualContent"}
    assert {label.rule for label in found.aggregated.values()} == {BENIGN_RULE}
    corpus = read(tmp_path, [*rows(), benign], ", benign_completions: unlabelled")
    assert not next(item for item in corpus.items["train"] if item.id == "b").aggregated


def test_twins_are_added_to_train_and_calibration_alone(tmp_path: Path) -> None:
    corpus = read(tmp_path, rows(), ", twins: [shouting]")
    registers = {split: {item.register for item in items} for split, items in corpus.items.items()}
    assert registers["train"] == registers["calibration"] == {"neutral", "shouting"}
    assert registers["test"] == {"neutral"}


def test_what_repeats_a_test_text_is_not_learnt(tmp_path: Path) -> None:
    items = rows()
    tested = next(item for item in items if item.split == "test")
    items[0] = replace(items[0], text=f"  {tested.text.upper()} ")
    corpus = read(tmp_path, items)
    assert corpus.left_out == {"repeats-a-held-out-text-train": 1}
    assert "0" not in {item.id for item in corpus.items["train"]}
    assert any("repeats-a-held-out-text-train" in remark for remark in corpus.remarks)


def test_a_held_out_language_is_only_tested(tmp_path: Path) -> None:
    corpus = read(tmp_path, rows(), "", "hold_out=[de]")
    assert {item.language for item in corpus.items["train"]} == {"en"}
    assert {item.language for item in corpus.items["test"]} == {"en", "de"}
    assert corpus.left_out["held-out-language-train"] == 20
    assert any("never seen" in remark for remark in corpus.remarks)


def test_a_limit_takes_whole_contents_of_each_split(tmp_path: Path) -> None:
    corpus = read(tmp_path, rows(), "", "limit=3")
    assert [len({item.source_id for item in items}) for items in corpus.items.values()] == [3, 3, 3]
    assert [len(items) for items in corpus.items.values()] == [6, 6, 6]
    # What the card counts of a source is what is learnt of it.
    assert [source["items"] for source in corpus.sources] == [6]


def test_real_corpus_files_split_as_everyone_does(tmp_path: Path, rtp_lx: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        f"name: x\nkind: classifier\nmodel: {{base: none}}\ncorpus:\n  source: rtp-lx\n  path: {rtp_lx}\n"
        "  languages: [SW, JA]\n  roles: [prompt, completion, benign-completion]\n"
    )
    plan: Any = load_plan(recipe)
    corpus = read_corpus(plan)
    shares = {split: len(items) / sum(map(len, corpus.items.values())) for split, items in corpus.items.items()}
    assert shares["train"] == pytest.approx(0.7, abs=0.05)
    assert shares["test"] == pytest.approx(0.2, abs=0.05)
    assert all(item.aggregated_labels() for items in corpus.items.values() for item in items)
