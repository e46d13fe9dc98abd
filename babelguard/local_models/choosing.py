"""Answers with a forced skeleton: the model only chooses, and only from what is listed.

A skeleton is a list of lines, each a label and choices behind it, for example ``Insult:`` and `` 1``, `` 2``, `` 3``.
The labels are put into the model's mouth; the choices' probabilities are read from its logits; the likeliest is put
into its mouth too, and so it goes on, each line conditioned on those above it. Nothing has to be parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from babelguard.errors import UserError
from babelguard.generator import Prompt
from babelguard.local_models.encoding import encode_after
from babelguard.local_models.prefixes import common_beginning
from babelguard.local_models.sequences import Sequences, only_rows


@dataclass(frozen=True, slots=True)
class ChoiceLine:
    """One line of an answer.

    Attributes:
        label: What is forced, from the end of the line above on.
        choices: What may follow, two or more.
    """

    label: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _EncodedLine:
    forced: tuple[int, ...]
    choices: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Skeleton:
    """The lines of an answer as tokens.

    Attributes:
        lines: Forced tokens of every line and the tokens of its choices. What all choices of a line begin with, such
            as a space that is a token by itself, is among the forced ones.
        decisive: The tokens that tell choices apart, of all lines.
    """

    lines: tuple[_EncodedLine, ...]
    decisive: tuple[int, ...]

    @classmethod
    def encode(cls, lines: Sequence[ChoiceLine], tokenizer: Any, before: str = "") -> Skeleton:  # noqa: ANN401
        """Encode lines, each as it is written behind those above it.

        Args:
            lines: The answer.
            tokenizer: `transformers.PreTrainedTokenizerBase`.
            before: The text that the answer follows directly, where it follows text.

        Raises:
            UserError: Two choices of a line begin with the same token, so that one token does not tell them apart.
        """
        encoded = []
        for line in lines:
            whole = [tuple(encode_after(tokenizer, before, line.label + choice)) for choice in line.choices]
            common = len(common_beginning(whole))
            if len({tokens[common : common + 1] for tokens in whole}) < len(whole) or min(map(len, whole)) == common:
                raise UserError(
                    f"The tokenizer of {tokenizer.name_or_path} writes two of the choices "
                    f"{', '.join(repr(choice.strip()) for choice in line.choices)} with the same first token, so they "
                    "cannot be scored by one; set 'mode: generate'."
                )
            encoded.append(_EncodedLine(whole[0][:common], tuple(tokens[common:] for tokens in whole)))
            before += line.label + line.choices[0]
        decisive = {choice[0] for line in encoded for choice in line.choices}
        return cls(tuple(encoded), tuple(sorted(decisive)))

    @property
    def length(self) -> int:
        """The most tokens that an answer has."""
        return sum(len(line.forced) + max(map(len, line.choices)) for line in self.lines)


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen in one line.

    Attributes:
        index: The likeliest choice; the first of several.
        log_probabilities: Natural logarithm of each choice's probability among the choices.
    """

    index: int
    log_probabilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is nothing for a prompt.

    Attributes:
        detail: The reason in a few words, without any of the prompt.
    """

    detail: str


@runtime_checkable
class ChoosingGenerator(Protocol):
    """A generator that can also choose among listed answers."""

    def choose(
        self, prompts: Sequence[Prompt], lines: Sequence[ChoiceLine], before: str = ""
    ) -> Iterator[tuple[Choice, ...] | Failure]:
        """Yield what is chosen in every line, one tuple a prompt, in order, or why nothing is."""
        ...


def choose(
    sequences: Sequences,
    prompts: Sequence[Sequence[int]],
    skeleton: Skeleton,
    model: Any,  # noqa: ANN401 - a transformers model
) -> list[tuple[Choice, ...]]:
    """Return the choices of every line, for every prompt.

    Args:
        sequences: As many empty sequences as there are prompts.
        prompts: Their tokens, without what the sequences begin with.
        skeleton: The answer; a choice of several tokens is decided by its first one, the others follow by force.
        model: The model behind the sequences.
    """
    import torch

    answers: list[list[Choice]] = [[] for _ in prompts]
    tokens = [list(prompt) for prompt in prompts]
    numbers = range(len(prompts))
    with only_rows(model, skeleton.decisive) as few:
        for line in skeleton.lines:
            logits = sequences.feed([[*new, *line.forced] for new in tokens], numbers)
            decisive = [choice[0] for choice in line.choices]
            columns = [skeleton.decisive.index(token) for token in decisive] if few else decisive
            scored = torch.log_softmax(logits[:, columns].double(), dim=-1).tolist()
            for number, row in enumerate(scored):
                index = max(range(len(row)), key=row.__getitem__)
                answers[number].append(Choice(index, tuple(row)))
                tokens[number] = list(line.choices[index])
    return [tuple(answer) for answer in answers]
