"""Writes a Triton model repository: the ONNX file under onnxruntime, and before it a Python model that knows texts.

Triton's dynamic batcher joins requests to the text model; that tokenises them, pads their windows and asks the ONNX
model for all of them at once, so that one padding serves the whole batch.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from babelguard.errors import UserError, unknown_name
from serve.bundle import MANIFEST, Bundle, read_bundle

_TEXT_MODEL = Path(__file__).with_name("text_model.py")
_DEVICES = {"cpu": "KIND_CPU", "gpu": "KIND_GPU"}


@dataclass(frozen=True, slots=True)
class TritonOptions:
    """How Triton runs a guard.

    Attributes:
        precision: The bundle's default if `None`.
        device: ``cpu`` or ``gpu``.
        instances: Copies of the ONNX model that run at the same time.
        batch_windows: Windows in a batch of the ONNX model, texts in a batch of the text model; at most.
        wait_us: How long the text model's requests wait for company, in microseconds.
    """

    precision: str | None = None
    device: str = "cpu"
    instances: int = 1
    batch_windows: int = 64
    wait_us: int = 2000


def write_repository(bundle_folder: Path, out: Path, options: TritonOptions | None = None) -> tuple[str, str]:
    """Write the repository, whole or not at all.

    Args:
        bundle_folder: The bundle; its checksums are verified.
        out: The repository's folder.
        options: How Triton runs it.

    Returns:
        Names of the text model and of the ONNX model.

    Raises:
        UserError: The bundle is damaged, lacks the precision, or the folder exists already.
    """
    options = options or TritonOptions()
    if options.device not in _DEVICES:
        raise unknown_name("device", options.device, _DEVICES)
    if out.exists():
        raise UserError(f"{out} exists already; name a folder that does not, or remove it.")
    bundle = read_bundle(bundle_folder)
    _, model = bundle.model(options.precision)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", bundle.manifest.name)
    logits = f"{name}_logits"
    partial = out.with_name(f"{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    version = partial / logits / "1"
    version.mkdir(parents=True)
    shutil.copyfile(model, version / "model.onnx")
    (partial / logits / "config.pbtxt").write_text(_logits_config(logits, bundle, options), encoding="utf-8")
    version = partial / name / "1"
    version.mkdir(parents=True)
    shutil.copyfile(_TEXT_MODEL, version / "model.py")
    for file in (bundle.tokenizer, bundle.folder / MANIFEST):
        shutil.copyfile(file, version / file.name)
    (partial / name / "config.pbtxt").write_text(_text_config(name, logits, options), encoding="utf-8")
    partial.rename(out)
    return name, logits


def _logits_config(name: str, bundle: Bundle, options: TritonOptions) -> str:
    columns = len(bundle.manifest.columns)
    return _lines(
        [
            f'name: "{name}"',
            'backend: "onnxruntime"',
            f"max_batch_size: {options.batch_windows}",
            *_tensor("input", "input_ids", "TYPE_INT64", -1),
            *_tensor("input", "attention_mask", "TYPE_INT64", -1),
            *_tensor("output", "logits", "TYPE_FP32", columns),
            f"instance_group [ {{ count: {options.instances} kind: {_DEVICES[options.device]} }} ]",
            f"version_policy {{ latest {{ num_versions: 1 }} }}  # precision: {options.precision or 'default'}",
        ]
    )


def _text_config(name: str, logits: str, options: TritonOptions) -> str:
    return _lines(
        [
            f'name: "{name}"',
            'backend: "python"',
            f"max_batch_size: {options.batch_windows}",
            *_tensor("input", "TEXT", "TYPE_STRING", 1),
            *_tensor("input", "LANGUAGE", "TYPE_STRING", 1, "optional: true"),
            *_tensor("output", "RATING", "TYPE_STRING", 1),
            f"dynamic_batching {{ max_queue_delay_microseconds: {options.wait_us} }}",
            "instance_group [ { count: 1 kind: KIND_CPU } ]",
            f'parameters {{ key: "logits_model" value: {{ string_value: "{logits}" }} }}',
            f'parameters {{ key: "batch_windows" value: {{ string_value: "{options.batch_windows}" }} }}',
        ]
    )


def _tensor(kind: str, name: str, data_type: str, size: int, more: str = "") -> Iterable[str]:
    return [f'{kind} [ {{ name: "{name}" data_type: {data_type} dims: [ {size} ] {more} }} ]']


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"
