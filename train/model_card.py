"""The model card of a classifier guard, in the hub's format: what it is, from what, how well it does, its limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import yaml

from babelguard.languages import language
from train.calibrating import CalibrationBlock
from train.intervals import ALL
from train.recipe import TrainRecipe

if TYPE_CHECKING:
    from train.classifier.spec import GuardSpec

_FIGURES = ("linear_kappa", "macro_f1", "false_positive_rate")


def classifier_card(recipe: TrainRecipe, spec: GuardSpec, metrics: Mapping[str, Any], block: CalibrationBlock) -> str:
    """Return the card as Markdown with a YAML head.

    Args:
        recipe: The training's recipe.
        spec: What the guard is.
        metrics: What the training writes as `metrics.json`.
        block: Calibration and thresholds.
    """
    parts = (
        _head(recipe, spec, metrics),
        _what(recipe, spec),
        _data(metrics),
        _figures(metrics),
        _calibration(block),
        _limits(metrics),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(recipe: TrainRecipe, spec: GuardSpec, metrics: Mapping[str, Any]) -> Iterator[str]:
    base = spec.model.base
    record: dict[str, Any] = {
        "license": recipe.licence or "unknown",
        "language": sorted({language(tag).tag.split("-")[0] for tag in metrics["trained_languages"]}),
        "base_model": base
        if base.count("/") == 1 and not base.startswith((".", "/", "~"))
        else base.rsplit("/", 1)[-1],
        "pipeline_tag": "text-classification",
        "library_name": "peft" if spec.adapter else "transformers",
        "tags": ["guard", "content-moderation", "toxicity", "ordinal"],
        "datasets": list(dict.fromkeys(row["source"] for row in metrics["sources"])),
        "model-index": [_index(recipe, metrics)],
    }
    yield f"---\n{yaml.safe_dump(record, sort_keys=False, allow_unicode=True)}---"
    yield f"# {recipe.name} {recipe.version}\n"
    if recipe.description:
        yield f"{' '.join(recipe.description.split())}\n"


def _index(recipe: TrainRecipe, metrics: Mapping[str, Any]) -> dict[str, Any]:
    split = _best_known(metrics)
    values = metrics["splits"][split]["summary"]
    return {
        "name": recipe.name,
        "results": [
            {
                "task": {"type": "text-classification"},
                "dataset": {"name": f"{recipe.name} ({split})", "type": recipe.taxonomy, "split": split},
                "metrics": [
                    {"type": name, "value": round(value, 4)} for name, value in values.items() if value is not None
                ],
            }
        ],
    }


def _what(recipe: TrainRecipe, spec: GuardSpec) -> Iterator[str]:
    name = spec.model.base.rsplit("/", 1)[-1]
    licence = f" ({spec.model.licence})" if spec.model.licence else ""
    how = "a LoRA adapter and a head" if spec.adapter else "all weights and a head"
    yield (
        f"A classifier from {name}{licence}: {how} were trained. For each of the categories of the taxonomy "
        f"{spec.taxonomy} it gives the probability of every level ({spec.head.kind} head): "
        + ", ".join(f"{c} 1-{s}" for c, s in zip(spec.categories, spec.scales, strict=True))
        + ".\n"
    )
    yield "## Intended use\n"
    yield (
        "To flag harmful texts for people to look at, in the languages below, or to guard a model's prompts and "
        "answers together with other measures. Not for decisions about people without a person, and not for languages, "
        "registers or policies that are not measured here.\n"
    )
    prefix = f" after the prefix {spec.model.prefix!r}" if spec.model.prefix else ""
    yield (
        f"It reads windows of {spec.model.window} tokens{prefix}; a longer text is read in windows that share "
        f"{spec.model.overlap}, and each column's highest value counts. Seed {recipe.seed}; trained with "
        "`python -m train.run` from the `recipe.yaml` beside this card.\n"
    )


def _data(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield "## Data\n"
    rows = [(row["source"], row["licence"], row["citation"], f"{row['items']:,}") for row in metrics["sources"]]
    yield from _table(("source", "licence", "cite", "training items"), rows)
    counts = ", ".join(f"{split} {count:,}" for split, count in metrics["items"].items())
    yield f"\nItems by split: {counts}. Languages learnt: {', '.join(metrics['trained_languages'])}.\n"


def _figures(metrics: Mapping[str, Any]) -> Iterator[str]:
    chosen = metrics["selection"]
    value = "undefined" if chosen["value"] is None else f"{chosen['value']:.3f}"
    yield "## Figures\n"
    yield (
        f"The checkpoint ({chosen['checkpoint']} of {chosen['planned_steps']:,} planned steps) was chosen by "
        f"{chosen['metric']} on the calibration split ({value}); calibration and thresholds come from the same split, "
        "so that its figures are not independent of either. Kappa is linearly weighted, against the level that most "
        "annotators gave; means are over the categories, and over the languages in the first line. false_positive_rate "
        "is the share of harmless texts with a level above 1 in any category; flip_rate the share of decisions that "
        "differ between a text and its twin in another register.\n"
    )
    split = _best_known(metrics)
    figures, intervals = metrics["splits"][split], metrics["intervals"][split]
    yield f"### {split}: {figures['items']:,} items\n"
    yield from _table(("figure", "value"), [(name, _shown(v)) for name, v in figures["summary"].items()])
    yield f"\n### By language ({split}; 95% intervals of a bootstrap over contents)\n"
    learnt = set(metrics["trained_languages"])
    rows = [
        (tag if tag == ALL or tag in learnt else f"{tag} (never seen)", *(_interval(row.get(f)) for f in _FIGURES))
        for tag, row in intervals.items()
    ]
    yield from _table(("language", *_FIGURES), rows)
    yield f"\n### By category ({split}; means over the languages)\n"
    names = list(dict.fromkeys(cell["category"] for cell in figures["cells"]))
    by_name = [(name, [cell for cell in figures["cells"] if cell["category"] == name]) for name in names]
    columns = ("linear_kappa", "macro_f1", "auprc")
    yield from _table(
        ("category", *columns, "items"),
        [
            (name, *(_shown(_mean(cells, c)) for c in columns), f"{sum(cell['items'] for cell in cells):,}")
            for name, cells in by_name
        ],
    )
    yield ""


def _calibration(block: CalibrationBlock) -> Iterator[str]:
    yield "## Calibration\n"
    yield f"Method: {block.calibration.method}. What is per language was chosen by cross-validation over contents.\n"
    for choice in block.selections:
        yield f"- {choice.what}: {choice.chosen} ({choice.figure})"
    yield ""
    rows = [
        (f"{r.category} > {r.above}", f"{r.positives:,} of {r.items:,}", f"{r.ece[0]:.3f}", f"{r.ece[1]:.3f}")
        for r in block.reliability
    ]
    yield from _table(("column", "items above", "calibration error before", "after"), rows)
    yield ""


def _limits(metrics: Mapping[str, Any]) -> Iterator[str]:
    yield "## Limits\n"
    yield (
        "- Labels come from few annotators, whose strictness differs by language: figures of two languages do not "
        "compare."
    )
    yield "- Figures are of the data above. Other sources, registers and times need a measurement of their own."
    yield "- Who wants to get past a guard can change a text until it does; registers show a part of the ways."
    for remark in metrics["remarks"]:
        yield f"- {remark}"


def _best_known(metrics: Mapping[str, Any]) -> str:
    return "test" if "test" in metrics["splits"] else "calibration"


def _interval(bounds: Sequence[float | None] | None) -> str:
    if bounds is None or bounds[0] is None:
        return "undefined"
    estimate, low, high = bounds
    return f"{estimate:.3f}" if low is None or high is None else f"{estimate:.3f} ({low:.3f} to {high:.3f})"


def _mean(cells: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [cell[name] for cell in cells if cell[name] is not None]
    return sum(values) / len(values) if values else None


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
