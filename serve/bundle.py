"""The bundle of a guard: one folder that says what it holds, and that is checked before anything in it is used.

A bundle holds `model.<precision>.onnx` (one or more), `tokenizer.json`, `guard.json` (these models), `README.md` and
`SHA256SUMS`. It needs onnxruntime, tokenizers and NumPy to run, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from babelguard.errors import UserError, unknown_name
from serve.seal import check_seal, seal, seal_digest

FORMAT: Literal[1] = 1
"""Format of `guard.json` that is read and written here."""

MANIFEST, TOKENIZER, CARD = "guard.json", "tokenizer.json", "README.md"

Precision: TypeAlias = Literal["fp32", "fp16", "int8"]
Probability: TypeAlias = Annotated[float, Field(ge=0, le=1)]
Threshold: TypeAlias = Annotated[float, Field(ge=0)]
"""A probability from which something holds; above 1, it never does."""


class Part(BaseModel):
    """Base of every part of `guard.json`: unknown keys are errors, and every number is finite."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=(), allow_inf_nan=False)


class Measured(BaseModel):
    """Base of the parts that may hold further measurements beside the named ones."""

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=(), allow_inf_nan=False)


class BundleCategory(Part):
    """One harm category: its name in tables, its title for people, and its highest level (the lowest is 1)."""

    name: str
    title: str
    scale: int = Field(ge=2)


class Column(Part):
    """One output of the model: the logit of P(level of `category` > `above`)."""

    category: str
    above: int = Field(ge=1)


class ModelFacts(Part):
    """The ONNX files and how texts are put before them."""

    files: dict[Precision, str] = Field(min_length=1, description="Precision -> file name in the bundle")
    default: Precision = Field(description="The precision that is loaded unless another is asked for")
    base_model: str
    base_licence: str
    head: str = Field(description="Kind of head that the guard was trained with")
    window: int = Field(ge=8, description="Tokens in a window, special ones and the prefix included")
    overlap: int = Field(ge=0, description="Tokens of the text that neighbouring windows share")
    prefix: str = Field("", description="What is put before every window of a text")
    pad_token_id: int = Field(ge=0)
    vocabulary: int = Field(ge=1, description="Rows of the embedding table")


class PlattColumn(Part):
    """One column's calibration: sigmoid(slope * logit + intercept), Platt (1999). A temperature T is a slope of 1/T."""

    slope: float = Field(ge=0)
    intercept: float = 0.0


class IsotonicColumn(Part):
    """Calibration of one column: the probability at a logit, linear between the points, constant outside them."""

    x: tuple[float, ...] = Field(min_length=1, description="Logits, ascending")
    y: tuple[Probability, ...] = Field(description="Probabilities, not descending")

    @model_validator(mode="after")
    def _is_a_rising_line(self) -> IsotonicColumn:
        if len(self.x) != len(self.y):
            raise ValueError(f"x has {len(self.x)} values and y has {len(self.y)}")
        if any(after <= before for before, after in pairwise(self.x)):
            raise ValueError("x must ascend")
        if any(after < before for before, after in pairwise(self.y)):
            raise ValueError("y must not descend")
        return self


CalibrationColumns: TypeAlias = dict[str, tuple[PlattColumn | IsotonicColumn, ...]]
"""Category -> one calibration for each of its columns."""


class Calibration(Part):
    """How logits become probabilities. Without an entry, a column's probability is the sigmoid of its logit."""

    method: Literal["none", "platt", "temperature", "isotonic"] = "none"
    pooled: CalibrationColumns = Field(default_factory=dict)
    languages: dict[str, CalibrationColumns] = Field(default_factory=dict)


class LevelThresholds(Part):
    """Category -> for each of its columns the probability from which a level above it is given."""

    pooled: dict[str, tuple[Threshold, ...]]
    languages: dict[str, dict[str, tuple[Threshold, ...]]] = Field(default_factory=dict)


class OperatingPoint(Part):
    """What the flag thresholds were chosen for."""

    target_false_positives: Probability | None = None
    on: str = Field("benign", description="The texts on which flags count as false")
    rule: str = Field("", description="How thresholds were chosen and when a language gets its own, in words")


