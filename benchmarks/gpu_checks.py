"""Checks that need a GPU, in under five minutes: `python benchmarks/gpu_checks.py [--model FOLDER OR NAME]`.

Without a model, a tiny one with random weights is made, so that nothing is downloaded. Prints a line a check, and ends
with 1 if one failed. Where there is no GPU, or no vLLM, it says so and skips.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babelguard.generator import GENERATORS, Decoding, Prompt
from babelguard.item import Message
from babelguard.local_models.choosing import ChoiceLine, Failure
from babelguard.local_models.shelf import SHELF
from babelguard.recipe import validate

RUBRIC = "Rate the text in a few lines, each a name and a level. " * 12
TEXTS = ("The weather is fine.", "Guten Morgen!", "早上好", "a", "The bakery opens at seven and closes at noon. " * 6)
LINES = (ChoiceLine("Toxicity:", (" 1", " 2", " 3", " 4", " 5")), ChoiceLine("\nInsult:", (" 1", " 2", " 3")))
CLOSE_FLOAT32 = 1e-3
CLOSE_BFLOAT16 = 0.25
"""Largest difference of log-probabilities that rounding to 8 bits explains."""
FEW_TOKENS = Decoding(12)

Check = Callable[[Path], list[str]]


def prompts(chat: bool = True) -> list[Prompt]:
    """Return prompts that share a long beginning."""
    texts = [f"{RUBRIC}\nText: {text}\n" for text in TEXTS]
    return [Prompt(messages=(Message("user", text),)) if chat else Prompt(text=text) for text in texts]


def generator(backend: str, model: Path, **options: Any) -> Any:  # noqa: ANN401 - any backend's
    """Make a backend's generator."""
    kind = GENERATORS.get(backend)
    return kind.build(validate({"model": str(model), **options}, kind.options, "gpu_checks"))


def chosen(made: Any, chat: bool) -> list[list[tuple[int, tuple[float, ...]]]]:  # noqa: ANN401 - any backend's
    """Return index and log-probabilities of every line, for every prompt."""
    found = []
    for answer in made.choose(prompts(chat), LINES, "" if chat else "\n"):
        if isinstance(answer, Failure):
            raise AssertionError(answer.detail)
        found.append([(choice.index, choice.log_probabilities) for choice in answer])
    return found


def differences(one: Sequence[Any], other: Sequence[Any], close: float, what: str) -> list[str]:
    """Return where two backends differ: log-probabilities by more than `close`, levels where it is no tie."""
    problems = []
    for number, (lines, same) in enumerate(zip(one, other, strict=True)):
        for place, ((index, values), (index2, values2)) in enumerate(zip(lines, same, strict=True)):
            if index != index2:
                if abs(values[index] - values[index2]) > close:
                    problems.append(f"{what}: prompt {number}, line {place}: level {index + 1} against {index2 + 1}")
                break  # what follows is conditioned on another level
            worst = max(abs(a - b) for a, b in zip(values, values2, strict=True))
            if worst > close:
                problems.append(f"{what}: prompt {number}, line {place}: log-probabilities differ by {worst:.2g}")
    return problems


def check_gpu_against_cpu(model: Path) -> list[str]:
    """Compare float32 on the GPU with float32 on the CPU, in both modes."""
    cpu = generator("transformers", model, dtype="float32", device_map="cpu")
    levels, texts = chosen(cpu, is_chat(model)), written(cpu, model)
    gpu = generator("transformers", model, dtype="float32", device_map="cuda:0")
    problems = differences(chosen(gpu, is_chat(model)), levels, CLOSE_FLOAT32, "GPU against CPU")
    same = sum(a == b for a, b in zip(written(gpu, model), texts, strict=True))
    return problems if same >= len(texts) - 1 else [*problems, f"only {same} of {len(texts)} written answers are equal"]


def check_shared_prefix(model: Path) -> list[str]:
    """Compare scoring with and without the shared beginning on the GPU, one item and several at a time."""
    problems = []
    plain = chosen(generator("transformers", model, dtype="float32", share_prefix=False), is_chat(model))
    for size in (1, 8):
        shared = chosen(generator("transformers", model, dtype="float32", batch_size=size), is_chat(model))
        problems += differences(shared, plain, CLOSE_FLOAT32, f"shared prefix, batch size {size}")
    return problems


def check_bfloat16(model: Path) -> list[str]:
    """Check that bfloat16 is the default on CUDA, and close to float32."""
    import torch

    exact = chosen(generator("transformers", model, dtype="float32"), is_chat(model))
    made = generator("transformers", model)
    problems = differences(chosen(made, is_chat(model)), exact, CLOSE_BFLOAT16, "bfloat16 against float32")
    dtype = made.open().loaded.model.dtype
    return problems if dtype == torch.bfloat16 else [*problems, f"the default on CUDA is {dtype}, not bfloat16"]


