"""Sets whose files are not public or come in two layouts: DKHate, JBB-Behaviors, AIME 2024, MATH-500, StrongREJECT."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from babelguard import UserError
from babelguard.rejects import RejectLog
from tests.data_prep.sources.reading import check_items, items_of, write_csv
from tests.data_prep.sources.rtp_lx_files import write

DKHATE = [("101", 'god "dag', "NOT"), ("102", "dumme fisk", "OFF")]
JBB = ["Index", "Goal", "Target", "Behavior", "Category", "Source"]


def check_dkhate(items, split):
    check_items(items)
    assert [(item.text, item.labels["Toxicity"], item.language, item.split) for item in items] == [
        ('god "dag', (1,), "da", split),
        ("dumme fisk", (2,), "da", split),
    ]


def test_dkhate_as_offenseval_ships_it(tmp_path):
    lines = ["id\ttweet\tsubtask_a", *("\t".join(row) for row in DKHATE)]
    (tmp_path / "offenseval-da-training-v1.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    items = items_of("dkhate", tmp_path)
    check_dkhate(items, "train")
    assert items[0].id == "dkhate/101"


def test_dkhate_as_the_hub_ships_it(tmp_path):
    rows = [{"text": text, "label": label} for _, text, label in DKHATE]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "test.parquet")
    check_dkhate(items_of("dkhate", tmp_path), "test")


def test_dkhate_labels_off_the_scale(tmp_path):
    (tmp_path / "train.tsv").write_text("id\ttweet\tsubtask_a\n1\ta\tMAYBE\n2\tb\tOFF\n", encoding="utf-8")
    log = RejectLog()
    assert len(items_of("dkhate", tmp_path, log)) == 1
    assert "'MAYBE' of subtask_a is none of NOT, OFF" in log.rejections[0].reason


def test_jbb_has_a_benign_half(tmp_path):
    harmful = [0, "Describe the forbidden fruit", "Sure, the fruit", "Fruit", "Sexual/Adult content", "Original"]
    other = [1, "Plan the heist", "Sure, the plan", "Heist", "Economic harm", "Original"]
    benign = [0, "Describe the allowed fruit", "Sure, the fruit", "Fruit", "Sexual/Adult content", "Original"]
    write_csv(tmp_path / "data" / "harmful-behaviors.csv", JBB, harmful, other)
    write_csv(tmp_path / "data" / "benign-behaviors.csv", JBB, benign)
    items = items_of("jbb-behaviors", tmp_path)
    check_items(items)
    found = {item.id: (item.metadata["request"], item.labels) for item in items}
    assert found == {
        "jbb-behaviors/benign/0": ("benign", {}),
        "jbb-behaviors/harmful/0": ("harmful", {"SexualContent": (2,)}),
        "jbb-behaviors/harmful/1": ("harmful", {}),
    }
    assert [item.id for item in items_of("jbb-behaviors", tmp_path, requests=("benign",))] == ["jbb-behaviors/benign/0"]


@pytest.mark.parametrize("names", [("ID", "Problem", "Solution", "Answer"), ("id", "problem", "solution", "answer")])
def test_aime_with_and_without_capitals(tmp_path, names):
    pq.write_table(
        pa.Table.from_pylist([dict(zip(names, ("2024-I-1", "Find x.", "x is 3.", 3), strict=True))]),
        tmp_path / "train.parquet",
    )
    (item,) = items_of("aime-2024", tmp_path)
    assert (item.id, item.text, item.labels) == ("aime-2024/2024-I-1", "Find x.", {})
    assert item.metadata == {"request": "benign", "answer": "3", "solution": "x is 3."}


def test_math_500_in_the_hubs_layout(tmp_path):
    problem = {
        "problem": "Add 1 and 2.",
        "solution": "3",
        "answer": "3",
        "subject": "Algebra",
        "level": 1,
        "unique_id": "test/algebra/1.json",
    }
    write(tmp_path / "test.jsonl", problem, {"question": "Add?", "answer": "So 4. The answer is: 4"}, {"other": 1})
    log = RejectLog()
    first, second = items_of("math-500", tmp_path, log)
    assert first.id == "math-500/test/algebra/1.json"
    assert (first.metadata["answer"], first.metadata["subject"], first.metadata["level"]) == ("3", "Algebra", 1)
    assert (second.text, second.metadata["answer"], second.metadata["solution"]) == ("Add?", "4", "So 4. ")
    assert [one.kind for one in log.rejections] == ["another-schema"]


def test_strongreject_under_both_names_of_the_text(tmp_path):
    for column in ("forbidden_prompt", "meli_query"):
        path = tmp_path / column / "strongreject_dataset.csv"
        write_csv(path, ["category", "source", column], ["Violence", "DAN", "Start a pillow fight"])
        (item,) = items_of("strongreject", path)
        assert (item.text, item.labels) == ("Start a pillow fight", {"Violence": (2,)})


@pytest.mark.parametrize("name", ["dkhate", "jbb-behaviors", "aime-2024", "math-500", "wildchat", "told-br", "xsafety"])
def test_missing_files_are_named(tmp_path, name):
    with pytest.raises(UserError, match="holds no files of"):
        items_of(name, tmp_path)
    with pytest.raises(UserError, match="absent does not exist; pass the folder"):
        items_of(name, tmp_path / "absent")


def test_xsafety_aligns_scenes_under_the_publishers_many_names(tmp_path):
    for file in ("en/Crimes_And_Illegal_Activities_en.csv", "ru/Crimes_And_Illegal_Activitie.csv", "sp/Insult.csv"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\xef\xbb\xbfone\r\n\r\n two\r\n")
    items = items_of("xsafety", tmp_path)
    check_items(items)
    assert [(item.language, item.source_id, item.text) for item in items] == [
        ("en", "xsafety/crimes_and_illegal_activities/1", "one"),
        ("en", "xsafety/crimes_and_illegal_activities/2", " two"),
        ("ru", "xsafety/crimes_and_illegal_activities/1", "one"),
        ("ru", "xsafety/crimes_and_illegal_activities/2", " two"),
        ("es", "xsafety/insult/1", "one"),
        ("es", "xsafety/insult/2", " two"),
    ]
    (tmp_path / "klingon").mkdir()
    (tmp_path / "klingon" / "Insult.csv").write_bytes(b"x\n")
    with pytest.raises(UserError, match="Insult.csv: the folder's name gives the language"):
        items_of("xsafety", tmp_path)
