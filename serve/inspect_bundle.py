"""Verify a bundle and print what it says of itself: `python -m serve.inspect_bundle BUNDLE`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babelguard.command import run_command

if TYPE_CHECKING:
    from serve.bundle import Bundle, GuardManifest


def inspect_bundle(
    bundle: Annotated[Path, typer.Argument(help="Folder of the bundle.")],
    load: Annotated[bool, typer.Option("--load", help="Load the model too, and say what runs it.")] = False,
    precision: Annotated[str | None, typer.Option(help="Precision to load; the bundle's default if not given.")] = None,
) -> None:
    """Verify every file of a guard bundle, and print what guard.json says."""
    from serve.bundle import read_bundle

    source = read_bundle(bundle)
    for line in describe(source):
        typer.echo(line)
    if load:
        from serve.guard import Guard

        typer.echo(f"runs on      {Guard.load(bundle, precision=precision, verify=False).engine}")


def describe(source: Bundle) -> Iterator[str]:
    """Yield the lines that say what a bundle is."""
    manifest = source.manifest
    model = manifest.model
    yield f"{manifest.name} {manifest.version}, made {manifest.created}, licence {manifest.licence}"
    yield f"fingerprint  {source.digest}"
    yield f"base model   {model.base_model} ({model.base_licence}), head {model.head}"
    sizes = {name: (source.folder / file).stat().st_size / 1e6 for name, file in model.files.items()}
    files = (f"{name} {size:.1f} MB{' (default)' * (name == model.default)}" for name, size in sizes.items())
    yield f"model        {', '.join(files)}"
    yield (
        f"texts        windows of {model.window} tokens that share {model.overlap}, prefix {model.prefix!r}, "
        f"{model.vocabulary:,} tokens known"
    )
    yield f"calibration  {manifest.calibration.method}"
    yield from _categories(manifest)
    yield from _languages(manifest)
    for each in manifest.data:
        yield f"data         {each.source}, {each.licence}, {each.items:,} items"
    for name, check in manifest.verification.items():
        yield (
            f"{name:12} {check.flips:.2%} of levels flip on {check.items:,} items, largest difference of a logit "
            f"{check.max_difference:.2g}"
        )


def _categories(manifest: GuardManifest) -> Iterator[str]:
    flags = manifest.thresholds.flags
    yield f"taxonomy     {manifest.taxonomy}"
    for category in manifest.categories:
        flag = f"P(level > {flags.above[category.name]}) = {flags.pooled[category.name]:.3f}"
        yield f"  {category.name:18} levels 1 to {category.scale}, flagged from {flag}"


def _languages(manifest: GuardManifest) -> Iterator[str]:
    thresholds = manifest.thresholds
    for code, facts in sorted(manifest.languages.items()):
        tables: dict[str, Mapping[str, object]] = {
            "calibration": manifest.calibration.languages,
            "levels": thresholds.levels.languages,
            "flags": thresholds.flags.languages,
        }
        own = [name for name, table in tables.items() if table.get(code)]
        values = f"own {' and '.join(own)}" if own else "pooled values"
        why = f" ({thresholds.flags.fallbacks[code]})" if code in thresholds.flags.fallbacks else ""
        claim = "claimed" if facts.claimed else "not claimed"
        yield f"  {code:18} {claim}, {facts.items:,} items, {values}{why}"


if __name__ == "__main__":
    run_command(inspect_bundle, "serve.inspect_bundle")
