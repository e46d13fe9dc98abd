"""A guard's published prompt with places for the texts, and those texts as tokens in it.

The template is rendered with place holders; the texts are put in afterwards. So no text can steer the template, and
tokens that a text spells (``<|eot_id|>``) stay letters: only what stands in the template is read as a control token.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from babelguard.errors import UserError
from babelguard.local_models.encoding import control_tokens

_HOLDER = "\ue0f0{}\ue0f1"
_HOLDERS = re.compile("\ue0f0(\\d+)\ue0f1")


class ControlTokenError(Exception):
    """A text would be read as one of the model's control tokens in spite of everything."""


@dataclass(frozen=True)
class Encoder:
    """A tokenizer and its control tokens.

    Attributes:
        tokenizer: `transformers.PreTrainedTokenizerBase`.
    """

    tokenizer: Any

    @cached_property
    def controls(self) -> Mapping[str, int]:
        """Control token -> its id."""
        vocabulary = self.tokenizer.get_added_vocab()
        return {token: vocabulary[token] for token in control_tokens(self.tokenizer)}

    def encode(self, text: str) -> list[int]:
        """Return the ids of text whose control tokens, if any, are meant."""
        return list(self.tokenizer.encode(text, add_special_tokens=False))


@dataclass(frozen=True, slots=True)
class Layout:
    """A rendered prompt.

    Attributes:
        pieces: Text of the template, or the number of the turn whose text stands there, in order.
    """

    pieces: tuple[str | int, ...]

    @property
    def end(self) -> str:
        """The template's text behind the last turn: what the answer continues."""
        last = self.pieces[-1]
        return last if isinstance(last, str) else ""

    def text(self, texts: Sequence[str]) -> str:
        """Return the whole prompt, for people and tests; tokens are made by `encode`."""
        return "".join(piece if isinstance(piece, str) else texts[piece] for piece in self.pieces)

    def encode(self, encoder: Encoder, texts: Sequence[str]) -> list[int]:
        """Return the prompt's token ids.

        Where no text spells a control token, these are the ids of the whole prompt, as the model's card makes them.

        Raises:
            ControlTokenError: A text would still be read as a control token.
        """
        runs, meant = _runs(self.pieces, texts, encoder.controls)
        whole = self.text(texts)
        if len(_find(whole, encoder.controls)) == meant and all(isinstance(run, str) or not run.cut for run in runs):
            ids = encoder.encode(whole)
        else:
            ids = [i for run in runs for i in _encode_run(encoder, run)]
        forbidden = set(encoder.controls.values())
        if sum(i in forbidden for i in ids) != meant:
            raise ControlTokenError("the text would be read as control tokens of the model")
        return ids


@dataclass(frozen=True, slots=True)
class _Run:
    """Text between control tokens; `cut` if it spells some."""

    text: str
    cut: bool


def render(
    tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
    messages: Sequence[Mapping[str, str]],
    variables: Mapping[str, Any],
    template: str | None,
    as_parts: bool = False,
) -> Layout:
    """Render a prompt with place holders.

    Args:
        tokenizer: Its chat template is used unless `template` is given.
        messages: Turns with ``role`` and ``content``; contents hold the place holders of `holder`.
        variables: Variables of the template.
        template: Jinja text.
        as_parts: Whether a turn's content is a list of parts, as templates for text and images expect.

    Raises:
        UserError: There is no template, or it refuses the turns.
    """
    from babelguard.template_errors import TEMPLATE_ERRORS

    if template is None and not tokenizer.chat_template:
        raise UserError(
            f"The model {tokenizer.name_or_path} has no chat template and its preset none either; set the rater's "
            "'template' to a Jinja file with the prompt of the model's card."
        )
    turns = [
        {**message, "content": [{"type": "text", "text": message["content"]}] if as_parts else message["content"]}
        for message in messages
    ]
    try:
        text = tokenizer.apply_chat_template(
            turns, chat_template=template, tokenize=False, add_generation_prompt=True, **variables
        )
    except TEMPLATE_ERRORS as error:
        raise UserError(
            f"The guard's template refuses the conversation: {error}; mend 'template' or 'variables'."
        ) from None
    pieces: list[str | int] = []
    for number, piece in enumerate(_HOLDERS.split(text)):
        if number % 2:
            pieces.append(int(piece))
        elif piece:
            pieces.append(piece)
    return Layout(tuple(pieces))


def holder(turn: int) -> str:
    """Return what stands for a turn's text while a template is rendered."""
    return _HOLDER.format(turn)


def continuation(tokenizer: Any, before: str, text: str) -> list[int]:  # noqa: ANN401 - a transformers tokenizer
    """Return the token ids that `text`, of a preset, has behind `before`."""
    head: list[int] = tokenizer.encode(before, add_special_tokens=False)
    whole: list[int] = tokenizer.encode(before + text, add_special_tokens=False)
    if whole[: len(head)] == head:
        return whole[len(head) :]
    return list(tokenizer.encode(text, add_special_tokens=False))


def _find(text: str, controls: Collection[str]) -> list[tuple[int, int]]:
    present = sorted((token for token in controls if token in text), key=len, reverse=True)
    if not present:
        return []
    return [found.span() for found in re.finditer("|".join(map(re.escape, present)), text)]


def _runs(pieces: Sequence[str | int], texts: Sequence[str], controls: Collection[str]) -> tuple[list[str | _Run], int]:
    """Return control tokens of the template (as strings) and the text between them, and the number of the former."""
    runs: list[str | _Run] = []
    meant, pending = 0, ""

    def flush() -> Iterator[_Run]:
        nonlocal pending
        if pending:
            yield _Run(pending, bool(_find(pending, controls)))
        pending = ""

    for piece in pieces:
        if isinstance(piece, int):
            pending += texts[piece]
            continue
        start = 0
        for begin, end in _find(piece, controls):
            pending += piece[start:begin]
            runs += flush()
            runs.append(piece[begin:end])
            meant, start = meant + 1, end
        pending += piece[start:]
    runs += flush()
    return runs, meant


def _encode_run(encoder: Encoder, run: str | _Run) -> list[int]:
    if isinstance(run, str):
        return [encoder.controls[run]]
    ids: list[int] = []
    start = 0
    spelt = [re.escape(token) for token in encoder.controls if token in run.text]
    # A look-ahead finds tokens that overlap; each is cut behind its first character.
    ends = [found.start() + 1 for found in re.finditer(f"(?={'|'.join(spelt)})", run.text)] if spelt else []
    for end in [*ends, len(run.text)]:
        ids += encoder.encode(run.text[start:end])
        start = end
    return ids
