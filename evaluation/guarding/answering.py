"""Lets a guard answer: the verdict is read from its logits, and what it writes only where it must be written.

Everything here looks at tokens that the model was given as its answer or has generated, never at the rated text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babelguard.errors import UserError
from babelguard.generator import Decoding
from babelguard.local_models.prefixes import common_beginning
from babelguard.local_models.sequences import Sequences
from babelguard.local_models.writing import write
from evaluation.guarding.form import Step
from evaluation.guarding.layout import continuation


@dataclass(frozen=True, slots=True)
class EncodedStep:
    """A step as tokens.

    Attributes:
        step: The step.
        forced: Tokens that are put into the model's mouth; of a choice also what all its answers begin with.
        answers: Answer -> its further tokens, of which the first is decisive; empty where the model writes.
    """

    step: Step
    forced: tuple[int, ...]
    answers: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one prompt.

    Attributes:
        chances: Answer of the verdict -> its probability (0-1) among the verdict's answers.
        mass: Probability (0-1) of all of them together among all tokens; far below 1 means that the model wanted to
            say something else.
        flagged: Whether the probability of harmful answers reaches the threshold.
        written: The line with categories; `None` where there is none.
        ended: Whether the model ended that line by itself.
        raw: The answer as text.
        measured: Whether the probabilities are the model's; not where a service gave text alone.
    """

    chances: Mapping[str, float]
    mass: float
    flagged: bool
    written: str | None
    ended: bool
    raw: str
    measured: bool = True


def encode_steps(steps: Sequence[Step], tokenizer: Any, before: str) -> tuple[EncodedStep, ...]:  # noqa: ANN401
    """Turn an answer's steps into tokens.

    Args:
        steps: The steps.
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        before: The end of the prompt's template, which the answer continues.

    Raises:
        UserError: Two answers begin with the same token, so that one token does not tell them apart.
    """
    encoded = []
    for step in steps:
        if step.choose is None:
            encoded.append(EncodedStep(step, tuple(continuation(tokenizer, before, step.say)), {}))
            before = step.say
            continue
        whole = [tuple(continuation(tokenizer, before, step.say + answer)) for answer in step.choose]
        common = len(common_beginning(whole))
        decisive = {tokens[common : common + 1] for tokens in whole}
        if len(decisive) < len(whole) or () in decisive:
            answers = ", ".join(repr(answer.strip()) for answer in step.choose)
            raise UserError(
                f"The tokenizer of {tokenizer.name_or_path} writes two of the answers {answers} with the same first "
                "token; state others in the preset's 'answers', as this model writes them."
            )
        encoded.append(
            EncodedStep(step, whole[0][:common], dict(zip(step.choose, (t[common:] for t in whole), strict=True)))
        )
        before = step.say + next(iter(step.choose))
    return tuple(encoded)


def answer(
    sequences: Sequences,
    prompts: Sequence[Sequence[int]],
    steps: Sequence[EncodedStep],
    threshold: float,
    longest: int,
    ends: Collection[int],
    tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
) -> list[Answer]:
    """Return the answers to prompts, in order.

    Args:
        sequences: As many sequences as there are prompts.
        prompts: Their tokens, without what the sequences begin with.
        steps: The answer's steps. What follows the verdict is done for flagged prompts only.
        threshold: Probability of harm (0-1) from which on a prompt is flagged.
        longest: Tokens of a written line, at most.
        ends: Tokens that end an answer.
        tokenizer: Turns generated tokens into text.
    """
    batch = _Batch(sequences, [list(prompt) for prompt in prompts], longest, ends, tokenizer)
    running = list(range(len(prompts)))
    for number, step in enumerate(steps):
        if not step.answers:
            batch.write(step, running)
        elif not step.step.verdict:
            batch.choose(step, running)
        else:
            batch.decide(step, running, threshold)
            running = [row for row in running if batch.flagged[row]]
            if not running or not any(later.step.codes for later in steps[number + 1 :]):
                break
        if step.step.codes and batch.decided:
            break
    return [batch.answer_of(row) for row in range(len(prompts))]


