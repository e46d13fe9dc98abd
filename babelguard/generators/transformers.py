"""Models in this process through transformers: on the CPU, on one GPU or on several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from babelguard.generator import Decoding, Generation, GeneratorKind, Prompt
from babelguard.local_models.choosing import Choice, ChoiceLine
from babelguard.local_models.loading import LoadingOptions, load_model
from babelguard.local_models.local_model import Failure, LocalModel


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
    """A local model as a text generator that can also choose among listed answers."""

    local: LocalModel

    @property
    def name(self) -> str:
        """The model's name, for people."""
        return self.local.loaded.name

    @property
    def fingerprint(self) -> str:
        """Hash of all that decides its answers beside the prompt and the decoding."""
        how = sorted((str(key), repr(value)) for key, value in self.local.template_options.items())
        return ":".join([self.local.loaded.fingerprint, repr(how), self.local.answer_marker])

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        """Yield one generation a prompt, in order; see `LocalModel.generate`."""
        return self.local.generate(prompts, decoding)

    def choose(
        self, prompts: Sequence[Prompt], lines: Sequence[ChoiceLine], before: str = ""
    ) -> Iterator[tuple[Choice, ...] | Failure]:
        """Yield what is chosen in every line, one tuple a prompt, in order; see `LocalModel.choose`."""
        return self.local.choose(prompts, lines, before)


def build(options: TransformersOptions) -> TransformersGenerator:
    """Load the model.

    Raises:
        UserError: It cannot be loaded; see `load_model`.
    """
    loaded = load_model(options)
    on_cpu = loaded.model.device.type == "cpu"
    return TransformersGenerator(
        LocalModel(
            loaded,
            batch_size=options.batch_size,
            batch_tokens=options.batch_tokens or (1024 if on_cpu else 8192),
            share_prefix=options.share_prefix,
            template_options=options.template_options,
            answer_marker=options.answer_marker,
        )
    )


GENERATOR = GeneratorKind(options=TransformersOptions, build=build)
