"""The sentence for a model whose files cannot be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from babelguard.errors import UserError

_SHOWN = 300


@contextmanager
def told_if_unloadable(model: str, what: str) -> Iterator[None]:
    """Turn whatever a library raises over a model's files into one sentence with the remedy.

    Put only calls of transformers and safetensors under it. What these raise over a cut download, a foreign
    `config.json` or a damaged `tokenizer.json` has no common type: `SafetensorError` and the tokenizers' own errors
    derive from `Exception` alone.

    Args:
        model: Its name as the recipe states it.
        what: What it is loaded as, such as ``a causal language model``.

    Raises:
        UserError: The model cannot be loaded.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - see above
        raise UserError(_reason(model, what, error)) from None


def _reason(model: str, what: str, error: Exception) -> str:
    """Return the first sentence that is true of an error."""
    lines = str(error).strip().split("\n")
    first = (lines[0][:_SHOWN] or type(error).__name__).rstrip(".:!") + "."
    kind = "" if isinstance(error, ValueError | ImportError) else f" ({type(error).__name__})"
    sentences = (
        (
            type(error).__name__ == "SafetensorError",
            f"The model {model} has damaged weights ({first.rstrip('.')}); fetch its *.safetensors again.",
        ),
        (
            "safetensors" in first and "trust" not in first,
            f"The model {model} has no safetensors weights, and no others are read: {first}",
        ),
        (
            "ignore_mismatched_sizes" in first,
            f"The model {model} has weights of other shapes than its config.json says; fetch both again.",
        ),
        (
            isinstance(error, MemoryError) or "out of memory" in str(error).lower(),
            f"The model {model} does not fit into memory: {first} Set a smaller 'dtype', or name a smaller model.",
        ),
        (
            "device_map" in first or "CUDA" in first,
            f"The model {model} cannot be put on a device: {first} Set 'device_map' to one of this machine, or cpu.",
        ),
        (
            isinstance(error, OSError),
            f"The model {model} cannot be loaded: {first} If this machine does not reach the hub, fetch the model "
            "elsewhere and set the rater's 'model' to its folder; a gated one also needs HF_TOKEN in the environment.",
        ),
    )
    otherwise = (
        f"The model {model} cannot be loaded as {what}{kind}: {first} Check that its files are whole and that it is a "
        "model of this kind."
    )
    return next((sentence for applies, sentence in sentences if applies), otherwise)
