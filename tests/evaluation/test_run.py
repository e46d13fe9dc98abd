"""The command line from end to end: outputs, and one sentence with exit code 2 for every mistake of the user's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from evaluation.comparing.comparison import compare_runs
from evaluation.comparing.selection import Selection
from tests.data_prep.sources.rtp_lx_files import azure_row, corpus_row, gpt4_row, labels, write

REPOSITORY = Path(__file__).resolve().parents[2]
RECORDED = REPOSITORY / "recipes" / "evaluation" / "rtp-lx-recorded.yaml"
ANSWER = (
    "Toxic: 2\nIdentityAttack: 1\nBias: 1\nMicroaggression: 1\nViolence: 5\nSelf-harm: 1\nInsult: 2\nSexualContent: 1"
)


def run(*arguments: object, cwd: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluation.run", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False, timeout=120)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "files"
    for locale in ("DE", "KO"):
        rows = range(30)
        varied = [labels((1 + n % 5, 1 + n % 4, 1 + n % 3), (1 + n % 3, 1 + n % 2, 1)) for n in rows]
        write(
            folder / f"RTP_LX_{locale}.json",
            *(corpus_row(n, PromptAnnotationsRaw=varied[n], Locale=locale) for n in rows),
        )
        write(folder / f"acs_results_{locale}.json", *(azure_row(n) for n in rows))
        write(folder / f"gpt4_results_{locale}.json", *(gpt4_row(n, ANSWER) for n in rows))
    return folder


def recorded(folder: Path, output: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return run(
        RECORDED,
        "--set",
        f"corpus.path={folder}",
        "--set",
        f"output={output}",
        "--set",
        "intervals.replicates=100",
        *more,
    )


def test_a_run_leaves_its_folder(folder, tmp_path):
    done = recorded(folder, tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    (run_folder,) = (tmp_path / "runs").iterdir()
    names = {path.name for path in run_folder.iterdir()}
    assert {
        "recipe.yaml", "environment.json", "items.parquet", "rejected.jsonl", "ratings", "metrics.json",
        "metrics.parquet", "statuses.parquet", "levels.parquet", "differences.parquet", "report.html",
    } <= names  # fmt: skip
    assert f"Report: {run_folder / 'report.html'}" in done.stdout
    metrics = json.loads((run_folder / "metrics.json").read_text(encoding="utf-8"))
    assert len(metrics["measures"]) == pq.read_table(run_folder / "metrics.parquet").num_rows
    out_of_range = [row for row in metrics["statuses"] if row["status"] == "out-of-range"]
    assert {(row["rater"], row["category"], row["count"]) for row in out_of_range} == {("gpt-4", "Violence", 30)}
    assert "prompt 3" not in (run_folder / "metrics.json").read_text(encoding="utf-8")
    assert "prompt 3" not in (run_folder / "report.html").read_text(encoding="utf-8")
    assert "prompt 3" not in done.stdout + done.stderr
    compared = compare_runs([run_folder], Selection())
    raters = {rater for each in compared.grounds for rater in each.ground.raters}
    assert raters == {row["name"] for row in metrics["raters"] if row["kind"] != "human"}


def test_a_second_run_makes_no_rating_again_and_finds_the_same(folder, tmp_path):
    assert recorded(folder, tmp_path / "runs").returncode == 0
    (run_folder,) = (tmp_path / "runs").iterdir()
    ratings = {path.name: path.read_bytes() for path in (run_folder / "ratings").iterdir()}
    metrics = (run_folder / "metrics.json").read_bytes()
    report = (run_folder / "report.html").read_bytes()
    assert recorded(folder, tmp_path / "runs").returncode == 0
    assert {path.name: path.read_bytes() for path in (run_folder / "ratings").iterdir()} == ratings
    assert (run_folder / "metrics.json").read_bytes() == metrics
    assert (run_folder / "report.html").read_bytes() == report


def test_a_limit_takes_whole_source_ids(folder, tmp_path):
    done = recorded(folder, tmp_path / "runs", "--limit", "5", "--set", "corpus.roles=[prompt]")
    assert done.returncode == 0, done.stderr
    (run_folder,) = (tmp_path / "runs").iterdir()
    items = pq.read_table(run_folder / "items.parquet").to_pydict()
    assert len(items["id"]) == 10
    assert sorted(items["source_id"]) == sorted(2 * list(set(items["source_id"])))
    assert set(items["language"]) == {"de", "ko"}


def test_a_dry_run_prints_the_plan_and_writes_nothing(folder, tmp_path):
    done = recorded(folder, tmp_path / "runs", "--dry-run", "--limit", "5")
    assert done.returncode == 0, done.stderr
    assert "name: rtp-lx-recorded" in done.stdout
    assert "limit: 5" in done.stdout
    assert "Would rate 20 items: 5 source_ids in 2 languages." in done.stdout
    assert "gpt-4: 10 items to rate, 0 ratings stored." in done.stdout
    assert not (tmp_path / "runs").exists()


def test_bad_rows_are_set_aside_and_counted_when_asked_for(folder, tmp_path):
    with (folder / "RTP_LX_DE.json").open("a", encoding="utf-8") as stream:
        stream.write('{"Prompt": "cut')
    done = recorded(folder, tmp_path / "runs", "--set", "corpus.on_bad_row=set-aside")
    assert done.returncode == 0, done.stderr
    assert "rows set aside, not-json: 1" in done.stdout
    (run_folder,) = (tmp_path / "runs").iterdir()
    assert json.loads((run_folder / "rejected.jsonl").read_text(encoding="utf-8"))["line"] == 31


def broken_corpus(folder: Path, row: object) -> None:
    write(folder / "RTP_LX_DE.json", corpus_row(0), row)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ('{"Prompt": "cut', "RTP_LX_DE.json, line 2: the line is not JSON"),
        (corpus_row(1, PromptAnnotationsRaw=labels((9, 1, 1))), "line 2: the label 9 of Toxicity is off its scale 1-5"),
        (
            corpus_row(1, PromptAnnotationsRaw={**labels(), "Bias": [1, 1]}),
            "Bias has 2 annotators' labels where RTP-LX",
        ),
        (corpus_row(1, PromptAnnotationsRaw={**labels(), "Spam": [1, 1, 1]}), "'Spam' is not a category of rtp-lx"),
    ],
)
def test_a_bad_row_is_one_sentence_and_exit_code_two(folder, tmp_path, row, words):
    broken_corpus(folder, row)
    done = recorded(folder, tmp_path / "runs")
    assert done.returncode == 2
    assert words in done.stderr
    assert "on_bad_row=set-aside" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.yaml"], "nowhere.yaml does not exist"),
        ([RECORDED], "${corpus.path} is not set; pass --set corpus.path=VALUE"),
        ([RECORDED, "--set", "corpus.path=/nowhere"], "/nowhere does not exist; pass the folder"),
        ([RECORDED, "--set", "corpus.path=docs"], "docs holds no RTP-LX files"),
        (
            [RECORDED, "--set", "corpus.path=docs", "--set", "corpus.pth=1"],
            "unknown key 'corpus.pth'. Did you mean 'path'",
        ),
        (["--set", "raters.0.kind=wordlist"], "Unknown rater kind 'wordlist'. Did you mean 'word-list'?"),
        (["--set", "corpus.splits=[calibration]"], "gives no items"),
        (["--set", "corpus.splits=[train]"], "was trained on"),
        (["--set", "nonsense"], "is not of the form a.b=value"),
        (["--set", "intervals.replicates=1000000000000"], "intervals.replicates: input should be less than or equal"),
        (["--set", "corpus.languages=de"], "corpus.languages: must be a list, such as [a, b]"),
        (["docs"], "cannot be read: Is a directory"),
        (["--limit", "0"], "--limit"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_every_mistake_ends_with_exit_code_two(tmp_path, arguments, words):
    done = run(*arguments, "--set", f"output={tmp_path}")
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_an_output_that_cannot_be_written_is_one_sentence(folder):
    for output in ("README.md", "/proc/nowhere"):
        done = recorded(folder, output)
        assert done.returncode == 2, done.stderr
        assert "check the path, its rights and the space on its disk" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_mistake_leaves_no_folder_behind(folder, tmp_path):
    broken_corpus(folder, "{")
    assert recorded(folder, tmp_path / "runs").returncode == 2
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"Violence":1', '"Violence":9', "has the level 9 for Violence, off the scale 1-3"),
        ('"Violence":1', '"Violence":0', "is not a stored rating (0 is not a level)"),
        ('"Violence":1', '"Violence":true', "is not a stored rating (True is not a level)"),
        ('"Violence":1', '"Violent":1', "is not for the categories of rtp-lx"),
        ('"key":"', '"key":["', "is not a stored rating"),
        ('"scores":', '"scores":7,"other":', "is not a stored rating"),
        ("\n", "\n{{first}}\n", "holds two ratings of the item"),
    ],
)
def test_a_rating_that_was_edited_by_hand_is_named(folder, tmp_path, old, new, words):
    changes = ["--set", "raters=[{kind: constant}]", "--set", "corpus.languages=[de]"]
    assert recorded(folder, tmp_path / "runs", *changes).returncode == 0
    (file,) = tmp_path.glob("runs/*/ratings/constant.jsonl")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(old, new.replace("{{first}}", text.splitlines()[0]), 1), encoding="utf-8")
    done = recorded(folder, tmp_path / "runs", *changes)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_an_emptied_corpus_file_is_named_and_a_missing_one_is_told(folder, tmp_path):
    (folder / "RTP_LX_DE.json").unlink()
    done = recorded(folder, tmp_path / "runs")
    assert "prompts read from a scoring file, since no corpus file holds them: 30" in done.stdout
    (folder / "RTP_LX_DE.json").touch()
    done = recorded(folder, tmp_path / "runs")
    assert (done.returncode, "RTP_LX_DE.json holds no rows; fetch it again" in done.stderr) == (2, True)


def test_two_runs_in_one_folder_exclude_each_other(folder, tmp_path):
    from evaluation.run_folder import RunFolder

    assert recorded(folder, tmp_path / "runs").returncode == 0
    (run_folder,) = (tmp_path / "runs").iterdir()
    with RunFolder(run_folder).locked():
        done = recorded(folder, tmp_path / "runs")
    assert done.returncode == 2
    assert "Another process works in" in done.stderr


def test_the_environment_overrides_the_recipe_and_the_command_line_overrides_both(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("BABELGUARD__LIMIT", "3")
    monkeypatch.setenv("BABELGUARD__CORPUS__PATH", str(folder))
    assert "limit: 3" in run(RECORDED, "--dry-run").stdout
    assert "limit: 2" in run(RECORDED, "--dry-run", "--limit", "2").stdout
