"""Run folders are read back, several as one; what is none is told."""

from __future__ import annotations

import pytest

from babelguard import UserError
from evaluation.comparing.comparison import compare_runs
from evaluation.comparing.joined import join
from evaluation.comparing.selection import Selection
from evaluation.comparing.stored_run import read_run
from tests.evaluation.comparing.run_folders import ALPHA, BETA, TEXTS, labelled, rated, three_raters, write_run


def test_what_is_no_finished_run_is_told(tmp_path):
    with pytest.raises(UserError, match="is no folder; give one that"):
        read_run(tmp_path / "nothing")
    with pytest.raises(UserError, match="its run is not finished"):
        read_run(tmp_path)
    (tmp_path / "metrics.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="is no JSON"):
        read_run(tmp_path)
    (tmp_path / "metrics.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UserError, match="not as `python -m evaluation.run` writes it"):
        read_run(tmp_path)


def test_missing_files_are_told(tmp_path):
    path = three_raters(tmp_path / "run")
    (path / "ratings" / "beta.jsonl").unlink()
    with pytest.raises(UserError, match=r"beta.jsonl holds no rating of the run's items"):
        read_run(path)
    (path / "items.parquet").unlink()
    with pytest.raises(UserError, match=r"items.parquet does not exist"):
        read_run(path)
    (path / "items.parquet").write_bytes(b"no table")
    with pytest.raises(UserError, match="no Parquet file of items"):
        read_run(path)


def test_ratings_under_other_settings_do_not_count(tmp_path):
    raters = {"alpha": rated("alpha", ALPHA)}
    path = write_run(tmp_path / "run", labelled(), raters)
    text = (path / "metrics.json").read_text(encoding="utf-8").replace("made-alpha", "other")
    (path / "metrics.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="as metrics.json names its rater"):
        read_run(path)


def test_a_rater_of_another_run_is_compared_on_the_texts_of_both(tmp_path):
    first = three_raters(tmp_path / "first")
    german = labelled(texts=TEXTS[:4])
    judge = {"judge": rated("judge", ALPHA, TEXTS[:4]), "beta": rated("beta", ALPHA, TEXTS[:4])}
    judge["alpha"] = rated("alpha", ALPHA, TEXTS[:4])
    second = write_run(tmp_path / "second", german, judge, fingerprints={"beta": "newer"})
    both = join([read_run(first), read_run(second)])
    assert both.raters == ("alpha", "beta", "gamma", "judge", "beta@second")
    assert both.items.ids.tolist() == list(TEXTS[:4])
    ground = compare_runs([first, second], Selection(categories=("Violence",), raters=("beta", "beta@second"))).grounds[
        0
    ]
    values = {m.rater: m.value for m in ground.measures if m.metric == "linear_kappa" and m.category == "macro"}
    assert (values["beta"], values["beta@second"]) == pytest.approx((0.5, 1.0))


def test_runs_that_do_not_compare_are_told(tmp_path):
    first = three_raters(tmp_path / "first")
    others = [item for item in labelled(texts=TEXTS[:4]) if item.id != "de/0"]
    elsewhere = write_run(tmp_path / "a", labelled(people=BETA), {"alpha": rated("alpha", ALPHA)})
    with pytest.raises(UserError, match="hold different labels for the item de/2"):
        join([read_run(first), read_run(elsewhere)])
    one = write_run(tmp_path / "b", others[:1], {"beta": rated("beta", BETA, ["de/1"])})
    two = write_run(tmp_path / "c", others[1:], {"beta": rated("beta", BETA, ["de/2", "de/3"])})
    with pytest.raises(UserError, match="share no item"):
        join([read_run(one), read_run(two)])


def test_a_rater_with_the_same_settings_counts_once_in_any_number_of_runs(tmp_path):
    def run(name, mark):
        raters = {"alpha": rated("alpha", ALPHA if mark == "old" else BETA)}
        return read_run(write_run(tmp_path / name, labelled(), raters, fingerprints={"alpha": mark}))

    first, second = run("first", "old"), run("second", "new")
    assert join([first, second, second]).raters == ("alpha", "alpha@second")
    assert join([first, second, run("third", "new")]).raters == ("alpha", "alpha@second")
    with pytest.raises(UserError, match="folders named second have a rater alpha"):
        join([first, second, run("elsewhere/second", "newest")])
