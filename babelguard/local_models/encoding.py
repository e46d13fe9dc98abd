"""Turns prompts into tokens, so that no text can write a control token.

A text that holds ``<|eot_id|>`` or ``</s>`` must not end its own turn. Turns go through the chat template with
transformers' `sanitize_control_tokens`; texts for base models are cut inside every control token that they spell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from babelguard.errors import UserError
from babelguard.generator import Prompt


def encode_prompt(tokenizer: Any, prompt: Prompt, template_options: Mapping[str, Any]) -> list[int]:  # noqa: ANN401
    """Return the prompt's token ids.

    Args:
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        prompt: Turns, which go through the tokenizer's chat template and end where the assistant begins; or a text,
            which gets the tokenizer's first token (`bos`) where it has one.
        template_options: Variables of the chat template, for example ``enable_thinking``.

    Raises:
        UserError: There are turns and the tokenizer has no chat template, or its template refuses them or leaves out
            what a user says.
    """
    if not prompt.messages:
        begin = [tokenizer.bos_token_id] if tokenizer.bos_token_id is not None else []
        return [*begin, *encode_text(tokenizer, prompt.text)]
    if not tokenizer.chat_template:
        raise UserError(
            f"The model {tokenizer.name_or_path} has no chat template, so it is no chat model; "
            "set 'layout: completion', or give a chat model."
        )
    from babelguard.template_errors import TEMPLATE_ERRORS

    # Without this, transformers takes only tokens that the template itself writes for control tokens.
    tokenizer.chat_control_tokens = sorted(control_tokens(tokenizer))
    turns = [{"role": turn.role, "content": valid_unicode(turn.content)} for turn in prompt.messages]
    try:
        _check_template(tokenizer, prompt, template_options)
        ids = tokenizer.apply_chat_template(
            turns,
            tokenize=True,
            return_dict=False,
            add_generation_prompt=True,
            sanitize_control_tokens=True,
            **template_options,
        )
    except TEMPLATE_ERRORS as error:
        raise UserError(
            f"The chat template of {tokenizer.name_or_path} refuses the prompt: {error}; check "
            "template_options and that the model is one for chats."
        ) from None
    return list(ids)


def _check_template(tokenizer: Any, prompt: Prompt, template_options: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Raise a `UserError` where the template does not show what a user says: the model would answer without it."""
    words = [f"word{number}" for number in range(len(prompt.messages))]
    turns = [{"role": turn.role, "content": word} for turn, word in zip(prompt.messages, words, strict=True)]
    shown = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **template_options)
    if any(turn["role"] == "user" and word not in shown for turn, word in zip(turns, words, strict=True)):
        raise UserError(
            f"The chat template of {tokenizer.name_or_path} leaves out what a user says, so that the model would never "
            "see a text; check template_options, set 'layout: completion', or give another model."
        )


def encode_text(tokenizer: Any, text: str) -> list[int]:  # noqa: ANN401 - a transformers tokenizer
    """Return the token ids of a text in which control tokens are spelt out as the letters they are."""
    ids: list[int] = []
    for piece in _cut(valid_unicode(text), control_tokens(tokenizer)):
        ids += tokenizer.encode(piece, add_special_tokens=False, split_special_tokens=True)
    return ids


def encode_after(tokenizer: Any, before: str, text: str) -> list[int]:  # noqa: ANN401 - a transformers tokenizer
    """Return the token ids that `text` has behind `before`.

    A SentencePiece tokenizer puts a space in front of whatever it is given, which is wrong in the middle of a line.
    """
    head = encode_text(tokenizer, before)
    whole = encode_text(tokenizer, before + text)
    return whole[len(head) :] if whole[: len(head)] == head else encode_text(tokenizer, text)


def encode_control(tokenizer: Any, text: str) -> list[int]:  # noqa: ANN401 - a transformers tokenizer
    """Return the token ids of text from a preset, whose control tokens are meant."""
    return list(tokenizer.encode(text, add_special_tokens=False))


def valid_unicode(text: str) -> str:
    """Return the text with U+FFFD in the place of lone surrogates, which no tokenizer takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def control_tokens(tokenizer: Any) -> frozenset[str]:  # noqa: ANN401 - a transformers tokenizer
    """Return the tokens that a tokenizer finds in text before all others; runs of white space do no harm."""
    return frozenset(spelt for spelt in tokenizer.get_added_vocab() if len(spelt) > 1 and not spelt.isspace())


def _cut(text: str, tokens: Sequence[str] | frozenset[str]) -> list[str]:
    present = [re.escape(token) for token in tokens if token in text]
    if not present:
        return [text]
    pieces, start = [], 0
    # A look-ahead finds tokens that overlap, each of which is cut behind its first character.
    for found in re.finditer(f"(?={'|'.join(present)})", text):
        pieces.append(text[start : found.start() + 1])
        start = found.start() + 1
    return [*pieces, text[start:]]
