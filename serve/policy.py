"""Command line: `python -m serve.policy check OLD NEW --corpus FILE` and `python -m serve.policy show POLICY`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from babelguard.command import run_commands

if TYPE_CHECKING:
    from serve.guard import Guard
    from serve.policies.corpus import CorpusText
    from serve.policies.corpus_languages import CorpusLanguages
    from serve.policies.deciding import Rated

_RATED_TOGETHER = 512

BundleOption = Annotated[
    Path | None, typer.Option("--bundle", help="The guard's bundle. Without it: the starter guard.", show_default=False)
]


def check(
    old: Annotated[Path, typer.Argument(help="The policy that is in force.")],
    new: Annotated[Path, typer.Argument(help="The policy that is to be.")],
    corpus: Annotated[
        list[Path], typer.Option("--corpus", help="JSON lines, Parquet, or a corpus's folder; may be repeated.")
    ],
    bundle: BundleOption = None,
    text_field: Annotated[
        list[str] | None, typer.Option("--text-field", help="Field of the texts; may be repeated.  [default: text]")
    ] = None,
    language_field: Annotated[str, typer.Option("--language-field", help="Field of the language.")] = "language",
    language: Annotated[
        str | None,
        typer.Option("--language", help="Language of texts that name none. Without it: identified, as in the server."),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            "--confidence", min=0, max=1, help="The server's language.confidence.  [default: that of the server]"
        ),
    ] = None,
    identify: Annotated[
        bool, typer.Option("--identify/--no-identify", help="The server's language.identify, true or false.")
    ] = True,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Compare on so many texts at most.")] = None,
    flips: Annotated[
        Path | None, typer.Option("--flips", help="Write every flip as JSON lines: ids, actions, causes; no texts.")
    ] = None,
) -> None:
    """Explain what changes between two policies on a corpus: which texts flip, by language, and why."""
    from itertools import islice

    from babelguard.jsonl import write_jsonl
    from serve.guard import Guard
    from serve.policies.comparing import Comparison, compare
    from serve.policies.console import show_comparison, show_languages
    from serve.policies.corpus import read_corpus
    from serve.policies.corpus_languages import CorpusLanguages
    from serve.policies.deciding import Decider
    from serve.policies.loading import load_policy
    from serve.starter import starter_bundle

    languages = CorpusLanguages(language, _confidence(confidence) if identify else None)
    guard = Guard.load(bundle or starter_bundle())
    before, after = (Decider(load_policy(path, guard.bundle), guard.bundle) for path in (old, new))
    texts = islice(read_corpus(corpus, text_field or ["text"], language_field), limit)
    comparison = Comparison()
    found = compare(_rated(texts, guard, languages), before, after, comparison)
    if flips is None:
        for _ in found:
            pass
    else:
        write_jsonl(flips, (flip.to_dict() for flip in found))
    show_comparison(comparison, before, after)
    show_languages(languages.counts)


def show(policy: Annotated[Path, typer.Argument(help="A policy file.")], bundle: BundleOption = None) -> None:
    """Check a policy against a guard, and print its rules as they apply."""
    from serve.bundle import read_bundle
    from serve.policies.console import show_policy
    from serve.policies.deciding import Decider
    from serve.policies.loading import load_policy
    from serve.starter import starter_bundle

    manifest = read_bundle(bundle or starter_bundle(), verify=False).manifest
    show_policy(Decider(load_policy(policy, manifest), manifest))


def _rated(
    texts: Iterator[CorpusText], guard: Guard, languages: CorpusLanguages
) -> Iterator[tuple[str, str, str | None, Rated]]:
    chunk: list[CorpusText] = []
    for each in texts:
        chunk.append(each)
        if len(chunk) == _RATED_TOGETHER:
            yield from _rate(chunk, guard, languages)
            chunk = []
    if chunk:
        yield from _rate(chunk, guard, languages)


def _rate(
    chunk: Sequence[CorpusText], guard: Guard, languages: CorpusLanguages
) -> Iterator[tuple[str, str, str | None, Rated]]:
    spoken = [languages.find(each) for each in chunk]
    ratings = guard.rate([each.text for each in chunk], spoken)
    for each, tag, rating in zip(chunk, spoken, ratings, strict=True):
        yield each.id, each.text, tag, rating


def _confidence(asked: float | None) -> float:
    from serve.api.settings import LanguageSettings

    return LanguageSettings().confidence if asked is None else asked


if __name__ == "__main__":
    run_commands({"check": check, "show": show}, name="python -m serve.policy")
