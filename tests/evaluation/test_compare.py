"""`python -m evaluation.compare`: what it writes."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.compare import Format, main
from tests.evaluation.comparing.run_folders import three_raters


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return three_raters(tmp_path / "run")


def written(capsys: pytest.CaptureFixture[str], run: Path, form: Format = Format.MARKDOWN, **options: object) -> str:
    main([run], form=form, **options)
    return capsys.readouterr().out


def test_markdown_has_a_table_for_every_set_of_categories(run, capsys):
    lines = written(capsys, run, rater="alpha", against=["beta,gamma"], metric=["linear_kappa"]).splitlines()
    assert "## 2 categories, 2 languages: 8 texts" in lines
    assert "## Violence, 2 languages: 7 texts" in lines
    assert "7 of 8 labelled texts; without a level in some category: gamma 1." in lines
    assert "Undefined: Insult in de (people, alpha)." in lines
    start = lines.index("|  | mean | Violence | Insult |")
    assert lines[start + 2] == "| texts | 8 | 8 | 4 |"
    (alpha,) = [line for line in lines[start : start + 6] if line.startswith("| alpha")]
    assert alpha.startswith("| alpha | 0.875 [")
    assert alpha.endswith("] | 0.750 | 1.000 |")
    start = lines.index("| language | texts | people: one left out | alpha | beta |")
    assert lines[start + 2 : start + 4] == ["| de | 4 | 1.000 | 1.000 | 0.500 |", "| fr | 4 | 1.000 | 0.750 | 0.000 |"]
    assert "Ahead of all in linear_kappa in 1 language (fr)." in lines


def test_a_rater_that_is_in_no_table_is_told(run, capsys):
    lines = written(capsys, run, categories=["Insult"]).splitlines()
    assert "In no table, as no other rater gave levels in the same texts and categories: gamma." in lines


def test_csv_has_every_figure_once(run, capsys):
    rows = list(csv.DictReader(io.StringIO(written(capsys, run, Format.CSV, rater="alpha"))))
    assert {row["table"] for row in rows} == {"agreement", "difference", "flagged"}
    keys = ("table", "ground", "metric", "rater", "reference", "other", "category", "language")
    assert len({tuple(row[key] for key in keys) for row in rows}) == len(rows)
    (mean,) = [
        row["value"]
        for row in rows
        if [row[key] for key in ("ground", "metric", "rater", "category", "language")]
        == ["2", "linear_kappa", "gamma", "macro", ""]
    ]
    assert float(mean) == pytest.approx(0.5)


def test_json_holds_what_was_compared(run, capsys):
    record = json.loads(written(capsys, run, Format.JSON, rater="alpha", without=["de"]))
    assert record["selection"]["without"] == ["de"]
    first = record["grounds"][0]
    assert (first["raters"], first["languages"], first["n_items"]) == (["alpha", "beta"], ["fr"], 4)
    assert record["leads"]["ahead"] == ["fr"]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("alfa", "Unknown rater of the run 'alfa'. Did you mean 'alpha'? Available: alpha, beta, gamma."),
        (",", "--raters names nothing; give a value, or leave the option out."),
    ],
)
def test_a_mistake_is_one_sentence(run, value, sentence):
    command = [sys.executable, "-m", "evaluation.compare", str(run), "--raters", value]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [sentence]
