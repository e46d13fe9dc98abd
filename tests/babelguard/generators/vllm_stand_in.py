"""A stand-in for vLLM that runs a tiny model through transformers.

It takes what vLLM documents (token prompts, SamplingParams, allowed_token_ids, logprobs) and answers in its shapes, so
that what is ours is tested where there is no GPU. The real vLLM is tested where there is one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace

import pytest

from babelguard.local_models.shelf import SHELF

torch = pytest.importorskip("torch", reason="needs torch")


class SamplingParams(SimpleNamespace):
    """What the backend says about decoding; nothing else is known."""

    KNOWN = frozenset({"max_tokens", "temperature", "seed", "stop", "logprobs", "allowed_token_ids"})

    def __init__(self, **given):
        assert set(given) <= self.KNOWN
        super().__init__(**({"allowed_token_ids": None, "logprobs": None, "stop": None} | given))


class LLM:
    """Greedy decoding by a tiny model, in vLLM's shapes."""

    made: list[dict] = []  # noqa: RUF012 - a record for the tests
    ends = None

    def __init__(self, **settings):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        LLM.made.append(settings)
        self.model = AutoModelForCausalLM.from_pretrained(settings["model"], dtype=torch.float32).eval()
        self.tokenizer = AutoTokenizer.from_pretrained(settings["model"])
        window = settings["max_model_len"] or self.model.config.max_position_embeddings
        self.llm_engine = SimpleNamespace(model_config=SimpleNamespace(max_model_len=window))

    def generate(self, inputs, params, use_tqdm):
        assert use_tqdm is False
        return [self._one(one["prompt_token_ids"], params) for one in inputs]

    @torch.no_grad()
    def _one(self, prompt, params):
        tokens, places, ended = list(prompt), [], LLM.ends or "length"
        assert len(tokens) + params.max_tokens <= self.llm_engine.model_config.max_model_len
        for _ in range(params.max_tokens):
            logits = self.model(torch.tensor([tokens])).logits[0, -1].double()
            if params.allowed_token_ids is not None:
                mask = torch.full_like(logits, float("-inf"))
                mask[params.allowed_token_ids] = 0
                logits = logits + mask
            scores = logits.log_softmax(-1)
            top = scores.topk(params.logprobs or 1)
            places.append({int(i): self._logprob(int(i), float(v)) for v, i in zip(*top, strict=True)})
            tokens.append(int(scores.argmax()))
        new = tokens[len(prompt) :]
        text = self.tokenizer.decode(new, skip_special_tokens=True)
        logprobs = places if params.logprobs else None
        out = SimpleNamespace(text=text, token_ids=new, finish_reason=ended, logprobs=logprobs)
        return SimpleNamespace(prompt_token_ids=list(prompt), outputs=[out])

    def _logprob(self, token, value):
        return SimpleNamespace(logprob=value, rank=1, decoded_token=self.tokenizer.decode([token]))


@contextmanager
def vllm_stand_in() -> Iterator[ModuleType]:
    """Put the stand-in where vLLM would be, while the context lasts."""
    module = ModuleType("vllm")
    module.LLM, module.SamplingParams = LLM, SamplingParams
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "vllm", module)
        patch.setattr(LLM, "made", [])
        patch.setattr(LLM, "ends", None)
        SHELF.clear()
        yield module
        SHELF.clear()
