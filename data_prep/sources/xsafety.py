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


_MISSPELT = {"Crimes_And_Illegal_Activitie": "Crimes_And_Illegal_Activities"}


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
    """Return the scene, the same in every language: without endings, and with one file's misspelling mended."""
    scene = path.stem.removesuffix("_n").removesuffix("_en")
    return _MISSPELT.get(scene, scene).casefold()


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
_FIRST, _BENGALI, _LATER = (
    "f02da7f528b89705d657ae17d3b856ddd93b8cdb",
    "7803be14c030d8f565f2df50dfe50334641f7be1",
    "7d831091d45358244598d09bf5796af2a6fd51d9",
)
_COMMITS = {**dict.fromkeys(("en", "ar", "de", "fr", "hi", "ja"), _FIRST), "bn": _BENGALI} | dict.fromkeys(
    ("zh", "sp", "ru"), _LATER
)
_EXCEPTIONS = {"bn/commonsense.csv": _FIRST, "ru/Ethics_And_Morality.csv": _FIRST}
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
_SUMS = {
    "ar/Insult.csv": "3c68775105e80f0f4ba7fd340384eee75f1189e37f8f8145816557295d1c74f4",
    "ar/Mental_Health.csv": "6a383c29b2e2234f335ac4f10ed4286b59d24692028711de9fa40035a2646166",
    "en/Insult_n.csv": "8fb6f318a9ef56607e8c98a74621b2b73004dbb37cfd61ea629312ab65740d2a",
    "en/Mental_Health_n.csv": "c71b953f822f24343e7d42cc964619dd63d5f080c535a395d91abcec82cc62f3",
}


def _file(folder: str, scene: str) -> str:
    """Return the path under which the publisher keeps a scene in a language."""
    if (folder, scene) == ("ru", "Crimes_And_Illegal_Activities"):
        return "ru/Crimes_And_Illegal_Activitie.csv"
    if (folder, scene) == ("en", "Crimes_And_Illegal_Activities"):
        return "en/Crimes_And_Illegal_Activities_en.csv"
    ending = "_n" if folder in {"en", "bn"} and scene != "commonsense" else ""
    return f"{folder}/{scene}{ending}.csv"


def _download(folder: str, scene: str) -> Download:
    file = _file(folder, scene)
    return Download(f"{_REPOSITORY}/{_EXCEPTIONS.get(file, _COMMITS[folder])}/{file}", file, _SUMS.get(file))


SOURCE = Source(
    options=XSafetyOptions,
    read=read,
    licence="Apache-2.0",
    citation="Wang et al., All Languages Matter: On the Multilingual Safety of LLMs, ACL Findings 2024",
    downloads=tuple(_download(folder, scene) for folder in _COMMITS for scene in _SCENES),
)
