"""Generation, token by token, for a batch of sequences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from babelguard.generator import Decoding
from babelguard.local_models.sequences import Sequences


@dataclass
class Draft:
    """What a model has written so far.

    Attributes:
        ids: Its tokens, without the one that ended it.
        text: The tokens as text, up to a stop string; set when the draft has ended.
        ended: Whether the model, or a stop string, ended it; if not, it was stopped at its longest.
    """

    ids: list[int] = field(default_factory=list)
    text: str = ""
    ended: bool = False


def write(
    sequences: Sequences,
    prompts: Sequence[Sequence[int]],
    seeds: Sequence[int],
    decoding: Decoding,
    ends: Collection[int],
    tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
) -> list[Draft]:
    """Return what the model writes behind every prompt.

    Args:
        sequences: As many empty sequences as there are prompts.
        prompts: Their tokens, without what the sequences begin with.
        seeds: One a prompt, so that a sampled draft does not depend on its neighbours.
        decoding: Greedy where its temperature is 0.
        ends: Tokens that end a draft.
        tokenizer: Turns tokens into text, for stop strings.
    """
    drafts = [Draft() for _ in prompts]
    sources = [_source(seed) for seed in seeds]
    running = list(range(len(prompts)))
    tokens: list[Sequence[int]] = list(prompts)
    for _ in range(decoding.max_new_tokens):
        chosen = _choose(sequences.feed(tokens, running), decoding, [sources[number] for number in running])
        ended = []
        for number, token in zip(running, chosen, strict=True):
            drafts[number].ended = token in ends
            if not drafts[number].ended:
                drafts[number].ids.append(token)
                drafts[number].ended = _meets_stop(drafts[number], decoding, tokenizer)
            if drafts[number].ended:
                ended.append(number)
        if ended:
            sequences.drop(ended)
            running = [number for number in running if not drafts[number].ended]
        if not running:
            break
        tokens = [drafts[number].ids[-1:] for number in running]
    for draft in drafts:
        draft.text = text_of(draft.ids, decoding, tokenizer)
    return drafts


def text_of(ids: Sequence[int], decoding: Decoding, tokenizer: Any) -> str:  # noqa: ANN401 - a transformers tokenizer
    """Return generated tokens as text without control tokens, up to the first stop string."""
    text: str = tokenizer.decode(list(ids), skip_special_tokens=True)
    found = [place for place in (text.find(stop) for stop in decoding.stop) if place >= 0]
    return text[: min(found)] if found else text


def _meets_stop(draft: Draft, decoding: Decoding, tokenizer: Any) -> bool:  # noqa: ANN401
    if not decoding.stop:
        return False
    # A token is at least one character, or a part of one that its neighbours complete.
    recent = tokenizer.decode(draft.ids[-max(map(len, decoding.stop)) - 8 :], skip_special_tokens=True)
    return any(stop in recent for stop in decoding.stop)


def _source(seed: int) -> Any:  # noqa: ANN401 - a generator of random numbers
    import torch

    return torch.Generator().manual_seed(seed)


def _choose(logits: Any, decoding: Decoding, sources: Sequence[Any]) -> list[int]:  # noqa: ANN401 - a tensor
    import torch

    if decoding.temperature == 0:
        return [int(token) for token in logits.argmax(dim=-1).tolist()]
    chances = torch.softmax(logits / decoding.temperature, dim=-1).cpu()
    drawn = (torch.multinomial(row, 1, generator=source) for row, source in zip(chances, sources, strict=True))
    return [int(token) for token in drawn]
