"""An ONNX graph of a generative guard: from a prompt to the logits of the tokens that decide, and no others.

A whole causal model writes token by token; a guard's decision is in one token. So the graph computes the logits behind
the last token of a prompt for the decisive tokens alone: ``safe`` and ``unsafe``, or the digits of the levels. A judge
is asked line by line: append the line's label, run, append the chosen level, run again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.local_models.choosing import Skeleton
from babelguard.local_models.sequences import only_rows
from evaluation.judging.scoring import answer_lines
from train.exporting.graph import INPUTS, OUTPUT, export_graph
from train.generative.guard_form import GuardForm
from train.generative.judge_form import JudgeForm
from train.generative.load import TrainedGenerativeGuard

GRAPH, RECORD = "model.fp32.onnx", "onnx.json"
BOUND = 1e-2
"""Largest difference of a logit (float32) that still counts as the same graph."""
_PROBES = ("Good morning!", "What time does the library open on Sundays?", "ok", "Le train part à huit heures. " * 12)


class NotExportedError(Exception):
    """Why there is no graph; the weights beside it serve all the same."""


def export_decisive(guard: TrainedGenerativeGuard, folder: Path, opset: int) -> tuple[str, float]:
    """Write the graph and ``onnx.json``, and return its name and the largest difference to torch.

    Args:
        guard: The guard; its model is turned to float32.
        folder: Where to write.
        opset: Version of the ONNX operators.

    Raises:
        NotExportedError: The architecture cannot be exported, is too large, or the graph computes something else.
    """
    import onnx

    model = guard.model.float().cpu().eval()
    tokens, record = _decisive(guard)
    with only_rows(model, tokens) as few:
        if not few:
            raise NotExportedError("its output layer is no plain matrix")
        wrapped = _wrapped(model)
        try:
            made = export_graph(wrapped, longest=guard.spec.model.longest, opset=opset)
        except UserError as error:
            raise NotExportedError(str(error).rstrip(".")) from None
        onnx.save_model(made, folder / GRAPH)
        difference = _difference(wrapped, folder / GRAPH, guard)
    if not difference <= BOUND:
        (folder / GRAPH).unlink()
        raise NotExportedError(f"the graph's logits differ from the model's by {difference:.2g}")
    record = {"format": 1, "file": GRAPH, "padding": "right", "tokens": list(tokens), **record}
    (folder / RECORD).write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return GRAPH, difference


def _decisive(guard: TrainedGenerativeGuard) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Return the decisive tokens, in the graph's columns' order, and what they mean."""
    form = guard.form
    if isinstance(form, JudgeForm):
        lines = answer_lines(form.taxonomy, form.rubric.labels)
        before = "" if form.layout == "chat" else "\n"
        skeleton = Skeleton.encode(lines, form.tokenizer, before)
        said = [
            {
                "category": category.name,
                "label": line.label,
                "label_tokens": list(encoded.forced),
                "levels": [list(choice) for choice in encoded.choices],
            }
            for category, line, encoded in zip(form.taxonomy, lines, skeleton.lines, strict=True)
        ]
        return skeleton.decisive, {"answers": "judge", "lines": said}
    if isinstance(form, GuardForm):
        verdict = form.steps[0]
        tokens = tuple(ids[0] for ids in verdict.answers.values())
        said_first = list(verdict.forced)
        return tokens, {"answers": list(verdict.answers), "first": said_first, "threshold": form.threshold}
    raise NotExportedError(f"the format {guard.spec.answer.format} has no decisive tokens")


def _wrapped(model: Any) -> Any:  # noqa: ANN401 - a torch module
    import torch

    class LastToken(torch.nn.Module):
        """A causal model whose output is the logits behind the last token of each row."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            logits = self.model(input_ids=input_ids, attention_mask=attention_mask, use_cache=False).logits
            last = attention_mask.sum(dim=1) - 1
            behind: torch.Tensor = logits.gather(1, last[:, None, None].expand(-1, 1, logits.shape[-1]))[:, 0]
            return behind.float()

    return LastToken().eval()


def _difference(wrapped: Any, path: Path, guard: TrainedGenerativeGuard) -> float:  # noqa: ANN401 - a torch module
    """Return the largest difference between graph and model, prompt by prompt and in one padded batch."""
    import onnxruntime
    import torch

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    items = [Item(f"probe/{n}", text, "en", "probe", f"probe/{n}") for n, text in enumerate(_PROBES)]
    prompts = [guard.form.ask(item, guard.form.taxonomy.names).ids for item in items]  # type: ignore[attr-defined]
    width = max(map(len, prompts))
    ids = np.full((len(prompts), width), guard.tokenizer.pad_token_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, : len(prompt)], mask[row, : len(prompt)] = prompt, 1
    largest = 0.0
    together = session.run([OUTPUT], dict(zip(INPUTS, (ids, mask), strict=True)))[0]
    for row, prompt in enumerate(prompts):
        alone = np.array([prompt], dtype=np.int64)
        with torch.no_grad():
            wanted = wrapped(torch.from_numpy(alone), torch.ones_like(torch.from_numpy(alone))).numpy()[0]
        found = session.run([OUTPUT], dict(zip(INPUTS, (alone, np.ones_like(alone)), strict=True)))[0][0]
        largest = max(largest, float(np.abs(found - wanted).max()), float(np.abs(together[row] - wanted).max()))
    return largest
