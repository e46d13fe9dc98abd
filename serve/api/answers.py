"""What the API answers: the models behind the documentation. Answers are built as plain values; tests compare."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ActionName = Literal["allow", "flag", "block"]


class Answer(BaseModel):
    """Base of all answers."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())


class PolicyAnswer(Answer):
    """The policy that was in force."""

    name: str
    version: str
    digest: str = Field(description="Changes with every byte of the policy and of its lists")


class LanguageAnswer(Answer):
    """The language of a text, and whose values were used for it."""

    tag: str | None = Field(description="As given, or as identified; null where it is not known")
    given: bool = Field(description="Whether the request named it")
    confidence: float | None = Field(description="Probability of an identified language; null for a given one")
    calibration: str | None = Field(description="The guard's language whose values were used; null: the pooled values")


class CategoryAnswer(Answer):
    """What the guard says for one category."""

    level: int = Field(description="From 1 to the category's scale")
    scale: int
    probability: float = Field(description="Calibrated P(level > 1)")
    probabilities: list[float] = Field(description="Calibrated P(level > 1), P(level > 2), ...")
    flagged: bool = Field(description="Whether the guard's own threshold is reached")
    action: ActionName = Field(description="What the policy's rules for this category ask for")
    trigger: tuple[int, int] = Field(
        description="First code point, and the one behind the last, of the window that scored highest"
    )


class RuleAnswer(Answer):
    """A rule of the policy that held."""

    action: ActionName
    category: str | None = Field(description="null for a list of phrases")
    condition: str
    source: str = Field(description="Where the policy says so")
    value: float | None = Field(description="The probability or the level that was compared")
    spans: list[tuple[int, int]] = Field(description="Code points of a list's hits")


class RatedText(Answer):
    """Everything that is known about one text."""

    action: ActionName
    rules: list[RuleAnswer] = Field(description="The rules that held, severest first")
    language: LanguageAnswer
    categories: dict[str, CategoryAnswer]
    windows: int = Field(description="Windows that were scored; 0: the text has nothing to score")
    characters: int
    replaced: int = Field(description="Characters that cannot be encoded and were read as U+FFFD")


class RateAnswer(Answer):
    """The answer of `/v1/rate`, a result a text."""

    id: str
    model: str
    policy: PolicyAnswer
    results: list[RatedText]


class ChatGuardAnswer(Answer):
    """The answer of `/v1/chat/guard`."""

    id: str
    model: str
    policy: PolicyAnswer
    action: ActionName = Field(description="The severer of the two parts'")
    user: RatedText | None = Field(description="The user's last turn: its messages, joined by newlines")
    assistant: RatedText | None = Field(
        description="The answer to it, as far as it is written: its messages, joined by newlines"
    )


class ModerationResult(Answer):
    """One text, as OpenAI's clients read it. null: no category of the guard speaks for it."""

    flagged: bool = Field(description="Whether the policy does anything but allow")
    action: ActionName
    categories: dict[str, bool | None]
    category_scores: dict[str, float | None]
    category_applied_input_types: dict[str, list[Literal["text"]]]


class ModerationAnswer(Answer):
    """The answer of `/v1/moderations`."""

    id: str
    model: str
    policy: PolicyAnswer
    results: list[ModerationResult]


class ErrorDetails(Answer):
    """What went wrong, and the remedy."""

    message: str
    type: str
    param: str | None
    code: str


class ErrorAnswer(Answer):
    """An error, in the form that OpenAI's clients read."""

    error: ErrorDetails


class HealthAnswer(Answer):
    """The process answers."""

    status: Literal["ok"]


class ReadyAnswer(Answer):
    """Whether requests are taken, and what answers them."""

    status: Literal["ready", "closing"]
    guard: str
    precision: str
    provider: str
    policy: PolicyAnswer
    policy_is_stale: bool = Field(
        description="The policy's file has changed and is broken; the earlier one is in force"
    )
