"""What `python -m train.export` does, by the kind of guard that a run trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import yaml
from rich.console import Console

from babelguard.errors import UserError, unknown_name
from babelguard.recipe import validate
from train.exporting.hub import upload_adapter, upload_folder
from train.exporting.trained_run import kind_of, read_plan, read_run

Exporter = Callable[[Path, Path, Sequence[str], bool], None]


def export_run(
    run: Path,
    to: Path | None,
    *,
    overrides: Sequence[str] = (),
    overwrite: bool = False,
    repository: str | None = None,
    adapter: bool = False,
    public: bool = False,
    dry_run: bool = False,
) -> None:
    """Export a run, upload it, or both.

    Args:
        run: The run's folder.
        to: The folder to write; needed unless only an adapter is uploaded.
        overrides: ``a.b=c`` each, for the run's recipe.
        overwrite: Replace an earlier export.
        repository: Hub repository to upload to.
        adapter: Upload the adapter instead of the export.
        public: Make a new repository public.
        dry_run: Only print the options.

    Raises:
        UserError: An option is missing or wrong, the run is not finished, or decisions differ too often.
    """
    kind = kind_of(run)
    if kind not in _EXPORTERS:
        raise unknown_name("kind of guard in this run", kind, _EXPORTERS)
    if adapter and repository is None:
        raise UserError("--adapter says what to upload; name the repository with --push-to-hub OWNER/NAME.")
    if to is None and not adapter and not dry_run:
        raise UserError("Name the folder to write with --to.")
    if dry_run:
        _show(run, overrides)
        return
    if to is not None:
        _EXPORTERS[kind](run, to, overrides, overwrite)
    if repository is not None:
        if adapter:
            place = upload_adapter(run, repository, public=public)
        else:
            assert to is not None
            place = upload_folder(to, repository, public=public)
        _tell(f"Uploaded to {place}")


def _export_classifier(run: Path, to: Path, overrides: Sequence[str], overwrite: bool) -> None:
    from train.exporting.classifier import export_classifier

    bundle = export_classifier(read_run(run, overrides), to, overwrite=overwrite, tell=_tell)
    size = sum(path.stat().st_size for path in bundle.folder.rglob("*") if path.is_file())
    _tell(f"Bundle: {bundle.folder} ({size / 1e6:.1f} MB)")


def _export_generative(run: Path, to: Path, overrides: Sequence[str], overwrite: bool) -> None:
    from train.generative.export import export_generative
    from train.generative.export_options import GenerativeExportOptions

    plan = read_plan(run, overrides)
    options = validate(plan.recipe.export, GenerativeExportOptions, str(run), ("export",))
    done = export_generative(run, to, options, overwrite=overwrite)
    _tell(f"{done.flips:.3%} of {done.compared:,} levels flip; ONNX: {done.onnx}")
    _tell(f"Merged weights: {done.folder}")


def _show(run: Path, overrides: Sequence[str]) -> None:
    plan = read_plan(run, overrides)
    options = validate(plan.recipe.export, plan.kind.export, str(run), ("export",))
    _tell(yaml.safe_dump({"export": options.model_dump(mode="json")}, sort_keys=False, allow_unicode=True).rstrip())


def _tell(sentence: str) -> None:
    Console(highlight=False).print(sentence, markup=False, soft_wrap=True)


_EXPORTERS: dict[str, Exporter] = {"classifier": _export_classifier, "generative": _export_generative}
