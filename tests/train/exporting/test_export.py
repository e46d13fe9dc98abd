"""A tiny trained guard as a bundle, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from babelguard.errors import UserError
from serve.guard import Guard
from tests.train.classifier import tiny
from train.classifier.load import load_trained
from train.corpus import read_corpus, shown_text
from train.exporting.classifier import export_classifier
from train.exporting.command import export_run
from train.exporting.trained_run import kind_of, read_plan, read_run

EVERYTHING = ("export.bounds={fp32: 0.001, fp16: 0.02, int8: 0.2}", "export.int8.tune_items=16")


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    encoder = tiny.save_encoder(folder / "encoder")
    corpus = tiny.write_items(folder / "items.jsonl")
    plan = tiny.plan_of(folder, corpus, encoder, "optimisation.epochs=1")
    return plan.kind.train(plan)


@pytest.fixture(scope="module")
def bundle(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("bundle") / "guard"
    export_classifier(read_run(run, EVERYTHING), to, tell=lambda _: None)
    return to


def test_a_bundle_has_what_the_contract_says_and_nothing_else(bundle: Path) -> None:
    names = {"guard.json", "tokenizer.json", "README.md", "SHA256SUMS"}
    assert {path.name for path in bundle.iterdir()} == names | {f"model.{p}.onnx" for p in ("fp32", "fp16", "int8")}
    manifest = json.loads((bundle / "guard.json").read_text())
    assert set(manifest["verification"]) == {"fp32", "fp16", "int8"}
    assert manifest["model"]["default"] == "int8"
    assert str(bundle.parents[1]) not in (bundle / "guard.json").read_text()


def test_served_decisions_are_the_trained_models(run: Path, bundle: Path) -> None:
    corpus = read_corpus(read_plan(run))
    items = corpus.items["test"]
    texts = [shown_text(item) for item in items]
    trained = load_trained(run).logits(texts)
    guard = Guard.load(bundle, precision="fp32", provider="cpu", threads=1)
    encoded = guard.encode_all(texts)
    served = np.stack([guard.logits(list(each.windows)).max(axis=0) for each in encoded])
    assert served == pytest.approx(trained, abs=1e-4)


def test_any_batch_and_any_length_up_to_the_window(bundle: Path) -> None:
    guard = Guard.load(bundle, precision="fp32", provider="cpu", threads=1)
    generator = np.random.default_rng(0)
    for length in (1, 2, 7, 23, 24):
        ids = generator.integers(4, 16, (3, length))
        together = guard.engine.run(ids, np.ones_like(ids))
        alone = np.concatenate([guard.engine.run(ids[[row]], np.ones((1, length), dtype=np.int64)) for row in range(3)])
        assert together == pytest.approx(alone, abs=1e-5)


def test_padding_does_not_matter(bundle: Path) -> None:
    guard = Guard.load(bundle, precision="fp32", provider="cpu", threads=1)
    ids = np.array([[2, 5, 6, 3]])
    padded = np.array([[2, 5, 6, 3, 0, 0, 0]])
    short = guard.engine.run(ids, np.ones_like(ids))
    assert guard.engine.run(padded, (padded != 0).astype(np.int64)) == pytest.approx(short, abs=1e-5)


def test_half_precision_keeps_its_inputs_and_output(bundle: Path) -> None:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(bundle / "model.fp16.onnx"), providers=["CPUExecutionProvider"])
    assert [i.type for i in session.get_inputs()] == ["tensor(int64)", "tensor(int64)"]
    assert [o.type for o in session.get_outputs()] == ["tensor(float)"]


def test_a_pruned_vocabulary_decides_the_same_on_texts_that_it_covers(run: Path, tmp_path: Path) -> None:
    sets = (*EVERYTHING, "export.precisions=[fp32]", "export.vocabulary.languages=trained")
    made = export_classifier(read_run(run, sets), tmp_path / "pruned", tell=lambda _: None)
    # 'paper' and 'walk' occur nowhere; every other word does.
    vocabulary = json.loads((made.folder / "tokenizer.json").read_text())["model"]["vocab"]
    assert not {"paper", "walk"} & set(vocabulary)
    assert {"[UNK]", "[PAD]", "river", "angry"} <= set(vocabulary)
    assert made.manifest.model.vocabulary == len(vocabulary)
    assert made.manifest.verification["fp32"].flips == 0
    assert "same tokens" in (made.folder / "README.md").read_text()


def test_notes_end_the_card(run: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    sets = (*EVERYTHING, "export.precisions=[fp32]", f"export.notes={notes}")
    with pytest.raises(UserError, match=r"export\.notes: .*notes\.md cannot be read"):
        export_classifier(read_run(run, sets), tmp_path / "guard", tell=lambda _: None)
    notes.write_text("## Beside others\n\nNothing is.\n", encoding="utf-8")
    made = export_classifier(read_run(run, sets), tmp_path / "guard", tell=lambda _: None)
    assert (made.folder / "README.md").read_text(encoding="utf-8").endswith("Nothing is.\n")


def test_too_many_flips_write_nothing(run: Path, tmp_path: Path) -> None:
    # Of a vocabulary with one word, nearly every text changes.
    sets = (
        *EVERYTHING,
        "export.precisions=[fp32]",
        "export.vocabulary={languages: trained, least_count: 100000}",
        "export.bounds.vocabulary=0.0",
    )
    with pytest.raises(UserError, match=r"differ from the trained model's.*no bundle is written"):
        export_classifier(read_run(run, sets), tmp_path / "refused", tell=lambda _: None)
    assert not list(tmp_path.iterdir())


def test_an_impossible_size_is_a_sentence(run: Path, tmp_path: Path) -> None:
    sets = ("export.precisions=[fp32]", "export.vocabulary.max_size_mb=0.21")
    with pytest.raises(UserError, match=r"max_size_mb"):
        export_classifier(read_run(run, sets), tmp_path / "small", tell=lambda _: None)


def test_what_is_there_is_not_overwritten_unasked(run: Path, bundle: Path) -> None:
    with pytest.raises(UserError, match="exists"):
        export_classifier(read_run(run), bundle, tell=lambda _: None)


def test_an_unknown_option_names_the_nearest(run: Path) -> None:
    with pytest.raises(UserError, match="precisions"):
        read_run(run, ["export.precission=fp32"])


@pytest.mark.parametrize("content", ["", "[]", "{}"])
def test_a_folder_that_is_no_run(tmp_path: Path, content: str) -> None:
    with pytest.raises(UserError, match=r"guard_spec\.json"):
        kind_of(tmp_path)
    (tmp_path / "guard_spec.json").write_text(content)
    with pytest.raises(UserError, match="train the guard again"):
        kind_of(tmp_path)


def test_the_command_needs_a_place(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--to"):
        export_run(run, None)
    with pytest.raises(UserError, match="--push-to-hub"):
        export_run(run, None, adapter=True)
    copied = tmp_path / "unfinished"
    shutil.copytree(run, copied)
    shutil.rmtree(copied / "best")
    with pytest.raises(UserError, match="training has not ended"):
        export_run(copied, tmp_path / "to")
