"""The data set card: README.md in the Hugging Face hub's format, made from the manifest alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from babelguard.languages import language
from data_prep.building.balance import OUTCOMES
from data_prep.building.licence import terms_of
from data_prep.reliability import FIGURES, TITLES

HUB_LICENCES = {
    "CC0-1.0": "cc0-1.0",
    "MIT": "mit",
    "Apache-2.0": "apache-2.0",
    "BSD-2-Clause": "bsd-2-clause",
    "BSD-3-Clause": "bsd-3-clause",
    "CC-BY-2.0": "cc-by-2.0",
    "CC-BY-3.0": "cc-by-3.0",
    "CC-BY-4.0": "cc-by-4.0",
    "CC-BY-SA-3.0": "cc-by-sa-3.0",
    "CC-BY-SA-4.0": "cc-by-sa-4.0",
    "CC-BY-NC-2.0": "cc-by-nc-2.0",
    "CC-BY-NC-3.0": "cc-by-nc-3.0",
    "CC-BY-NC-4.0": "cc-by-nc-4.0",
    "CC-BY-NC-SA-3.0": "cc-by-nc-sa-3.0",
    "CC-BY-NC-SA-4.0": "cc-by-nc-sa-4.0",
    "CC-BY-NC-ND-3.0": "cc-by-nc-nd-3.0",
    "CC-BY-NC-ND-4.0": "cc-by-nc-nd-4.0",
    "CC-BY-ND-4.0": "cc-by-nd-4.0",
    "GPL-3.0": "gpl-3.0",
    "AGPL-3.0": "agpl-3.0",
    "ODC-BY": "odc-by",
    "ODC-BY-1.0": "odc-by",
    "ODbL-1.0": "odbl",
    "PDDL-1.0": "pddl",
}
"""SPDX id -> the hub's name; a licence without one is `other`."""
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10**7, "1M<n<10M"))


def make_card(manifest: Mapping[str, Any]) -> str:
    """Return the card: a YAML header that the hub and `datasets` read, and what a reader must know."""
    header = yaml.safe_dump(_header(manifest), sort_keys=False, allow_unicode=True)
    sections = [
        f"---\n{header}---",
        f"# {manifest['name']}",
        *([manifest["description"]] if manifest["description"] else []),
        _use(manifest),
        "## Splits\n\n" + _splits(manifest),
        "## Parts and licences\n\n" + _parts(manifest),
        "## Languages and registers\n\n" + _languages(manifest),
        "## Labels\n\n" + _labels(manifest),
        "## What is not covered\n\n" + _not_covered(manifest),
        *_reliability(manifest),
        "## What became of every row\n\n" + _accounts(manifest),
        "## Columns\n\n" + COLUMNS,
    ]
    return "\n\n".join(sections) + "\n"


def _header(manifest: Mapping[str, Any]) -> dict[str, Any]:
    names: list[str] = []
    for part in manifest["parts"]:
        if written(part):
            terms = terms_of(part["licence"])
            names += [*terms.names, *(() if terms.whole else ("other",))]
    licences = list(dict.fromkeys(HUB_LICENCES.get(name, "other") for name in names)) or ["other"]
    size = next((name for limit, name in SIZES if manifest["items"] < limit), "n>10M")
    files = [{"split": split, "path": f"data/{split}-*.parquet"} for split in manifest["splits"]]
    return {
        "pretty_name": manifest["name"],
        "license": licences[0] if len(licences) == 1 else licences,
        "language": sorted({language(tag).iso639_1 or language(tag).iso639_3 for tag in manifest["coverage"]}),
        "multilinguality": ["multilingual" if len(manifest["coverage"]) > 1 else "monolingual"],
        "size_categories": [size],
        "task_categories": ["text-classification"],
        "tags": ["toxicity", "guardrails", "not-for-all-audiences"],
        "configs": [{"config_name": "default", "data_files": files}],
    }


def written(part: Mapping[str, Any]) -> int:
    """Return how many items of a part are in the shards."""
    return sum(part["items"]["written"].values())


def _use(manifest: Mapping[str, Any]) -> str:
    mark = {"research": "**For research use.**", "commercial": "**Every part allows commercial use.**"}
    lines = [
        f"{mark[manifest['use']]} {manifest['items']:,} items. The texts are offensive by the nature of the task.",
        "Made by `python -m data_prep.build`; `manifest.json` has the recipe, checksums and every count.",
    ]
    alike = [part["name"] for part in manifest["parts"] if part["share_alike"] and written(part)]
    if alike:
        lines.append(f"Works made from these parts must carry the same licence: {', '.join(alike)}.")
    return "\n".join(lines)


def _splits(manifest: Mapping[str, Any]) -> str:
    rows = [
        (split, f"{entry['items']:,}", len(entry["shards"]), _size(entry["shards"]))
        for split, entry in manifest["splits"].items()
    ]
    proof = manifest["leak_check"]
    return (
        table(("split", "items", "shards", "MB"), rows)
        + f"\n\nNo source_id ({proof['source_ids']:,}), near-duplicate cluster ({proof['clusters']:,}) or text "
        f"({proof['texts']:,}) is in two splits: the build reads the shards again to prove it."
    )


