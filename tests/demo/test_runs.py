"""Finished evaluations: found, opened, tabulated and plotted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from babelguard.errors import UserError
from demo import markup
from demo.agreement import Part, agreement_table, categories_of, language_plot, metrics_of, parts_of, shade, written
from demo.runs import list_runs, open_run, read_table
from tests.demo.small_run import KAPPA, write_small_run

WHOLE = (None,) * 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small_run(tmp_path_factory.mktemp("runs") / "small-1234")


def test_runs_are_found_below_their_roots(folder: Path, tmp_path: Path) -> None:
    assert list_runs([folder.parent, tmp_path, tmp_path / "none"]) == {"small-1234": folder}
    assert list_runs([folder]) == {"small-1234": folder}


def test_a_run_says_what_it_is(folder: Path) -> None:
    run = open_run(folder)
    assert (run.name, run.description, run.notes) == ("small", "Two raters.", ("One note.",))
    assert run.tables == ("levels", "metrics", "statuses")
    assert {path.name for path in run.files} >= {"metrics.json", "report.html", "metrics.parquet"}


def test_the_table_holds_the_runs_figures(folder: Path) -> None:
    run = open_run(folder)
    assert metrics_of(run) == ["linear_kappa", "signed_error"]
    parts = parts_of(run, "linear_kappa")
    assert [part.title for part in parts] == ["All languages, mean of languages", "Arabic", "English"]
    table = agreement_table(run, "linear_kappa", parts[0])
    assert table.columns == ("Mean over categories", "Toxicity", "Insult")
    means = {row.rater: row.figures[0].value for row in table.rows if row.figures[0]}
    assert means == pytest.approx({"words": 0.5, "ngrams": 0.15})
    signed = agreement_table(run, "signed_error", Part("pooled", WHOLE))
    assert signed.columns == ("Insult",)
    assert written(0.5, "signed_error") == "+0.50"


def test_the_plot_places_every_language_on_one_axis(folder: Path) -> None:
    run = open_run(folder)
    plot = language_plot(run, "linear_kappa", "macro")
    assert [name for name, _ in plot.rows] == ["Arabic", "English"]
    assert {(m.rater, m.figure.value) for m in plot.rows[1][1]} == {("words", 0.25), ("ngrams", -0.1)}
    assert (plot.low, plot.high) == (-0.2, 1.0)  # the ends of the intervals, -0.2 and 0.85, at whole fifths
    assert plot.at(0.4) == 50.0
    assert categories_of(run, "linear_kappa")["macro"] == "Mean over categories"
    page = markup.plot_view(plot)
    assert page.count('class="bg-dot"') == len(KAPPA)


def test_the_parquet_tables_can_be_read(folder: Path) -> None:
    run = open_run(folder)
    headings, rows, total = read_table(run, "metrics", most=3)
    assert (len(rows), total) == (3, 20)
    assert "linear_kappa" in rows[0]
    assert "metric" in headings
    with pytest.raises(UserError, match="no table '../x'"):
        read_table(run, "../x")


def test_views_show_the_run(folder: Path) -> None:
    run = open_run(folder)
    table = agreement_table(run, "linear_kappa", parts_of(run, "linear_kappa")[0])
    page = markup.run_view(run) + markup.agreement_view(table)
    assert "Two raters." in page
    assert "0.50" in page
    frame = markup.report_view(run)
    assert 'sandbox=""' in frame
    assert "&lt;html" in frame


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"recipe": {}, "corpus": []}', "\ud83d"])
def test_what_is_no_run_is_told(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "metrics.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(UserError, match=r"metrics\.json of broken"):
        open_run(folder)


WRONG = {
    "corpus.items": "forty",
    "corpus.languages": 3,
    "recipe.name": ["small"],
    "recipe.description": {},
    "raters.0.kind": None,
    "taxonomy.0.name": 1,
    "measures.0.value": "0.25",
    "measures.0.low": float("nan"),
    "measures.0.language": 7,
    "measures": {"metric": "ac2"},
    "notes": ["fine", 2],
}


@pytest.mark.parametrize("place", WRONG)
def test_a_value_of_a_wrong_type_is_told_with_its_place(folder: Path, tmp_path: Path, place: str) -> None:
    record = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    *way, last = (int(step) if step.isdigit() else step for step in place.split("."))
    inside = record
    for step in way:
        inside = inside[step]
    inside[last] = WRONG[place]
    (tmp_path / "metrics.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(UserError, match=f"'{place}[.0-9]*' is missing or not what it should be"):
        open_run(tmp_path)


def test_a_report_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    run = open_run(write_small_run(tmp_path / "run"))
    (tmp_path / "run" / "report.html").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"report\.html of run cannot be read"):
        run.report()
    (tmp_path / "run" / "report.html").unlink()
    assert run.report() == ""


def test_figures_of_the_parquet_tables_have_four_decimals(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    run = open_run(write_small_run(tmp_path / "run"))
    pq.write_table(pa.table({"n": [1, 2], "x": [1 / 3, None], "t": ["a", "b"]}), tmp_path / "run" / "more.parquet")
    assert read_table(run, "more")[1] == [[1, 0.3333, "a"], [2, None, "b"]]
    (tmp_path / "run" / "more.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(UserError, match=r"more\.parquet of run cannot be read"):
        read_table(run, "more")


def test_an_unfinished_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="finish the run"):
        open_run(tmp_path)


def test_a_run_that_changed_is_read_anew(tmp_path: Path) -> None:
    folder = write_small_run(tmp_path / "run")
    path = folder / "metrics.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    assert open_run(folder).name == "small"
    record["recipe"]["name"] = "renamed"
    path.write_text(json.dumps(record), encoding="utf-8")
    assert open_run(folder).name == "renamed"


@pytest.mark.parametrize(("value", "step"), [(None, None), (-0.3, 0), (0.0, 0), (0.39, 3), (0.4, 4), (1.0, 8)])
def test_shades(value: float | None, step: int | None) -> None:
    assert shade(value, "linear_kappa") == step
    assert shade(value, "signed_error") is None
