from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from babelguard.errors import UserError
from train.exporting.tokenizer_pruning import prune_tokenizer, vocabulary_of, with_parts
from train.exporting.vocabulary import compact, rank_tokens

WORDS = ("river", "rivers", "stone", "stones", "cloud", "clouds", "cloudy", "rain", "raining", "train", "trained", "on")
TEXTS = tuple(f"{a} {b} {c}" for a in WORDS for b in WORDS for c in WORDS[:3])


@cache
def trained(kind: str) -> str:
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    if kind == "Unigram":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Metaspace()
        trainer: Any = trainers.UnigramTrainer(
            vocab_size=60, special_tokens=special, unk_token="<unk>", show_progress=False
        )
    elif kind == "BPE":
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(vocab_size=90, special_tokens=special, show_progress=False)
    else:
        tokenizer = Tokenizer(models.WordPiece(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        trainer = trainers.WordPieceTrainer(vocab_size=90, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return str(tokenizer.to_str())


@pytest.mark.parametrize("kind", ["Unigram", "BPE", "WordPiece"])
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_texts_of_kept_tokens_keep_their_tokens(kind: str, words: list[str]) -> None:
    source = trained(kind)
    whole = Tokenizer.from_str(source)
    text = " ".join(words)
    used = whole.encode(text)
    kept = with_parts(json.loads(source), used.tokens)
    vocabulary = vocabulary_of(json.loads(source))
    pruned, order = prune_tokenizer(json.loads(source), {vocabulary[token] for token in kept})
    encoding = Tokenizer.from_str(compact(pruned)).encode(text)
    assert encoding.tokens == used.tokens
    assert [int(order[number]) for number in encoding.ids] == used.ids


@pytest.mark.parametrize("kind", ["Unigram", "BPE", "WordPiece"])
def test_keeping_all_changes_nothing(kind: str) -> None:
    source = trained(kind)
    whole = Tokenizer.from_str(source)
    pruned, order = prune_tokenizer(json.loads(source), range(whole.get_vocab_size()))
    assert order.tolist() == list(range(whole.get_vocab_size()))
    assert Tokenizer.from_str(compact(pruned)).encode(TEXTS[5]).ids == whole.encode(TEXTS[5]).ids


def test_special_tokens_stay_and_are_renumbered() -> None:
    source = json.loads(trained("Unigram"))
    # As XLM-R has it: a special token behind the pieces.
    size = len(source["model"]["vocab"])
    source["added_tokens"].append({**source["added_tokens"][0], "id": size, "content": "<mask>"})
    source["model"]["vocab"].append(["<mask>", 0.0])
    pruned, order = prune_tokenizer(source, {10, 20})
    reader = Tokenizer.from_str(compact(pruned))
    assert order.tolist() == [0, 1, 2, 3, 10, 20, size]
    assert reader.token_to_id("<mask>") == 6
    assert reader.encode("river").ids[0] == 0


def test_characters_of_the_languages_always_stay() -> None:
    ranking = rank_tokens(trained("BPE"), ["river stone"], ["en"], 1)
    first, _ = ranking.pruned(0)
    reader = Tokenizer.from_str(compact(first))
    assert "<unk>" not in reader.encode("cloudy train").tokens
    # Without further tokens a word is read letter by letter.
    assert len(reader.encode("cloudy").ids) > len(Tokenizer.from_str(trained("BPE")).encode("cloudy").ids)


def test_used_tokens_come_by_frequency() -> None:
    source = trained("WordPiece")
    ranking = rank_tokens(source, ["stone"] * 5 + ["river"] * 3 + ["on"], ["en"], 1)
    names = {number: token for token, number in vocabulary_of(json.loads(source)).items()}
    assert [names[number] for number in ranking.used][:2] == ["stone", "river"]


def test_other_kinds_are_refused() -> None:
    with pytest.raises(UserError, match="can be pruned"):
        vocabulary_of({"model": {"type": "Other"}})
