"""Loads a trained classifier: the model with its adapter merged, the tokenizer, and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from train.classifier.build import build_model
from train.classifier.dataset import Collator, WindowList
from train.classifier.encoding import encode_texts
from train.classifier.spec import GuardSpec, read_spec
from train.classifier.vocabulary import load_cut

if TYPE_CHECKING:
    from train.classifier.model import GuardClassifier

BEST = "best"


@dataclass(frozen=True)
class TrainedGuard:
    """A trained classifier, ready to rate or to export.

    Attributes:
        model: The classifier in evaluation mode, its adapter merged into its weights.
        tokenizer: `transformers.PreTrainedTokenizerBase`, with a pad token.
        spec: What it is.
    """

    model: GuardClassifier
    tokenizer: Any
    spec: GuardSpec

    def logits(self, texts: Sequence[str], batch_items: int = 64) -> NDArray[np.float32]:
        """Return exceedance logits of texts, shape (texts, columns); of a long text the highest over its windows."""
        import torch

        encoded = encode_texts(self.tokenizer, texts, self.spec.model.prefix, self.spec.model.window)
        windows = WindowList.all_windows(encoded, self.spec.model.overlap)
        collate = Collator(self.spec.pad_token_id)
        device = next(self.model.parameters()).device
        found = np.full((len(texts), len(self.spec.columns)), -np.inf, dtype=np.float32)
        order = windows.order
        with torch.inference_mode():
            for start in range(0, len(windows), batch_items):
                rows = range(start, min(start + batch_items, len(windows)))
                batch = collate([windows[row] for row in rows])
                logits = self.model(batch["input_ids"].to(device), batch["attention_mask"].to(device))
                np.maximum.at(found, order[rows.start : rows.stop], logits.float().cpu().numpy())
        return found


def load_trained(run: Path, device: str = "cpu") -> TrainedGuard:
    """Load what a run left in ``best/``.

    Args:
        run: The run's folder.
        device: As torch names it; ``auto`` is the first GPU, else the CPU.

    Raises:
        UserError: The folder holds no finished training, or the base model is not where it was.
    """
    import torch

    spec = read_spec(run)
    best = run / BEST
    weights = best / ("adapter_model.safetensors" if spec.adapter else "model.safetensors")
    if not weights.is_file():
        raise UserError(f"{run} holds no {weights.relative_to(run)}: training has not ended; run it again to go on.")
    built = build_model(spec.model, spec.head, spec.columns, None)
    model: Any = built.model
    tokenizer = built.tokenizer if spec.model.vocabulary is None else load_cut(best, model.backbone)
    if spec.adapter:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, str(best)).merge_and_unload()
    else:
        from safetensors.torch import load_file

        model.load_state_dict(load_file(weights))
    chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    return TrainedGuard(model.to(chosen).eval(), tokenizer, spec)
