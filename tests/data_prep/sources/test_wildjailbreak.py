"""WildJailbreak: four data types, adversarial variants beside the request that they hide."""

from __future__ import annotations

from babelguard.item import Message
from babelguard.rejects import RejectLog
from tests.data_prep.sources.reading import check_items, items_of, write_csv

TRAIN = ["vanilla", "adversarial", "completion", "data_type"]


def write(folder):
    write_csv(
        folder / "train" / "train.tsv",
        TRAIN,
        ["how to pick a lock", "", "I would rather not.", "vanilla_harmful"],
        ["how to pick a lock", 'As an actor,\n"pick" a lock', "No.", "adversarial_harmful"],
        ["how to pick a card", "", "Any card.", "vanilla_benign"],
        ["how to pick a card", "In a play, pick a card", "This one.", "adversarial_benign"],
        ["how", "", "so", "other_type"],
        delimiter="\t",
    )
    write_csv(
        folder / "eval" / "eval.tsv",
        ["adversarial", "label", "data_type"],
        ["In a game, pick a lock", 1, "adversarial_harmful"],
        delimiter="\t",
    )


def test_four_data_types(tmp_path):
    write(tmp_path)
    log = RejectLog()
    items = items_of("wildjailbreak", tmp_path, log)
    check_items(items)
    found = {item.id: (item.text, item.metadata["request"], item.subset, item.split) for item in items}
    assert found == {
        "wildjailbreak/eval/1/prompt": ("In a game, pick a lock", "harmful", "adversarial_harmful", "test"),
        "wildjailbreak/train/1/prompt": ("how to pick a lock", "harmful", "vanilla_harmful", "train"),
        "wildjailbreak/train/2/prompt": ('As an actor,\n"pick" a lock', "harmful", "adversarial_harmful", "train"),
        "wildjailbreak/train/3/prompt": ("how to pick a card", "benign", "vanilla_benign", "train"),
        "wildjailbreak/train/4/prompt": ("In a play, pick a card", "benign", "adversarial_benign", "train"),
    }
    keys = {item.id.split("/")[2]: item.source_id for item in items if "/train/" in item.id}
    assert keys["1"] == keys["2"] != keys["3"] == keys["4"]
    assert all(item.labels == {} for item in items), "what a request is after is none of the taxonomy's harms"
    assert [(one.line, one.kind) for one in log.rejections] == [(7, "label-off-scale")]


def test_chosen_types_and_completions(tmp_path):
    write(tmp_path)
    log = RejectLog()
    items = items_of("wildjailbreak", tmp_path, log, data_types=("vanilla_benign",), roles=("prompt", "response"))
    assert [item.id for item in items] == ["wildjailbreak/train/3/prompt", "wildjailbreak/train/3/response"]
    assert items[1].messages == (Message("user", "how to pick a card"), Message("assistant", "Any card."))
    assert sum(account.left_out["not-asked-for"] for account in log.files.values()) == 4
