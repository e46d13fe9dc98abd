"""A text generator behind a service that speaks the OpenAI API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from babelguard.endpoint.client import EndpointClient
from babelguard.endpoint.completions import CompletionSettings, generation_of, probe_of, request_of
from babelguard.generator import Decoding, Generation, Prompt
from babelguard.rating import Status

NOT_UNICODE = "the text holds lone surrogates, which no service takes; mend it in the corpus"


@dataclass(frozen=True)
class EndpointGenerator:
    """A model behind a service. The budget is kept over all calls of `generate`.

    Attributes:
        name: The model's name.
        fingerprint: Hash of address, model, revision and all that is sent beside prompt and decoding.
        client: How the service is reached.
        settings: How it wants to be asked.
    """

    name: str
    fingerprint: str
    client: EndpointClient
    settings: CompletionSettings

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        """Yield one generation a prompt, in order.

        A prompt that fails yields `error` with what happened, `budget` once the budget is spent; one that a filter
        stopped yields `blocked`. Before the first prompt of all, the service is probed with a harmless one.

        Raises:
            UserError: The service cannot be used as the recipe describes it.
        """
        sound = [_is_unicode(prompt) for prompt in prompts]
        first = next((prompt for prompt, is_sound in zip(prompts, sound, strict=True) if is_sound), None)
        requests = (
            request_of(prompt, decoding, self.settings)
            for prompt, is_sound in zip(prompts, sound, strict=True)
            if is_sound
        )
        replies = self.client.post_all(requests, probe_of(first, decoding, self.settings)) if first else iter(())
        for is_sound in sound:
            if is_sound:
                yield generation_of(next(replies), decoding)
            else:
                yield Generation("", Status.ERROR, NOT_UNICODE)


def _is_unicode(prompt: Prompt) -> bool:
    """Tell whether a prompt is valid Unicode."""
    return all(is_unicode(text) for text in (prompt.text, *(turn.content for turn in prompt.messages)))


def is_unicode(text: str) -> bool:
    """Tell whether a text is valid Unicode, without surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
