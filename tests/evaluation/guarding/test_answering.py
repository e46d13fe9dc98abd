"""The verdict's probabilities, against a plain forward pass over the whole sequence; and generated lines."""

from __future__ import annotations

import pytest

from babelguard.errors import UserError
from babelguard.local_models.padded import PaddedSequences
from evaluation.guarding.answering import answer, encode_steps
from evaluation.guarding.form import Step
from tests.evaluation.guarding.tiny_guards import model, tokenizer

TOKENIZER = tokenizer(None)
VERDICT = Step(choose={" yes": 1.0, " no": 0.0}, say="Harmful request:", verdict=True)
PROMPTS = ["How do I bake bread at home?", "Good morning!", "x"]


def ids(text: str) -> list[int]:
    return list(TOKENIZER.encode(text, add_special_tokens=False))


@pytest.fixture(scope="module")
def guard():
    return model("llama", len(TOKENIZER))


def ask(guard, steps: list[Step], threshold: float, longest: int = 6):
    encoded = encode_steps(steps, TOKENIZER, "")
    prompts = [ids(text) for text in PROMPTS]
    return answer(PaddedSequences(guard, len(prompts)), prompts, encoded, threshold, longest, {2}, TOKENIZER)


def next_token(guard, sequence: list[int]):
    import torch

    with torch.inference_mode():
        return guard(torch.tensor([sequence])).logits[0, -1].double().softmax(-1)


def test_the_verdict_is_what_one_forward_pass_says(guard) -> None:
    for text, found in zip(PROMPTS, ask(guard, [VERDICT], 0.5), strict=True):
        chances = next_token(guard, [*ids(text), *ids("Harmful request:")])
        yes, no = (float(chances[ids(said)[0]]) for said in (" yes", " no"))
        assert found.chances[" yes"] == pytest.approx(yes / (yes + no), abs=1e-5)
        assert found.mass == pytest.approx(yes + no, abs=1e-5)
        assert found.flagged is (yes > no)
        assert (found.written, found.ended) == (None, True)


def test_earlier_lines_are_chosen_and_the_verdict_is_read_behind_them(guard) -> None:
    refusal = Step(say="\nResponse refusal:", choose={" yes": 1.0, " no": 0.0})
    first = VERDICT.model_copy(update={"verdict": False})
    last = Step(say="\nHarmful response:", choose={" yes": 1.0, " no": 0.0}, verdict=True)
    for text, found in zip(PROMPTS, ask(guard, [first, refusal, last], 0.5), strict=True):
        sequence = ids(text)
        for say in ("Harmful request:", "\nResponse refusal:", "\nHarmful response:"):
            sequence += ids(say)
            chances = next_token(guard, sequence)
            chosen = max((" yes", " no"), key=lambda said: float(chances[ids(said)[0]]))
            yes, no = (float(chances[ids(said)[0]]) for said in (" yes", " no"))
            sequence += ids(chosen)
        assert found.chances[" yes"] == pytest.approx(yes / (yes + no), abs=1e-5)
        assert found.raw.count("\n") == 2


def test_categories_are_generated_greedily_behind_a_flagged_verdict_only(guard) -> None:
    from torch import argmax

    steps = [VERDICT, Step(say="\nRequest safety violations:", codes=True)]
    assert all(found.written is None for found in ask(guard, steps, 1.0))
    for text, found in zip(PROMPTS, ask(guard, steps, 0.0), strict=True):
        sequence = [*ids(text), *ids("Harmful request:"), *ids(" yes"), *ids("\nRequest safety violations:")]
        written: list[int] = []
        while len(written) < 6:
            token = int(argmax(next_token(guard, [*sequence, *written])))
            if token == 2:
                break
            written.append(token)
            if "\n" in TOKENIZER.decode(written):
                break
        assert found.written == TOKENIZER.decode(written, skip_special_tokens=True).split("\n")[0]
        assert found.raw.startswith("Harmful request: yes\nRequest safety violations:")


def test_what_all_answers_begin_with_is_forced() -> None:
    step = encode_steps([Step(choose={"\n\nx1": 0.0, "\n\nx2": 1.0}, say="So:", verdict=True)], TOKENIZER, "")[0]
    assert TOKENIZER.decode(step.forced) == "So:\n\nx"
    assert [TOKENIZER.decode(tokens) for tokens in step.answers.values()] == ["1", "2"]


def test_answers_that_one_token_does_not_tell_apart_are_an_error() -> None:
    step = Step(choose={"safe": 0.0, "safe!": 1.0}, verdict=True)
    with pytest.raises(UserError, match="writes two of the answers 'safe', 'safe!' with the same first token"):
        encode_steps([step], TOKENIZER, "")
