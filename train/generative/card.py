"""The model card of a generative guard, in the hub's format: what it is, from what, how well it does, its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from babelguard.languages import language
from train.generative.spec import GenerativeSpec
from train.recipe import TrainRecipe

_FIGURES = ("linear_kappa", "macro_f1", "auprc")
_INTERVALS = ("linear_kappa", "macro_f1", "false_positive_rate")


def card(recipe: TrainRecipe, spec: GenerativeSpec, metrics: Mapping[str, Any]) -> str:
    """Return the card as Markdown with a YAML head.

    Args:
        recipe: The training's recipe.
        spec: What the guard is.
        metrics: What the training wrote as `metrics.json`.
    """
    return "\n".join([*_head(recipe, spec, metrics), *_what(recipe, spec), *_data(metrics), *_figures(metrics),
                      *_limits(spec, metrics), ""])  # fmt: skip


def _head(recipe: TrainRecipe, spec: GenerativeSpec, metrics: Mapping[str, Any]) -> Iterator[str]:
    split = metrics["splits"].get("test") or metrics["splits"].get("calibration") or {"cells": []}
    tags = sorted({cell["language"] for cell in split["cells"]})
    record = {
        "license": recipe.licence or "unknown",
        "language": [language(tag).tag.split("-")[0] for tag in tags],
        "base_model": spec.model.base if spec.model.base.count("/") == 1 else spec.model.base.rsplit("/", 1)[-1],
        "pipeline_tag": "text-generation",
        "library_name": "transformers",
        "tags": ["guard", "content-moderation", "toxicity", spec.answer.format],
    }
    yield f"---\n{yaml.safe_dump(record, sort_keys=False, allow_unicode=True)}---"
    yield f"# {recipe.name} {recipe.version}\n"
    if recipe.description:
        yield f"{' '.join(recipe.description.split())}\n"


def _what(recipe: TrainRecipe, spec: GenerativeSpec) -> Iterator[str]:
    name = spec.model.base.rsplit("/", 1)[-1]
    licence = f" ({spec.model.licence})" if spec.model.licence else ""
    how = "a LoRA adapter" if spec.adapter else "all weights trained"
    yield f"A generative guard from {name}{licence}, {how}; taxonomy {spec.taxonomy}.\n"
    if spec.answer.format == "judge":
        yield (
            "It answers with a level a category, one line each. Levels and their probabilities are read from the "
            "logits behind each line's label (mode: score); `rubric.j2` is its prompt.\n"
        )
    else:
        yield (
            "It answers `safe`, or `unsafe` and on the next line the codes of the violated categories. Its chat "
            "template is its prompt; the verdict's probability is read from its first token.\n"
        )
        yield f"{spec.threshold_reason}\n" if spec.threshold_reason else ""
    yield "## Intended use\n"
    yield (
        "To flag harmful texts for people to look at, in the languages below, or to guard a model's prompts and "
        "answers together with other measures. Not for decisions about people without a person, and not for languages, "
        "registers or policies that are not measured here.\n"
    )
    yield f"Seed {recipe.seed}; trained with `python -m train.run` from the `recipe.yaml` beside this card.\n"


def _data(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield "## Data\n"
    yield from _table(
        ("source", "licence", "training items"),
        [(row["source"], row["licence"], f"{row['items']:,}") for row in metrics["sources"]],
    )
    counts = ", ".join(f"{split} {count:,}" for split, count in metrics["items"].items())
    yield f"\nItems by split: {counts}.\n"


def _figures(metrics: Mapping[str, Any]) -> Iterator[str]:
    chosen = metrics["selection"]
    value = "undefined" if chosen["value"] is None else f"{chosen['value']:.3f}"
    yield "## Figures\n"
    yield (
        f"The best checkpoint by {chosen['metric']} on the calibration split ({value}), of the {chosen['stage']} "
        f"stage: {chosen['checkpoint']} of {chosen['planned_steps']:,} planned steps.\n"
    )
    for split, figures in metrics["splits"].items():
        yield f"### {split}: {figures['items']:,} items\n"
        yield from _table(("figure", "value"), [(name, _shown(v)) for name, v in figures["summary"].items()])
        yield f"\nOf {figures['ratings']:,} ratings, {figures['missing']:,} are missing.\n"
    split = "test" if "test" in metrics["splits"] else "calibration"
    found = metrics["splits"].get(split)
    if found is None:
        return
    yield f"### By language ({split}; means over the categories, 95% intervals by a bootstrap over contents)\n"
    yield from _table(
        ("language", *_INTERVALS),
        [(tag, *(_interval(row.get(name)) for name in _INTERVALS)) for tag, row in found["intervals"].items()],
    )
    yield f"\n### By category ({split}; means over the languages)\n"
    names = list(dict.fromkeys(cell["category"] for cell in found["cells"]))
    yield from _table(
        ("category", *_FIGURES, "items"),
        [_row(name, [cell for cell in found["cells"] if cell["category"] == name]) for name in names],
    )
    yield ""


def _limits(spec: GenerativeSpec, metrics: Mapping[str, Any]) -> Iterator[str]:
    yield "## Limits\n"
    yield (
        "- Labels come from few annotators, whose strictness differs by language: figures of two languages do not "
        "compare.\n"
        "- A text that imitates the prompt's own words can mislead a model that reads its prompt as text.\n"
        f"- Texts beyond {spec.model.longest:,} tokens are cut in training and read in windows or refused afterwards."
    )
    for name in spec.uncovered:
        yield f"- {name} was not learnt: no training item covers it."
    for remark in metrics["remarks"]:
        yield f"- {remark}"


def _row(name: str, cells: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    means = []
    for figure in _FIGURES:
        values = [cell[figure] for cell in cells if cell[figure] is not None]
        means.append(_shown(sum(values) / len(values) if values else None))
    return (name, *means, f"{sum(cell['items'] for cell in cells):,}")


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _interval(bounds: Sequence[float | None] | None) -> str:
    if bounds is None or bounds[0] is None:
        return "undefined"
    low, high = (_shown(bound) for bound in bounds[1:])
    return f"{_shown(bounds[0])} ({low} to {high})"


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
