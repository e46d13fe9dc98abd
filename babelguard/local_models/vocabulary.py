"""Whether a tokenizer is one, and its model's."""

from __future__ import annotations

from typing import Any

from babelguard.errors import UserError

_FEWEST = 8
"""Where tokenizer files are missing, transformers makes a tokenizer of control tokens alone, without a word."""


def check_vocabulary(tokenizer: Any, config: Any, model: str) -> None:  # noqa: ANN401 - of transformers
    """Check that a tokenizer knows words and that the model knows its tokens.

    Args:
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        config: The model's configuration.
        model: The model's name, for messages.

    Raises:
        UserError: The vocabulary is empty, so that every text would be unknown tokens; or it is another model's.
    """
    control = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
    words = [number for token, number in tokenizer.get_vocab().items() if token not in control]
    if len(words) < _FEWEST:
        raise UserError(
            f"The model {model} comes without a vocabulary, so that every text would be unknown to it; put its "
            "tokenizer.json beside config.json."
        )
    known = getattr(config.get_text_config(), "vocab_size", None)
    if isinstance(known, int) and max(words) >= known:
        raise UserError(
            f"The tokenizer has a token of the number {max(words):,}, and the model {model} knows {known:,} tokens; "
            "give the tokenizer that belongs to the model."
        )
