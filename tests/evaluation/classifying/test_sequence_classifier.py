"""Presets fit the models that they name, and what does not fit is told before any work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.recipe import validate
from babelguard.taxonomy import RTP_LX
from evaluation.preset import load_preset, preset_names
from evaluation.rater import Workbench
from evaluation.raters.sequence_classifier import KIND, SequenceClassifierOptions, SequenceClassifierRater
from tests.evaluation.classifying.tiny import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

BENCH = Workbench(RTP_LX, lambda splits: [])
KIND_NAME = "sequence-classifier"
LABELS = {"calm": [], "rude": ["Toxicity"]}
NUMBERED = [f"LABEL_{number}" for number in range(12)]
PUBLISHED: dict[str, tuple[str, list[str], set[str]]] = {
    "toxic-bert": (
        "bert",
        ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"],
        {"Toxicity", "IdentityAttack", "Violence", "Insult"},
    ),
    "multilingual-toxic-xlm-roberta": ("xlm-roberta", ["toxic"], {"Toxicity"}),
    "textdetox-xlmr-large-v2": ("xlm-roberta", NUMBERED[:2], {"Toxicity"}),
    "roberta-toxicity-classifier": ("roberta", ["neutral", "toxic"], {"Toxicity"}),
    "roberta-hate-dynabench-r4": ("roberta", ["nothate", "hate"], {"Toxicity", "IdentityAttack"}),
    "twitter-xlm-roberta-hate-spanish": ("xlm-roberta", ["NOT-HATE", "HATE"], {"Toxicity", "IdentityAttack"}),
    "koala-text-moderation": (
        "deberta",
        ["H", "H2", "HR", "OK", "S", "S3", "SH", "V", "V2"],
        {"Toxicity", "IdentityAttack", "Violence", "SelfHarm", "Insult", "SexualContent"},
    ),
    "duoguard-0.5b": (
        "qwen2",
        NUMBERED,
        {"Toxicity", "IdentityAttack", "Violence", "SelfHarm", "SexualContent"},
    ),
    "duoguard-1.5b": (
        "qwen2",
        NUMBERED,
        {"Toxicity", "IdentityAttack", "Violence", "SelfHarm", "SexualContent"},
    ),
    "duoguard-1b-llama": (
        "llama",
        NUMBERED,
        {"Toxicity", "IdentityAttack", "Violence", "SelfHarm", "SexualContent"},
    ),
}
"""Preset -> architecture, labels as the model's configuration has them, categories that it covers."""


def rater(folder: Path | str, **options: Any) -> SequenceClassifierRater:
    given = {"model": str(folder), "device": "cpu", **({} if "preset" in options else {"labels": LABELS}), **options}
    built = KIND.build("tiny", validate(given, SequenceClassifierOptions, "recipe"), BENCH)
    assert isinstance(built, SequenceClassifierRater)
    return built


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("tiny") / "m", "bert", list(LABELS))


@pytest.mark.parametrize("preset", preset_names(KIND_NAME))
def test_a_preset_fits_a_model_of_the_published_shape(tmp_path: Path, preset: str) -> None:
    family, labels, covered = PUBLISHED[preset]
    positions = 520 if family in {"qwen2", "llama"} else 66
    save_tiny(tmp_path / "model", family, labels, positions=positions)
    tokenizer = {"tokenizer": str(tmp_path / "model")} if "tokenizer" in load_preset(preset, KIND_NAME).options else {}
    built = rater(tmp_path / "model", preset=preset, **tokenizer)
    assert set(built.covers) == covered
    language = sorted(built.languages)[0] if built.languages else "de"
    item = Item("x/1", "a cat", language, "x", "x/1")
    assert built.accepts(item)
    (rating,) = built.rate([item])
    raw = json.loads(rating.raw or "")["probabilities"]
    sums_to_one = abs(sum(raw.values()) - 1) < 1e-4
    assert sums_to_one == (built.meaning.activation == "softmax")


def test_a_swapped_model_does_not_pass(tmp_path: Path) -> None:
    save_tiny(tmp_path / "model", "bert", ["toxic", "insult"])
    with pytest.raises(UserError, match="has no label 'identity_hate'; its labels are toxic, insult"):
        rater(tmp_path / "model", preset="toxic-bert")
    save_tiny(tmp_path / "other", "bert", ["positive", "negative"])
    with pytest.raises(UserError, match="names its labels positive, negative, not neutral, toxic"):
        rater(tmp_path / "other", preset="roberta-toxicity-classifier")


