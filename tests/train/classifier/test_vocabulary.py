"""A guard whose vocabulary is cut before it is trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from babelguard.errors import UserError
from serve.guard import Guard
from tests.train.classifier import tiny
from train.classifier.load import load_trained
from train.classifier.vocabulary import FILE, keep_rows, load_cut
from train.exporting.classifier import export_classifier
from train.exporting.trained_run import read_run

CUT = ("optimisation.epochs=1", "model.vocabulary={}")


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, encoder: Path, corpus: Path) -> Path:
    plan = tiny.plan_of(tmp_path_factory.mktemp("cut"), corpus, encoder, *CUT)
    return plan.kind.train(plan)


def test_words_that_training_does_not_use_are_gone(run: Path) -> None:
    guard = load_trained(run)
    words = guard.tokenizer.get_vocab()
    # 'paper' and 'walk' occur nowhere; without a prefix neither do 'query' and, as a letter of no script, ':'.
    assert not {"paper", "walk", "query"} & set(words)
    assert {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "river", "angry"} <= set(words)
    assert guard.model.backbone.get_input_embeddings().num_embeddings == len(words)
    assert f"cut to {len(words)} tokens before training" in (run / "README.md").read_text(encoding="utf-8")


def test_what_is_loaded_is_what_was_trained(run: Path) -> None:
    from train.predictions import read_predictions

    predictions = read_predictions(run / "predictions" / "test.parquet")
    texts = {item.id: item.text for item in tiny.items()}
    found = load_trained(run).logits([texts[name] for name in predictions.items.tolist()])
    assert found == pytest.approx(predictions.logits, abs=1e-5)


def test_a_bundle_has_the_cut_tokenizer(run: Path, tmp_path: Path) -> None:
    sets = (
        "export.bounds={int8: 0.2}",
        "export.int8={tune_items: 16, embedding_bits: 4}",
        "export.precisions=[fp32, int8]",
    )
    made = export_classifier(read_run(run, sets), tmp_path / "guard", tell=lambda _: None)
    trained = load_trained(run)
    assert made.manifest.model.vocabulary == len(trained.tokenizer)
    guard = Guard.load(made.folder, precision="fp32", provider="cpu", threads=1)
    texts = ["river angry", "grumpy", "a word that nobody knows"]
    served = np.stack([guard.logits(list(each.windows)).max(axis=0) for each in guard.encode_all(texts)])
    assert served == pytest.approx(trained.logits(texts), abs=1e-4)


def test_another_training_may_go_on_from_it(run: Path, tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(tmp_path, corpus, encoder, *CUT, f"start_from={run}", "seed=1")
    later = plan.kind.train(plan)
    assert load_trained(later).tokenizer.get_vocab() == load_trained(run).tokenizer.get_vocab()


def test_so_many_tokens_as_asked(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(tmp_path, corpus, encoder, "optimisation.epochs=1", "model.vocabulary.tokens=9")
    words = load_trained(plan.kind.train(plan)).tokenizer.get_vocab()
    assert len(words) == 9


def test_fewer_tokens_than_the_letters_are_refused(tmp_path: Path, encoder: Path, corpus: Path) -> None:
    plan = tiny.plan_of(tmp_path, corpus, encoder, "model.vocabulary.tokens=1")
    with pytest.raises(UserError, match=r"model\.vocabulary\.tokens is 1, and special tokens and single characters"):
        plan.kind.train(plan)


def roberta() -> Any:
    from transformers import XLMRobertaConfig, XLMRobertaModel

    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=12,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=12,
        pad_token_id=1,
    )
    model: Any = XLMRobertaModel(config, add_pooling_layer=False)
    return model.eval()


def test_the_model_reads_what_is_kept_as_before() -> None:
    model, kept = roberta(), [0, 1, 2, 5, 7]
    old = torch.tensor([[2, 7, 5, 2], [2, 5, 1, 1]])
    new = torch.tensor([[kept.index(token) for token in row] for row in old.tolist()])
    mask = (old != 1).long()
    with torch.inference_mode():
        before = model(input_ids=old, attention_mask=mask).last_hidden_state
        keep_rows(model, np.array(kept))
        after = model(input_ids=new, attention_mask=mask).last_hidden_state
    torch.testing.assert_close(after[mask.bool()], before[mask.bool()])


def test_a_padding_from_which_positions_are_counted_must_not_move() -> None:
    with pytest.raises(UserError, match="counts positions from the padding token's id"):
        keep_rows(roberta(), np.array([1, 2, 5]))
    with pytest.raises(UserError, match="counts positions from the padding token's id"):
        keep_rows(roberta(), np.array([0, 2, 5]))


def test_a_tokenizer_of_more_tokens_than_the_model_is_told() -> None:
    with pytest.raises(UserError, match="The tokenizer has a token 12, and the model's embedding ends at 11"):
        keep_rows(roberta(), np.array([0, 1, 2, 12]))


@pytest.mark.parametrize("content", ["nothing", "other", "beyond"])
def test_a_damaged_record_is_a_sentence(tmp_path: Path, content: str, encoder: Path) -> None:
    from transformers import AutoModel

    if content != "nothing":
        key, ids = ("other", [0]) if content == "other" else ("kept", [0, 99])
        save_file({key: np.array(ids)}, tmp_path / FILE)
    with pytest.raises(UserError, match=r"train (it|the guard) anew"):
        load_cut(tmp_path, AutoModel.from_pretrained(encoder))


def test_the_record_names_the_tokens_of_the_base_model(run: Path) -> None:
    from safetensors.numpy import load_file

    kept = load_file(run / "best" / FILE)["kept"]
    words = json.loads((run / "best" / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    whole = [*tiny.SPECIAL, *tiny.WORDS]
    assert {word: whole[kept[number]] for word, number in words.items()} == {word: word for word in words}
