"""Makes the prompts of one guard: its layouts, the words of its answer, and windows of texts that are too long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from babelguard.errors import UserError
from babelguard.generator import Prompt
from evaluation.guarding.answering import EncodedStep, encode_steps
from evaluation.guarding.conversation import Exchange
from evaluation.guarding.form import Policy, Step, Target, Turn
from evaluation.guarding.layout import ControlTokenError, Encoder, Layout, holder, render
from evaluation.guarding.windows import windows

ONE_QUESTION = Policy(name="", covers=())
NO_REQUEST = Prompt()
_SLACK = 8
"""A window's tokens alone and within a prompt may differ by a few at its borders."""
_LEAST_ROOM = 32
OMISSION = " [...] "


@dataclass(frozen=True, slots=True)
class GuardPrompt:
    """One prompt.

    Attributes:
        target: What it asks about.
        policy: The policy that it asks about, for guards that are asked policy by policy.
        ids: Its tokens; empty if there is a failure, or if the guard is behind a service.
        failure: Why there is no prompt.
        request: What a service is sent.
    """

    target: Target
    policy: Policy
    ids: tuple[int, ...] = ()
    failure: str = ""
    request: Prompt = NO_REQUEST

    @property
    def length(self) -> int:
        """Its tokens or, where these are not known, the characters of its turns."""
        return len(self.ids) or sum(len(turn.content) for turn in self.request.messages) + len(self.request.text)


@dataclass
class Prompting:
    """How one guard is asked.

    Attributes:
        tokenizer: `transformers.PreTrainedTokenizerBase`.
        template: Jinja text; the tokenizer's chat template if `None`.
        frame: Messages around the texts; if empty, the turns are the messages.
        content: Whether a message's content is text or a list of parts.
        variables: Variables of the template.
        policies: What it is asked about one by one; empty for guards that are asked once.
        answers: Target -> the steps of the answer.
        longest: Tokens of a prompt, at most; what is longer is asked about in windows.
        most_windows: Windows of one text, at most.
    """

    tokenizer: Any
    template: str | None
    frame: Sequence[Turn]
    content: Literal["text", "parts"]
    variables: Mapping[str, Any]
    policies: Sequence[Policy]
    answers: Mapping[Target, Sequence[Step]]
    longest: int
    most_windows: int
    _layouts: dict[tuple[Target, int, str], Layout] = field(default_factory=dict)
    _steps: dict[tuple[Target, str], tuple[EncodedStep, ...]] = field(default_factory=dict)
    _around: dict[tuple[Layout, ...], int] = field(default_factory=dict)

    def steps(self, target: Target, lead: str = "") -> tuple[EncodedStep, ...]:
        """Return the answer's steps as tokens, the first one behind `lead`; see `encode_steps` for what is raised."""
        if (target, lead) not in self._steps:
            end = self.layout(target, 1 if target == "prompt" else 2, self._asked[0]).end
            first, *others = self.answers[target]
            first = first.model_copy(update={"say": lead + first.say})
            self._steps[target, lead] = encode_steps([first, *others], self.tokenizer, end)
        return self._steps[target, lead]

    def layout(self, target: Target, turns: int, policy: Policy = ONE_QUESTION) -> Layout:
        """Return the prompt for a conversation of so many turns.

        Raises:
            UserError: There is no template, it refuses such a conversation, or it does not show the rated turn.
        """
        key = (target, turns, policy.name)
        if key not in self._layouts:
            holders = [holder(number) for number in range(turns)]
            variables = template_variables(holders, target, policy, self.variables)
            turns_said = messages_of(self.frame, holders, variables)
            made = render(self.tokenizer, turns_said, variables, self.template, self.content == "parts")
            if turns - 1 not in made.pieces:
                raise UserError(
                    "The guard's template does not show the rated text; it must print every turn's content."
                )
            self._layouts[key] = made
        return self._layouts[key]

    def prompts(self, exchange: Exchange) -> tuple[list[GuardPrompt], list[str]]:
        """Return the prompts for an exchange, windows times policies, and remarks about them."""
        texts, remarks = list(exchange.texts), []
        layouts = [self.layout(exchange.target, len(texts), policy) for policy in self._asked]
        try:
            room = self._room(layouts, texts)
            if room < _LEAST_ROOM and len(texts) > 1:
                texts = [*(self._shortened(text, len(texts) - 1) for text in texts[:-1]), texts[-1]]
                remarks.append("turns before the rated one are shown shortened in their middle")
                room = self._room(layouts, texts)
            if room < _LEAST_ROOM:
                return self._failed(exchange, f"the prompt leaves {max(0, room)} of {self.longest} tokens for the text")
            cut = windows(texts[-1], room, self.tokenizer)
            if len(cut) > self.most_windows:
                return self._failed(exchange, f"{len(cut)} windows are more than 'most_windows' ({self.most_windows})")
            if len(cut) > 1:
                remarks.append(f"read in {len(cut)} windows")
            made = [
                GuardPrompt(exchange.target, policy, tuple(layout.encode(self._encoder, [*texts[:-1], window])))
                for window in cut
                for policy, layout in zip(self._asked, layouts, strict=True)
            ]
        except ControlTokenError as error:
            return self._failed(exchange, str(error))
        return made, remarks

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.tokenizer)

    @property
    def _asked(self) -> Sequence[Policy]:
        return self.policies or (ONE_QUESTION,)

    def _room(self, layouts: Sequence[Layout], texts: Sequence[str]) -> int:
        alone = tuple(layouts) if len(texts) == 1 else None
        around = self._around.get(alone) if alone else None
        if around is None:
            around = max(len(layout.encode(self._encoder, [*texts[:-1], ""])) for layout in layouts)
        if alone:
            self._around[alone] = around
        return self.longest - around - _SLACK

    def _shortened(self, text: str, turns: int) -> str:
        half = max(1, self.longest // (4 * turns))
        parts = windows(text, half, self.tokenizer)
        return text if len(parts) < 3 else parts[0] + OMISSION + parts[-1]

    def _failed(self, exchange: Exchange, reason: str) -> tuple[list[GuardPrompt], list[str]]:
        return [GuardPrompt(exchange.target, policy, (), reason) for policy in self._asked], []


def template_variables(
    texts: Sequence[str], target: Target, policy: Policy, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the variables of a template and of a frame.

    Args:
        texts: The turns, or what stands for them.
        target: Whether the last turn is a prompt or a response.
        policy: What the prompt asks about.
        given: Further variables.
    """
    request, response = (texts[-2], texts[-1]) if target == "response" else (texts[-1], "")
    speakers = ("User", "Agent")
    pair = [request, response] if target == "response" else [request]
    return {
        **given,
        **policy.variables_for(target),
        "target": target,
        "request": request,
        "response": response,
        "role": speakers[len(pair) - 1],
        "dialogue": "\n\n".join(f"{speaker}: {text}" for speaker, text in zip(speakers, pair, strict=False)),
    }


def messages_of(frame: Sequence[Turn], texts: Sequence[str], variables: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the turns of a chat: the texts as they alternate, or the frame with its variables in place."""
    if not frame:
        roles = ("user", "assistant")
        return [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    return [{"role": turn.role, "content": environment.from_string(turn.content).render(**variables)} for turn in frame]
