"""Presets: what is known about one model, as data, so that a recipe names it in one line.

A preset is a YAML file ``recipes/evaluation/raters/<name>.yaml`` with a ``kind``, a sentence ``about`` it, and options
of that rater kind. In a recipe, ``- {kind: sequence-classifier, preset: toxic-bert, model: /local/folder}`` takes the
preset's options; those that the recipe states win, each as a whole. In a preset, ``${folder}`` stands for the folder of
its file, so that a model and its preset can be moved together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import model_validator

from babelguard.errors import UserError, unknown_name
from babelguard.recipe import read_yaml

FOLDER = Path(__file__).resolve().parents[1] / "recipes" / "evaluation" / "raters"
SUFFIX = ".yaml"
HERE = "${folder}"


@dataclass(frozen=True, slots=True)
class Preset:
    """Options of a rater kind under a name.

    Attributes:
        name: The file's name without its ending.
        kind: The rater kind that the options are for.
        about: One sentence for people: what it is, from where, under which licence.
        options: The options.
    """

    name: str
    kind: str
    about: str
    options: Mapping[str, Any]


def preset_names(kind: str | None = None, folder: Path | None = None) -> tuple[str, ...]:
    """Return the names of the presets of one kind, or of all kinds, sorted."""
    folder = folder or FOLDER
    names = sorted(path.stem for path in folder.glob(f"*{SUFFIX}"))
    return tuple(name for name in names if kind is None or _read(folder / f"{name}{SUFFIX}").kind == kind)


def load_preset(name: str, kind: str, folder: Path | None = None) -> Preset:
    """Read the preset of a name, or of a YAML file of one's own where the name ends in ``.yaml``.

    Args:
        name: The name, as in docs/raters.md, or the path of a file.
        kind: The rater kind that wants it.
        folder: Where the presets are; the repository's if not given.

    Raises:
        UserError: There is no such preset, its file is malformed, or it is of another kind.
    """
    if name.endswith(SUFFIX):
        preset = _read(Path(name))
    elif name in preset_names(folder=folder):
        preset = _read((folder or FOLDER) / f"{name}{SUFFIX}")
    else:
        raise unknown_name(f"preset of the rater kind {kind}", name, preset_names(kind, folder))
    if preset.kind != kind:
        raise UserError(
            f"The preset {name!r} is of the rater kind {preset.kind}, not {kind}; "
            "change the rater's kind, or name a preset of its kind."
        )
    return preset


def preset_options(kind: str) -> Any:  # noqa: ANN401 - pydantic's own descriptor
    """Return a validator that fills a rater's options from the preset that they name.

    Use it in the options of a kind, beside a field ``preset: str | None``::

        _from_preset = preset_options("sequence-classifier")
    """

    def fill(values: Any) -> Any:  # noqa: ANN401 - whatever the recipe holds
        name = values.get("preset") if isinstance(values, Mapping) else None
        if not isinstance(name, str):
            return values
        return {**load_preset(name, kind).options, **values}

    return model_validator(mode="before")(fill)


def _read(path: Path) -> Preset:
    options = read_yaml(path)
    kind, about = options.pop("kind", None), options.pop("about", "")
    if not isinstance(kind, str) or not isinstance(about, str):
        raise UserError(
            f"{path} must say 'kind: <a rater kind of docs/raters.md>', and in 'about', if at all, a sentence."
        )
    if "preset" in options:
        raise UserError(
            f"{path} names a preset itself; presets do not build on one another, so state its options here."
        )
    return Preset(path.stem, kind, " ".join(about.split()), _located(options, str(path.parent)))


def _located(value: Any, folder: str) -> Any:  # noqa: ANN401 - any YAML value
    """Return a value with the folder in the place of `HERE`."""
    if isinstance(value, str):
        return value.replace(HERE, folder)
    if isinstance(value, dict):
        return {key: _located(inner, folder) for key, inner in value.items()}
    return [_located(inner, folder) for inner in value] if isinstance(value, list) else value
