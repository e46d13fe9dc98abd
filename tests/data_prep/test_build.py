"""The command that builds corpora, from end to end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
RECIPES = REPOSITORY / "recipes" / "data_prep"


def run(module: str, *arguments: object, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=False, timeout=timeout)


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    done = run("data_prep.build", RECIPES / "sample.yaml", "--set", f"output={folder}")
    assert done.returncode == 0, done.stderr
    assert "No leak" in done.stdout
    return folder / "sample"


def test_the_sample_is_built_whole(sample):
    manifest = json.loads((sample / "manifest.json").read_text())
    rows = manifest["parts"][0]["rows"]
    assert manifest["items"] == rows["with_items"] == 1_440
    assert rows["in_files"] == 1_440 + 60
    assert rows["left_out"] == {"labels-of-other-rows": 60}
    assert {path.name for path in sample.iterdir()} == {
        "data",
        "README.md",
        "manifest.json",
        "recipe.yaml",
        "rejected.jsonl",
        "left_out.jsonl",
    }


@pytest.mark.filterwarnings("ignore")  # datasets' own dependencies warn
def test_datasets_loads_the_folder(sample, tmp_path):
    import datasets

    loaded = datasets.load_dataset(str(sample), cache_dir=str(tmp_path))
    manifest = json.loads((sample / "manifest.json").read_text())
    assert {name: len(split) for name, split in loaded.items()} == {
        name: split["items"] for name, split in manifest["splits"].items()
    }
    row = loaded["test"][0]
    assert row["labels"]["Toxicity"]
    assert row["aggregated"]["Toxicity"]["level"] >= 1


def test_an_evaluation_reads_the_folder(sample, tmp_path):
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        f"name: on-corpus\ncorpus: {{source: corpus, path: '{sample}', languages: [en], splits: [test]}}\n"
        f"raters: [{{kind: word-list}}]\nintervals: {{replicates: 20}}\noutput: '{tmp_path / 'runs'}'\n"
    )
    done = run("evaluation.run", recipe)
    assert done.returncode == 0, done.stderr


def test_a_dry_run_says_what_it_would_read_and_writes_nothing(tmp_path):
    done = run("data_prep.build", RECIPES / "sample.yaml", "--set", f"output={tmp_path / 'c'}", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "items to read" in done.stdout
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--set", "sources.0.source=smaple"], "Did you mean 'sample'"),
        (["--set", "deduplicate.near.treshold=0.9"], "Did you mean 'deduplicate.near.threshold'"),
        (["--set", "sources.0.languges=[en]"], "languges"),
        (["--set", "split.test=90", "--set", "split.calibration=20"], "more than 100 per cent"),
        (["--set", "sources.0.licence=CC-BY-NC-4.0"], "sample forbids commercial use"),
        (["--set", "filter.languages=[tlh]"], "tlh"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(tmp_path, arguments, told):
    done = run("data_prep.build", RECIPES / "sample.yaml", "--set", f"output={tmp_path}", *arguments)
    assert done.returncode == 2
    assert told.split(" 'dedup")[0] in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("recipe", ["sample.yaml", "rtp-lx.yaml", "everything.yaml"])
def test_recipes_are_valid(recipe):
    from data_prep.building.recipe import load_plan

    assert load_plan(RECIPES / recipe).parts


def test_the_annotators_agreement_is_that_of_an_evaluation(rtp_lx, tmp_path):
    options = [
        "--set",
        f"data={rtp_lx}",
        "--set",
        "sources.0.languages=[SW, HI, KO]",
        "--set",
        "sources.0.roles=[prompt]",
    ]
    done = run("data_prep.build", RECIPES / "rtp-lx.yaml", "--set", f"output={tmp_path}", *options)
    assert done.returncode == 0, done.stderr
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        f"name: three\ncorpus: {{source: rtp-lx, path: '{rtp_lx}', languages: [SW, HI, KO]}}\n"
        f"raters: [{{kind: rtp-lx-acs, path: '{rtp_lx}'}}]\nintervals: {{replicates: 10}}\noutput: '{tmp_path}/runs'\n"
    )
    assert run("evaluation.run", recipe).returncode == 0
    (metrics,) = (tmp_path / "runs").glob("*/metrics.json")
    theirs = {
        (row["metric"], row["language"], row["category"], row["rater"]): row["value"]
        for row in json.loads(metrics.read_text())["measures"]
        if not any(row[name] for name in ("subset", "role", "register", "band"))
    }
    ours = json.loads((tmp_path / "rtp-lx" / "manifest.json").read_text())["reliability"]["read"]
    assert {row["language"] for row in ours} == {"sw", "hi", "ko"}
    assert len(ours) == 3 * 8
    for row in ours:
        for figure, rater in (
            ("alpha_ordinal", "humans"),
            ("ac2", "humans"),
            ("linear_kappa", "human-pairs"),
            ("percentage_agreement", "human-pairs"),
        ):
            assert row[figure] == pytest.approx(theirs[figure, row["language"], row["category"], rater], abs=1e-12)


@pytest.mark.slow
def test_everything_is_built_and_every_row_accounted_for(shared_data, tmp_path):
    options = ("--set", f"data={shared_data}", "--set", f"output={tmp_path}")
    done = run("data_prep.build", RECIPES / "everything.yaml", *options, timeout=3_600)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "everything" / "manifest.json").read_text())
    rows = {part["name"]: part["rows"]["in_files"] for part in manifest["parts"]}
    published = {"told-br": 11_192, "beep-korean": 7_896, "offensive-hebrew": 2_000, "openai-moderation": 1_000}
    published |= {"multilingual-hatecheck": 25_632, "multijail": 315, "strongreject": 313, "math-500": 500}
    published |= {"paradetox": 11_927, "xstest": 450 * 7}
    assert {name: rows[name] for name in published} == published
    assert manifest["use"] == "research"
    for part in manifest["parts"]:
        for file in part["rows"]["files"]:
            assert file["rows"] == file["with_items"] + sum({**file["set_aside"], **file["left_out"]}.values())
        items = part["items"]
        gone = {**items["left_out"], **items["rejected"], **items["written"]}
        assert items["read"] == sum(gone.values()) == sum(file["items"] for file in part["rows"]["files"])
    assert manifest["items"] == sum(sum(part["items"]["written"].values()) for part in manifest["parts"])
