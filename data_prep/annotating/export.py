"""Export: from items to blinded, shuffled sheets, one a person and language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from babelguard.errors import UserError
from babelguard.item import Item, Role
from babelguard.jsonl import write_jsonl
from babelguard.languages import language
from babelguard.rejects import Rejection, RejectLog
from data_prep.annotating.batch import Batch, BatchRow, BatchSheet, code_of, key_folder, write_batch
from data_prep.annotating.columns import CONTEXT, SOURCE, TEXT, WRITTEN, columns_of, rated_taxonomy, source_heading
from data_prep.annotating.csv_sheet import write_csv, write_notes
from data_prep.annotating.recipe import SheetsPlan, SheetsRecipe
from data_prep.annotating.rubric import rubric_lines
from data_prep.annotating.sampling import sample_contents, smallest_hashes
from data_prep.annotating.sheet import CODE, Sheet
from data_prep.annotating.workbook import write_workbook

SEND = "send"
Rows = dict[str, list[dict[str, str]]]
"""Language -> for every row, heading -> id of the item whose text stands there."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was exported: the batch, its folder, texts left out, by reason, and rows that could not be read."""

    batch: Batch
    folder: Path
    left_out: Mapping[str, int]
    rejected: Sequence[Rejection]


def export(plan: SheetsPlan) -> Exported:
    """Write the sheets of a batch to ``send/`` and the key to them to ``key/``.

    Raises:
        UserError: The batch exists, or no item fits the recipe in one of its languages.
    """
    recipe = plan.recipe
    if key_folder(recipe.folder).exists():
        raise UserError(
            f"{recipe.folder} holds a batch already; its codes are on sheets that people have. Choose another name."
        )
    log = RejectLog()
    items = _usable(plan, log)
    rows = _ROWS_OF[recipe.task](recipe, items)
    if empty := [tag for tag, lines in rows.items() if not lines]:
        told = f"No item of {recipe.corpus.source} fits the recipe {recipe.name} in {', '.join(empty)}"
        read = "".join(
            f" The first of {len(log.rejections):,} unreadable rows: {r.sentence()}" for r in log.rejections[:1]
        )
        raise UserError(f"{told}; check roles and languages.{read}")
    batch = _batch(recipe, rows)
    used = {item for sheet in batch.sheets for row in sheet.rows for item in row.items.values()}
    by_id = {item.id: item for item in items if item.id in used}
    send = recipe.folder / SEND
    send.mkdir(parents=True, exist_ok=True)
    notes = _notes(plan.guidelines, batch)
    for sheet in batch.sheets:
        page = Sheet(sheet.name, columns_of(batch, sheet.language), _cells(batch, sheet, by_id), notes)
        if "xlsx" in recipe.formats:
            write_workbook(page, send / f"{sheet.name}.xlsx")
        if "csv" in recipe.formats:
            write_csv(page, send / f"{sheet.name}.csv")
            write_notes(page, send)
    write_jsonl(key_folder(recipe.folder) / "rejected.jsonl", (one.to_dict() for one in log.rejections))
    write_batch(batch, by_id.values(), recipe.folder)
    return Exported(batch, recipe.folder, dict(log.left_out), log.rejections)


def _usable(plan: SheetsPlan, log: RejectLog) -> list[Item]:
    """Read the items in the languages of the recipe, in the neutral register and with a text of their own."""
    wanted = set(plan.recipe.tags)
    if plan.recipe.task != "annotation":
        wanted.add(language(plan.recipe.source_language).tag)
    items = []
    for item in plan.source.read(plan.options, plan.taxonomy, log):
        if item.language not in wanted:
            continue
        if item.metadata.get("text_is_void") or not item.text.strip():
            log.leave_out("no text of its own")
        else:
            items.append(item)
    return items


