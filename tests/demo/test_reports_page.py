"""The page for finished evaluations: what it shows as runs come, change and go."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from demo.pages.reports import ReportsPage
from demo.resources import Resources
from tests.demo.small_run import write_small_run

FRESH = 7
"""Where `ReportsPage.show` says that what stands open is to be filled anew."""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a folder with a run, and one that was made later."""
    for age, name in enumerate(("new", "old")):
        metrics = write_small_run(tmp_path / name) / "metrics.json"
        os.utime(metrics, (1_000_000 - age, 1_000_000 - age))
    return tmp_path


@pytest.fixture
def page(resources: Resources, runs: Path, gradio_without_loops: None) -> ReportsPage:
    import gradio as gr

    with gr.Blocks(analytics_enabled=False), gr.Tab("Reports") as tab:
        return ReportsPage(replace(resources, runs=(runs,)), tab)


def test_what_stands_open_is_filled_anew_and_the_rest_emptied(page: ReportsPage) -> None:
    details = page.details
    count, rows, report, told, files = details.refill(True, "old", "metrics", True, True, True)
    assert ("20 rows." in count, "metric" in rows["headers"], "<iframe" in report, told) == (True, True, True, "")
    assert {Path(path).name for path in files} >= {"metrics.json", "report.html", "metrics.parquet"}
    assert details.refill(True, "old", "metrics", False, False, False) == ("", None, "", "", None)
    assert "<iframe" not in str(details.refill(False, "old", "metrics", True, True, True))


def test_only_copies_of_the_offered_files_are_served(page: ReportsPage, runs: Path) -> None:
    from gradio.utils import get_upload_folder

    (runs / "old" / "ratings").mkdir()
    (runs / "old" / "ratings" / "words.jsonl").write_text("{}\n", encoding="utf-8")
    _, files = page.details.offer_files("old")
    assert files is not None
    for path in map(Path, files):
        assert path.is_relative_to(get_upload_folder())
        assert path.read_bytes() == (runs / "old" / path.name).read_bytes()
    assert "words.jsonl" not in {Path(path).name for path in files}


def test_the_list_of_runs_is_read_when_the_tab_is_first_opened(page: ReportsPage, runs: Path) -> None:
    write_small_run(runs / "newest")
    listed, *shown = page.show_first("new", None)
    assert listed["choices"] == ["newest", "new", "old"]
    assert (listed["value"], shown[FRESH]) == ("new", True)
    assert page.show_first("new", "linear_kappa")[-1] is False


def test_a_run_that_was_deleted_leaves_no_error(page: ReportsPage, runs: Path) -> None:
    shutil.rmtree(runs / "old")
    assert "There is no run" in page.show("old")[0]
    assert "There is no run" in page.draw("old", "linear_kappa", 0, "macro")[0]
    assert page.change_metric("old", "linear_kappa")[0]["choices"] == []
    assert "There is no run" in page.details.look_into("old", "metrics")[0]
    assert "There is no run" in page.details.whole_report("old")
    assert "There is no run" in page.details.offer_files("old")[0]
    assert page.look_again("old")["value"] == "new"
    shutil.rmtree(runs / "new")
    assert page.look_again("new")["value"] is None
    assert "no finished evaluation" in page.show(None)[0]


def test_a_malformed_run_is_told_in_a_sentence(page: ReportsPage, runs: Path) -> None:
    path = runs / "new" / "metrics.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["corpus"]["items"] = "forty"
    path.write_text(json.dumps(record), encoding="utf-8")
    about, body, *_ = page.show("new")
    assert "corpus.items" in about
    assert "not a file that evaluation.run wrote" in about
    assert body["visible"] is False
