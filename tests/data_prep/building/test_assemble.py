"""A build from items to folder: accounts, columns, duplicates, accidents."""

import json
from collections import Counter

import pyarrow.parquet as pq
import pytest
import yaml

from babelguard import UserError
from babelguard.item import Message
from babelguard.jsonl import parse_line, read_lines
from data_prep.building import assemble
from data_prep.building.leakcheck import LeakError, check_no_leak
from tests.data_prep.building.made_items import build_of, item, plan_of, sentence


def rows_of(folder):
    return [row for path in sorted((folder / "data").iterdir()) for row in pq.read_table(path).to_pylist()]


def lines_of(path):
    return [parse_line(line) for _, line in read_lines(path)]


def test_everything_is_accounted_for(tmp_path):
    first = [item(n) for n in range(30)]
    second = [
        item(100, text=sentence(3) + "\r\n", id="again"),  # equal to one of the first part, once normalised
        item(101, text=" "),
        item(5),  # an id that is taken
        item(102, language="xx-klingon"),
        item(103, labels={"Toxicity": (9,)}),
        item(104, labels={"Nonsense": (1,)}),
        item(105, split="holdout"),
        item(106),
    ]
    manifest = build_of(tmp_path, first, second)
    account = manifest["parts"][1]
    whole = {"rows": 8, "with_items": 8, "items": 8, "set_aside": {}, "left_out": {}}
    assert account["rows"]["files"] == [{"path": "part-1.jsonl", **whole}]
    assert (account["rows"]["in_files"], account["rows"]["set_aside"]) == (8, {})
    items = account["items"]
    assert items["left_out"] == {"exact-duplicate": 1, "filter-empty": 1}
    assert items["rejected"] == {
        "duplicate-id": 1,
        "label-off-scale": 1,
        "unknown-category": 1,
        "unknown-language": 1,
        "unknown-split": 1,
    }
    assert sum(items["written"].values()) == 1
    folder = tmp_path / "corpora" / "made"
    assert manifest["items"] == 31 == len(rows_of(folder))
    assert {line["kind"] for line in lines_of(folder / "rejected.jsonl")} == set(items["rejected"])
    left_out = lines_of(folder / "left_out.jsonl")
    assert {"id": "again", "part": "part-1", "reason": "exact-duplicate", "kept": "made/3"} in left_out


def test_an_item_that_no_corpus_can_hold_is_named_by_file_and_line(tmp_path):
    made_at = {"provenance": {"file": "comments.csv", "line": 7}}
    unfit = [item(1, text="half \ud800", **made_at), item(2, dialect="\ud800", **made_at), item(0, **made_at)]
    build_of(tmp_path, [item(0, metadata={"topic": "half \ud800"}), *unfit])
    (row,) = rows_of(tmp_path / "corpora" / "made")
    assert json.loads(row["metadata"])["topic"] == "half \ud800"
    rejected = lines_of(tmp_path / "corpora" / "made" / "rejected.jsonl")
    where = {(line["kind"], line["file"], line["line"]) for line in rejected}
    assert where == {("lone-surrogate", "comments.csv", 7), ("duplicate-id", "comments.csv", 7)}


def test_unreadable_rows_are_counted_or_stop_a_strict_build(tmp_path):
    plan = plan_of(tmp_path, [item(n) for n in range(3)])
    with plan.parts[0].options.path.open("ab") as file:
        file.write(b'{"id": 1}\n{"id": \n')
    manifest = assemble.build(plan, lambda *_: None)
    rows = manifest["parts"][0]["rows"]
    assert rows["set_aside"] == {"not-an-item": 1, "not-json": 1}
    assert (rows["in_files"], rows["with_items"]) == (5, 3)
    strict = plan_of(tmp_path, [item(n) for n in range(3)], strict=True)
    with strict.parts[0].options.path.open("ab") as file:
        file.write(b"{\n")
    with pytest.raises(UserError, match="line 4"):
        assemble.build(strict, lambda *_: None)


def test_near_duplicates_stand_in_one_split(tmp_path):
    changed = [item(100 + n, text=sentence(n) + " indeed") for n in range(40)]
    build_of(tmp_path, [item(n) for n in range(40)], changed)
    by_cluster = {}
    for row in rows_of(tmp_path / "corpora" / "made"):
        by_cluster.setdefault(row["cluster"], set()).add(row["split"])
    assert None not in by_cluster
    assert len(by_cluster) == 40
    assert all(len(splits) == 1 for splits in by_cluster.values())


