"""Reads what a policy file says; its mistakes are told with file, line and key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from babelguard.errors import UserError
from babelguard.recipe import problem_of
from babelguard.yaml_reading import Place, YamlMapping, as_yaml, read_mapping
from serve.policies.document import PolicyDocument

_EXAMPLES = {"format": "format: 1", "name": "name: forum", "version": 'version: "1"'}


@dataclass(frozen=True)
class PolicySource:
    """A policy file, to name its places."""

    path: Path
    file: YamlMapping

    def mistake(self, place: Place, problem: object) -> UserError:
        """Return the error for what is wrong at a place."""
        return UserError(f"{self._line(place)}: {'.'.join(map(str, place))}: {problem}")

    def problem(self, details: Mapping[str, Any]) -> str:
        """Return pydantic's details of a mistake as a sentence."""
        place, found, kind = tuple(details["loc"]), details.get("input"), details["type"]
        is_key = bool(place) and place[-1] == "[key]"
        if is_key:
            place = (*place[:-2], found)
        dotted = ".".join(map(str, place[:-1] if is_key else place))
        if kind == "missing":
            example = _EXAMPLES.get(dotted)
            told = f"{dotted} is not set; add it to the policy{f', such as `{example}`' if example else ''}."
        elif kind == "string_type" and isinstance(found, bool | int | float | date):
            told = f"{dotted}: {_unquoted(found, self.file.written.get(place), of_language='languages' in place)}"
        elif kind == "string_pattern_mismatch":
            told = f"{dotted}: found {as_yaml(found)}; it stands in headers, which take printable ASCII alone."
        elif kind == "value_error":
            told = f"{dotted}: {details['ctx']['error']}."
        else:
            told = problem_of(details, PolicyDocument)
        return f"{self._line(place)}: {told}"

    def _line(self, place: Place) -> str:
        line = self.file.line(place)
        return str(self.path) if line is None else f"{self.path}, line {line}"


def _unquoted(found: bool | float | date, written: str | None, *, of_language: bool) -> str:
    """Tell a value or key that was meant as a text and that YAML reads as something else."""
    if found is False and of_language:
        return "YAML reads a bare no as false; write the code of Norwegian in quotes: 'no'."
    kind = as_yaml(found) if isinstance(found, bool) else "a date" if isinstance(found, date) else "a number"
    return f"YAML reads {written or as_yaml(found)} as {kind}, not as a text; write it in quotes."


def read_document(path: Path) -> tuple[PolicyDocument, PolicySource]:
    """Read a policy file, without the lists that it names.

    Raises:
        UserError: It is not a policy; one line a mistake.
    """
    source = PolicySource(path, read_mapping(path))
    raw = {**source.file.content}
    version, written = raw.get("version"), source.file.written.get(("version",))
    if isinstance(version, float):
        remedy = f'YAML reads {written} as a number and may drop digits; write it in quotes: version: "{written}"'
        raise source.mistake(("version",), f"{remedy}.")
    if isinstance(version, int | date) and not isinstance(version, bool):
        raw["version"] = written  # a number or a day is meant as it is written
    try:
        return PolicyDocument.model_validate(raw), source
    except ValidationError as error:
        raise UserError("\n".join(source.problem(details) for details in error.errors())) from None
