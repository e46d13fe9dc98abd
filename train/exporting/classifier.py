"""Exports a trained classifier as a bundle: graph, vocabulary, precisions, and the proof for each."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from babelguard.errors import UserError
from serve.bundle import TOKENIZER, Bundle, GuardManifest, ModelFacts, Precision, PrecisionCheck, write_bundle
from serve.calibration import Calibrator
from serve.windows import Encoded, Encoder
from train.corpus import TrainingCorpus, read_corpus
from train.exporting.attention import fuse_attention
from train.exporting.bundle_card import bundle_card, read_notes
from train.exporting.coverage import Coverage, measure_coverage
from train.exporting.evaluation_texts import (
    EvaluationTexts,
    Logits,
    evaluation_texts,
    onnx_forward,
    rescored,
    score,
    torch_forward,
)
from train.exporting.graph import export_graph
from train.exporting.half import to_half
from train.exporting.int8 import Int8Findings, quantise
from train.exporting.manifest import make_manifest
from train.exporting.pruning import Vocabulary, fitting_count, rank, vocabulary_at, whole_vocabulary
from train.exporting.trained_run import TrainedRun
from train.exporting.verification import Decided, check_bound, compare, decide, flip_rates, highest, told

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Reading:
    """Texts as a vocabulary's tokenizer reads them, and what the trained model decides of those very tokens.

    Attributes:
        vocabulary: The vocabulary.
        encoded: The texts' windows, in its ids.
        reference: The trained model's decisions.
    """

    vocabulary: Vocabulary
    encoded: list[Encoded]
    reference: Decided


@dataclass
class Export:
    """An export at work: what later steps need of earlier ones.

    Attributes:
        run: The run.
        folder: Where files are written before the bundle is whole.
        corpus: The run's corpus.
        guard: `train.classifier.load.TrainedGuard`.
        tell: Prints a sentence of progress.
        facts: Window, overlap and prefix of the bundle.
        checks: What each precision does.
        coverage: What pruning does, if anything was pruned.
        pruning: Decisions before and after pruning, as a precision's.
        int8: What was left out of int8.
    """

    run: TrainedRun
    folder: Path
    corpus: TrainingCorpus
    guard: Any
    tell: Tell
    facts: ModelFacts
    checks: dict[Precision, PrecisionCheck] = field(default_factory=dict)
    coverage: Coverage | None = None
    pruning: PrecisionCheck | None = None
    int8: Int8Findings | None = None


def export_classifier(run: TrainedRun, to: Path, *, overwrite: bool = False, tell: Tell = print) -> Bundle:
    """Export a run's guard as a bundle and return it.

    Args:
        run: The run.
        to: The bundle's folder; nothing is written there unless every precision keeps to its bound.
        overwrite: Replace a bundle that is there.
        tell: Prints progress.

    Raises:
        UserError: The run is not finished, its base model cannot be exported, or decisions differ too often.
    """
    from train.classifier.load import load_trained

    if to.exists() and not (overwrite and (to / "guard.json").is_file()):
        raise UserError(f"{to} exists; choose another folder, or pass --overwrite if it is an old bundle.")
    notes = read_notes(run.options.notes)
    folder = to.with_name(f".{to.name}.partial")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        corpus = read_corpus(run.plan)
        guard = load_trained(run.folder)
        export = Export(run, folder, corpus, guard, tell, _facts(run, guard))
        manifest = _make_files(export)
        (folder / "README.md").write_text(
            bundle_card(run, manifest, export.coverage, export.pruning, export.int8, notes), encoding="utf-8"
        )
        bundle = write_bundle(folder, manifest)
        if to.exists():
            shutil.rmtree(to)
        folder.rename(to)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Bundle(to, bundle.manifest, bundle.digest)


def _facts(run: TrainedRun, guard: Any) -> ModelFacts:  # noqa: ANN401 - a TrainedGuard, which is heavy to import
    spec, options = guard.spec, run.options
    overlap = spec.model.overlap if options.overlap is None else options.overlap
    return ModelFacts(
        files={precision: f"model.{precision}.onnx" for precision in options.precisions},
        default=options.default_precision,
        # A folder's path is this machine's own business.
        base_model=Path(spec.model.base).name if Path(spec.model.base).exists() else spec.model.base,
        base_licence=spec.model.licence,
        head=spec.head.kind,
        window=options.window or spec.model.window,
        overlap=overlap,
        prefix=spec.model.prefix,
        pad_token_id=spec.pad_token_id,
        vocabulary=1,
    )


def _make_files(export: Export) -> GuardManifest:
    run, options = export.run, export.run.options
    source = _whole_tokenizer(export)
    vocabulary = whole_vocabulary(source, export.guard.spec.pad_token_id)
    texts = evaluation_texts(
        export.corpus.items[options.split], _encoder(export, vocabulary), run.categories, options.items
    )
    export.tell(f"Comparing decisions on {len(texts.texts):,} items of the {options.split} split.")
    calibrator = Calibrator(make_manifest(run, export.corpus, _with(export.facts, vocabulary), {}))
    forward = torch_forward(export.guard.model)
    scored = score(texts.windows, forward, vocabulary.padding, texts.data.logits.shape[1])
    decided = decide(highest(scored, texts.encoded), texts.data.languages.tolist(), calibrator)
    reading = Reading(vocabulary, list(texts.encoded), decided)
    # The graph is made before anything is pruned: rows of the embedding are cut out of it, and the rest stays.
    graph = export_graph(export.guard.model, longest=export.facts.window, opset=options.opset)
    export.tell(fuse_attention(graph, export.facts.window).sentence())
    if options.vocabulary.prunes:
        reading = _prune(export, source, graph, texts, scored, reading, calibrator)
    _tokenizer_file(export, reading.vocabulary)
    model = reading.vocabulary.cut(graph)
    for precision in options.precisions:
        path = export.folder / export.facts.files[precision]
        _write(export, precision, model, path, reading, texts, calibrator)
        after = _decided(path, reading, texts, calibrator)
        export.checks[precision] = compare(reading.reference, after, texts.data)
        export.tell(f"{precision}: {path.stat().st_size / 1e6:.1f} MB, {told(export.checks[precision])}")
        check_bound(precision, reading.reference, after, texts.data, getattr(options.bounds, precision))
    facts = _with(export.facts, reading.vocabulary)
    return make_manifest(run, export.corpus, facts, export.checks)


def _prune(
    export: Export,
    source: str,
    graph: Any,  # noqa: ANN401 - an onnx.ModelProto
    texts: EvaluationTexts,
    scored: Logits,
    whole: Reading,
    calibrator: Calibrator,
) -> Reading:
    """Choose the vocabulary; with a budget, after a trial has shown how large all but its rows is."""
    options, padding, rows = export.run.options, export.guard.spec.pad_token_id, whole.vocabulary.rows
    ranking = rank(source, export.corpus, export.facts.prefix, options)
    count = ranking.needed
    if options.vocabulary.max_size_mb is not None:
        trial = _read(export, vocabulary_at(ranking, count, rows, padding), texts, scored, calibrator)
        path, precision = export.folder / "trial.onnx", options.default_precision
        _write(export, precision, trial.vocabulary.cut(graph), path, trial, texts, calibrator)
        count = fitting_count(ranking, graph, path.stat().st_size, len(trial.vocabulary.kept), rows, options)
        path.unlink()
    reading = _read(export, vocabulary_at(ranking, count, rows, padding), texts, scored, calibrator)
    export.coverage = measure_coverage(
        [np.concatenate(text.windows) for text in texts.encoded],
        [np.concatenate(text.windows) for text in reading.encoded],
        reading.vocabulary.kept,
        rows,
    )
    export.pruning = compare(whole.reference, reading.reference, texts.data)
    export.tell(f"{export.coverage.sentence()} {told(export.pruning)}")
    check_bound("vocabulary", whole.reference, reading.reference, texts.data, options.bounds.vocabulary)
    return reading


def _read(
    export: Export, vocabulary: Vocabulary, texts: EvaluationTexts, scored: Logits, calibrator: Calibrator
) -> Reading:
    """Read texts by another vocabulary; windows whose tokens stay need not be scored again."""
    encoded = _encoder(export, vocabulary).encode(texts.texts)
    old = [vocabulary.old(window) for text in encoded for window in text.windows]
    forward = torch_forward(export.guard.model)
    logits = highest(rescored(texts.windows, scored, old, forward, export.guard.spec.pad_token_id), encoded)
    return Reading(vocabulary, encoded, decide(logits, texts.data.languages.tolist(), calibrator))


def _write(
    export: Export,
    precision: Precision,
    model: Any,  # noqa: ANN401 - an onnx.ModelProto
    path: Path,
    reading: Reading,
    texts: EvaluationTexts,
    calibrator: Calibrator,
) -> None:
    import onnx

    if precision != "int8":
        onnx.save_model(model if precision == "fp32" else to_half(model), path)
        return
    options = export.run.options
    few = slice(0, options.int8.tune_items)
    part = Reading(reading.vocabulary, reading.encoded[few], reading.reference.some(few))
    languages = texts.data.languages[few]

    def flips(candidate: Path) -> float:
        found = decide(_logits(candidate, part), languages.tolist(), calibrator)
        return max(flip_rates(part.reference, found))

    windows = [window for text in part.encoded for window in text.windows]
    rows, padding = len(reading.vocabulary.kept), reading.vocabulary.padding
    export.int8 = quantise(model, path, rows, windows, padding, options.int8, flips, options.bounds.int8)
    for sentence in export.int8.sentences():
        export.tell(sentence)


def _decided(path: Path, reading: Reading, texts: EvaluationTexts, calibrator: Calibrator) -> Decided:
    return decide(_logits(path, reading), texts.data.languages.tolist(), calibrator)


def _logits(path: Path, reading: Reading) -> Logits:
    columns, padding = reading.reference.logits.shape[1], reading.vocabulary.padding
    windows = [window for text in reading.encoded for window in text.windows]
    return highest(score(windows, onnx_forward(path, columns, padding), padding, columns), reading.encoded)


def _whole_tokenizer(export: Export) -> str:
    return str(export.guard.tokenizer.backend_tokenizer.to_str())


def _encoder(export: Export, vocabulary: Vocabulary) -> Encoder:
    facts = export.facts
    return Encoder(_tokenizer_file(export, vocabulary), window=facts.window, overlap=facts.overlap, prefix=facts.prefix)


def _tokenizer_file(export: Export, vocabulary: Vocabulary) -> Path:
    path = export.folder / TOKENIZER
    path.write_text(vocabulary.tokenizer, encoding="utf-8")
    return path


def _with(facts: ModelFacts, vocabulary: Vocabulary) -> ModelFacts:
    return facts.model_copy(update={"vocabulary": len(vocabulary.kept), "pad_token_id": vocabulary.padding})
