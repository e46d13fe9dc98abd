"""The modules load with `evaluate.load`, offline, from a copy that `evaluate` makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation import metrics as m

REPOSITORY = Path(__file__).resolve().parents[3]
RATER, REFERENCE = [1, 2, 3, None, 2, 1], [1, 3, 3, 2, None, 1]
SCRIPT = """
import json, evaluate
rater, reference, others = json.loads({inputs!r})
def run(name, references, **options):
    module = evaluate.load("evaluation/metrics/hub/" + name)
    return module.compute(predictions=rater, references=references, levels=3, **options)
try:
    run("gwet_ac2", [7] * len(rater))
    error = ""
except ValueError as caught:
    error = str(caught)
print(json.dumps([
    run("percentage_agreement", reference),
    run("weighted_kappa", reference),
    run("weighted_kappa", reference, weights="linear"),
    run("gwet_ac2", reference),
    run("krippendorff_alpha", reference),
    run("krippendorff_alpha", others, measurement="nominal"),
    error,
]))
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list:
    inputs = json.dumps([RATER, REFERENCE, list(zip(REFERENCE, RATER, strict=True))])
    home = str(tmp_path_factory.mktemp("hf"))
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": home, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(inputs=inputs)],
        cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_they_give_what_the_functions_give(results: list):
    three = [RATER, REFERENCE, RATER]
    assert results[:-1] == [
        {"percentage_agreement": m.percentage_agreement(RATER, REFERENCE, levels=3), "n": 4},
        {"weighted_kappa": m.cohen_kappa(RATER, REFERENCE, levels=3, weights="quadratic"), "n": 4},
        {"weighted_kappa": m.cohen_kappa(RATER, REFERENCE, levels=3, weights="linear"), "n": 4},
        {"gwet_ac2": m.gwet_ac2(RATER, REFERENCE, levels=3), "n": 4},
        {"krippendorff_alpha": m.krippendorff_alpha([RATER, REFERENCE], levels=3), "n": 4},
        {"krippendorff_alpha": m.krippendorff_alpha(three, levels=3, measurement="nominal"), "n": 5},
    ]


def test_a_level_off_the_scale_is_an_error_there_too(results: list):
    assert "7 at position 0 is not a level" in results[-1]