def test_near_duplicates_can_be_dropped(tmp_path):
    changed = [item(100 + n, text=sentence(n) + " indeed", split="test") for n in range(10)]
    manifest = build_of(tmp_path, [item(n) for n in range(10)], changed, deduplicate={"near": {"action": "drop"}})
    assert manifest["splits"].keys() == {"test"}  # the one with a split of its own stays
    assert manifest["parts"][0]["items"]["left_out"] == {"near-duplicate": 10}


def test_the_same_text_in_two_languages_is_two_items_in_one_split(tmp_path):
    pair = [item(1, text="OK!"), item(2, text="OK!", language="de"), item(3, text="OK!", role="completion")]
    pair[2] = item(3, text="OK!", register="leet")
    build_of(tmp_path, pair, deduplicate={"near": None})
    rows = rows_of(tmp_path / "corpora" / "made")
    assert len(rows) == 3
    assert len({row["split"] for row in rows}) == 1


def test_the_same_input_gives_the_same_bytes(tmp_path):
    groups = [[item(n, text=sentence(n % 25)) for n in range(50)], [item(n, language="ar") for n in range(60, 90)]]
    contents = []
    for run in ("folder-aa", "folder-bb"):
        build_of(tmp_path, *groups, output=tmp_path / run, shard_megabytes=1)
        folder = tmp_path / run / "made"
        files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "recipe.yaml")
        contents.append({path.relative_to(folder): path.read_bytes().replace(run.encode(), b"") for path in files})
    assert contents[0] == contents[1]
    assert len(contents[0]) >= 6


def test_shards_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("data_prep.building.collect.BATCH", 5)
    monkeypatch.setattr("data_prep.building.write.ROWS_PER_GROUP", 5)
    plan = plan_of(tmp_path, [item(n, text=sentence(n) * 4_000) for n in range(20)], deduplicate={"near": None})
    small = plan.recipe.model_copy(update={"shard_megabytes": 1})
    manifest = assemble.build(type(plan)(small, plan.taxonomy, plan.parts), lambda *_: None)
    shards = [shard for split in manifest["splits"].values() for shard in split["shards"]]
    assert len(shards) > 3
    total = len(manifest["splits"]["train"]["shards"])
    assert manifest["splits"]["train"]["shards"][0]["path"] == f"data/train-00000-of-{total:05d}.parquet"
    assert len(rows_of(tmp_path / "corpora" / "made")) == 20


