"""OpenAI's moderation endpoint, or any server that speaks like it: a score and a flag for each of its categories.

A score becomes the level ``max(1, ceil(scale x score))``, unless `cut_points` say otherwise; a category that the
service itself flags is at least level 2, because its own thresholds are its makers' calibration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from babelguard.endpoint.budget import BudgetRecipe
from babelguard.endpoint.client import Request
from babelguard.endpoint.retry import TrafficRecipe
from babelguard.recipe import RecipeModel
from evaluation.moderation_apis.building import build_rater
from evaluation.moderation_apis.rater import ModerationRater
from evaluation.moderation_apis.service import Reading, number
from evaluation.preset import preset_options
from evaluation.rater import RaterKind, Workbench

OPENAI = "https://api.openai.com/v1"
MAPPING: dict[str, tuple[str, ...]] = {
    "harassment": ("Insult",),
    "harassment/threatening": ("Insult", "Violence"),
    "hate": ("IdentityAttack",),
    "hate/threatening": ("IdentityAttack", "Violence"),
    "illicit": (),
    "illicit/violent": ("Violence",),
    "self-harm": ("SelfHarm",),
    "self-harm/intent": ("SelfHarm",),
    "self-harm/instructions": ("SelfHarm",),
    "sexual": ("SexualContent",),
    "sexual/minors": ("SexualContent",),
    "violence": ("Violence",),
    "violence/graphic": ("Violence",),
}
"""OpenAI's category -> ours. Toxicity, Bias and Microaggression are not covered."""


class OpenAIModerationOptions(RecipeModel):
    """Which endpoint and model, and how its scores become levels."""

    preset: str | None = None
    base_url: str = Field(OPENAI, description="Root of the API; POST base_url/moderations must answer as OpenAI does")
    model: str = Field("omni-moderation-2024-09-26", description="The model's name; a dated one does not change")
    key_variable: str | None = Field(
        None, description="Environment variable that holds the key. Not set: OPENAI_API_KEY for OpenAI, none elsewhere"
    )
    mapping: dict[str, tuple[str, ...]] = Field(MAPPING, description="The service's category -> our categories")
    cut_points: dict[str, tuple[float, ...]] = Field(
        default_factory=dict, description="Our category -> scores above which levels 2, 3, ... begin"
    )
    flags: bool = Field(True, description="Give a category that the service flags at least level 2")
    longest_text: int = Field(10_000, ge=40, description="Characters of one request; OpenAI documents no limit")
    traffic: TrafficRecipe = TrafficRecipe()
    budget: BudgetRecipe = BudgetRecipe()

    _from_preset = preset_options("openai-moderation")


@dataclass(frozen=True, slots=True)
class OpenAIModeration:
    """The operation ``moderations``."""

    model: str
    labels: tuple[str, ...]
    longest: int
    flags: bool
    title: str = "OpenAI moderation"
    longest_in_bytes: bool = False
    scores_are_probabilities: bool = True
    trained_languages: tuple[str, ...] = ()

    def labels_for(self, language: str) -> tuple[str, ...]:  # noqa: ARG002 - it takes every language
        """Return all labels: the service takes every language."""
        return self.labels

    def request(self, text: str, language: str, labels: Sequence[str]) -> Request:  # noqa: ARG002 - gives all labels
        """Return the request for one text."""
        return Request("moderations", {"model": self.model, "input": text})

    def read(self, body: Mapping[str, Any]) -> Mapping[str, Reading]:
        """Return score and flag of each category."""
        (result,) = body["results"]
        flags = result["categories"]
        readings = {}
        for label, value in result["category_scores"].items():
            if value is None:  # a category that the model does not have
                continue
            score = number(value)
            if not 0 <= score <= 1:
                raise ValueError(f"the score {score} is not between 0 and 1")
            readings[str(label)] = Reading(score, score, self.flags and flags.get(label) is True)
        return readings


def build(name: str, options: OpenAIModerationOptions, bench: Workbench) -> ModerationRater:
    """Make the rater; nothing is sent yet.

    Raises:
        UserError: The key is missing, or mapping, cut points or address are wrong.
    """
    official = options.base_url.rstrip("/") == OPENAI
    service = OpenAIModeration(options.model, tuple(options.mapping), options.longest_text, options.flags)
    return build_rater(
        name,
        bench,
        service,
        base_url=options.base_url,
        key_variable=options.key_variable or ("OPENAI_API_KEY" if official else None),
        header="Authorization",
        prefix="Bearer ",
        mapping=options.mapping,
        known_labels=None,
        cut_points=options.cut_points,
        traffic=options.traffic,
        budget=options.budget,
    )


KIND = RaterKind(options=OpenAIModerationOptions, build=build)