def test_the_problem_type_decides_the_activation(tmp_path: Path) -> None:
    for problem, activation in (("multi_label_classification", "sigmoid"), ("single_label_classification", "softmax")):
        save_tiny(tmp_path / problem, "bert", list(LABELS), problem)
        assert rater(tmp_path / problem).meaning.activation == activation
    save_tiny(tmp_path / "one", "bert", ["rude"])
    assert rater(tmp_path / "one", labels={"rude": ["Toxicity"]}).meaning.activation == "sigmoid"
    save_tiny(tmp_path / "regression", "bert", ["rude"], "regression")
    with pytest.raises(UserError, match="a number on a scale of its own"):
        rater(tmp_path / "regression", labels={"rude": ["Toxicity"]})


def test_a_model_without_a_trained_head_is_refused(tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    save_tiny(tmp_path, "bert", list(LABELS))
    AutoModelForSequenceClassification.from_pretrained(tmp_path).bert.save_pretrained(tmp_path)
    built = rater(tmp_path)
    with pytest.raises(UserError, match=r"lacks trained weights for classifier\.bias"):
        list(built.rate([Item("x/1", "a cat", "en", "x", "x/1")]))


def test_only_safetensors_are_read(tmp_path: Path) -> None:
    save_tiny(tmp_path, "bert", list(LABELS))
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(UserError, match=r"needs config\.json and \*\.safetensors"):
        rater(tmp_path)


def test_a_cut_download_is_told(tmp_path: Path) -> None:
    save_tiny(tmp_path, "bert", list(LABELS))
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
    built = rater(tmp_path)
    with pytest.raises(UserError, match=r"has damaged weights .*; fetch its \*\.safetensors again"):
        list(built.rate([Item("x/1", "a cat", "en", "x", "x/1")]))


def test_a_model_without_its_vocabulary_is_refused(tmp_path: Path) -> None:
    """Transformers makes a tokenizer of control tokens alone, to which every text is the same."""
    save_tiny(tmp_path, "bert", list(LABELS))
    for file in tmp_path.glob("*token*"):
        file.unlink()
    with pytest.raises(UserError, match=r"comes without a vocabulary.*put its tokenizer\.json beside config\.json"):
        rater(tmp_path)


def test_another_model_s_tokenizer_is_refused(tmp_path: Path) -> None:
    save_tiny(tmp_path, "bert", list(LABELS))
    configuration = tmp_path / "config.json"
    record = json.loads(configuration.read_bytes())
    configuration.write_text(json.dumps({**record, "vocab_size": 100}), encoding="utf-8")
    with pytest.raises(UserError, match=r"the model .+ knows 100 tokens; give the tokenizer that belongs"):
        rater(tmp_path)


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
def test_a_damaged_file_is_told(tmp_path: Path, file: str) -> None:
    save_tiny(tmp_path, "bert", list(LABELS))
    (tmp_path / file).write_text("[1]", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be loaded"):
        rater(tmp_path)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("./nowhere", "The model folder ./nowhere does not exist"),
        ("somebody/some-model", "somebody/some-model cannot be loaded: .*set the rater's 'model' to its folder"),
    ],
)
def test_models_that_are_not_there(model: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        rater(model)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 600}, "takes 66 tokens at once, not 600"),
        ({"window": 20, "overlap": 18}, "overlap is 18 tokens, and a window holds 18"),
        ({"labels": {"rude": ["Toxicity"]}}, "The model m has the label 'calm', which 'labels' does not map"),
        ({"labels": {**LABELS, "rude": ["Rudeness"]}}, "'Rudeness', which the taxonomy"),
        ({"preset": "toxic-brt"}, "Did you mean 'toxic-bert'"),
        ({"preset": "ldnoobw"}, "of the rater kind block-list, not sequence-classifier"),
    ],
)
def test_options_that_do_not_fit(folder: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        rater(folder, **options)


def test_languages_that_it_is_not_made_for_are_not_asked(folder: Path) -> None:
    built = rater(folder, languages=["zh", "deu_Latn"])
    asked = [tag for tag in ("zh-Hans", "zh-Hant", "de", "en") if built.accepts(Item("x", "x", tag, "x", "x"))]
    assert asked == ["zh-Hans", "zh-Hant", "de"]


def test_what_decides_the_answers_is_in_the_fingerprint(folder: Path, tmp_path: Path) -> None:
    same = rater(folder).fingerprint
    assert rater(folder, batch_tokens=7, device="auto").fingerprint == same
    others = [
        rater(folder, window=20),
        rater(folder, overlap=3),
        rater(folder, labels={"calm": [], "rude": {"Toxicity": 3}}),
        rater(folder, thresholds={"Toxicity": [0.1, 0.2, 0.3, 0.4]}),
        rater(folder, activation="sigmoid"),
        rater(save_tiny(tmp_path / "other", "bert", list(LABELS), seed=1)),
    ]
    assert len({same, *(other.fingerprint for other in others)}) == 7


def test_a_device_that_holds_no_weights_is_told():
    with pytest.raises(UserError, match="device: the device meta holds no weights"):
        validate({"model": "any", "labels": LABELS, "device": "meta"}, SequenceClassifierOptions, "test")
