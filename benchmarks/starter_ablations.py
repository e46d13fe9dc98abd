"""Ablations of the starter guard: one change at a time to a smaller training, one table.

    python benchmarks/starter_ablations.py --base E5 --corpus CORPORA/starter --output FOLDER [--only NAME ...]

Every variant is `recipes/train/starter.yaml` with a share of its training contents, one pass and one change; it is
trained with `python -m train.run`, calibrated on all prompts of the calibration split, and measured on all prompts of
RTP-LX's test split. What is already trained is not trained again, so that a killed run goes on. The table is printed as
Markdown, and kept in FOLDER/ablations.json.
"""

from __future__ import annotations

import argparse
import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

RECIPE = Path("recipes/train/starter.yaml")
HELD_OUT = ("nl", "tr")
"""One language close to others that are learnt, and one that is not."""

Recipe = dict[str, Any]


def main() -> None:
    """Train the variants that are not there yet, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", required=True, help="the encoder's folder or hub name")
    parser.add_argument("--corpus", type=Path, required=True, help="the corpus of recipes/data_prep/starter.yaml")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--share", type=float, default=0.25, help="share of the training contents of every part")
    parser.add_argument("--only", nargs="*", help="names of variants; all if left out")
    chosen = parser.parse_args()
    rows = []
    for name, (what, change) in VARIANTS.items():
        if chosen.only and name not in chosen.only:
            continue
        recipe = smaller(yaml.safe_load(RECIPE.read_text(encoding="utf-8")), chosen)
        change(recipe)
        rows.append({"variant": name, "what": what, **figures(train(name, recipe, chosen.output))})
    for name, (what, option) in CALIBRATIONS.items():
        if not chosen.only or name in chosen.only:
            rows.append({"variant": name, "what": what, **figures(calibrate(name, option, chosen.output))})
    (chosen.output / "ablations.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print("\n".join(table(rows)), flush=True)


def smaller(recipe: Recipe, chosen: argparse.Namespace) -> Recipe:
    """Return the recipe with a share of the training contents, one pass, and all prompts of the held-out splits."""
    prompts = next(part for part in recipe["corpus"] if part["name"] == "prompts")
    judged = {**prompts, "name": "judged-prompts", "splits": ["calibration", "test"]}
    for part in recipe["corpus"]:
        part["share"] = round(part.get("share", 1.0) * chosen.share, 4)
        part["splits"] = ["train"]
    recipe["corpus"].append(judged)
    for part in recipe["corpus"]:
        part["path"] = str(chosen.corpus)
    recipe["model"]["base"] = chosen.base
    recipe["optimisation"].update(epochs=1, save_every_steps=None, evaluate_every_steps=None)
    recipe["output"] = str(chosen.output)
    return recipe


def without(*names: str) -> Callable[[Recipe], None]:
    """Return the change that leaves out parts of the corpus."""

    def change(recipe: Recipe) -> None:
        recipe["corpus"] = [part for part in recipe["corpus"] if part["name"] not in names]

    return change


def with_value(block: str, **values: Any) -> Callable[[Recipe], None]:  # noqa: ANN401 - any YAML value
    """Return the change that sets keys of one block."""

    def change(recipe: Recipe) -> None:
        recipe.setdefault(block, {}).update(copy.deepcopy(values))

    return change


def held_out(recipe: Recipe) -> None:
    """Leave two languages out of training and calibration."""
    recipe["hold_out"] = list(HELD_OUT)


VARIANTS: dict[str, tuple[str, Callable[[Recipe], None]]] = {
    "as-is": ("as the first round of the starter guard", lambda recipe: None),  # noqa: ARG005 - it changes nothing
    "shared-labels": (
        "half of a target from the prompt's translations",
        with_value("loss", shared_labels={"share": 0.5, "roles": ["prompt"]}),
    ),
    "hard-labels": ("the majority in place of the annotators' shares", with_value("loss", soft_labels=False)),
    "softmax": ("softmax head in place of the cumulative one", with_value("head", kind="softmax")),
    "corn": ("CORN head", with_value("head", kind="corn")),
    "multi-label": ("independent columns", with_value("head", kind="multi-label")),
    "class-weights": ("rare levels weighted up in the loss", with_value("loss", positive_weights="balanced")),
    "no-balancing": ("rare harms drawn no more often", with_value("sampling", labels=0.0)),
    "no-completions": ("without toxic completions", without("completions")),
    "no-benign": ("without benign completions", without("benign-completions")),
    "no-twins": ("without twins in other registers", without("prompts-in-other-registers")),
    "rtp-lx-only": ("without the other sources", without("sample", "others", "multilingual-hatecheck")),
    "whole-vocabulary": ("with the whole vocabulary", with_value("model", vocabulary=None)),
    "held-out": (f"without {' and '.join(HELD_OUT)}", held_out),
}

CALIBRATIONS: dict[str, tuple[str, str]] = {
    "pooled": ("the first one, calibrated and cut alike for all languages", "calibration.per_language=never"),
    "own-kappa": ("the first one, each language's own thresholds by kappa", "calibration.levels.rule=kappa"),
    "own-shares": ("the first one, each language's own thresholds by shares", "calibration.levels.rule=shares"),
}
"""Other calibrations of the first variant; they need no training."""


def train(name: str, recipe: Recipe, output: Path) -> Path:
    """Train a variant unless it is trained, and return its run folder."""
    recipe["name"] = f"ablation-{name}"
    found = sorted(output.glob(f"{recipe['name']}-*/metrics.json"))
    if not found:
        output.mkdir(parents=True, exist_ok=True)
        path = output / f"{recipe['name']}.yaml"
        path.write_text(yaml.safe_dump(recipe, sort_keys=False, allow_unicode=True), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "train.run", str(path)], check=True)
        found = sorted(output.glob(f"{recipe['name']}-*/metrics.json"))
    return found[-1].parent


def calibrate(name: str, option: str, output: Path) -> Path:
    """Calibrate the first variant in another way, in a copy of its run folder."""
    first = sorted(output.glob("ablation-as-is-*/metrics.json"))[-1].parent
    run = output / f"calibrated-{name}"
    if not run.is_dir():
        shutil.copytree(first, run)
        subprocess.run([sys.executable, "-m", "train.calibrate", str(run), "--set", option], check=True)
    return run


def figures(run: Path) -> dict[str, float]:
    """Return the means over cells of the test prompts: of all languages, and of the two that can be held out."""
    cells = json.loads((run / "metrics.json").read_text(encoding="utf-8"))["splits"]["test"]["cells"]
    others = [cell for cell in cells if cell["language"] not in HELD_OUT]
    unseen = [cell for cell in cells if cell["language"] in HELD_OUT]
    return {
        "kappa": mean(cells, "linear_kappa"),
        "macro_f1": mean(cells, "macro_f1"),
        "auprc": mean(cells, "auprc"),
        "kappa_rest": mean(others, "linear_kappa"),
        "kappa_held_out": mean(unseen, "linear_kappa"),
    }


def mean(cells: Iterable[dict[str, Any]], name: str) -> float:
    """Return the mean of a figure over the cells in which it is defined."""
    return float(np.mean([cell[name] for cell in cells if cell[name] is not None]))


def table(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the lines of the Markdown table."""
    both = " and ".join(HELD_OUT)
    lines = [f"| variant | kappa | macro-F1 | AUPRC | kappa, {both} | kappa, the rest |", "|---|--:|--:|--:|--:|--:|"]
    names = ("kappa", "macro_f1", "auprc", "kappa_held_out", "kappa_rest")
    return lines + [f"| {row['what']} | {' | '.join(f'{row[name]:.3f}' for name in names)} |" for row in rows]


if __name__ == "__main__":
    main()
