"""Bundles: what is written is read back, and what does not fit together is refused in a sentence."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from babelguard import UserError
from serve.bundle import Bundle, GuardManifest, read_bundle, write_bundle
from serve.seal import seal
from tests.tiny_bundle import make_tiny_bundle


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return make_tiny_bundle(tmp_path / "tiny")


def edit(bundle: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = bundle / "guard.json"
    raw = json.loads(path.read_text(encoding="utf-8"))
    change(raw)
    path.write_text(json.dumps(raw), encoding="utf-8")
    seal(bundle)


def test_what_is_written_is_read_back(bundle: Path) -> None:
    read = read_bundle(bundle)
    assert read == write_bundle(bundle, read.manifest)
    assert len(read.manifest.columns) == 4 + 7 * 2
    assert read.manifest.category_columns["Toxicity"] == slice(0, 4)
    assert read.manifest.category_columns["SexualContent"] == slice(16, 18)
    assert read.model() == ("fp32", bundle / "model.fp32.onnx")


def test_sha256sum_agrees_with_the_seal(bundle: Path) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=bundle, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    listed = {line.split(":")[0] for line in done.stdout.splitlines()}
    assert listed == {"guard.json", "model.fp32.onnx", "README.md", "tokenizer.json"}


def test_the_digest_is_that_of_the_seal(bundle: Path) -> None:
    said = subprocess.run(["sha256sum", "SHA256SUMS"], cwd=bundle, capture_output=True, text=True, check=True).stdout
    assert read_bundle(bundle).digest == said.split()[0]


@pytest.mark.parametrize("name", ["model.fp32.onnx", "tokenizer.json", "guard.json", "README.md"])
def test_a_flipped_bit_is_refused_with_the_files_name(bundle: Path, name: str) -> None:
    path = bundle / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=f"{name} is not what SHA256SUMS says"):
        read_bundle(bundle)


@pytest.mark.parametrize("name", ["model.fp32.onnx", "tokenizer.json", "guard.json", "README.md", "SHA256SUMS"])
@pytest.mark.parametrize("verify", [True, False])
def test_a_missing_file_is_named(bundle: Path, name: str, verify: bool) -> None:
    (bundle / name).unlink()
    with pytest.raises(UserError, match=f"{name} is missing"):
        read_bundle(bundle, verify=verify)


def test_files_that_are_not_listed_are_named(bundle: Path) -> None:
    (bundle / "run.sh").write_text("true", encoding="utf-8")
    (bundle / "more").mkdir()
    (bundle / "more" / "notes.txt").write_text("true", encoding="utf-8")
    with pytest.raises(UserError, match=r"more/notes.txt, run.sh are not listed in SHA256SUMS"):
        read_bundle(bundle)


def test_what_hubs_leave_behind_is_no_part_of_a_bundle(bundle: Path) -> None:
    (bundle / ".gitattributes").write_text("*.onnx filter=lfs", encoding="utf-8")
    (bundle / ".cache").mkdir()
    (bundle / ".cache" / "lock").touch()
    assert isinstance(read_bundle(bundle), Bundle)


def test_links_into_a_store_are_followed(bundle: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    for path in list(bundle.iterdir()):
        path.rename(store / path.name)
        path.symlink_to(store / path.name)
    assert isinstance(read_bundle(bundle), Bundle)
    (store / "README.md").write_text("changed", encoding="utf-8")
    with pytest.raises(UserError, match=r"README.md is not what"):
        read_bundle(bundle)


def test_a_garbled_seal_is_told_with_its_line(bundle: Path) -> None:
    path = bundle / "SHA256SUMS"
    path.write_text(path.read_text(encoding="utf-8") + "nonsense\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"SHA256SUMS, line 5: this is not a line of sha256sum"):
        read_bundle(bundle)


def test_what_is_not_a_bundle_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere is not a folder"):
        read_bundle(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"SHA256SUMS is missing"):
        read_bundle(tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda raw: raw.update(format=2), "is of format 2, and this version of Babelguard reads format 1"),
        (lambda raw: raw.pop("format"), "is of format None"),
        (lambda raw: raw.update(formt=1), "unknown key 'formt'"),
        (lambda raw: raw["model"].update(windw=5), "unknown key 'model.windw'"),
        (lambda raw: raw["model"].pop("window"), "model.window is missing"),
        (lambda raw: raw["model"].update(window="16"), "model.window: input should be a valid integer"),
        (lambda raw: raw["model"].update(overlap=16), "model.overlap must be less than model.window"),
        (lambda raw: raw["model"].update(default="int8"), "model.default is int8, which model.files does not have"),
        (lambda raw: raw["model"].update(files={"fp32": "../elsewhere.onnx"}), "is not a plain file name"),
        (lambda raw: raw["columns"].reverse(), "columns must be every category's above"),
        (lambda raw: raw["columns"].pop(), "columns must be every category's above"),
        (lambda raw: raw["calibration"]["pooled"].pop("Bias"), "calibration.pooled lacks Bias"),
        (lambda raw: raw["calibration"]["pooled"]["Bias"].pop(), "calibration.pooled.Bias has 1 entries"),
        (lambda raw: raw["calibration"]["languages"]["de"].update(Mood=[]), "names 'Mood', which is none"),
        (lambda raw: raw["thresholds"]["levels"]["pooled"].pop("Insult"), "thresholds.levels.pooled lacks Insult"),
        (lambda raw: raw["thresholds"]["flags"]["above"].update(Bias=3), "nothing is above that level"),
        (lambda raw: raw["thresholds"]["flags"]["pooled"].update(Bias=-0.1), "greater than or equal to 0"),
        (lambda raw: raw.update(created="yesterday"), "created: input should be a valid date"),
    ],
)
def test_a_manifest_that_cannot_be_is_told(bundle: Path, change: Callable[[dict[str, Any]], object], sentence: str):
    edit(bundle, change)
    with pytest.raises(UserError) as caught:
        read_bundle(bundle)
    assert sentence in str(caught.value)
    assert "guard.json" in str(caught.value)


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([0.0, 1.0], [0.5], "x has 2 values and y has 1"),
        ([1.0, 0.0], [0.1, 0.5], "x must ascend"),
        ([0.0, 1.0], [0.5, 0.1], "y must not descend"),
        ([0.0, 1.0], [0.5, 1.1], "less than or equal to 1"),
    ],
)
def test_an_isotonic_line_must_rise(bundle: Path, x: list[float], y: list[float], sentence: str) -> None:
    edit(bundle, lambda raw: raw["calibration"]["pooled"].update(Bias=[{"x": x, "y": y}] * 2))
    with pytest.raises(UserError, match=sentence):
        read_bundle(bundle)


@pytest.mark.parametrize("text", ["", "[1]", '{"format": 1', "\ufeff{}", '{"format": NaN}', "[" * 100_000])
def test_what_is_not_json_is_told(bundle: Path, text: str) -> None:
    (bundle / "guard.json").write_text(text, encoding="utf-8")
    seal(bundle)
    with pytest.raises(UserError, match=r"guard\.json"):
        read_bundle(bundle)


def test_a_bundle_is_whole_before_it_is_sealed(bundle: Path) -> None:
    manifest = read_bundle(bundle).manifest
    (bundle / "README.md").unlink()
    with pytest.raises(UserError, match=r"README.md is missing; a bundle needs it before it is sealed"):
        write_bundle(bundle, manifest)


def test_a_precision_that_is_not_there_is_told(bundle: Path) -> None:
    with pytest.raises(UserError, match=r"Unknown precision of the bundle .*tiny 'fp16'.* Available: fp32"):
        read_bundle(bundle).model("fp16")


def test_further_measurements_of_languages_are_kept(bundle: Path) -> None:
    raw = read_bundle(bundle).manifest.model_dump(mode="json")
    raw["languages"]["en"]["kappa"] = {"Toxicity": 0.4}
    again = GuardManifest.model_validate_json(json.dumps(raw), strict=True)
    assert json.loads(again.model_dump_json())["languages"]["en"]["kappa"] == {"Toxicity": 0.4}
