"""Packed rows keep their texts apart: the loss is that of the texts one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.guarding.tiny_guards import model, tokenizer

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*checkpointing:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*pin_memory:UserWarning"),
]
ROWS = (([5, 6, 7, 8, 9], 2), ([9, 9, 8, 7, 10, 11, 12, 30], 3), ([40, 41, 42], 1), ([13, 14, 15, 16, 17, 18], 2))
"""Token ids, and how many of them at the end are the answer."""


def test_texts_of_a_packed_row_do_not_see_each_other(tmp_path: Path) -> None:
    import torch
    from datasets import Dataset
    from trl.trainer.sft_config import SFTConfig

    from train.generative.trainers import GuardSFTTrainer

    rows = [{"input_ids": ids, "labels": [-100] * (len(ids) - n) + ids[len(ids) - n :]} for ids, n in ROWS]
    tokens: Any = tokenizer(None)
    made = model("qwen3", len(tokens))
    trainer = GuardSFTTrainer(
        model=made,
        args=SFTConfig(
            output_dir=str(tmp_path), packing=True, max_length=32, per_device_train_batch_size=1, report_to=[],
            bf16=False, use_cpu=True, gradient_checkpointing=False,
        ),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokens,
    )  # fmt: skip
    batches = list(trainer.get_train_dataloader())
    assert len(batches) == 1
    with torch.no_grad():
        packed = trainer.compute_loss(made, dict(batches[0])).item()
        losses, count = 0.0, 0
        for ids, answer in ROWS:
            logits = made(torch.tensor([ids])).logits[0].log_softmax(-1)
            losses -= sum(logits[place - 1, ids[place]].item() for place in range(len(ids) - answer, len(ids)))
            count += answer
    assert packed == pytest.approx(losses / count, rel=1e-4)