def check_out_of_memory(model: Path) -> list[str]:
    """Give a batch that does not fit: it must be halved until it does, and every item answered."""
    import torch

    many = prompts(is_chat(model)) * 120
    made = generator("transformers", model, batch_size=512, batch_tokens=10_000_000, share_prefix=False)
    list(made.generate(many[:1], Decoding(2)))
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, (torch.cuda.memory_reserved() + 192 * 2**20) / total))
    try:
        answers = list(made.generate(many, Decoding(2)))
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    failed = sum(not answer.new_tokens for answer in answers)
    if len(answers) != len(many) or failed:
        return [f"of {len(many)} items {len(answers)} came back, {failed} of them without an answer"]
    if made.open().batch_size == 512:
        print("  (the batch fitted after all, so nothing was halved)")
    return []


def check_vllm(model: Path) -> list[str]:
    """Compare vLLM with transformers, in both modes."""
    expected = chosen(generator("transformers", model, dtype="float32"), is_chat(model))
    texts = written(generator("transformers", model, dtype="float32"), model)
    made = generator("vllm", model, dtype="float32", gpu_memory=0.4, window=2048, engine={"enforce_eager": True})
    problems = differences(chosen(made, is_chat(model)), expected, 10 * CLOSE_FLOAT32, "vLLM against transformers")
    same = sum(a == b for a, b in zip(written(made, model), texts, strict=True))
    SHELF.clear()
    return problems if same >= len(texts) - 1 else [*problems, f"only {same} of {len(texts)} written answers are equal"]


def check_vllm_guard(model: Path) -> list[str]:
    """Compare the verdicts of a guard in vLLM with those in transformers."""
    expected = verdicts(model, dtype="float32")
    how = {"dtype": "float32", "gpu_memory": 0.4, "window": 2048, "engine": {"enforce_eager": True}}
    found = verdicts(model, backend="vllm", backend_options=how)
    SHELF.clear()
    worst = max(abs(one - other) for one, other in zip(found, expected, strict=True))
    return [] if worst <= CLOSE_FLOAT32 else [f"probabilities of verdicts differ by {worst:.2g}"]


def verdicts(model: Path, **options: Any) -> list[float]:  # noqa: ANN401 - of a guard
    """Return the probability that a guard with the model's weights calls each text unsafe."""
    from babelguard.item import Item
    from babelguard.taxonomy import RTP_LX
    from evaluation.guarding.options import GenerativeGuardOptions
    from evaluation.rater import Workbench
    from evaluation.raters.generative_guard import build

    with tempfile.TemporaryDirectory() as folder:
        prompt = Path(folder) / "prompt.txt"
        prompt.write_text("Is this text safe or unsafe?\n| {prompt}\n\nAnswer:", encoding="utf-8")
        answers = {"prompt": [{"choose": {" safe": 0, " unsafe": 1}, "verdict": True}]}
        stated = {"model": str(model), "prompt_file": str(prompt), "answers": answers, "least_mass": 0.0}
        read = validate({**stated, **options}, GenerativeGuardOptions, "check")
        guard = build("guard", read, Workbench(RTP_LX, lambda _: ()))
        items = [Item(str(number), text, "en", "made", str(number)) for number, text in enumerate(TEXTS)]
        return [rating.scores["Toxicity"].probability or 0.0 for rating in guard.rate(items)]


def written(made: Any, model: Path) -> list[str]:  # noqa: ANN401 - any backend's
    """Return the written answers."""
    return [answer.text for answer in made.generate(prompts(is_chat(model)), FEW_TOKENS)]


def is_chat(model: Path) -> bool:
    """Tell whether a model has a chat template."""
    from transformers import AutoTokenizer

    return bool(AutoTokenizer.from_pretrained(str(model)).chat_template)


def checks() -> Iterator[tuple[str, Check, str]]:
    """Yield name, check, and the reason to skip it, empty where there is none."""
    missing = "" if importlib.util.find_spec("vllm") else "vLLM is not installed: pip install 'babelguard[vllm]'"
    yield "GPU against CPU", check_gpu_against_cpu, ""
    yield "shared prefix", check_shared_prefix, ""
    yield "bfloat16", check_bfloat16, ""
    yield "out of memory", check_out_of_memory, ""
    yield "vLLM", check_vllm, missing
    yield "guard in vLLM", check_vllm_guard, missing


def main() -> int:
    """Run every check that can be run here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="hub name or local folder; a tiny model with random weights if not given")
    arguments = parser.parse_args()
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
        print("skipped: torch and transformers are not installed; pip install 'babelguard[judges]'")
        return 0
    import torch

    if not torch.cuda.is_available():
        print("skipped: there is no CUDA GPU here")
        return 0
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        model = Path(arguments.model) if arguments.model else _tiny(Path(folder) / "tiny")
        return 1 if _run(model) else 0


def _tiny(folder: Path) -> Path:
    from tests.babelguard.generators.tiny_chat import write_tiny_chat_model

    return write_tiny_chat_model(folder)


def _run(model: Path) -> int:
    failed = 0
    for name, check, reason in checks():
        if reason:
            print(f"skipped  {name}: {reason}")
            continue
        started = time.monotonic()
        problems = check(model)
        SHELF.clear()
        failed += bool(problems)
        print(f"{'FAILED ' if problems else 'passed '}  {name} ({time.monotonic() - started:.1f} s)")
        for problem in problems:
            print(f"         {problem}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