def _annotation_rows(recipe: SheetsRecipe, items: Sequence[Item]) -> Rows:
    chosen = [item for item in items if item.role in recipe.roles]
    kept = smallest_hashes((item.source_id for item in chosen), recipe.limit)
    prompts = {(i.source_id, i.language, i.register): i for i in items if i.role is Role.PROMPT}
    rows: Rows = {tag: [] for tag in recipe.tags}
    for item in chosen:
        if item.source_id in kept:
            prompt = prompts.get((item.source_id, item.language, item.register))
            beside = prompt is not None and item.role is not Role.PROMPT
            rows[item.language].append({TEXT: item.id, **({CONTEXT: prompt.id} if beside and prompt else {})})
    return rows


def _transcreation_rows(recipe: SheetsRecipe, items: Sequence[Item]) -> Rows:
    sources: dict[str, dict[str, str]] = {}
    for item in items:
        if item.role in WRITTEN and item.language == language(recipe.source_language).tag:
            sources.setdefault(item.source_id, {}).setdefault(source_heading(item.role), item.id)
    kept = smallest_hashes(sources, recipe.limit)
    rows = [row for key, row in sources.items() if key in kept]
    return {tag: [dict(row) for row in rows] for tag in recipe.tags}


def _review_rows(recipe: SheetsRecipe, items: Sequence[Item]) -> Rows:
    role = recipe.roles[0]
    texts: dict[str, dict[str, Item]] = {}
    for item in items:
        if item.role is role:
            texts.setdefault(item.language, {}).setdefault(item.source_id, item)
    sources = texts.get(language(recipe.source_language).tag, {})
    complete = [key for key in sources if all(key in texts.get(tag, {}) for tag in recipe.tags)]
    chosen = sample_contents(sources, complete, recipe.per_language, recipe.seed)
    return {tag: [{SOURCE: sources[key].id, TEXT: texts[tag][key].id} for key in chosen] for tag in recipe.tags}


_ROWS_OF: Mapping[str, Callable[[SheetsRecipe, Sequence[Item]], Rows]] = {
    "annotation": _annotation_rows,
    "transcreation": _transcreation_rows,
    "review": _review_rows,
}


def _batch(recipe: SheetsRecipe, rows: Rows) -> Batch:
    sheets = []
    for tag, lines in rows.items():
        for person in recipe.people:
            name = f"{recipe.name}-{tag}-{person}"
            coded = [BatchRow(code_of(recipe.seed, name, "\0".join(line.values())), line) for line in lines]
            if recipe.task != "transcreation":
                Random(f"{recipe.seed}/{name}").shuffle(coded)  # noqa: S311 - an order, no secret
            sheets.append(BatchSheet(name, tag, person, tuple(coded)))
    return Batch(
        name=recipe.name,
        task=recipe.task,
        taxonomy=recipe.taxonomy,
        people=recipe.people,
        languages=recipe.tags,
        dialects=recipe.dialects,
        sheets=tuple(sheets),
    )


def _cells(batch: Batch, sheet: BatchSheet, items: Mapping[str, Item]) -> tuple[dict[str, str], ...]:
    rows = []
    for row in sheet.rows:
        cells = {CODE: row.code, **{name: items[item].text for name, item in row.items.items()}}
        if batch.task == "transcreation":
            cells[CONTEXT] = _context(items[item] for item in row.items.values())
        rows.append(cells)
    return tuple(rows)


def _context(items: Iterable[Item]) -> str:
    """Say what a transcreation must keep: the levels above 1 of every text."""
    told = []
    for item in items:
        levels = [f"{name} {label.level}" for name, label in item.aggregated_labels().items() if label.level > 1]
        if levels:
            told.append(f"{WRITTEN[item.role]}: {', '.join(levels)}")
    return "\n".join(told)


def _notes(lines: Sequence[str], batch: Batch) -> dict[str, tuple[tuple[str, ...], ...]]:
    guidelines = tuple((str(number), "", line) for number, line in enumerate(lines, start=1))
    return {"guidelines": guidelines, "rubric": rubric_lines(rated_taxonomy(batch))}
