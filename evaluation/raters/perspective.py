"""The Perspective API of Jigsaw and Google: the probability that a reader perceives an attribute in a comment.

A score becomes the level ``max(1, ceil(scale x score))``, unless `cut_points` say otherwise. Google ends the service
on 31 December 2026; `base_url` may name a server that speaks like it.
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

GOOGLE = "https://commentanalyzer.googleapis.com"
MAPPING: dict[str, tuple[str, ...]] = {
    "TOXICITY": ("Toxicity",),
    "SEVERE_TOXICITY": (),
    "IDENTITY_ATTACK": ("IdentityAttack",),
    "INSULT": ("Insult",),
    "PROFANITY": ("Insult",),
    "THREAT": ("Violence",),
    "SEXUALLY_EXPLICIT": ("SexualContent",),
}
"""Perspective's attribute -> our categories. Bias, Microaggression and SelfHarm are not covered."""
LANGUAGES = frozenset(
    {
        *("ar", "zh", "cs", "nl", "en", "fr", "de", "hi", "hi-Latn", "id", "it", "ja", "ko", "pl", "pt", "ru", "es"),
        "sv",
    }
)
"""Languages of the production attributes, as Perspective names them."""
ENGLISH_ONLY = frozenset({"SEXUALLY_EXPLICIT"})
_OTHER_SCRIPT = frozenset({"ar", "zh", "hi", "ja", "ko", "ru"})


class PerspectiveOptions(RecipeModel):
    """Where the service is, and how its scores become levels."""

    preset: str | None = None
    base_url: str = Field(GOOGLE, description="Root of the service, below which v1alpha1/comments:analyze is")
    key_variable: str | None = Field(
        None, description="Environment variable of the key. Not set: PERSPECTIVE_API_KEY for Google, none elsewhere"
    )
    mapping: dict[str, tuple[str, ...]] = Field(MAPPING, description="Perspective's attribute -> our categories")
    cut_points: dict[str, tuple[float, ...]] = Field(
        default_factory=dict, description="Our category -> scores above which levels 2, 3, ... begin"
    )
    longest_text: int = Field(20_480, ge=40, le=20_480, description="Bytes of one request's text in UTF-8")
    traffic: TrafficRecipe = TrafficRecipe(concurrency=1)
    budget: BudgetRecipe = BudgetRecipe()

    _from_preset = preset_options("perspective")


@dataclass(frozen=True, slots=True)
class Perspective:
    """The operation ``comments:analyze``."""

    labels: tuple[str, ...]
    longest: int
    title: str = "Perspective"
    longest_in_bytes: bool = True
    scores_are_probabilities: bool = True
    trained_languages: tuple[str, ...] = ()

    def labels_for(self, language: str) -> tuple[str, ...]:
        """Return the attributes that are offered in a language; none where the language is not taken."""
        code = code_of(language)
        if code not in LANGUAGES:
            return ()
        return tuple(label for label in self.labels if code == "en" or label not in ENGLISH_ONLY)

    def request(self, text: str, language: str, labels: Sequence[str]) -> Request:
        """Return the request for one text; the service is told not to keep it."""
        payload = {
            "comment": {"text": text, "type": "PLAIN_TEXT"},
            "languages": [code_of(language)],
            "requestedAttributes": {label: {} for label in labels},
            "doNotStore": True,
        }
        return Request("v1alpha1/comments:analyze", payload)

    def read(self, body: Mapping[str, Any]) -> Mapping[str, Reading]:
        """Return the summary score of each attribute."""
        readings = {}
        for label, scores in body["attributeScores"].items():
            score = number(scores["summaryScore"]["value"])
            if not 0 <= score <= 1:
                raise ValueError(f"the score {score} is not between 0 and 1")
            readings[str(label)] = Reading(score, score)
        return readings


def code_of(language: str) -> str:
    """Return Perspective's code for a BCP-47 tag: the language alone, with ``-Latn`` where it is romanised."""
    base, *rest = language.split("-")
    return f"{base}-Latn" if base in _OTHER_SCRIPT and "Latn" in rest else base


def build(name: str, options: PerspectiveOptions, bench: Workbench) -> ModerationRater:
    """Make the rater; nothing is sent yet.

    Raises:
        UserError: The key is missing, or mapping, cut points or address are wrong.
    """
    official = options.base_url.rstrip("/") == GOOGLE
    asked = tuple(label for label, categories in options.mapping.items() if categories)
    return build_rater(
        name,
        bench,
        Perspective(asked, options.longest_text),
        base_url=options.base_url,
        key_variable=options.key_variable or ("PERSPECTIVE_API_KEY" if official else None),
        header="X-Goog-Api-Key",
        mapping=options.mapping,
        known_labels=tuple(MAPPING),
        cut_points=options.cut_points,
        traffic=options.traffic,
        budget=options.budget,
    )


KIND = RaterKind(options=PerspectiveOptions, build=build)