def _size(shards: Sequence[Mapping[str, Any]]) -> str:
    return f"{sum(shard['bytes'] for shard in shards) / 1e6:,.1f}"


def _parts(manifest: Mapping[str, Any]) -> str:
    rows = [
        (part["name"], f"{written(part):,}", part["licence"], part["commercial_use"], part["citation"])
        for part in manifest["parts"]
    ]
    return table(("part", "items", "licence", "commercial use", "cite"), rows)


def _languages(manifest: Mapping[str, Any]) -> str:
    totals = {
        tag: [sum(row.get(tag, {}).get(name, 0) for row in manifest["balance"].values()) for name in OUTCOMES]
        for tag in manifest["coverage"]
    }
    rows = [
        (language(tag).name, f"`{tag}`", *(f"{count:,}" for count in totals[tag]), _registers(registers))
        for tag, registers in manifest["coverage"].items()
    ]
    return table(("language", "tag", *OUTCOMES, "registers"), rows) + (
        "\n\nHarmful: some category above level 1. Benign: every labelled category at level 1, which says nothing of "
        "the others. The balance is as the sources have it unless the recipe sets bounds."
    )


def _registers(registers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in registers.items())


def _labels(manifest: Mapping[str, Any]) -> str:
    scales = manifest["taxonomy"]["scales"]
    most = max(scales.values())
    rows = [
        (name, split, *(f"{row[name].get(str(level), 0):,}" if level <= scales[name] else "" for level in _to(most)))
        for name in scales
        for split, row in manifest["levels"].items()
        if name in row
    ]
    return table(("category", "split", *(f"level {level}" for level in _to(most))), rows)


def _to(last: int) -> range:
    return range(1, last + 1)


def _not_covered(manifest: Mapping[str, Any]) -> str:
    rows = [
        (part, ", ".join(names) if names else "every category is labelled somewhere")
        for part, names in manifest["not_covered"].items()
    ]
    return "A category that a part does not label is null, and must not be read as clean.\n\n" + table(
        ("part", "categories without any label"), rows
    )


def _reliability(manifest: Mapping[str, Any]) -> Iterator[str]:
    from data_prep.building.reliability_table import mean_rows

    means = mean_rows(manifest["reliability"]["written"])
    if means:
        rows = [
            (part, role, tag, mean["annotators"], f"{mean['items']:,}", *(figure(mean[name]) for name in FIGURES))
            for (part, role, tag), mean in means.items()
        ]
        head = ("part", "role", "language", "annotators", "items", *TITLES)
        yield "## Agreement of the annotators\n\nMeans over categories, of the written items.\n\n" + table(head, rows)


def figure(value: float | None) -> str:
    """Return a figure with three decimals, or a dash where it is undefined."""
    return "–" if value is None else f"{value:.3f}"


def _accounts(manifest: Mapping[str, Any]) -> str:
    rows = []
    for part in manifest["parts"]:
        counts, items = part["rows"], part["items"]
        figures = (counts["in_files"], counts["with_items"], items["read"], items["made_by_registers"], written(part))
        told = (_told(counts, "set_aside"), _told(items, "rejected"))
        rows.append((part["name"], *(f"{figure:,}" for figure in figures), *told))
    head = ("part", "rows in its files", "rows with items", "items read", "twins made", "items written")
    return table((*head, "rows without items", "items left out"), rows) + (
        "\n\nOne row can give several items, and every row gives items, is set aside or is left out; `manifest.json` "
        "has the account of each file. `rejected.jsonl` names every row that could not be read, and `left_out.jsonl` "
        "every item that a stage left out."
    )


def _told(counts: Mapping[str, Any], unusable: str) -> str:
    gone = {**counts[unusable], **counts["left_out"]}
    return "; ".join(f"{name} {count:,}" for name, count in gone.items()) or "none"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table; a bar in a cell is escaped."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += [
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows
    ]
    return "\n".join(lines)


COLUMNS = table(
    ("column", "what"),
    [
        ("id", "unique in the corpus"),
        ("text", "the text; empty where `messages` carries a conversation"),
        ("language, register, dialect", "BCP-47 tag, register, and what the source says of the variety"),
        ("source, source_id, subset, part", "where it is from; the same content in every language shares a source_id"),
        ("role", "prompt, completion, benign-completion or response"),
        ("split, cluster", "the split; the near-duplicate cluster, null where an item has no near-duplicate"),
        ("labels", "category -> one level an annotator, in their order, null where one gave none; null: not covered"),
        ("aggregated", "category -> the one level and the rule that made it; null: no level"),
        ("messages", "the turns of a conversation"),
        ("metadata, provenance", "JSON: whatever else the source says; how a derived item came about"),
    ],
)