class FlagThresholds(Part):
    """From which calibrated P(level > above) a category is flagged."""

    operating_point: OperatingPoint = OperatingPoint()
    above: dict[str, Annotated[int, Field(ge=1)]] = Field(description="Category -> the level that must be exceeded")
    pooled: dict[str, Threshold]
    languages: dict[str, dict[str, Threshold]] = Field(default_factory=dict)
    fallbacks: dict[str, str] = Field(default_factory=dict, description="Language -> why it has the pooled thresholds")


class Thresholds(Part):
    """Where probabilities become levels and flags."""

    levels: LevelThresholds
    flags: FlagThresholds


class LanguageFacts(Measured):
    """What was measured in a language, and whether the guard claims to know it."""

    claimed: bool
    items: int = Field(0, ge=0, description="Items that it was measured on")


class DataSource(Measured):
    """A data set that the guard was trained on."""

    source: str
    licence: str
    items: int = Field(ge=0)


class PrecisionCheck(Measured):
    """How one precision differs from the trained model on the evaluation split."""

    max_difference: float = Field(ge=0, description="Largest difference of a logit")
    flips: Probability = Field(description="Share of levels that differ")
    kappa_before: float | None = None
    kappa_after: float | None = None
    items: int = Field(ge=0)


class GuardManifest(Part):
    """What `guard.json` says."""

    format: Literal[1] = FORMAT
    name: str
    version: str
    created: date
    licence: str
    taxonomy: str
    categories: tuple[BundleCategory, ...] = Field(min_length=1)
    columns: tuple[Column, ...]
    model: ModelFacts
    calibration: Calibration = Calibration()
    thresholds: Thresholds
    languages: dict[str, LanguageFacts] = Field(default_factory=dict)
    data: tuple[DataSource, ...] = ()
    verification: dict[Precision, PrecisionCheck] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _fits_together(self) -> GuardManifest:
        wanted = [(c.name, above) for c in self.categories for above in range(1, c.scale)]
        if [(column.category, column.above) for column in self.columns] != wanted:
            raise ValueError("columns must be every category's above = 1 .. scale - 1, in the categories' order")
        if self.model.default not in self.model.files:
            raise ValueError(f"model.default is {self.model.default}, which model.files does not have")
        for file in self.model.files.values():
            if PurePosixPath(file).name != file or "\\" in file:
                raise ValueError(f"model.files: {file!r} is not a plain file name")
        if self.model.overlap >= self.model.window:
            raise ValueError("model.overlap must be less than model.window")
        self._check_tables()
        return self

    def _check_tables(self) -> None:
        widths = {category.name: category.scale - 1 for category in self.categories}
        levels, flags = self.thresholds.levels, self.thresholds.flags
        tables: list[tuple[str, Mapping[str, tuple[object, ...]], bool]] = [
            ("calibration.pooled", self.calibration.pooled, self.calibration.method != "none"),
            ("thresholds.levels.pooled", levels.pooled, True),
            *((f"calibration.languages.{code}", own, False) for code, own in self.calibration.languages.items()),
            *((f"thresholds.levels.languages.{code}", own, False) for code, own in levels.languages.items()),
        ]
        for where, table, whole in tables:
            _check_names(where, table, widths, whole)
            for category, columns in table.items():
                if len(columns) != widths[category]:
                    raise ValueError(
                        f"{where}.{category} has {len(columns)} entries; the scale needs {widths[category]}"
                    )
        _check_names("thresholds.flags.above", flags.above, widths, whole=True)
        _check_names("thresholds.flags.pooled", flags.pooled, widths, whole=True)
        for code, own in flags.languages.items():
            _check_names(f"thresholds.flags.languages.{code}", own, widths, whole=False)
        for category, above in flags.above.items():
            if above > widths[category]:
                raise ValueError(f"thresholds.flags.above.{category} is {above}, and nothing is above that level")

    @property
    def category_names(self) -> tuple[str, ...]:
        """The categories' names, in order."""
        return tuple(category.name for category in self.categories)

    @property
    def category_columns(self) -> dict[str, slice]:
        """Category -> its columns in an array of logits."""
        found, start = {}, 0
        for category in self.categories:
            found[category.name] = slice(start, start + category.scale - 1)
            start += category.scale - 1
        return found


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle on disk.

    Attributes:
        folder: Where it lies.
        manifest: What its `guard.json` says.
        digest: SHA-256 of its `SHA256SUMS` (64 hex digits): it changes with every byte of every file.
    """

    folder: Path
    manifest: GuardManifest
    digest: str

    @property
    def tokenizer(self) -> Path:
        """Path of the tokenizer."""
        return self.folder / TOKENIZER

    def model(self, precision: str | None = None) -> tuple[Precision, Path]:
        """Return a precision and the path of its ONNX file; the default one if `precision` is `None`.

        Raises:
            UserError: The bundle lacks the precision.
        """
        facts = self.manifest.model
        for name, file in facts.files.items():
            if name == (precision or facts.default):
                return name, self.folder / file
        raise unknown_name(f"precision of the bundle {self.folder}", str(precision), facts.files)


def read_bundle(folder: Path | str, *, verify: bool = True) -> Bundle:
    """Read a bundle's `guard.json` and check all of the bundle's files against `SHA256SUMS`.

    Args:
        folder: The bundle.
        verify: Whether to compute the checksums. Without, only the presence of files is checked.

    Raises:
        UserError: The folder is not a bundle, a file of it is missing, changed or not listed, or `guard.json` is not
            what this version reads; the sentence names the file.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError(f"{folder} is not a folder; a guard bundle is the folder that train.export writes.")
    check_seal(folder, contents=verify)
    manifest = read_manifest(folder / MANIFEST)
    for file in (*manifest.model.files.values(), TOKENIZER):
        if not (folder / file).is_file():
            raise UserError(f"{folder / file} is missing, and {MANIFEST} names it; export or copy the bundle again.")
    return Bundle(folder, manifest, seal_digest(folder))


