"""Loads a causal language model and its tokenizer from a hub name, a folder or a GGUF file."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

from babelguard.checksums import hash_of
from babelguard.errors import UserError
from babelguard.local_models.gguf import converted
from babelguard.local_models.unloadable import told_if_unloadable
from babelguard.local_models.vocabulary import check_vocabulary
from babelguard.recipe import RecipeModel

_WHAT = "a causal language model"

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

    @field_validator("device_map")
    @classmethod
    def _holds_weights(cls, devices: str | dict[str, int | str]) -> str | dict[str, int | str]:
        if "meta" in (devices.values() if isinstance(devices, dict) else [devices]):
            raise ValueError("the device meta holds no weights; name auto, cpu or cuda:0")
        return devices


@dataclass(frozen=True)
class LoadedModel:
    """A model in memory.

    Attributes:
        name: As the recipe names it, without the folders above a local path.
        model: `transformers.PreTrainedModel` in evaluation mode.
        tokenizer: `transformers.PreTrainedTokenizerBase`.
    """

    name: str
    model: Any
    tokenizer: Any

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


def fingerprint_of(options: LoadingOptions) -> str:
    """Return a hash (16 hex digits) of what decides the model's answers, without loading its weights.

    Of a local model, names, lengths and both ends of its files count; of one on the hub, its commit.

    Raises:
        UserError: A library is missing, the model is not found, or the hub cannot be reached.
    """
    _require_libraries(options)
    from transformers import AutoConfig

    source, arguments = _source_of(options)
    folder = Path(source)
    if folder.is_dir():
        files = [folder / arguments["gguf_file"]] if arguments else sorted(folder.iterdir())
        return hash_of(
            [_digest_of_ends(path) for path in files if path.is_file()], dtype_of(options), options.attention
        )
    with told_if_unloadable(options.model, _WHAT):
        config = AutoConfig.from_pretrained(
            source, revision=options.revision, trust_remote_code=options.trust_remote_code
        )
    return hash_of(source, config._commit_hash, arguments, dtype_of(options), options.attention)


def name_of(options: LoadingOptions) -> str:
    """Return the model's name for people: as the recipe names it, without the folders above a local path."""
    path = Path(options.model).expanduser()
    return path.name if path.exists() else options.model


def dtype_of(options: LoadingOptions) -> str:
    """Return the type of the weights in memory."""
    import torch

    if options.dtype != "auto":
        return options.dtype
    return "bfloat16" if torch.cuda.is_available() and options.device_map != "cpu" else "float32"


def load_model(options: LoadingOptions) -> LoadedModel:
    """Load weights (safetensors or GGUF only) and tokenizer.

    Raises:
        UserError: A library is missing, the model is not found, the hub cannot be reached, or it is no causal model.
    """
    _require_libraries(options)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    source, arguments = _source_of(options)
    dtype = dtype_of(options)
    attention = {} if options.attention == "auto" else {"attn_implementation": options.attention}
    with told_if_unloadable(options.model, _WHAT):
        copy = converted(source, arguments["gguf_file"], dtype) if arguments else None
        if copy is not None:
            source, arguments = copy, {}
        common: dict[str, Any] = {
            "revision": options.revision,
            "trust_remote_code": options.trust_remote_code,
            **arguments,
        }
        tokenizer = AutoTokenizer.from_pretrained(source, **common)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            source,
            dtype=getattr(torch, dtype),
            device_map=options.device_map,
            use_safetensors=True,
            output_loading_info=True,
            **attention,
            **common,
        )
    model, report = loaded
    check_vocabulary(tokenizer, model.config, options.model)
    if missing := sorted(report["missing_keys"]):
        raise UserError(
            f"The model {options.model} lacks trained weights for {missing[0]}, so it is no finished language model; "
            "name one that writes text."
        )
    return LoadedModel(name_of(options), model.eval(), tokenizer)


def _require_libraries(options: LoadingOptions) -> None:
    missing = [name for name in ("torch", "transformers", "accelerate") if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"The model {options.model} needs {' and '.join(missing)}; install with: pip install 'babelguard[judges]'."
        )


def _source_of(options: LoadingOptions) -> tuple[str, dict[str, str]]:
    """Return what transformers loads from, and the name of the GGUF file in it, if it is one."""
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


def _digest_of_ends(path: Path, size: int = 1 << 20) -> str:
    """Return a hash of a file's name, length and both ends: of 140 GB of weights, all of it would take minutes."""
    length = path.stat().st_size
    with path.open("rb") as stream:
        ends = stream.read(size)
        stream.seek(max(0, length - size))
        ends += stream.read(size)
    return hashlib.sha256(f"{path.name} {length} ".encode() + ends).hexdigest()
