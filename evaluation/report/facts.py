"""What a run was about: the corpus, the settings and the recipe, as names and values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.report.evidence import Evidence
from evaluation.report.languages import language_name
from evaluation.report.wording import listed

_LANGUAGES = "languages"

_TITLES = {
    "source_ids": "source_ids, shared by versions of one text",
    "set_aside": "Rows set aside",
    "left_out": "Rows left out",
    "annotators": "Annotators a text, at most",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and what is to be said of it, one entry or several."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """One large number of the header."""

    number: str
    unit: str


def tiles(evidence: Evidence) -> tuple[Tile, ...]:
    """Return the counts that the header shows large; what the corpus does not tell is left out."""
    corpus = evidence.findings.corpus
    units = {"items": "items", "source_ids": "source_ids", _LANGUAGES: "languages"}
    counts = [(_count(corpus.get(key)), unit) for key, unit in units.items()]
    counts.append((len(evidence.categories), "categories"))
    counts.append((len(evidence.humans), "annotators a text, at most"))
    counts.append((len(evidence.systems), "raters compared with them"))
    return tuple(Tile(f"{count:,}", unit) for count, unit in counts if count is not None)


def corpus_facts(evidence: Evidence) -> tuple[Fact, ...]:
    """Return everything that the findings tell of the corpus."""
    return tuple(
        Fact(_TITLES.get(key, _human(key)), _values(value, languages=key == _LANGUAGES))
        for key, value in evidence.findings.corpus.items()
    )


def setting_facts(evidence: Evidence) -> tuple[Fact, ...]:
    """Return the settings of the intervals and the version."""
    settings = evidence.findings.settings
    return tuple(
        Fact(_human(key), (str(v),) if isinstance(v, int | float) else _values(v)) for key, v in settings.items()
    )


def recipe_yaml(recipe: Mapping[str, Any]) -> str:
    """Return the resolved recipe as YAML."""
    import yaml

    plain = json.loads(json.dumps(recipe, default=str))
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100).rstrip() if plain else ""


def summary_of_coverage(evidence: Evidence) -> str:
    """Say in one sentence which raters leave categories out; empty where none does."""
    total = len(evidence.categories)
    partial = [s for s in evidence.systems if len(s.covers) < total]
    if not partial:
        return ""
    return "Not every rater knows every category: " + "; ".join(
        f"{s.label} covers {len(s.covers)} of {total} "
        f"({listed(evidence.titles.get(name, name) for name in s.covers) or 'none'})"
        for s in partial
    )


def _count(value: object) -> int | None:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return None
    if isinstance(value, int):
        return value
    return len(value) if isinstance(value, Sequence | Mapping) else None


def _human(key: str) -> str:
    return key.replace("_", " ").replace("-", " ").capitalize()


def _values(value: object, *, languages: bool = False) -> tuple[str, ...]:
    if isinstance(value, Mapping):
        if languages:
            return (", ".join(f"{language_name(str(tag))} {_scalar(count)}" for tag, count in value.items()),)
        return tuple(f"{k}: {'; '.join(_values(v))}" for k, v in value.items()) or ("none",)
    if isinstance(value, Sequence) and not isinstance(value, str):
        texts = [language_name(str(v)) if languages else _scalar(v) for v in value]
        return (", ".join(texts) or "none",)
    return (_scalar(value),)


def _scalar(value: object) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)
