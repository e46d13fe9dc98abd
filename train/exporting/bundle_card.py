"""The card of a bundle: the run's model card, and what the export did."""

from __future__ import annotations

from pathlib import Path

from babelguard.errors import UserError
from serve.bundle import GuardManifest, PrecisionCheck
from train.exporting.coverage import Coverage
from train.exporting.int8 import Int8Findings
from train.exporting.trained_run import TrainedRun
from train.exporting.verification import told


def bundle_card(
    run: TrainedRun,
    manifest: GuardManifest,
    coverage: Coverage | None,
    pruning: PrecisionCheck | None,
    int8: Int8Findings | None,
    notes: str = "",
) -> str:
    """Return `README.md` of a bundle.

    Args:
        run: The run, whose own card comes first.
        manifest: What `guard.json` says.
        coverage: What pruning the vocabulary does to texts.
        pruning: What it does to decisions.
        int8: What was left out of int8.
        notes: Markdown that ends it.
    """
    card = run.folder / "README.md"
    parts = [card.read_text(encoding="utf-8").rstrip() if card.is_file() else f"# {manifest.name} {manifest.version}"]
    items = next(iter(manifest.verification.values())).items
    parts += [
        "## This bundle",
        "ONNX model, `tokenizer.json` and `guard.json`; it runs with onnxruntime, tokenizers and NumPy alone. "
        f"`{manifest.model.default}` is loaded by default. Exported models were compared with the trained one on "
        f"{items:,} items of the {run.options.split} split: logits, decisions (levels and flags) and linear-weighted "
        "kappa with people, mean over languages and categories.",
        _table(manifest),
    ]
    if coverage is not None and pruning is not None:
        parts.append(
            f"**Vocabulary.** {coverage.sentence()} Against the whole vocabulary {told(pruning)} "
            "Precisions are compared with the trained model on the pruned tokens."
        )
    if int8 is not None:
        parts.append(f"**int8.** {' '.join(int8.summary())}")
    parts += [notes] if notes else []
    return "\n\n".join(parts) + "\n"


def read_notes(path: Path | None) -> str:
    """Return the notes that end a card.

    Raises:
        UserError: The file of `export.notes` cannot be read.
    """
    if path is None:
        return ""
    try:
        return path.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"export.notes: {path} cannot be read as text ({error}); give a Markdown file.") from None


def _table(manifest: GuardManifest) -> str:
    lines = [
        "| precision | largest difference of a logit | levels that flip | flags that flip | kappa before | after |",
        "|---|---|---|---|---|---|",
    ]
    for precision, check in manifest.verification.items():
        flags = (check.model_extra or {}).get("flag_flips", 0.0)
        kappas = [f"{value:.4f}" if value is not None else "-" for value in (check.kappa_before, check.kappa_after)]
        lines.append(
            f"| {precision} | {check.max_difference:.2g} | {check.flips:.3%} | {flags:.3%} | {' | '.join(kappas)} |"
        )
    return "\n".join(lines)
