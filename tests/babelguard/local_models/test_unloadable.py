"""Whatever a library raises over a model's files is one sentence with the remedy."""

from __future__ import annotations

import pytest

from babelguard.errors import UserError
from babelguard.local_models.loading import LoadingOptions
from babelguard.local_models.unloadable import told_if_unloadable
from babelguard.recipe import validate


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError("We couldn't connect to the hub.\nmore"),
            r"cannot be loaded: We couldn't connect to the hub\. If this",
        ),
        (OSError("no file named model.safetensors"), "has no safetensors weights, and no others are read"),
        (KeyError("model_type"), r"as a causal language model \(KeyError\): 'model_type'\. Check that its files"),
        (Exception("data did not match any variant"), r"\(Exception\): data did not match any variant\. Check"),
        (RuntimeError("size mismatch for a.weight"), r"\(RuntimeError\): size mismatch for a\.weight\. Check"),
        (RuntimeError("You set `ignore_mismatched_sizes` to `False`"), r"of other shapes than its config\.json says"),
        (AssertionError("Torch not compiled with CUDA enabled"), r"cannot be put on a device: .*Set 'device_map'"),
        (ValueError("Unknown type"), r"as a causal language model: Unknown type\. Check"),
        (MemoryError(), r"does not fit into memory: MemoryError\. Set a smaller 'dtype'"),
        (UserError("It is told already."), r"^It is told already\.$"),
    ],
)
def test_an_error_is_one_sentence_with_the_remedy(error: Exception, said: str) -> None:
    with pytest.raises(UserError, match=said) as raised, told_if_unloadable("some/model", "a causal language model"):
        raise error
    assert "\n" not in str(raised.value)


def test_damaged_weights_are_to_be_fetched_again() -> None:
    safetensors = pytest.importorskip("safetensors", reason="weights need safetensors")
    with (
        pytest.raises(UserError, match=r"some/model has damaged weights \(.+\); fetch its \*\.safetensors again"),
        told_if_unloadable("some/model", "a causal language model"),
    ):
        safetensors.deserialize(b"junk" * 8)


@pytest.mark.parametrize("devices", ["meta", {"": "meta"}])
def test_a_device_that_holds_no_weights_is_told(devices):
    with pytest.raises(UserError, match="device_map: the device meta holds no weights"):
        validate({"model": "any", "device_map": devices}, LoadingOptions, "test")
