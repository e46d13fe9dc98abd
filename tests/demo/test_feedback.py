"""Feedback: a disagreement becomes an annotation that `data_prep.annotation import` reads back."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from babelguard.errors import UserError
from data_prep.annotating.bring_back import bring_back
from demo.feedback import LONGEST_COMMENT, MOST_DISAGREEMENTS, Disagreement, add, disagree, export_disagreements
from demo.verdict import Moderator
from tests.demo.conftest import FLAGGED, HARMLESS


def disagreement(moderator: Moderator, text: str, code: str = "en", **levels: int) -> Disagreement:
    verdict = moderator.judge(text, code)
    return disagree(verdict, {**verdict.levels, **levels}, None, "mild", moderator.facts)


def test_the_sheets_come_back_as_the_persons_labels(moderator: Moderator, tmp_path: Path) -> None:
    kept = add([], disagreement(moderator, FLAGGED, Toxicity=1, Insult=2))
    kept = add(kept, disagreement(moderator, f"=1+{HARMLESS}", "ar", Bias=3))
    path = export_disagreements(kept, "ana", ["ben", " "], "rtp-lx", tmp_path)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    found = bring_back(tmp_path / path.stem, tmp_path / path.stem / "returned", set_aside=False)
    labels = {item.text: item.labels for item in found.items}
    assert labels[FLAGGED]["Toxicity"] == (1, None)  # ben's sheet did not come back
    assert labels[FLAGGED]["Insult"] == (2, None)
    assert labels[f"=1+{HARMLESS}"]["Bias"] == (3, None)
    item = next(item for item in found.items if item.text == FLAGGED)
    assert item.metadata["comments"] == {"ana": "mild"}
    assert item.metadata["guard_said"]["guard"]["name"] == "tiny"
    assert item.metadata["guard_said"]["levels"] == moderator.judge(FLAGGED, "en").levels
    assert {one.person for one in found.missing if not one.returned} == {"ben"}


def test_blind_sheets_do_not_tell_what_the_guard_said(moderator: Moderator, tmp_path: Path) -> None:
    path = export_disagreements([disagreement(moderator, FLAGGED, Toxicity=1)], "ana", ["ben"], "rtp-lx", tmp_path)
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read(f"{path.stem}/send/{path.stem}-en-ben.csv").decode("utf-8-sig")
    assert FLAGGED in sheet
    assert "tiny" not in sheet


def test_a_second_disagreement_takes_the_firsts_place(moderator: Moderator) -> None:
    kept = add([], disagreement(moderator, FLAGGED, Toxicity=1))
    kept = add(kept, disagreement(moderator, FLAGGED, Toxicity=2))
    assert [one.changes["Toxicity"][1] for one in kept] == [2]


def test_sessions_do_not_share_lists(moderator: Moderator) -> None:
    first: list[Disagreement] = []
    second = add(first, disagreement(moderator, FLAGGED, Toxicity=1))
    assert (len(first), len(second)) == (0, 1)


def test_what_is_no_disagreement_is_told(moderator: Moderator) -> None:
    verdict = moderator.judge(HARMLESS, "en")
    with pytest.raises(UserError, match="nothing to disagree"):
        disagree(None, {}, None, "", {})
    with pytest.raises(UserError, match="the guard's own"):
        disagree(verdict, verdict.levels, None, " ", {})
    with pytest.raises(UserError, match="Choose the text's language"):
        disagree(moderator.judge("1", None), {"Bias": 2}, None, "", {})


@pytest.mark.parametrize("name", ["Łukasz", "José María", "प्रिया", "علی\u200cرضا", "李 明", "a b", "O.-K._1"])
def test_names_of_any_script_come_back(moderator: Moderator, tmp_path: Path, name: str) -> None:
    others = ["Jose Maria", "ben"]
    path = export_disagreements([disagreement(moderator, FLAGGED, Bias=2)], name, others, "rtp-lx", tmp_path)
    assert path.name.isascii()
    with zipfile.ZipFile(path) as archive:
        assert all(member.isascii() and " " not in member for member in archive.namelist())
        archive.extractall(tmp_path)
    folder = tmp_path / path.stem
    found = bring_back(folder, folder / "returned", set_aside=False)
    assert found.items[0].labels["Bias"] == (2, None, None)
    (mine,) = found.items[0].metadata["comments"]
    names = json.loads((folder / "key" / "people.json").read_text(encoding="utf-8"))
    assert list(names.values()) == [name, *others]
    assert names[mine] == name


def test_the_names_are_told_only_where_they_are_written_otherwise(moderator: Moderator, tmp_path: Path) -> None:
    path = export_disagreements([disagreement(moderator, FLAGGED, Bias=2)], "ana", ["ben"], "rtp-lx", tmp_path)
    with zipfile.ZipFile(path) as archive:
        assert f"{path.stem}/key/people.json" not in archive.namelist()


def test_a_comment_is_not_cut(moderator: Moderator) -> None:
    verdict = moderator.judge(FLAGGED, "en")
    assert disagree(verdict, {}, None, "x" * LONGEST_COMMENT, {}).comment == "x" * LONGEST_COMMENT
    with pytest.raises(UserError, match="comment has more than 2,000 characters"):
        disagree(verdict, {}, None, "x" * (LONGEST_COMMENT + 1), {})


def test_a_session_keeps_so_many(moderator: Moderator, tmp_path: Path) -> None:
    one = disagreement(moderator, FLAGGED, Toxicity=1)
    other = disagreement(moderator, HARMLESS, Toxicity=3)
    with pytest.raises(UserError, match="export them"):
        add([one] * MOST_DISAGREEMENTS, other)
    with pytest.raises(UserError, match="nothing to export"):
        export_disagreements([], "ana", [], "rtp-lx", tmp_path)