def test_a_build_that_fails_leaves_the_old_corpus(tmp_path, monkeypatch):
    build_of(tmp_path, [item(n) for n in range(5)])
    monkeypatch.setattr(assemble, "make_card", lambda manifest: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        build_of(tmp_path, [item(n) for n in range(9)])
    assert json.loads((tmp_path / "corpora" / "made" / "manifest.json").read_text())["items"] == 5
    assert [p.name for p in (tmp_path / "corpora").iterdir() if p.is_dir()] == ["made"]


def test_what_a_killed_build_left_is_no_corpus_and_is_cleared(tmp_path):
    left = tmp_path / "corpora" / ".made.building"
    (left / "data").mkdir(parents=True)
    (left / "data" / "train-00000.parquet").write_bytes(b"half")
    assert build_of(tmp_path, [item(1)])["items"] == 1
    assert not left.exists()


def test_a_folder_that_is_no_corpus_is_not_replaced(tmp_path):
    (tmp_path / "corpora" / "made").mkdir(parents=True)
    (tmp_path / "corpora" / "made" / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="not a corpus"):
        build_of(tmp_path, [item(1)])
    assert (tmp_path / "corpora" / "made" / "thesis.txt").exists()


def test_two_builds_do_not_work_in_one_folder(tmp_path):
    from filelock import FileLock

    (tmp_path / "corpora").mkdir()
    with FileLock(tmp_path / "corpora" / ".made.lock"), pytest.raises(UserError, match="Another build"):
        build_of(tmp_path, [item(1)])


def test_nothing_left_is_told(tmp_path):
    with pytest.raises(UserError, match="leaves no item"):
        build_of(tmp_path, [item(1)], filter={"languages": ["de"]})


def test_a_commercial_corpus_of_bound_parts_is_refused_before_any_work(tmp_path):
    plan = plan_of(tmp_path, [item(1)], [item(2)], licences=("MIT", "CC-BY-NC-4.0"), use="commercial")
    with pytest.raises(UserError, match=r"part-1 forbids commercial use"):
        assemble.build(plan, lambda *_: None)
    assert not (tmp_path / "corpora").exists()


def test_a_limit_takes_whole_contents(tmp_path):
    items = [
        item(n, id=f"{tag}/{n}", language=tag, text=f"{tag} {sentence(n)}") for n in range(30) for tag in ("en", "de")
    ]
    few = build_of(tmp_path, items, limit=4)
    kept = {row["source_id"] for row in rows_of(tmp_path / "corpora" / "made")}
    assert (few["items"], len(kept)) == (8, 4)
    build_of(tmp_path, items, limit=9)
    assert kept < {row["source_id"] for row in rows_of(tmp_path / "corpora" / "made")}


def test_the_card_has_what_the_hub_and_a_reader_need(tmp_path):
    talk = item(700, text="", messages=(Message("user", "hello there, who are you?"),), labels={})
    build_of(tmp_path, [item(n) for n in range(30)], [talk], licences=("CC-BY-SA-4.0", "who knows"))
    card = (tmp_path / "corpora" / "made" / "README.md").read_text()
    header = yaml.safe_load(card.split("---")[1])
    assert header["license"] == ["cc-by-sa-4.0", "other"]
    assert header["language"] == ["en"]
    assert {file["split"] for file in header["configs"][0]["data_files"]} == {"train", "calibration", "test"}
    assert "| part-1 | Toxicity, IdentityAttack, Bias," in card
    assert "must carry the same licence: part-0" in card


def test_registers_add_twins_in_their_parents_split(tmp_path):
    manifest = build_of(tmp_path, [item(n) for n in range(20)], registers={"registers": ["leet", "lower-case"]})
    account = manifest["parts"][0]["items"]
    assert account["made_by_registers"] == 20
    assert sum(account["not_made_by_registers"].values()) == 20  # all is lower case already
    splits = {}
    for row in rows_of(tmp_path / "corpora" / "made"):
        splits.setdefault(row["source_id"], []).append((row["register"], row["split"]))
    assert all(Counter(r for r, _ in rows) == {"neutral": 1, "leet": 1} for rows in splits.values())
    assert all(len({split for _, split in rows}) == 1 for rows in splits.values())


def test_the_leak_check_finds_what_crosses(tmp_path):
    build_of(tmp_path, [item(n) for n in range(30)])
    folder = tmp_path / "corpora" / "made"
    shards = {path.name.split("-")[0]: [f"data/{path.name}"] for path in (folder / "data").iterdir()}
    assert check_no_leak(folder, shards)["source_ids"] == 30
    test, train = (pq.read_table(folder / shards[split][0]) for split in ("test", "train"))
    for column in ("source_id", "text"):
        moved = test.slice(0, 1).set_column(test.schema.get_field_index(column), column, train.slice(0, 1)[column])
        pq.write_table(moved, folder / shards["test"][0])
        with pytest.raises(LeakError, match=column):
            check_no_leak(folder, shards)
    pq.write_table(train, folder / shards["test"][0])
    with pytest.raises(LeakError, match="of the split train"):
        check_no_leak(folder, shards)


def test_a_part_can_be_cut_to_splits_of_its_source(tmp_path):
    plan = plan_of(tmp_path, [item(n, split=("train", "test", None)[n % 3]) for n in range(9)])
    (part,) = plan.parts
    chosen = part.recipe.model_copy(update={"splits": ("test",), "split": "calibration"})
    cut = type(plan)(plan.recipe, plan.taxonomy, (type(part)(chosen, part.source, part.options),))
    manifest = assemble.build(cut, lambda *_: None)
    assert manifest["parts"][0]["items"]["left_out"] == {"part-splits": 6}
    assert manifest["splits"].keys() == {"calibration"}


def test_a_build_that_can_read_nothing_says_why(tmp_path):
    plan = plan_of(tmp_path, [])
    plan.parts[0].options.path.write_bytes(b"{\n")
    with pytest.raises(
        UserError, match=r"leaves no item.*1 rows or files could not be read.*line 1: the line is not JSON"
    ):
        assemble.build(plan, lambda *_: None)


def test_a_fixed_test_row_stays_before_its_copies_and_twins_go_with_their_parent(tmp_path):
    words = sentence(1)
    items = [
        item(1, id="learnt", split="train", source_id="made/a"),
        item(2, id="near", text=f"{words} again", split="train", source_id="made/b"),
        item(2, id="near#odd", text="ODD " * 12, register="odd", split="train", source_id="made/b"),
        item(1, id="asked", split="test", source_id="made/c"),
        item(3, id="other", split="train", source_id="made/d"),
    ]
    manifest = build_of(tmp_path, items)
    assert {row["id"] for row in rows_of(tmp_path / "corpora" / "made")} == {"asked", "other"}
    left_out = manifest["parts"][0]["items"]["left_out"]
    assert left_out == {"exact-duplicate": 1, "near-duplicate-of-fixed-test": 1, "twin-of-left-out": 1}
    lines = {line["id"]: line for line in lines_of(tmp_path / "corpora" / "made" / "left_out.jsonl")}
    assert lines["learnt"]["kept"] == "asked" == lines["near"]["kept"]
