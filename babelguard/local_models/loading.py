"""Loads a causal language model and its tokenizer from a hub name, a folder or a GGUF file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from babelguard.errors import UserError
from babelguard.local_models.gguf import converted
from babelguard.recipe import RecipeModel

Dtype = Literal["auto", "float32", "bfloat16", "float16"]


class LoadingOptions(RecipeModel):
    """Which model, and how it is put into memory."""

    model: str = Field(description="Hub name, or a local folder with config.json and *.safetensors, or a .gguf file")
    revision: str | None = Field(None, description="Commit, tag or branch on the hub; the default branch if not set")
    gguf_file: str | None = Field(None, description="Name of the GGUF file in the folder or repository, if it is one")
    dtype: Dtype = Field("auto", description="Of the weights; auto is bfloat16 on CUDA and float32 elsewhere")
    device_map: str | dict[str, int | str] = Field(
        "auto", description="Devices: auto (all GPUs, or the CPU), cpu, cuda:0, or a map of modules"
    )
    attention: Literal["auto", "sdpa", "eager"] = Field("auto", description="How transformers computes attention")
    trust_remote_code: bool = Field(False, description="Run Python code that comes with the model")


@dataclass(frozen=True)
class LoadedModel:
    """A model in memory.

    Attributes:
        name: As the recipe names it, without the folders above a local path.
        model: `transformers.PreTrainedModel` in evaluation mode.
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        fingerprint: Hash (16 hex digits) of what decides its answers: weights, revision, dtype.
    """

    name: str
    model: Any
    tokenizer: Any
    fingerprint: str

    @property
    def window(self) -> int | None:
        """The longest sequence in tokens that the model knows positions for, if its configuration says so."""
        config = self.model.config.get_text_config()
        longest = getattr(config, "max_position_embeddings", None)
        return longest if isinstance(longest, int) else None

    @property
    def end_tokens(self) -> frozenset[int]:
        """Ids of the tokens that end an answer."""
        said = getattr(self.model.generation_config, "eos_token_id", None)
        ids = said if isinstance(said, list) else [said]
        return frozenset(i for i in (*ids, self.tokenizer.eos_token_id) if i is not None)


def load_model(options: LoadingOptions) -> LoadedModel:
    """Load weights (safetensors or GGUF only) and tokenizer.

    Raises:
        UserError: A library is missing, the model is not found, the hub cannot be reached, or it is no causal model.
    """
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise UserError(
            f"The model {options.model} needs {error.name}; install it with: pip install 'babelguard[judges]'."
        ) from None
    source, arguments = _source_of(options)
    dtype = options.dtype
    if dtype == "auto":
        dtype = "bfloat16" if torch.cuda.is_available() and options.device_map != "cpu" else "float32"
    common = {"revision": options.revision, "trust_remote_code": options.trust_remote_code, **arguments}
    if options.attention != "auto":
        common["attn_implementation"] = options.attention
    try:
        folder, own = converted(source, str(arguments.get("gguf_file") or ""), dtype), common
        if folder is not None:
            source, own = folder, {key: value for key, value in common.items() if key != "gguf_file"}
        tokenizer = AutoTokenizer.from_pretrained(source, **_without(own, "attn_implementation"))
        model: Any = AutoModelForCausalLM.from_pretrained(
            source, dtype=getattr(torch, dtype), device_map=options.device_map, use_safetensors=True, **own
        )
    except (OSError, ValueError, ImportError) as error:
        raise UserError(_reason(options.model, error)) from None
    name = Path(options.model).name if Path(options.model).exists() else options.model
    return LoadedModel(name, model.eval(), tokenizer, _fingerprint(options, dtype, source, model))


def _source_of(options: LoadingOptions) -> tuple[str, dict[str, Any]]:
    path = Path(options.model).expanduser()
    if path.suffix == ".gguf":
        if not path.is_file():
            raise UserError(f"The model file {path} does not exist; give the path of a .gguf file, or a hub name.")
        return str(path.parent), {"gguf_file": path.name}
    if path.is_dir():
        if options.gguf_file is None and not (path / "config.json").is_file():
            raise UserError(f"The folder {path} holds no config.json, so it is no model that transformers can load.")
        return str(path), {"gguf_file": options.gguf_file} if options.gguf_file else {}
    if options.model.startswith((".", "/", "~")) or options.model.count("/") > 1:
        raise UserError(f"The model folder {path} does not exist; give an existing folder or a hub name (owner/model).")
    return options.model, {"gguf_file": options.gguf_file} if options.gguf_file else {}


def _reason(model: str, error: Exception) -> str:
    first = str(error).strip().split("\n")[0][:300]
    if "safetensors" in first and "trust" not in first:
        return f"The model {model} has no safetensors weights, and no others are read: {first}"
    if isinstance(error, OSError):
        return (
            f"The model {model} cannot be loaded: {first} If this machine does not reach the hub, fetch the model "
            "elsewhere and set the rater's 'model' to its folder; a gated model also needs HF_TOKEN in the environment."
        )
    return f"The model {model} cannot be loaded as a causal language model: {first}"


def _without(arguments: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in arguments.items() if key != name}


def _fingerprint(options: LoadingOptions, dtype: str, source: str, model: Any) -> str:  # noqa: ANN401
    folder = Path(source)
    weights: object = getattr(model.config, "_commit_hash", None)
    if folder.is_dir():
        weights = [(path.name, _digest_of_ends(path)) for path in sorted(folder.iterdir()) if path.is_file()]
    parts = [options.model if not folder.is_dir() else "", weights, dtype, options.attention]
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:16]


def _digest_of_ends(path: Path, size: int = 1 << 20) -> str:
    """Return a hash of a file's length, first and last mebibyte: of 140 GB of weights, all of it would take minutes."""
    length = path.stat().st_size
    with path.open("rb") as stream:
        ends = stream.read(size)
        stream.seek(max(0, length - size))
        ends += stream.read(size)
    return hashlib.sha256(str(length).encode("ascii") + ends).hexdigest()