def write_bundle(folder: Path, manifest: GuardManifest) -> Bundle:
    """Write `guard.json` and `SHA256SUMS` beside the files that are already there, and read the bundle back.

    Raises:
        UserError: A file that belongs in a bundle is missing.
    """
    for file in (*manifest.model.files.values(), TOKENIZER, CARD):
        if not (folder / file).is_file():
            raise UserError(f"{folder / file} is missing; a bundle needs it before it is sealed.")
    (folder / MANIFEST).write_text(manifest.model_dump_json(indent=1) + "\n", encoding="utf-8")
    seal(folder)
    return read_bundle(folder)


def read_manifest(path: Path) -> GuardManifest:
    """Read a `guard.json`.

    Raises:
        UserError: It is missing, not JSON, of another format, or says something that cannot be; each problem is named.
    """
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text)
    except FileNotFoundError:
        raise UserError(f"{path} is missing; a guard bundle is the folder that train.export writes.") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise UserError(f"{path} is not JSON ({error}); export the guard again.") from None
    if not isinstance(raw, dict):
        raise UserError(f"{path} must hold one JSON object, found {type(raw).__name__}.")
    if raw.get("format") != FORMAT:
        raise UserError(
            f"{path} is of format {raw.get('format')!r}, and this version of Babelguard reads format {FORMAT}; "
            "export the guard again, or install the version that wrote it."
        )
    try:
        return GuardManifest.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise UserError(f"{path}: " + " ".join(_problem(details) for details in error.errors())) from None


def _problem(details: Mapping[str, Any]) -> str:
    at = ".".join(str(part) for part in details["loc"])
    if details["type"] == "extra_forbidden":
        return f"unknown key {at!r}."
    if details["type"] == "missing":
        return f"{at} is missing."
    message = details["msg"].removeprefix("Value error, ")
    return f"{at}: {message[:1].lower()}{message[1:]}." if at else f"{message}."


def _check_names(where: str, table: Mapping[str, object], widths: Mapping[str, int], whole: bool) -> None:
    if strange := sorted(set(table) - set(widths)):
        raise ValueError(f"{where} names {strange[0]!r}, which is none of the categories")
    if whole and (lacking := sorted(set(widths) - set(table))):
        raise ValueError(f"{where} lacks {lacking[0]}")