class _Batch:
    """Answers that grow together."""

    def __init__(
        self,
        sequences: Sequences,
        pending: list[list[int]],
        longest: int,
        ends: Collection[int],
        tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
    ) -> None:
        count = len(pending)
        self._sequences, self._pending = sequences, pending
        self._writing = Decoding(max_new_tokens=longest, stop=("\n",))
        self._ends, self._tokenizer = ends, tokenizer
        self._raw = [""] * count
        self._chances: list[Mapping[str, float]] = [{} for _ in range(count)]
        self._mass = [0.0] * count
        self._codes: list[tuple[str, bool] | None] = [None] * count
        self.flagged = [False] * count
        self.decided = False

    def decide(self, step: EncodedStep, rows: Sequence[int], threshold: float) -> None:
        """Read the verdict and go on with the likelier of its harmful, or of its harmless, answers."""
        harms = step.step.choose or {}
        for row, (chances, mass) in zip(rows, self._chances_of(step, rows), strict=True):
            self._chances[row], self._mass[row] = chances, mass
            harm = sum(chance for said, chance in chances.items() if harms[said] > 0)
            self.flagged[row] = harm >= threshold
            fitting = [answer for answer in chances if (harms[answer] > 0) == self.flagged[row]]
            self._say(row, step, max(fitting, key=chances.__getitem__))
        self.decided = True

    def choose(self, step: EncodedStep, rows: Sequence[int]) -> None:
        """Go on with the likeliest answer."""
        for row, (chances, _) in zip(rows, self._chances_of(step, rows), strict=True):
            self._say(row, step, max(chances, key=chances.__getitem__))

    def write(self, step: EncodedStep, rows: Sequence[int]) -> None:
        """Let the model write a line."""
        tokens = [[*self._pending[row], *step.forced] for row in rows]
        some, seeds = _Some(self._sequences, rows), [0] * len(rows)
        drafts = write(some, tokens, seeds, self._writing, self._ends, self._tokenizer)
        for row, draft in zip(rows, drafts, strict=True):
            self._raw[row] += step.step.say + draft.text
            # What ended a line was not fed and is said anew by the next step; the last token of a cut line is due.
            self._pending[row] = [] if draft.ended else draft.ids[-1:]
            if step.step.codes and self.decided:
                self._codes[row] = draft.text, draft.ended

    def answer_of(self, row: int) -> Answer:
        """Return what came of a row."""
        written, ended = self._codes[row] or (None, True)
        return Answer(self._chances[row], self._mass[row], self.flagged[row], written, ended, self._raw[row].strip())

    def _chances_of(self, step: EncodedStep, rows: Sequence[int]) -> list[tuple[dict[str, float], float]]:
        logits = self._sequences.feed([[*self._pending[row], *step.forced] for row in rows], rows)
        decisive = [tokens[0] for tokens in step.answers.values()]
        shares = logits.double().log_softmax(dim=-1)[:, decisive]
        masses = shares.exp().sum(dim=-1).tolist()
        chances = shares.softmax(dim=-1).tolist()
        return [(dict(zip(step.answers, row, strict=True)), mass) for row, mass in zip(chances, masses, strict=True)]

    def _say(self, row: int, step: EncodedStep, answer: str) -> None:
        self._raw[row] += step.step.say + answer
        self._pending[row] = list(step.answers[answer])


class _Some:
    """Some sequences of a batch under numbers from 0."""

    def __init__(self, sequences: Sequences, numbers: Sequence[int]) -> None:
        self._sequences, self._numbers = sequences, numbers

    def feed(self, tokens: Sequence[Sequence[int]], numbers: Sequence[int]) -> Any:  # noqa: ANN401 - a tensor
        """Append tokens; see `Sequences.feed`."""
        return self._sequences.feed(tokens, [self._numbers[number] for number in numbers])

    def drop(self, numbers: Sequence[int]) -> None:
        """Keep them: a line that has ended is not the answer's end."""
