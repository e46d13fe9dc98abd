"""Azure AI Content Safety: four harms with a severity each.

Severities go from 0 to 7, or are given as 0, 2, 4 and 6. A severity is rescaled as the RTP-LX paper rescaled its
scores: as a share of the highest severity, then ``max(1, ceil(3 x share))``. So of eight severities 0-2 are level 1,
3-4 level 2 and 5-7 level 3; of four, 0 and 2 are level 1, 4 is level 2 and 6 is level 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

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

MAPPING: dict[str, tuple[str, ...]] = {
    "Hate": ("IdentityAttack",),
    "SelfHarm": ("SelfHarm",),
    "Sexual": ("SexualContent",),
    "Violence": ("Violence",),
}
"""Azure's category -> ours. Toxicity, Bias, Microaggression and Insult are not covered."""
HIGHEST = {"FourSeverityLevels": 6, "EightSeverityLevels": 7}
TRAINED = ("de", "en", "es", "fr", "it", "ja", "pt", "zh")


class AzureContentSafetyOptions(RecipeModel):
    """Which resource, and how its severities become levels."""

    preset: str | None = None
    base_url: str = Field(description="The resource's endpoint, such as https://NAME.cognitiveservices.azure.com")
    key_variable: str = Field("AZURE_CONTENT_SAFETY_KEY", description="Environment variable that holds the key")
    api_version: str = Field("2024-09-01", pattern=r"^[0-9A-Za-z.-]+$")
    output: Literal["FourSeverityLevels", "EightSeverityLevels"] = "EightSeverityLevels"
    mapping: dict[str, tuple[str, ...]] = Field(MAPPING, description="Azure's category -> our categories")
    cut_points: dict[str, tuple[float, ...]] = Field(
        default_factory=dict, description="Our category -> shares of the highest severity above which levels begin"
    )
    longest_text: int = Field(10_000, ge=40, le=10_000, description="Characters of one request")
    traffic: TrafficRecipe = TrafficRecipe()
    budget: BudgetRecipe = BudgetRecipe()

    _from_preset = preset_options("azure-content-safety")


@dataclass(frozen=True, slots=True)
class AzureContentSafety:
    """The operation ``text:analyze``."""

    api_version: str
    output: str
    labels: tuple[str, ...]
    longest: int
    title: str = "Azure AI Content Safety"
    longest_in_bytes: bool = False
    scores_are_probabilities: bool = False
    trained_languages: tuple[str, ...] = TRAINED

    def labels_for(self, language: str) -> tuple[str, ...]:  # noqa: ARG002 - it finds the language out itself
        """Return all labels: the service takes every language."""
        return self.labels

    def request(self, text: str, language: str, labels: Sequence[str]) -> Request:  # noqa: ARG002 - likewise
        """Return the request for one text."""
        payload = {
            "text": text,
            "categories": list(labels),
            "blocklistNames": [],
            "haltOnBlocklistHit": False,
            "outputType": self.output,
        }
        return Request(f"contentsafety/text:analyze?api-version={self.api_version}", payload)

    def read(self, body: Mapping[str, Any]) -> Mapping[str, Reading]:
        """Return the severity of each category, as a share of the highest one."""
        readings = {}
        for entry in body["categoriesAnalysis"]:
            severity = number(entry["severity"])
            if not 0 <= severity <= HIGHEST[self.output]:
                raise ValueError(f"the severity {severity} is off its scale")
            readings[str(entry["category"])] = Reading(severity / HIGHEST[self.output], entry["severity"])
        return readings


def build(name: str, options: AzureContentSafetyOptions, bench: Workbench) -> ModerationRater:
    """Make the rater; nothing is sent yet.

    Raises:
        UserError: The key is missing, or mapping, cut points or address are wrong.
    """
    asked = tuple(label for label, categories in options.mapping.items() if categories)
    service = AzureContentSafety(options.api_version, options.output, asked, options.longest_text)
    return build_rater(
        name,
        bench,
        service,
        base_url=options.base_url,
        key_variable=options.key_variable,
        header="Ocp-Apim-Subscription-Key",
        mapping=options.mapping,
        known_labels=tuple(MAPPING),
        cut_points=options.cut_points,
        traffic=options.traffic,
        budget=options.budget,
    )


KIND = RaterKind(options=AzureContentSafetyOptions, build=build)
