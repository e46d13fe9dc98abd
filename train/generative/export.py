"""From a run to a guard that others can serve: merged weights, tokenizer, prompt, preset, card and checksums.

What is written is a Hugging Face folder: vLLM and transformers load it as it is, and its ``rater.yaml`` is a preset of
`evaluation`. Where the architecture allows, an ONNX graph of the decisive token lies beside the weights.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.recipe import validate
from babelguard.taxonomy import Taxonomy, taxonomy
from serve.seal import seal
from train.generative.export_options import GenerativeExportOptions
from train.generative.guard_form import GuardForm
from train.generative.load import TrainedGenerativeGuard, load_trained
from train.generative.onnx_export import NotExportedError, export_decisive
from train.generative.rating import some_source_ids

PRESET = "rater.yaml"
_SHARD = "5GB"


@dataclass(frozen=True)
class Exported:
    """What an export wrote.

    Attributes:
        folder: The guard's folder.
        compared: Levels that were compared with the training's.
        flips: Share of them (0-1) that differ.
        onnx: The graph's file name, or why there is none.
        onnx_difference: Largest difference of a decisive logit between graph and torch; `None` without a graph.
    """

    folder: Path
    compared: int
    flips: float
    onnx: str
    onnx_difference: float | None


def export_generative(
    run: Path, to: Path, options: GenerativeExportOptions | None = None, *, overwrite: bool = False
) -> Exported:
    """Export a finished run.

    Args:
        run: The folder that `python -m train.run` left.
        to: The folder to write; it appears whole or not at all.
        options: The recipe's block `export`, or its defaults; those of the run's own recipe if `None`.
        overwrite: Whether a folder that is there is replaced.

    Raises:
        UserError: The run is not finished, `to` is there, or more decisions differ than the recipe allows.
    """
    if to.exists() and not overwrite:
        raise UserError(f"{to} exists; name another folder, or remove it.")
    options = options or options_of(run)
    guard = load_trained(run, dtype=options.dtype)
    partial = to.with_name(f"{to.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        _write_model(guard, partial, options.dtype)
        compared, flips = _compare(run, partial, guard, options)
        if flips > options.bound:
            raise UserError(
                f"{flips:.2%} of {compared:,} levels differ between the exported weights ({options.dtype}) and the "
                f"training's, and {options.bound:.2%} may; set export.dtype=float32, or raise export.most_flips."
            )
        onnx, difference = _write_onnx(guard, partial, options)
        _write_card(run, partial, guard, options, compared, flips, onnx, difference)
        seal(partial)
        if to.exists():
            shutil.rmtree(to)
        partial.replace(to)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Exported(to, compared, flips, onnx, difference)


def options_of(run: Path) -> GenerativeExportOptions:
    """Return the export options of a run's own recipe."""
    path = run / "recipe.yaml"
    record = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return validate(record.get("export") or {}, GenerativeExportOptions, str(path), ("export",))


def _write_model(guard: TrainedGenerativeGuard, folder: Path, dtype: str) -> None:
    guard.model.save_pretrained(folder, max_shard_size=_SHARD)
    guard.tokenizer.save_pretrained(folder)
    chosen = guard.form.export(folder)
    kind = chosen.pop("kind")
    record = {
        "kind": kind,
        "about": f"{guard.spec.name} {guard.spec.version}, a fine-tuned guard; format {guard.spec.answer.format}.",
        **chosen,
    }
    if kind == "llm-judge":
        record["backend_options"] = {"dtype": dtype, **record.get("backend_options", {})}
    else:
        record["dtype"] = dtype
    (folder / PRESET).write_text(yaml.safe_dump(record, sort_keys=False, allow_unicode=True), encoding="utf-8")


def _compare(
    run: Path, folder: Path, guard: TrainedGenerativeGuard, options: GenerativeExportOptions
) -> tuple[int, float]:
    """Rate items with the exported folder through its preset, and return how many levels differ from the training's."""
    import pyarrow.parquet as pq

    path = run / "predictions" / f"{options.split}.parquet"
    if not path.is_file():
        raise UserError(f"{path} does not exist; start the training again, which rates its splits at the end.")
    categories = taxonomy(guard.spec.taxonomy)
    items = some_source_ids(_items(run, options.split), options.source_ids)
    table = pq.read_table(path).to_pylist()
    known = {row["item"]: [row[f"rated:{name}"] for name in categories.names] for row in table}
    items = [item for item in items if item.id in known]
    ours = np.array([known[item.id] for item in items], dtype=object)
    theirs = _rated(folder, items, categories)
    return int(ours.size), float((ours != theirs).mean()) if ours.size else 0.0


def _rated(folder: Path, items: Sequence[Item], categories: Taxonomy) -> Any:  # noqa: ANN401 - an array of objects
    from babelguard.local_models.shelf import SHELF
    from evaluation.rater import RATER_KINDS, Workbench

    kind_name = yaml.safe_load((folder / PRESET).read_text(encoding="utf-8"))["kind"]
    kind = RATER_KINDS.get(kind_name)
    chosen = validate({"preset": str(folder / PRESET)}, kind.options, str(folder / PRESET))
    rater = kind.build("exported", chosen, Workbench(categories, lambda _: ()))
    try:
        ratings = list(rater.rate(items))
    finally:
        SHELF.clear()
    return np.array([[rating.scores[name].level for name in categories.names] for rating in ratings], dtype=object)


def _items(run: Path, split: Literal["calibration", "test"]) -> Sequence[Item]:
    from train.corpus import read_corpus
    from train.recipe import load_plan

    return read_corpus(load_plan(run / "recipe.yaml")).items[split]


def _write_onnx(
    guard: TrainedGenerativeGuard, folder: Path, options: GenerativeExportOptions
) -> tuple[str, float | None]:
    if not options.onnx:
        return "not asked for (export.onnx is false)", None
    try:
        return export_decisive(guard, folder, options.opset)
    except NotExportedError as reason:
        return f"none: {reason}", None


def _write_card(
    run: Path,
    folder: Path,
    guard: TrainedGenerativeGuard,
    options: GenerativeExportOptions,
    compared: int,
    flips: float,
    onnx: str,
    difference: float | None,
) -> None:
    card = (
        (run / "README.md").read_text(encoding="utf-8") if (run / "README.md").is_file() else f"# {guard.spec.name}\n"
    )
    lines = [
        "## This folder\n",
        f"Merged weights in {options.dtype}; of {compared:,} levels, {flips:.2%} differ from those of the training.\n",
        "- As a rater of `python -m evaluation.run`: "
        f"`- {{kind: {_kind(guard)}, name: {guard.spec.name}, preset: FOLDER/{PRESET}}}`",
        f"- Behind vLLM: `vllm serve FOLDER --served-model-name {guard.spec.name}`"
        + (
            "; send the conversation as messages, the answer is the verdict."
            if isinstance(guard.form, GuardForm)
            else "; send the rubric with the text as one message."
        ),
        f"- ONNX: {onnx}" + ("" if difference is None else f" (largest difference of a logit: {difference:.2g})") + ".",
    ]
    (folder / "README.md").write_text(card + "\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _kind(guard: TrainedGenerativeGuard) -> str:
    return "generative-guard" if isinstance(guard.form, GuardForm) else "llm-judge"
