"""Puts a LoRA adapter, of a guard that is published as one, into its base model."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, replace
from pathlib import Path

from babelguard.checksums import hash_of, sha256_of
from babelguard.errors import UserError
from babelguard.local_models.loading import LoadedModel

_WEIGHTS, _CONFIGURATION = "adapter_model.safetensors", "adapter_config.json"


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter on this machine.

    Attributes:
        name: As the recipe names it.
        folder: Holds its configuration and its weights.
    """

    name: str
    folder: Path

    @property
    def fingerprint(self) -> str:
        """Hash of what it does to its model."""
        return hash_of(sha256_of(self.folder / _WEIGHTS), sha256_of(self.folder / _CONFIGURATION))

    def merge_into(self, loaded: LoadedModel) -> LoadedModel:
        """Return the model with the adapter's weights merged into its own, which changes it.

        Raises:
            UserError: The adapter does not fit the model.
        """
        from peft import PeftModel

        try:
            merged = PeftModel.from_pretrained(loaded.model, str(self.folder)).merge_and_unload(safe_merge=True)
        except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
            first = str(error).strip().split("\n")[0][:300]
            raise UserError(f"The adapter {self.name} does not fit the model {loaded.name}: {first}") from None
        return replace(loaded, model=merged.eval())


def find_adapter(name: str, revision: str | None = None) -> Adapter:
    """Find an adapter in a local folder, or fetch it from the hub; only safetensors are read.

    Args:
        name: Hub name, or a local folder with adapter_config.json and adapter_model.safetensors.
        revision: Commit, tag or branch on the hub.

    Raises:
        UserError: peft is missing, or the adapter is not found or has no safetensors weights.
    """
    if importlib.util.find_spec("peft") is None:
        raise UserError(f"The adapter {name} needs peft; install it with: pip install 'babelguard[judges]'.")
    return Adapter(name, _folder_of(name, revision))


def _folder_of(adapter: str, revision: str | None) -> Path:
    path = Path(adapter).expanduser()
    if path.is_dir():
        for name in (_CONFIGURATION, _WEIGHTS):
            if not (path / name).is_file():
                raise UserError(f"The adapter folder {path} holds no {name}; other formats are not read.")
        return path
    if adapter.startswith((".", "/", "~")):
        raise UserError(f"The adapter folder {path} does not exist; give an existing folder or a hub name.")
    from huggingface_hub import hf_hub_download

    try:
        fetched = [Path(hf_hub_download(adapter, name, revision=revision)) for name in (_CONFIGURATION, _WEIGHTS)]
    except (OSError, ValueError) as error:
        first = str(error).strip().split("\n")[0][:300]
        raise UserError(
            f"The adapter {adapter} cannot be fetched: {first} If this machine does not reach the hub, fetch it "
            "elsewhere and set the rater's 'adapter' to its folder; a gated one also needs HF_TOKEN in the environment."
        ) from None
    return fetched[0].parent
