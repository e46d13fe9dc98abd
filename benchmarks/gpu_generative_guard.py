"""How fast a generative guard of 0.5 to 1B parameters trains on a GPU: `python benchmarks/gpu_generative_guard.py`.

Fifty steps of our supervised fine-tuning in bfloat16 with LoRA. Prints tokens a second, and the share of the card's
peak that this is: of the peak that its maker states for dense bfloat16, and of what a large matrix product reaches in
the same run. Without ``--model`` the weights are random and of Qwen3-0.6B's shape, so that nothing is downloaded: speed
does not depend on what they are. Where there is no GPU, it says so and skips; ``--tiny`` checks the script anywhere.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from train.lora import LoraOptions, add_lora

PEAKS = {
    "H200": 989.0, "H100": 989.0, "H800": 989.0, "B200": 2250.0, "A100": 312.0, "A800": 312.0, "L40S": 362.0,
    "L40": 181.0, "A40": 150.0, "A10": 125.0, "L4": 121.0, "RTX 4090": 165.0, "RTX 3090": 71.0,
}  # fmt: skip
"""Part of a card's name -> TFLOP/s of dense bfloat16 matrix products without sparsity, as their makers state."""
WARM_UP = 10
"""Steps that are not timed: kernels are chosen and memory is taken in them."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="folder or hub name of a causal model; random weights if not given")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=16, help="items in a batch")
    parser.add_argument("--longest", type=int, default=512, help="tokens of the longest item")
    parser.add_argument("--checkpointing", action="store_true", help="with gradient checkpointing")
    parser.add_argument("--peak", type=float, help="TFLOP/s of the card, where it is not known here")
    parser.add_argument("--tiny", action="store_true", help="a tiny model on any device, to check the script")
    arguments = parser.parse_args()
    import torch

    if not torch.cuda.is_available() and not arguments.tiny:
        print("skipped: no CUDA device on this machine")
        return 0
    torch.manual_seed(0)
    model = _model(arguments)
    tokens = _train(model, arguments)
    _report(model, tokens, arguments)
    return 0


def _model(arguments: argparse.Namespace) -> Any:  # noqa: ANN401 - a peft model
    import torch
    from transformers import AutoModelForCausalLM, Qwen3Config

    dtype = torch.float32 if arguments.tiny else torch.bfloat16
    if arguments.model:
        base = AutoModelForCausalLM.from_pretrained(arguments.model, dtype=dtype, use_safetensors=True)
    else:
        shape = {
            "hidden_size": 1024,
            "intermediate_size": 3072,
            "num_hidden_layers": 28,
            "num_attention_heads": 16,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "vocab_size": 151_936,
            "tie_word_embeddings": True,
        }
        if arguments.tiny:
            shape = {name: 512 if name == "vocab_size" else min(value, 32) for name, value in shape.items()}
            shape |= {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8}
        config = Qwen3Config(**shape, bos_token_id=1, eos_token_id=2, pad_token_id=0)
        base = AutoModelForCausalLM.from_config(config, dtype=dtype)
    return add_lora(base, LoraOptions(), task="CAUSAL_LM")


def _rows(arguments: argparse.Namespace, vocabulary: int) -> list[dict[str, list[int]]]:
    """Return items of mixed length: a prompt, and an answer of a few tokens that is learnt."""
    draw = random.Random(0)
    rows = []
    for _ in range(arguments.steps * arguments.batch):
        length = draw.randint(arguments.longest // 4, arguments.longest)
        answer = min(12, length // 2)
        ids = [draw.randrange(3, vocabulary) for _ in range(length)]
        rows.append({"input_ids": ids, "labels": [-100] * (length - answer) + ids[length - answer :]})
    return rows


def _train(model: Any, arguments: argparse.Namespace) -> dict[str, float]:  # noqa: ANN401 - a peft model
    """Train, and return tokens and seconds of the steps after the warm-up."""
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from transformers import PreTrainedTokenizerFast, TrainerCallback
    from trl.trainer.sft_config import SFTConfig

    from train.generative.trainers import GuardSFTTrainer

    vocabulary = model.get_base_model().config.get_text_config().vocab_size
    words = Tokenizer(WordLevel({"<pad>": 0, "<s>": 1, "</s>": 2}, unk_token="<pad>"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>", bos_token="<s>")
    counted = {"real": 0.0, "padded": 0.0, "pairs": 0.0, "seconds": 0.0}
    state = {"start": 0.0}

    class Counting(GuardSFTTrainer):
        def training_step(self, model: Any, inputs: dict[str, Any], *rest: Any, **more: Any) -> Any:  # noqa: ANN401
            if self.state.global_step >= min(WARM_UP, arguments.steps - 1):
                lengths = inputs["attention_mask"].sum(dim=1)
                counted["real"] += float(lengths.sum())
                counted["padded"] += float(inputs["attention_mask"].numel())
                counted["pairs"] += float((lengths.double() ** 2).sum() / 2)
            return super().training_step(model, inputs, *rest, **more)

    class Clock(TrainerCallback):
        def on_step_begin(self, args: Any, state_: Any, control: Any, **more: Any) -> None:  # noqa: ANN401, ARG002
            if state_.global_step == min(WARM_UP, arguments.steps - 1):
                _wait()
                state["start"] = time.perf_counter()

        def on_step_end(self, args: Any, state_: Any, control: Any, **more: Any) -> None:  # noqa: ANN401, ARG002
            if state_.global_step == arguments.steps:
                _wait()
                counted["seconds"] = time.perf_counter() - state["start"]

    with tempfile.TemporaryDirectory() as folder:
        trainer = Counting(
            model=model,
            args=SFTConfig(
                output_dir=folder, max_steps=arguments.steps, per_device_train_batch_size=arguments.batch,
                learning_rate=1e-4, bf16=torch.cuda.is_available(), gradient_checkpointing=arguments.checkpointing,
                save_strategy="no", eval_strategy="no", logging_steps=10, report_to=[], max_length=arguments.longest,
                dataset_kwargs={"skip_prepare_dataset": True}, train_sampling_strategy="group_by_length",
                disable_tqdm=True, use_cpu=not torch.cuda.is_available(),
            ),
            train_dataset=Dataset.from_list(_rows(arguments, vocabulary)),
            processing_class=tokenizer,
            callbacks=[Clock()],
        )  # fmt: skip
        trainer.train()
    return counted


def _report(model: Any, counted: dict[str, float], arguments: argparse.Namespace) -> None:  # noqa: ANN401
    import torch

    base = model.get_base_model()
    config = base.config.get_text_config()
    embedding = base.get_input_embeddings().weight.numel()
    every = sum(p.numel() for p in base.parameters())
    adapter = sum(p.numel() for p in base.parameters() if p.requires_grad)
    frozen = every - adapter - embedding
    width = config.num_attention_heads * (
        getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    )
    # A frozen matrix costs 2 operations a weight and token forwards and 2 backwards (no gradient of its own), a trained
    # one 6. Scores and their use: 4 operations a pair and width forwards, twice that backwards. The head, for the few
    # answer tokens only, is left out: the figure is a lower bound.
    work = (4 * frozen + 6 * adapter) * counted["real"] + 12 * config.num_hidden_layers * width * counted["pairs"]
    rate = work / counted["seconds"] / 1e12
    print(f"model: {every / 1e6:.0f}M parameters, of which {adapter / 1e6:.1f}M are trained (LoRA)")
    print(f"tokens: {counted['real'] / counted['seconds']:,.0f} a second "
          f"({counted['real'] / counted['padded']:.1%} of the batches is no padding)")  # fmt: skip
    print(f"work: {rate:.2f} TFLOP/s")
    if torch.cuda.is_available():
        name = torch.cuda.get_device_name()
        peak = arguments.peak or next((value for part, value in PEAKS.items() if part in name), None)
        reached = _matrix_product()
        print(f"card: {name}; a matrix product of 8192 reaches {reached:.0f} TFLOP/s in this run")
        print(f"share of that: {rate / reached:.1%}")
        print(f"share of the stated peak: {rate / peak:.1%}" if peak else "stated peak: not known here; give --peak")
        print(f"memory: {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB at most")


def _matrix_product(size: int = 8192, times: int = 20) -> float:
    """Return TFLOP/s of a product of two square matrices in bfloat16."""
    import torch

    left, right = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(3):
        left @ right
    _wait()
    start = time.perf_counter()
    for _ in range(times):
        left @ right
    _wait()
    return 2 * size**3 * times / (time.perf_counter() - start) / 1e12


def _wait() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


if __name__ == "__main__":
    sys.exit(main())
