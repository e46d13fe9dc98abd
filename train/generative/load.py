"""Loads a trained generative guard: the model with its adapter merged, the tokenizer, and the format it answers in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from babelguard.errors import UserError
from babelguard.taxonomy import taxonomy
from train.generative.form import Form
from train.generative.loading import load_causal, load_trained_tokenizing
from train.generative.spec import GenerativeSpec, read_spec

Dtype = Literal["auto", "float32", "bfloat16", "float16"]
BEST, RUBRIC = "best", "rubric.j2"


@dataclass(frozen=True)
class TrainedGenerativeGuard:
    """A trained generative guard, ready to rate or to export.

    Attributes:
        model: `transformers.PreTrainedModel` in evaluation mode, its adapter merged into its weights.
        tokenizer: `transformers.PreTrainedTokenizerBase`, with a pad token.
        form: The format in which it answers.
        spec: What it is.
    """

    model: Any
    tokenizer: Any
    form: Form
    spec: GenerativeSpec


def load_trained(run: Path, device: str = "cpu", dtype: Dtype = "auto") -> TrainedGenerativeGuard:
    """Load what a run left in ``best/``.

    The adapter is merged into the base model's own weights, also where it was trained on 4-bit ones (QLoRA).

    Args:
        run: The run's folder.
        device: As torch names it; ``auto`` is the first GPU, else the CPU.
        dtype: Of the weights; ``auto`` is bfloat16 on CUDA, else float32. The adapter is merged in float32.

    Raises:
        UserError: The folder holds no finished training, or the base model is not where it was.
    """
    import torch

    spec = read_spec(run)
    best = run / BEST
    if not best.is_dir():
        raise UserError(f"{run} holds no {BEST}/: training has not ended; start it again to go on.")
    answer = spec.answer
    if answer.format == "judge":
        answer = answer.model_copy(update={"rubric": run / RUBRIC})
    tokenizing = load_trained_tokenizing(best, spec.model_copy(update={"answer": answer}), taxonomy(spec.taxonomy))
    if spec.adapter:
        from peft import PeftModel

        base = load_causal(spec.model.model_copy(update={"dtype": "float32"}), None)
        try:
            model = PeftModel.from_pretrained(base, str(best)).merge_and_unload(safe_merge=True)
        except (ValueError, RuntimeError, KeyError) as error:
            first = str(error).strip().split("\n")[0][:200]
            raise UserError(f"The adapter in {best} does not fit {spec.model.base}: {first}") from None
    else:
        model = load_causal(spec.model.model_copy(update={"base": str(best.resolve()), "revision": None}), None)
    set_ends(model, tokenizing.end, tokenizing.tokenizer.pad_token_id)
    chosen = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
    if dtype == "auto":
        dtype = "bfloat16" if chosen.startswith("cuda") else "float32"
    model = model.to(chosen, dtype=getattr(torch, dtype)).eval()
    return TrainedGenerativeGuard(model, tokenizing.tokenizer, tokenizing.form, spec)


def set_ends(model: Any, end: int, pad: int) -> None:  # noqa: ANN401 - a transformers model
    """Let the token that ends an answer end generation too, beside those that did before."""
    had = model.generation_config.eos_token_id
    known = had if isinstance(had, list) else [] if had is None else [had]
    model.generation_config.eos_token_id = list(dict.fromkeys([end, *known]))
    model.generation_config.pad_token_id = pad
