"""Models in this process through transformers: on the CPU, on one GPU or on several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from babelguard.checksums import hash_of
from babelguard.generator import Decoding, Generation, GeneratorKind, Prompt
from babelguard.local_models.choosing import Choice, ChoiceLine, Failure
from babelguard.local_models.loading import LoadingOptions, fingerprint_of, load_model, name_of
from babelguard.local_models.local_model import LocalModel
from babelguard.local_models.shelf import SHELF


class TransformersOptions(LoadingOptions):
    """Which model, and how many prompts it takes at once."""

    batch_size: int = Field(32, ge=1, description="Prompts at once, at most; halved when memory runs out")
    batch_tokens: int | None = Field(
        None, ge=1, description="Tokens at once beside the shared prefix; 1024 on the CPU and 8192 elsewhere if not set"
    )
    share_prefix: bool = Field(True, description="Compute the beginning that prompts have in common once")
    template_options: dict[str, Any] = Field(
        default_factory=dict, description="Variables of the chat template, such as enable_thinking"
    )
    answer_marker: str = Field("", description="Text, control tokens included, behind which a thinking model answers")


@dataclass(frozen=True)
class TransformersGenerator:
    """A local model as a text generator that can also choose among listed answers.

    Attributes:
        name: The model's name, for people.
        fingerprint: Hash of all that decides its answers beside the prompt and the decoding.
        open: Returns the model, loaded when it is first needed.
    """

    name: str
    fingerprint: str
    open: Callable[[], LocalModel]

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        """Yield one generation a prompt, in order; see `LocalModel.generate`."""
        return self.open().generate(prompts, decoding)

    def choose(
        self, prompts: Sequence[Prompt], lines: Sequence[ChoiceLine], before: str = ""
    ) -> Iterator[tuple[Choice, ...] | Failure]:
        """Yield what is chosen in every line, one tuple a prompt, in order; see `LocalModel.choose`."""
        return self.open().choose(prompts, lines, before)


def build(options: TransformersOptions) -> TransformersGenerator:
    """Make the generator; weights are loaded when the first prompt comes.

    Raises:
        UserError: The model is not found; see `fingerprint_of`.
    """
    key = options.model_dump_json()
    return TransformersGenerator(
        name_of(options),
        hash_of("transformers", 1, fingerprint_of(options), options.template_options, options.answer_marker),
        lambda: SHELF.get(key, lambda: _load(options)),
    )


def _load(options: TransformersOptions) -> LocalModel:
    loaded = load_model(options)
    return LocalModel(
        loaded,
        batch_size=options.batch_size,
        batch_tokens=options.batch_tokens or (1024 if loaded.model.device.type == "cpu" else 8192),
        share_prefix=options.share_prefix,
        template_options=options.template_options,
        answer_marker=options.answer_marker,
    )


GENERATOR = GeneratorKind(options=TransformersOptions, build=build)
