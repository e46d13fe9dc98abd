"""Raters of moderation services against a local server, and the shapes of the vendors' answers."""

from __future__ import annotations

from typing import Any

from babelguard import RTP_LX, Item
from babelguard.recipe import validate
from babelguard.response_cache import ResponseCache
from evaluation.rater import RATER_KINDS, Workbench
from tests.babelguard.endpoint.fault_server import Answer, FaultServer

KEY = "canary-4711"


def rater(kind: str, server: FaultServer, cache: ResponseCache | None = None, **options: Any) -> Any:
    """Build a rater as a recipe does, asking the local server."""
    chosen = RATER_KINDS.get(kind)
    traffic = {"first_wait_s": 0.01, "timeout_s": 30, **options.pop("traffic", {})}
    raw = {"base_url": server.url, "key_variable": "A_KEY", "traffic": traffic, **options}
    return chosen.build("api", validate(raw, chosen.options, "test"), Workbench(RTP_LX, lambda _: [], cache))


def item(text: str, language: str = "de", number: int = 0, **more: Any) -> Item:
    return Item(f"{language}/{number}", text, language, "test", f"test/{number}", **more)


def azure(**severities: int) -> Answer:
    """Answer as the reference of `text:analyze` shows it."""
    analysis = [{"category": category, "severity": severity} for category, severity in severities.items()]
    return Answer({"blocklistsMatch": [], "categoriesAnalysis": analysis})


def openai(flags: tuple[str, ...] = (), **scores: float) -> Answer:
    """Answer as the reference of `moderations` shows it; underscores stand for the names' slashes and dashes."""
    labels = (
        *("harassment", "harassment/threatening", "sexual", "hate", "hate/threatening", "illicit"),
        *("illicit/violent", "self-harm/intent", "self-harm/instructions", "self-harm", "sexual/minors"),
        *("violence", "violence/graphic"),
    )
    given = {label: scores.get(label.replace("/", "_").replace("-", "_"), 0.001) for label in labels}
    result = {
        "flagged": bool(flags),
        "categories": {label: label in flags for label in labels},
        "category_scores": given,
        "category_applied_input_types": {label: ["text"] for label in labels},
    }
    return Answer({"id": "modr-1", "model": "omni-moderation-latest", "results": [result]})


def perspective(**scores: float) -> Answer:
    """Answer as the reference of `comments:analyze` shows it."""
    attributes = {
        label: {
            "spanScores": [{"begin": 0, "end": 5, "score": {"value": score, "type": "PROBABILITY"}}],
            "summaryScore": {"value": score, "type": "PROBABILITY"},
        }
        for label, score in scores.items()
    }
    return Answer({"attributeScores": attributes, "languages": ["en"], "detectedLanguages": ["en"]})


def levels(rating: Any) -> dict[str, int | str]:
    """Return category -> level, or the status where there is none."""
    return {name: score.level or score.status.value for name, score in rating.scores.items()}
