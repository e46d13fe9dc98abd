"""Keeps the de-quantised copy of a GGUF model, since transformers needs a minute to make one at every start."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from babelguard.checksums import sha256_of


def cache_folder() -> Path:
    """Return where copies are kept: ``$BABELGUARD_MODELS``, or ``babelguard/models`` in the user's cache folder."""
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("BABELGUARD_MODELS") or user / "babelguard" / "models")


def converted(folder: str, file: str, dtype: str) -> str | None:
    """Return a folder with the model as safetensors, made if it is not there yet.

    Args:
        folder: Local folder of the GGUF file.
        file: Its name.
        dtype: Of the weights in the copy.

    Returns:
        The folder; `None` if there is no such local file, so that the hub's own way is to be taken.
    """
    path = Path(folder) / file
    if not file or not path.is_file():
        return None
    target = cache_folder() / f"{sha256_of(path)[:16]}-{dtype}"
    if not (target / "config.json").is_file():
        _convert(path, target, dtype)
    return str(target)


def _convert(path: Path, target: Path, dtype: str) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="unfinished-") as work:
        made = Path(work) / "model"
        AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name).save_pretrained(made)
        model: Any = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=getattr(torch, dtype))
        # The weights are plain floats now; these two would make transformers refuse to write them.
        model.hf_quantizer = None
        model.is_quantized = False
        del model.config.quantization_config
        model.save_pretrained(made)
        try:
            made.rename(target)
        except OSError:
            if not (target / "config.json").is_file():  # else another run has made it meanwhile
                raise
