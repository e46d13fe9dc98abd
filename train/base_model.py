"""The base model that a guard is trained from: where it is, in which type it is loaded, and why it cannot be."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from babelguard.errors import UserError
from train.lora import LoraOptions


class BaseRecipe(Protocol):
    """What recipes of all kinds say about their base model."""

    @property
    def base(self) -> str:
        """Hub name or folder."""

    @property
    def revision(self) -> str | None:
        """Commit, tag or branch on the hub."""

    @property
    def dtype(self) -> str:
        """Type of the weights, or auto."""

    @property
    def trust_remote_code(self) -> bool:
        """Whether code that comes with the model is run."""


def require_libraries(model: str, names: Sequence[str]) -> None:
    """Check that what training needs is installed.

    Raises:
        UserError: It is not; the sentence says what to install.
    """
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"Training {model} needs {' and '.join(missing)}; install with: pip install 'babelguard[train]'."
        )


def source_of(recipe: BaseRecipe) -> tuple[str, dict[str, Any]]:
    """Return what transformers loads from, and its arguments.

    Raises:
        UserError: The folder does not exist or holds no model.
    """
    folder = Path(recipe.base).expanduser()
    common: dict[str, Any] = {"trust_remote_code": recipe.trust_remote_code, "revision": recipe.revision}
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise UserError(f"The folder {folder} holds no config.json, so it is no model that transformers can load.")
        return str(folder), common
    if recipe.base.startswith((".", "/", "~")) or recipe.base.count("/") > 1:
        raise UserError(f"The model folder {folder} does not exist; set model.base to a folder or a hub name.")
    return recipe.base, common


def dtype_of(recipe: BaseRecipe, lora: LoraOptions | None) -> str:
    """Return the type of the weights in memory; those that are trained stay in float32, where small steps count."""
    import torch

    if recipe.dtype != "auto":
        return recipe.dtype
    return "bfloat16" if lora is not None and torch.cuda.is_available() else "float32"


def not_loaded(model: str, error: Exception, kind: str) -> UserError:
    """Return the error that says why a model cannot be loaded, and the remedy.

    Args:
        model: Its name.
        error: What its loading raised.
        kind: What it should have been, such as "a causal language model".
    """
    first = str(error).strip().split("\n")[0][:300].rstrip(".") + "."
    if "safetensors" in first and "trust" not in first:
        return UserError(f"The model {model} has no safetensors weights, and no others are read: {first}")
    if isinstance(error, OSError):
        return UserError(
            f"The model {model} cannot be loaded: {first} If this machine does not reach the hub, fetch the model "
            "elsewhere and set model.base to its folder; a gated model also needs HF_TOKEN in the environment."
        )
    return UserError(f"The model {model} cannot be loaded as {kind}: {first}")
