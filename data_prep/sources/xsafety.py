"""XSafety: prompts of fourteen safety scenes in ten languages, one headerless file a scene and language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item
from babelguard.languages import language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import Download
from data_prep.mappings import mapping_of
from data_prep.reading.delimited import Dialect, read_delimited
from data_prep.reading.files import files_at
from data_prep.reading.items import items_from
from data_prep.reading.row import Row
from data_prep.source import Source

NAME = "xsafety"
_DIALECT = Dialect(columns=("prompt",))
_FOLDERS = {"sp": "es"}
"""Folders that the publisher does not name by the language's code."""


class XSafetyOptions(RecipeModel):
    """What to read of XSafety."""

    path: Path = Field(description="Folder with one folder a language (en, zh, ar, ...), or one file of one of them")
    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to read; all if not set")


def read(options: XSafetyOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the prompts. The same line of the same scene is the same prompt in every language.

    Raises:
        UserError: The files are not there, or a folder is not named for a language.
    """
    mapping_of(NAME, taxonomy)
    wanted = None if options.languages is None else {language(code).tag for code in options.languages}
    files = files_at(options.path, "*/*.csv", source="XSafety")
    chosen = [path for path in files if wanted is None or _tag_of(path) in wanted]
    rows = (row for path in chosen for row in read_delimited(path, log, dialect=_DIALECT))
    yield from items_from(rows, lambda row: [_item(row)], log)


def _tag_of(path: Path) -> str:
    folder = path.resolve().parent.name
    try:
        return language(_FOLDERS.get(folder, folder)).tag
    except UserError as error:
        raise UserError(f"{path}: the folder's name gives the language. {error}") from None


def _scene_of(path: Path) -> str:
    """Return the scene as the English files name it, without the endings of some of them."""
    return path.stem.removesuffix("_n").removesuffix("_en").replace("commen_sense", "commonsense").casefold()


def _item(row: Row) -> Item:
    tag, scene = _tag_of(row.path), _scene_of(row.path)
    return Item(
        id=f"{NAME}/{scene}/{row.number}/{tag}",
        text=row.text("prompt"),
        language=tag,
        source=NAME,
        source_id=f"{NAME}/{scene}/{row.number}",
        subset=scene,
        metadata={"scene": scene},
        provenance={"file": f"{row.path.parent.name}/{row.path.name}", "line": row.line},
    )


_REPOSITORY = "https://raw.githubusercontent.com/Jarviswang94/Multilingual_safety_benchmark"
_COMMIT = "f02da7f528b89705d657ae17d3b856ddd93b8cdb"
_SCENES = (
    "Crimes_And_Illegal_Activities",
    "Ethics_And_Morality",
    "Goal_Hijacking",
    "Inquiry_With_Unsafe_Opinion",
    "Insult",
    "Mental_Health",
    "Physical_Harm",
    "Privacy_And_Property",
    "Prompt_Leaking",
    "Reverse_Exposure",
    "Role_Play_Instruction",
    "Unfairness_And_Discrimination",
    "Unsafe_Instruction_Topic",
    "commonsense",
)
_ENGLISH = {"Crimes_And_Illegal_Activities": "_en", "commonsense": ""}
_SUMS = {
    "ar/Insult.csv": "3c68775105e80f0f4ba7fd340384eee75f1189e37f8f8145816557295d1c74f4",
    "ar/Mental_Health.csv": "6a383c29b2e2234f335ac4f10ed4286b59d24692028711de9fa40035a2646166",
    "en/Insult_n.csv": "8fb6f318a9ef56607e8c98a74621b2b73004dbb37cfd61ea629312ab65740d2a",
    "en/Mental_Health_n.csv": "c71b953f822f24343e7d42cc964619dd63d5f080c535a395d91abcec82cc62f3",
}
_FILES = (
    *(f"en/{scene}{_ENGLISH.get(scene, '_n')}.csv" for scene in _SCENES),
    *(f"{folder}/{scene}.csv" for folder in ("ar", "de", "fr", "hi", "ja") for scene in _SCENES),
)

SOURCE = Source(
    options=XSafetyOptions,
    read=read,
    licence="Apache-2.0",
    citation="Wang et al., All Languages Matter: On the Multilingual Safety of LLMs, ACL Findings 2024",
    downloads=tuple(Download(f"{_REPOSITORY}/{_COMMIT}/{file}", file, _SUMS.get(file)) for file in _FILES),
)
