"""A model in this process: writes answers, or chooses among listed ones, behind beginnings that prompts share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TypeVar

from babelguard.errors import UserError
from babelguard.generator import Decoding, Generation, Prompt
from babelguard.local_models.choosing import Choice, ChoiceLine, Failure, Skeleton, choose
from babelguard.local_models.encoding import encode_control, encode_prompt
from babelguard.local_models.halving import HalvingBatches
from babelguard.local_models.loading import LoadedModel
from babelguard.local_models.packed import LayerKinds, PackedSequences, PackedStates
from babelguard.local_models.padded import PaddedSequences
from babelguard.local_models.prefixes import Prefix, Prefixes
from babelguard.local_models.sequences import Sequences
from babelguard.local_models.writing import Draft, text_of, write
from babelguard.rating import Status

Tokens = tuple[int, ...]
Result = TypeVar("Result")

DOES_NOT_FIT = "does not fit into memory even alone"


@dataclass
class LocalModel:
    """A loaded model and how it is used.

    Attributes:
        loaded: Model and tokenizer.
        batch_size: Prompts at once, at most.
        batch_tokens: Tokens at once beside the shared beginning, at most, where there is more than one prompt.
        share_prefix: Whether prompts share the states of their beginning.
        template_options: Variables of the chat template, such as ``enable_thinking``.
        answer_marker: The tokens, as text, behind which a model that thinks first gives its answer; empty if none.
    """

    loaded: LoadedModel
    batch_size: int = 32
    batch_tokens: int = 1024
    share_prefix: bool = True
    template_options: Mapping[str, object] = field(default_factory=dict)
    answer_marker: str = ""
    _states: PackedStates | None = None
    _checked: bool = False

    @cached_property
    def prefixes(self) -> Prefixes:
        """The beginnings that this model has computed."""
        return Prefixes(self.loaded.model)

    @cached_property
    def _kinds(self) -> LayerKinds:
        return LayerKinds.of(self.loaded.model)

    def encode(self, prompt: Prompt) -> Tokens:
        """Return the prompt's tokens; see `encode_prompt` for what is raised."""
        return tuple(encode_prompt(self.loaded.tokenizer, prompt, self.template_options))

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        """Yield one generation a prompt, in order.

        A prompt that is longer than the model's window, or that does not fit into memory, gets the status `error`.

        Raises:
            UserError: The model has no chat template, or its layers cannot share a prefix.
        """
        encoded = [self.encode(prompt) for prompt in prompts]

        def work(batch: Sequence[Tokens]) -> Sequence[Draft]:
            sequences, rest = self.begin(batch)
            seeds = [_seed(decoding.seed, prompt) for prompt in batch]
            return write(sequences, rest, seeds, decoding, self.loaded.end_tokens, self.loaded.tokenizer)

        # Written tokens come one a pass and end early as a rule, so they fill a batch less than those of prompts.
        results = self.run(encoded, decoding.max_new_tokens, work, counted=decoding.max_new_tokens // 8)
        for tokens, result in zip(encoded, results, strict=True):
            if isinstance(result, Failure):
                yield Generation("", Status.ERROR, result.detail, prompt_tokens=len(tokens))
            else:
                yield self._generation(tokens, result, decoding)

    def choose(
        self, prompts: Sequence[Prompt], lines: Sequence[ChoiceLine], before: str = ""
    ) -> Iterator[tuple[Choice, ...] | Failure]:
        """Yield the choices of every line for each prompt, in order, or why there are none.

        Args:
            prompts: The prompts.
            lines: The answer's skeleton.
            before: The text that the answer follows directly; the end of a completion prompt.

        Raises:
            UserError: As `generate`; or the tokenizer writes two choices of a line with the same first token.
        """
        skeleton = Skeleton.encode(lines, self.loaded.tokenizer, before)
        marker = tuple(encode_control(self.loaded.tokenizer, self.answer_marker)) if self.answer_marker else ()
        encoded = [(*self.encode(prompt), *marker) for prompt in prompts]

        def work(batch: Sequence[Tokens]) -> Sequence[tuple[Choice, ...]]:
            sequences, rest = self.begin(batch)
            return choose(sequences, rest, skeleton, self.loaded.model)

        yield from self.run(encoded, skeleton.length, work)

    def run(
        self,
        encoded: Sequence[Tokens],
        answer: int,
        work: Callable[[Sequence[Tokens]], Sequence[Result]],
        counted: int | None = None,
    ) -> Iterator[Result | Failure]:
        """Yield one result a prompt, in order.

        Args:
            encoded: The prompts' tokens.
            answer: The most tokens that are added to one.
            work: Makes the results of a batch.
            counted: How many of an answer's tokens count towards a batch's; all if not given.
        """
        window = self.loaded.window
        fitting = [tokens for tokens in encoded if window is None or len(tokens) + answer <= window]
        shared = self._prefix_of(fitting)
        batches: HalvingBatches[Tokens, Result | Failure] = HalvingBatches(
            work=work,
            cost=lambda tokens: len(tokens) - shared + (answer if counted is None else counted),
            most_elements=self.batch_size,
            most_cost=self.batch_tokens,
            failed=lambda _: Failure(DOES_NOT_FIT),
        )
        results = batches.run(fitting)
        for tokens in encoded:
            if window is not None and len(tokens) + answer > window:
                yield Failure(f"{len(tokens)} tokens and an answer are more than the model's window of {window}")
            else:
                yield next(results)
        self.batch_size, self.batch_tokens = batches.most_elements, batches.most_cost

    def _prefix_of(self, prompts: Sequence[Tokens]) -> int:
        return len(self.prefixes.shared_by(prompts).ids) if self.share_prefix and prompts else 0

    def begin(self, batch: Sequence[Tokens]) -> tuple[Sequences, list[Tokens]]:
        """Return sequences for a batch, and what each prompt has beside their beginning."""
        if not self.share_prefix:
            return PaddedSequences(self.loaded.model, len(batch)), list(batch)
        prefix = self.prefixes.shared_by(batch)
        if not self._checked:
            self._check(batch[0], prefix)
        states = self._states_of(prefix)
        return PackedSequences(self.loaded.model, states, len(batch)), [tokens[len(prefix.ids) :] for tokens in batch]

    def _states_of(self, prefix: Prefix) -> PackedStates:
        if self._states is None or self._states.prefix.ids != prefix.ids:
            self._states = PackedStates(Prefix(prefix.ids, list(prefix.layers)), self._kinds)
        return self._states

    def _check(self, prompt: Tokens, prefix: Prefix) -> None:
        """Compare the shared way with the plain one, once a model.

        Raises:
            UserError: They differ by more than rounding.
        """
        import torch

        self._checked = True
        plain = PaddedSequences(self.loaded.model, 1).feed([prompt], [0])
        # A second sequence stands before the one that is compared, so that a mask that leaks is seen.
        packed = PackedSequences(self.loaded.model, self._states_of(prefix), 2)
        rest = prompt[len(prefix.ids) :]
        shared = packed.feed([prompt[-1:] * 3, rest], [0, 1])[1:]
        likeliest = plain.topk(min(10, plain.shape[-1])).indices[0]
        difference = (plain.log_softmax(-1) - shared.log_softmax(-1))[0, likeliest].abs().max().item()
        if difference > (1e-2 if self.loaded.model.dtype == torch.float32 else 0.5):
            raise UserError(
                f"The model {self.loaded.name} answers differently when prompts share their beginning (by "
                f"{difference:.2g} in log-probability); set 'share_prefix: false'."
            )

    def _generation(self, prompt: Tokens, draft: Draft, decoding: Decoding) -> Generation:
        tokenizer = self.loaded.tokenizer
        cut = None if draft.ended else f"stopped at {decoding.max_new_tokens} tokens"
        text = draft.text
        if self.answer_marker:
            marker = encode_control(tokenizer, self.answer_marker)
            start = _end_of_last(draft.ids, marker)
            if start is None:
                reason = cut or "ended before its answer"
                return Generation("", Status.TRUNCATED, reason, len(prompt), len(draft.ids))
            text = text_of(draft.ids[start:], decoding, tokenizer)
        status = Status.OK if draft.ended else Status.TRUNCATED
        return Generation(text, status, cut, len(prompt), len(draft.ids))


def _seed(seed: int, prompt: Tokens) -> int:
    return int.from_bytes(sha256(repr((seed, prompt)).encode("ascii")).digest()[:7])


def _end_of_last(ids: Sequence[int], part: Sequence[int]) -> int | None:
    for start in range(len(ids) - len(part), -1, -1):
        if list(ids[start : start + len(part)]) == list(part):
            return start + len(part)
    return None
