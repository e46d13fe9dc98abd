"""The published words of a guard's prompt, where its model does not bring them: the user brings them in a file.

A guard answers well only to the very words that it was trained on. Most models carry them in the chat template of
their tokenizer. Those of some stand on the model's card alone; they are their publisher's and no part of Babelguard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from babelguard.errors import UserError, unknown_name
from babelguard.recipe import RecipeModel, read_yaml
from evaluation.guarding.form import Policy

Form = Literal["template", "system", "guidelines"]

_PLACES = {"prompt": "request", "response": "response", "role": "role", "conversation": "dialogue"}
_PLACE = re.compile(r"\{(" + "|".join(_PLACES) + r")\}")
_WHAT: Mapping[Form, str] = {
    "template": "the whole prompt",
    "system": "the system prompt",
    "guidelines": "the guideline for each of",
}
_INTO: Mapping[Form, str] = {
    "template": "a file, with {prompt} and {response}, or {conversation} and {role}, where these stand",
    "system": "a file",
    "guidelines": "a YAML file (name: text)",
}


class PublishedWords(RecipeModel):
    """What the user has to bring for a preset."""

    form: Form = Field(description="template: the whole prompt; system: the system turn; guidelines: one a policy")
    where: str = Field(description="Where the publisher states them")
    end: str = Field("", description="White space at the whole prompt's end, which editors change")


@dataclass(frozen=True, slots=True)
class Words:
    """What was read.

    Attributes:
        template: Jinja text of the whole prompt; `None` if the model's own template is used.
        variables: Variables of template and frame.
        policies: The policies, with their guidelines.
    """

    template: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    policies: tuple[Policy, ...] = ()


def read_words(
    file: Path | None, published: PublishedWords | None, policies: Sequence[Policy], template: str | None, who: str
) -> Words:
    """Read the file that a user brings for a preset.

    Args:
        file: The file; `None` if there is none.
        published: What the preset needs; `None` if it needs nothing, so that a file is a whole prompt.
        policies: The guard's policies.
        template: Jinja text that the recipe gives instead of a whole prompt.
        who: The preset or the model, for messages.

    Raises:
        UserError: The preset needs a file and there is none, or the file does not fit.
    """
    if file is None:
        if published is not None and not (published.form == "template" and template is not None):
            raise UserError(_missing(published, policies, who))
        return Words(template, {}, tuple(policies))
    form: Form = published.form if published is not None else "template"
    if form == "guidelines":
        return Words(template, {}, _with_guidelines(file, policies))
    text = _read(file)
    if form == "system":
        return Words(template, {"system_prompt": text.strip()}, tuple(policies))
    if file.suffix == ".j2":
        return Words(text, {}, tuple(policies))
    if not _PLACE.search(text):
        raise UserError(
            f"The prompt file {file} has no place for the rated text; put {{prompt}} and {{response}} where the "
            "publisher's code puts them."
        )
    return Words(*_filled_in(text.rstrip() + (published.end if published is not None else "")), tuple(policies))


def _missing(published: PublishedWords, policies: Sequence[Policy], who: str) -> str:
    names = f" {', '.join(policy.name for policy in policies)}" if published.form == "guidelines" else ""
    return (
        f"{who} answers to its publisher's own words, which Babelguard does not hold: copy "
        f"{_WHAT[published.form]}{names} from {published.where} into {_INTO[published.form]}; then set the rater's "
        "'prompt_file' to it."
    )


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The prompt file {file} cannot be read: {error}.") from None


def _filled_in(text: str) -> tuple[str, dict[str, Any]]:
    """Return a template that prints the text as it stands, places filled in, and the variables that it needs.

    The text itself is never read as Jinja. Where it does not begin with the tokenizer's first token, that is put first,
    as the tokenizer would.
    """
    words = _PLACE.split(text)
    parts = [
        f"{{{{ {_PLACES[part]} }}}}" if number % 2 else f"{{{{ words[{number}] }}}}"
        for number, part in enumerate(words)
    ]
    first = "{{ bos_token if bos_token and not words[0].startswith(bos_token) else '' }}"
    return first + "".join(parts), {"words": words}


def _with_guidelines(file: Path, policies: Sequence[Policy]) -> tuple[Policy, ...]:
    found = read_yaml(file)
    names = [policy.name for policy in policies]
    for name in found:
        if name not in names:
            raise UserError(f"{file}: {unknown_name('policy', str(name), names)}")
    return tuple(_with_guideline(file, policy, found.get(policy.name)) for policy in policies)


def _with_guideline(file: Path, policy: Policy, said: object) -> Policy:
    by_target = said if isinstance(said, Mapping) else {"prompt": said, "response": said}
    texts = {target: by_target.get(target) for target in ("prompt", "response")}
    if not all(isinstance(text, str) and text.strip() for text in texts.values()):
        raise UserError(
            f"{file} has no guideline for {policy.name}; give one text, or one below 'prompt' and one below 'response'."
        )
    return policy.model_copy(
        update={
            f"{target}_variables": {**getattr(policy, f"{target}_variables"), "guideline": str(text).strip()}
            for target, text in texts.items()
        }
    )
