"""Multilingual HateCheck: functional tests for hate speech detection, with three annotators a case."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from babelguard.aggregation import AggregatedLabel
from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import github
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.row import Row, RowError
from data_prep.source import Source
from data_prep.source_mapping import SourceMapping

NAME = "multilingual-hatecheck"
ANNOTATORS = 3
_PREFIX = "hatecheck_cases_final_"
_TAGS = {
    "arabic": "ar",
    "dutch": "nl",
    "french": "fr",
    "german": "de",
    "hindi": "hi",
    "italian": "it",
    "mandarin": "zh-Hans",
    "polish": "pl",
    "portuguese": "pt",
    "spanish": "es",
}
_NEEDED = ("mhc_case_id", "functionality", "test_case", "label_gold", "target_ident", "templ_id", "label_annotated")
_KEPT = ("ref_case_id", "ref_templ_id", "templ_id", "disagreement_in_case", "disagreement_in_template")


class MultilingualHateCheckOptions(RecipeModel):
    """What to read of Multilingual HateCheck."""

    path: Path = Field(description="Folder with hatecheck_cases_final_<language>.csv, or one of them")
    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to read; all if not set")


def read(options: MultilingualHateCheckOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the cases, language by language.

    Cases that fill the same template with the same target share a source_id in every language. Templates have the same
    number everywhere, but Mandarin uses 59 numbers for other functionalities, so the functionality is part of the key.
    The gold label follows from the template; the raw labels are the three annotators'.

    Raises:
        UserError: The files are not there, or one is named for a language that is not in the set.
    """
    mapping = mapping_of(NAME, taxonomy)
    wanted = None if options.languages is None else {language(code).tag for code in options.languages}
    files = files_at(options.path, f"{_PREFIX}*.csv", source="Multilingual HateCheck")
    chosen = [path for path in files if wanted is None or _tag_of(path) in wanted]
    rows = (row for path in chosen for row in read_delimited(path, log, needed=_NEEDED))
    yield from items_from(rows, lambda row: [_item(row, mapping)], log)


def _tag_of(path: Path) -> str:
    name = path.stem.removeprefix(_PREFIX)
    if name not in _TAGS:
        raise UserError(f"{path}: the file's name gives its language, and {name!r} is none of {', '.join(_TAGS)}.")
    return _TAGS[name]


def _item(row: Row, mapping: SourceMapping) -> Item:
    gold = mapping.levels({"label": row.value("label_gold")})
    annotated = [mapping.levels({"label": label}) for label in _annotated(row)]
    functionality, target = row.value("functionality"), row.value("target_ident")
    return Item(
        id=f"{NAME}/{row.value('mhc_case_id')}",
        text=row.text("test_case"),
        language=_tag_of(row.path),
        source=NAME,
        source_id=f"{NAME}/{functionality}/{row.value('templ_id')}/{target or '-'}",
        subset=functionality,
        labels={name: tuple(levels[name] for levels in annotated) for name in mapping.covered},
        aggregated={name: AggregatedLabel(level, "gold") for name, level in gold.items()},
        metadata={
            "functionality": functionality,
            "target": target or None,
            **{name: row.value(name) for name in _KEPT if row.fields.get(name)},
            "label_scale": mapping.scale.value,
        },
        provenance=row.provenance(),
    )


def _annotated(row: Row) -> list[str]:
    value = row.value("label_annotated")
    try:
        labels = ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        labels = None
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise RowError("annotator-count", f"'label_annotated' must be a list of labels, found {value!r:.60}")
    if len(labels) != ANNOTATORS:
        raise RowError("annotator-count", f"'label_annotated' has {len(labels)} labels where there are {ANNOTATORS}")
    return labels


_SUMS = {
    "arabic": None,
    "dutch": "df67042194bf33837e77126aa994e01201d84edec8f0b46acec8fed0322d595d",
    "french": "17cc2c7ec01ad28c31c1c53bbda8c7245b83e86d34017327964956ace1446586",
    "german": "ecdef4611b877120d0a8feec9c0cd0dfc1efec7ead4bbd62eaf32f6cc80d2ee0",
    "hindi": None,
    "italian": "5339cd1e0d6e338c7ae9b831e74d653d6216a25120214d92b5d98d25a1c20674",
    "mandarin": "d094336d73fb3b2817a04cac226687fcf91cb914deccd4d4096a85cf4a147414",
    "polish": None,
    "portuguese": "839bcd08e59efb9a659ab3c7e82022844a57ae5babe705323a7956d2d9461ea8",
    "spanish": "20d2388f4f3bafe744010a42f1ce7ddd5b2b09efa978fb0d8a0fc810487948aa",
}

SOURCE = Source(
    options=MultilingualHateCheckOptions,
    read=read,
    licence="CC-BY-4.0",
    citation="Röttger et al., Multilingual HateCheck: Functional Tests for Multilingual Hate Speech Models, WOAH 2022",
    downloads=github(
        "rewire-online/multilingual-hatecheck",
        "9f72ce80e6ccbad889739f59f96ab06d43a92cb6",
        *((f"MHC Final Cases/{_PREFIX}{name}.csv", checksum) for name, checksum in _SUMS.items()),
    ),
)
