"""RTP-LX: transcreated and manual prompts in many languages, eight harms, three native annotators.

Items come from the corpus files. Where a corpus file lacks a row, or a language has no corpus file, the prompt is
read from the Azure scoring file, which repeats prompt and labels under the same index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from babelguard.errors import UserError
from babelguard.item import Item, RawLabels, Role
from babelguard.languages import language
from babelguard.recipe import RecipeModel
from babelguard.rejects import RejectLog
from babelguard.taxonomy import Taxonomy
from data_prep.fetching.places import github
from data_prep.rtp_lx import alignment, files
from data_prep.source import Source

ANNOTATORS = 3

_TEXT_FIELDS = {
    Role.PROMPT: "Prompt",
    Role.COMPLETION: "Completion",
    Role.BENIGN_COMPLETION: "BenignCompletion",
}
_LABEL_FIELDS = {
    Role.PROMPT: ("PromptAnnotationsRaw", "AnnotationsRaw"),
    Role.COMPLETION: ("CompletionAnnotationsRaw",),
    Role.BENIGN_COMPLETION: (),
}


class RtpLxOptions(RecipeModel):
    """What to read of RTP-LX."""

    path: Path = Field(description="Folder of RTP_LX_XX.json and acs_results_XX.json or of RTP-LX.zip, or that zip")
    languages: tuple[str, ...] | None = Field(None, description="Any codes of the languages to read; all if not set")
    roles: tuple[Literal[Role.PROMPT, Role.COMPLETION, Role.BENIGN_COMPLETION], ...] = (Role.PROMPT,)
    unlabelled: Literal["reject", "keep"] = Field("reject", description="keep: items without labels of unlabelled rows")
    row_filter: Literal["none", "published"] = Field("none", description="published: leave out what the paper left out")


def read(options: RtpLxOptions, taxonomy: Taxonomy, log: RejectLog) -> Iterator[Item]:
    """Stream the items, language by language.

    Raises:
        UserError: The folder is missing or holds no RTP-LX files, or a chosen language is not in it.
    """
    corpus = files.find_files(options.path, files.CORPUS)
    scored = files.find_files(options.path, files.AZURE_PROMPTS)
    if not corpus and not scored:
        raise UserError(
            f"{options.path} holds no RTP-LX files (RTP_LX_XX.json or acs_results_XX.json); "
            "pass the folder that holds them."
        )
    for locale in _chosen_locales(options, [*corpus, *scored]):
        seen: set[int] = set()
        if locale in corpus:
            for row in files.read_rows(corpus[locale], log):
                seen.add(row.index)
                yield from _items_of(row, row.fields, options, taxonomy, log)
            if not seen:
                raise UserError(f"{corpus[locale].path} holds no rows; fetch it again, or remove it.")
        if locale in scored and Role.PROMPT in options.roles:
            only_prompts = options.model_copy(update={"roles": (Role.PROMPT,)})
            for row in files.read_rows(scored[locale], log):
                if row.index in seen:
                    log.leave_out_row(row.file.path, "repeats-corpus-row")
                else:
                    log.remark("prompts read from a scoring file, since no corpus file holds them")
                    yield from _items_of(row, _entry_of(row), only_prompts, taxonomy, log)


def _chosen_locales(options: RtpLxOptions, present: list[str]) -> list[str]:
    """Return the locales to read; one language can have several files, as in a release with PT and PT-BR."""
    by_tag: dict[str, set[str]] = {}
    for locale in present:
        by_tag.setdefault(language(locale).tag, set()).add(locale)
    if options.languages is None:
        return sorted(set(present))
    chosen: list[str] = []
    for code in options.languages:
        tag = language(code).tag
        if tag not in by_tag:
            raise UserError(
                f"{options.path} has no file for the language {code!r}; it has {', '.join(sorted(by_tag))}."
            )
        chosen += sorted(by_tag[tag])
    return list(dict.fromkeys(chosen))


def _entry_of(row: files.Row) -> dict[str, Any]:
    """Return the corpus fields that a scoring row repeats, with the prompt as the scored rater saw it."""
    entry = row.fields.get("OriginalEntry")
    return {**(entry if isinstance(entry, dict) else {}), "Prompt": row.fields.get("Prompt")}


def _items_of(
    row: files.Row, fields: Mapping[str, Any], options: RtpLxOptions, taxonomy: Taxonomy, log: RejectLog
) -> Iterator[Item]:
    locale = row.file.locale
    if options.row_filter == "published" and row.index in alignment.PUBLISHED_EXCLUSIONS.get(locale, ()):
        log.leave_out_row(row.file.path, "row-filter-published")
        return
    made: list[Item] = []
    unusable: list[str] = []
    empty: list[str] = []
    for role in options.roles:
        text = fields.get(_TEXT_FIELDS[role])
        try:
            if not isinstance(text, str):
                raise _UnusableError("no-text", f"'{_TEXT_FIELDS[role]}' must be a string, found {text!r:.40}")
            if not text.strip():
                log.leave_out(f"empty-{role.value}")
                empty.append(f"empty-{role.value}")
                continue
            made.append(_item(row, fields, role, text, _labels_of(fields, role, taxonomy, options)))
        except _UnusableError as error:
            log.reject(row.file.path, row.line, error.kind, str(error))
            unusable.append(error.kind)
    account = log.rows_of(row.file.path)
    if made:
        log.row_gave(row.file.path, len(made))
    elif unusable:
        account.set_aside[unusable[0]] += 1
    else:
        account.left_out[empty[0] if empty else "not-asked-for"] += 1
    yield from made


def _item(row: files.Row, fields: Mapping[str, Any], role: Role, text: str, labels: RawLabels) -> Item:
    locale = row.file.locale
    key = alignment.source_id(locale, row.index)
    named = fields.get("Locale") or None
    metadata: dict[str, Any] = {"index": row.index, "published_subset": alignment.published_subset(row.index)}
    if named is not None:
        metadata["locale"] = named
    if role is Role.PROMPT and text == files.VOID_TEXT:
        metadata["text_is_void"] = True
    return Item(
        id=f"rtp-lx/{locale}/{row.index}/{role.value}",
        text=text,
        language=row.file.language.tag,
        source="rtp-lx",
        source_id=key,
        role=role,
        subset=alignment.subset(locale, row.index),
        dialect=fields.get("Dialect") or (named if named != locale else None),
        split=alignment.split(key),
        labels=labels,
        metadata=metadata,
        provenance={"file": row.file.path.name, "line": row.line},
    )


class _UnusableError(ValueError):
    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def _labels_of(
    fields: Mapping[str, Any], role: Role, taxonomy: Taxonomy, options: RtpLxOptions
) -> dict[str, tuple[int | None, ...]]:
    names = _LABEL_FIELDS[role]
    if not names:
        return {}
    raw = next((fields[name] for name in names if fields.get(name) is not None), None)
    if not raw and options.unlabelled == "keep":
        return {}
    if not isinstance(raw, Mapping):
        raise _UnusableError("no-labels", f"'{names[0]}' is missing; every row needs its annotators' labels")
    for category in raw:
        if category not in taxonomy:
            known = ", ".join(taxonomy.names)
            raise _UnusableError("unknown-category", f"{category!r} is not a category of {taxonomy.name} ({known})")
    labels: dict[str, tuple[int | None, ...]] = {}
    for category in taxonomy:
        levels = raw.get(category.name)
        if not isinstance(levels, list) or len(levels) != ANNOTATORS:
            count = len(levels) if isinstance(levels, list) else 0
            raise _UnusableError(
                "annotator-count", f"{category.name} has {count} annotators' labels where RTP-LX has {ANNOTATORS}"
            )
        for level in levels:
            if not category.has_level(level):
                raise _UnusableError(
                    "label-off-scale", f"the label {level!r:.20} of {category.name} is off its scale 1-{category.scale}"
                )
        labels[category.name] = tuple(levels)
    return labels


SOURCE = Source(
    options=RtpLxOptions,
    read=read,
    licence="MIT with third-party parts; the metadata also lists CC-BY-NC-4.0: treat as research use",
    citation="de Wynter et al., RTP-LX: Can LLMs Evaluate Toxicity in Multilingual Scenarios? AAAI 2025",
    downloads=github(
        "microsoft/RTP-LX",
        "805763e2e37354ad7b24bea9f199e285008e94db",
        ("RTP-LX/RTP-LX.zip", None),
        ("LICENSE", None),
        ("NOTICE", None),
        ("README.md", None),
    ),
)
