"""A classifier's files: configuration and tokenizer at once, weights when they are first needed."""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.local_models.unloadable import told_if_unloadable
from babelguard.local_models.vocabulary import check_vocabulary

_ENDS = 1 << 20
_WHAT = "a sequence classifier"


@dataclass(frozen=True)
class Checkpoint:
    """A model that can be loaded.

    Attributes:
        name: As the recipe names it; of a local folder, only its last part.
        source: Hub name or folder.
        revision: Commit, tag or branch on the hub.
        trust_remote_code: Whether Python code that comes with the model is run.
        config: Its configuration.
        tokenizer: Its tokenizer, a fast one.
        digest: Hash of what decides its outputs.
    """

    name: str
    source: str
    revision: str | None
    trust_remote_code: bool
    config: Any
    tokenizer: Any
    digest: str

    def load(self, device: str, dtype: str) -> Any:  # noqa: ANN401 - a model of transformers
        """Load the weights (safetensors only) for inference.

        Args:
            device: As torch names it; ``auto`` is the first GPU, else the CPU.
            dtype: Type of the weights, as torch names it.

        Raises:
            UserError: There are no such weights, or they lack the classification head.
        """
        import torch
        from transformers import AutoModelForSequenceClassification

        with told_if_unloadable(self.name, _WHAT):
            model, report = AutoModelForSequenceClassification.from_pretrained(
                self.source,
                config=self.config,
                revision=self.revision,
                trust_remote_code=self.trust_remote_code,
                use_safetensors=True,
                dtype=getattr(torch, dtype),
                output_loading_info=True,
            )
        if missing := sorted(report["missing_keys"]):
            raise UserError(
                f"The model {self.name} lacks trained weights for {missing[0]}, so it is no finished classifier; "
                "name a model that was trained for sequence classification."
            )
        chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        try:
            return model.eval().to(chosen)
        except (RuntimeError, AssertionError) as error:
            raise UserError(f"The model {self.name} cannot be put on the device {chosen}: {error}.") from None


def open_checkpoint(model: str, revision: str | None, tokenizer: str | None, *, trust_remote_code: bool) -> Checkpoint:
    """Read a model's configuration and tokenizer.

    Args:
        model: Hub name or folder.
        revision: Commit, tag or branch on the hub.
        tokenizer: Hub name or folder of the tokenizer, where the model comes without one.
        trust_remote_code: Whether Python code that comes with the model is run.

    Raises:
        UserError: A library is missing, the model is not found, the hub cannot be reached, or it has no fast tokenizer.
    """
    _require_libraries(model)
    from transformers import AutoConfig, AutoTokenizer

    folder = Path(model).expanduser()
    local = folder.is_dir()
    if not local and (model.startswith((".", "/", "~")) or model.count("/") > 1):
        raise UserError(
            f"The model folder {model} does not exist; give an existing folder or a hub name (owner/model)."
        )
    if local and not (any(folder.glob("*.safetensors")) and (folder / "config.json").is_file()):
        raise UserError(
            f"The folder {model} needs config.json and *.safetensors; other weights can run code and are not read."
        )
    source, name = (str(folder), folder.name) if local else (model, model)
    common: dict[str, Any] = {"trust_remote_code": trust_remote_code}
    with told_if_unloadable(name, _WHAT):
        config = AutoConfig.from_pretrained(source, revision=revision, **common)
        own = tokenizer is None
        loaded = AutoTokenizer.from_pretrained(tokenizer or source, revision=revision if own else None, **common)
    if not loaded.is_fast:
        raise UserError(f"The model {name} has no fast tokenizer (tokenizer.json), which windows need; convert it.")
    check_vocabulary(loaded, config, name)
    parts = [_digest_of_folder(folder) if local else f"{source} {config._commit_hash}"]
    if tokenizer is not None:
        of_tokenizer = Path(tokenizer).expanduser()
        parts.append(_digest_of_folder(of_tokenizer) if of_tokenizer.is_dir() else tokenizer)
    return Checkpoint(name, source, revision, trust_remote_code, config, loaded, " ".join(parts))


def _require_libraries(model: str) -> None:
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"The model {model} needs {' and '.join(missing)}; install with: pip install 'babelguard[judges]'."
        )


def _digest_of_folder(folder: Path) -> str:
    """Return a hash of names, lengths and both ends of a folder's files: of large weights, all would take minutes."""
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if not path.is_file() or path.suffix not in {".json", ".safetensors", ".txt", ".model", ".py"}:
            continue
        length = path.stat().st_size
        digest.update(f"{path.name} {length} ".encode())
        with path.open("rb") as stream:
            digest.update(stream.read(_ENDS))
            stream.seek(max(0, length - _ENDS))
            digest.update(stream.read(_ENDS))
    return digest.hexdigest()
