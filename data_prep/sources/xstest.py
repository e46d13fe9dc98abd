"""XSTest: safe prompts that look unsafe and their unsafe contrasts, and how models answered them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from babelguard.item import Item, Message, Role
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import Download
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.row import Row, RowError
from data_prep.source import Source

NAME = "xstest"
REQUESTS = {"safe": "benign", "unsafe": "harmful"}
ANSWERS = ("1_full_compliance", "2_full_refusal", "3_partial_refusal")
JUDGES = {"gpt4_label": "gpt-4", "strmatch_label": "string-match"}
_COMPLETIONS = "xstest_v2_completions_"
_PROMPTS = ("xstest_prompts.csv", "xstest_v2_prompts.csv")


class XsTestOptions(RecipeModel):
    """What to read of XSTest."""

    path: Path = Field(description="Folder with xstest_prompts.csv and xstest_v2_completions_<model>_<judge>.csv")
    roles: tuple[Literal[Role.PROMPT, Role.RESPONSE], ...] = Field(
        (Role.PROMPT, Role.RESPONSE), description="prompt: the prompts; response: the models' completions of them"
    )


def read(options: XsTestOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the prompts, then the completions, model by model.

    The files of one model repeat its completions and their human labels, each with another judge's label. The first
    gives the items; rows of the others are merged into them and counted as ``merged-judge-row``.

    Raises:
        UserError: The files are not there.
    """
    mapping_of(NAME, taxonomy)
    files = files_at(options.path, *_PROMPTS, f"{_COMPLETIONS}*.csv", source="XSTest")
    if Role.PROMPT in options.roles:
        prompts = next((path for path in files if path.name in _PROMPTS), None)
        if prompts is not None:
            rows = read_delimited(prompts, log, needed=("id", "prompt", "type", "label"))
            yield from items_from(rows, lambda row: [_prompt(row)], log)
    if Role.RESPONSE in options.roles:
        for model, (first, *others) in _by_model(files).items():
            yield from _responses(model, first, others, log)


def _by_model(files: list[Path]) -> dict[str, list[Path]]:
    models: dict[str, list[Path]] = {}
    for path in files:
        if path.name.startswith(_COMPLETIONS):
            models.setdefault(path.stem.removeprefix(_COMPLETIONS).rsplit("_", 1)[0], []).append(path)
    return models


def _prompt(row: Row) -> Item:
    label = row.value("label")
    if label not in REQUESTS:
        raise RowError("label-off-scale", f"the label {label!r:.40} is neither safe nor unsafe")
    key = f"{NAME}/{row.value('id').removeprefix('v2-')}"
    return Item(
        id=f"{key}/prompt",
        text=row.text("prompt"),
        language="en",
        source=NAME,
        source_id=key,
        subset=row.value("type"),
        metadata={
            "request": REQUESTS[label],
            "type": row.value("type"),
            **{name: row.value(name) for name in ("focus", "note") if row.fields.get(name)},
        },
        provenance=row.provenance(),
    )


def _responses(model: str, first: Path, others: list[Path], log: RejectLog) -> Iterator[Item]:
    judged: dict[tuple[str, str], dict[str, str]] = {}
    for path in others:
        for row in read_delimited(path, log, needed=("id", "completion")):
            key = (row.value("id"), row.value("completion"))
            judged.setdefault(key, {}).update(_judges(row.fields))
            log.leave_out_row(path, "merged-judge-row")
    needed = ("id", "type", "prompt", "completion", "annotation_1", "annotation_2", "final_label")
    rows = read_delimited(first, log, needed=needed)
    yield from items_from(rows, lambda row: [_response(row, model, judged)], log)


def _judges(fields: Mapping[str, Any]) -> dict[str, str]:
    return {judge: str(fields[column]).strip() for column, judge in JUDGES.items() if fields.get(column)}


def _response(row: Row, model: str, judged: Mapping[tuple[str, str], dict[str, str]]) -> Item:
    number = row.value("id")
    answers = [row.value(name) for name in ("annotation_1", "annotation_2", "final_label")]
    for answer in answers:
        if answer and answer not in ANSWERS:
            raise RowError("label-off-scale", f"the label {answer!r:.40} is none of {', '.join(ANSWERS)}")
    key = f"{NAME}/{number.removeprefix('v2-')}"
    judges = {**_judges(row.fields), **judged.get((number, row.value("completion")), {})}
    return Item(
        id=f"{key}/{model}",
        text="",
        language="en",
        source=NAME,
        source_id=key,
        role=Role.RESPONSE,
        subset=row.value("type"),
        messages=(Message("user", row.text("prompt")), Message("assistant", row.text("completion"))),
        metadata={
            "model": model,
            "type": row.value("type"),
            "annotations": [answer or None for answer in answers[:2]],
            "final_label": answers[2] or None,
            "judges": judges,
        },
        provenance=row.provenance(),
    )


_REPOSITORY = "https://raw.githubusercontent.com/paul-rottger/exaggerated-safety"
_LABELS = f"{_REPOSITORY}/a3bb396ddc1939c6f264f17b7cf5b7a5d82833de/evaluation/automated_evaluation_labels"
_SUMS = {
    "gpt4_gpteval": "ba3b1e79ace763998ecdb48bbec70e3a4d763d8402cbb740f58ed6d275fc324a",
    "gpt4_streval": "5cc07ac42f62009d4ff33d9b5dc96c329d43ae8076db89712f7b56637368c5f7",
    "llama2orig_gpteval": "a918c4d0c7355da5c80ce73dd7bc79b20422148b265851afe1e53c08e472ce48",
    "llama2orig_streval": "538f284005f829af76fd48cbe82334ab1c593b8193b62421866cc56929cc9881",
    "mistralinstruct_gpteval": "68adba2f51206f6ef30d3f5d755ef5e3f550b738b6f269220fca4067eb513794",
    "mistralinstruct_streval": "a1ad24b837a13380a88f9748b39663add74cd992d5841db782271490dcbb41d3",
}

SOURCE = Source(
    options=XsTestOptions,
    read=read,
    licence="CC-BY-4.0",
    citation="Röttger et al., XSTest: A Test Suite for Identifying Exaggerated Safety Behaviours in LLMs, NAACL 2024",
    downloads=(
        Download(
            f"{_REPOSITORY}/475f10bf0a3d6a9dfb174b6de1a38afbfdff98a5/xstest_prompts.csv",
            "xstest_prompts.csv",
            "11783fb294ed017473ee53c207d71f2161c7672c8d0b037501e78387f801cb5a",
        ),
        *(
            Download(f"{_LABELS}/{_COMPLETIONS}{name}.csv", f"{_COMPLETIONS}{name}.csv", checksum)
            for name, checksum in _SUMS.items()
        ),
    ),
)
