"""The guard: ratings by hand, their independence of company and order, long texts, and unpleasant ones."""

from __future__ import annotations

import subprocess
import sys
import threading
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import serve.guard
from babelguard import UserError
from serve import Guard, GuardRating
from tests.tiny_bundle import make_tiny_bundle, tiny_weights, write_tiny_tokenizer

TEXTS = st.lists(
    st.text(st.characters(), max_size=60) | st.lists(st.sampled_from(["hello", "awful", "tea", "שלום"])).map(" ".join),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_bundle(tmp_path_factory.mktemp("bundle"), precisions=("fp32", "int8"))


@pytest.fixture(scope="module")
def guard(bundle: Path) -> Guard:
    return Guard.load(bundle, threads=2)


def assert_alike(first: GuardRating, second: GuardRating) -> None:
    assert (first.language, first.windows, first.replaced) == (second.language, second.windows, second.replaced)
    for category, probabilities in first.probabilities.items():
        assert probabilities == pytest.approx(second.probabilities[category], abs=1e-5)


def test_a_rating_by_hand(guard: Guard, tmp_path: Path) -> None:
    tokens = write_tiny_tokenizer(tmp_path / "t.json")
    embeddings, weights, bias = tiny_weights(tokens, 18)
    ids = [tokens.index(token) for token in ("<s>", "▁query", ":", "▁hello", "▁friend", "</s>")]
    logits = embeddings[ids].mean(axis=0) @ weights + bias
    (rating,) = guard.rate(["hello friend"])
    toxicity = np.minimum.accumulate(expit(0.5 * logits[:4] + 0.1))
    assert rating.probabilities["Toxicity"] == pytest.approx(toxicity, abs=1e-6)
    assert rating.levels["Toxicity"] == 1 + int((toxicity >= 0.5).sum())
    assert rating.probabilities["Bias"] == pytest.approx(
        np.minimum.accumulate(expit(0.5 * logits[6:8] + 0.1)), abs=1e-6
    )
    assert rating.flagged["Bias"] == bool(rating.probabilities["Bias"][0] >= 0.6)
    assert (rating.windows, rating.language, rating.triggers["Bias"]) == (1, None, (0, 12))
    (german,) = guard.rate(["hello friend"], ["de"])
    assert german.probabilities["Toxicity"] == pytest.approx(np.minimum.accumulate(expit(logits[:4])), abs=1e-6)


def test_of_a_long_text_the_highest_window_counts(guard: Guard) -> None:
    text = "a kind day " * 20 + "awful friend " + "good tea " * 20
    (rating,) = guard.rate([text])
    encoded = guard.encode(text)
    logits = guard.logits(encoded.windows)
    assert rating.windows == len(encoded.windows) > 5
    start, end = rating.triggers["Toxicity"]
    assert "awful" in text[start:end]
    assert (start, end) == encoded.spans[int(logits[:, 0].argmax())]
    assert rating == guard.judge(encoded, logits)
    (alone,) = guard.rate([text[start:end]])
    assert rating.probabilities["Toxicity"] == pytest.approx(alone.probabilities["Toxicity"], abs=0.1)


@given(TEXTS, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=50)
def test_neither_order_nor_company_decides(guard: Guard, texts: list[str], random) -> None:
    languages = [random.choice(["en", "de", "xx", None]) for _ in texts]
    together = guard.rate(texts, languages)
    order = list(range(len(texts)))
    random.shuffle(order)
    shuffled = guard.rate([texts[n] for n in order], [languages[n] for n in order])
    for place, number in enumerate(order):
        assert_alike(shuffled[place], together[number])
        assert_alike(guard.rate([texts[number]], [languages[number]])[0], together[number])
    for text, rating in zip(texts, together, strict=True):
        for start, end in rating.triggers.values():
            assert 0 <= start <= end <= len(text)


def test_many_texts_are_rated_in_pieces(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"hello {'tea ' * (n % 40)}" for n in range(100)]
    whole = guard.rate(texts, ["de", None] * 50)
    monkeypatch.setattr(serve.guard, "_CHUNK", 7)
    for first, second in zip(whole, guard.rate(texts, ["de", None] * 50), strict=True):
        assert_alike(first, second)


def test_threads_share_a_guard(guard: Guard) -> None:
    texts = ["hello friend", "awful tea " * 30, "a kind day"]
    expected = guard.rate(texts)
    found: list[list[GuardRating]] = []
    workers = [threading.Thread(target=lambda: found.append(guard.rate(texts))) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 8
    for ratings in found:
        for first, second in zip(expected, ratings, strict=True):
            assert_alike(first, second)


UNPLEASANT = {
    "nothing": "",
    "white space": " \t\n\u3000" * 100,
    "zero-width flood": "\u200b" * 100_000,
    "one megabyte of words": "hello tea " * 100_000,
    "no blank": "x" * 200_000,
    "NUL": "hel\0lo\0" * 50,
    "zalgo": "".join("h" + "\u0315\u0321\u0334\u0489" * 20 for _ in range(40)),
    "right-to-left overrides": "\u202eolleh\u202c \u2066tea\u2069" * 30,
    "lone surrogates": "\ud800hello\udfff" * 10,
    "special tokens": "<s></s><pad><unk>" * 40,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈" * 50,
    "controls": "".join(map(chr, range(0x20))) * 5,
    "private use": "\U0010ffff\ue000" * 50,
}


@pytest.mark.parametrize("kind", UNPLEASANT)
def test_unpleasant_texts_are_rated(guard: Guard, kind: str) -> None:
    text = UNPLEASANT[kind]
    (rating,) = guard.rate([text])
    assert set(rating.levels) == set(guard.bundle.category_names)
    for category in guard.bundle.categories:
        assert 1 <= rating.levels[category.name] <= category.scale
        assert all(0 <= value <= 1 for value in rating.probabilities[category.name])
        assert list(rating.probabilities[category.name]) == sorted(rating.probabilities[category.name], reverse=True)
    assert rating.replaced == sum(unicodedata.category(letter) == "Cs" for letter in text)


def test_a_text_without_a_token_is_level_1_and_says_so(guard: Guard) -> None:
    (rating,) = guard.rate(["  "], ["de"])
    assert (rating.windows, set(rating.levels.values()), any(rating.flagged.values())) == (0, {1}, False)
    assert rating.language == "de"
    assert guard.rate([]) == []


def test_languages_and_windows_must_fit(guard: Guard) -> None:
    with pytest.raises(ValueError, match="there are 2 texts and 1 languages"):
        guard.rate(["a", "b"], ["en"])
    with pytest.raises(ValueError, match="there are 1 windows and logits of 2"):
        guard.judge(guard.encode("tea"), np.zeros((2, 18), dtype=np.float32))


def test_another_precision_is_loaded_when_asked_for(bundle: Path) -> None:
    assert Guard.load(bundle).precision == "fp32"
    assert Guard.load(bundle, precision="int8").precision == "int8"
    with pytest.raises(UserError, match="Unknown precision"):
        Guard.load(bundle, precision="fp16")


def test_a_tokenizer_of_another_model_is_told(tmp_path: Path, bundle: Path) -> None:
    facts = Guard.load(bundle).bundle.model
    other = make_tiny_bundle(
        tmp_path / "other", model=facts.model_copy(update={"vocabulary": 10, "files": {"fp32": "model.fp32.onnx"}})
    )
    with pytest.raises(UserError, match=r"has \d+ token ids and the model 10; they do not belong together"):
        Guard.load(other)


def test_a_damaged_bundle_is_not_loaded(tmp_path: Path) -> None:
    folder = make_tiny_bundle(tmp_path / "b")
    path = folder / "model.fp32.onnx"
    content = bytearray(path.read_bytes())
    content[1000] ^= 4
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"model.fp32.onnx is not what SHA256SUMS says"):
        Guard.load(folder)
    assert Guard.load(folder, verify=False).rate(["tea"])


def test_it_runs_without_torch(bundle: Path) -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'scipy', 'sklearn', 'onnx', 'evaluation', 'train'):\n"
        "    sys.modules[name] = None\n"
        "from serve import Guard\n"
        f"print(Guard.load({str(bundle)!r}).rate(['awful'])[0].levels['Bias'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "3", done.stderr
