"""What `python -m serve.policy` prints."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from serve.policies.comparing import Comparison
from serve.policies.corpus_languages import LanguageCounts
from serve.policies.deciding import Decider
from serve.policies.document import Action

_MOST_CAUSES = 20


def show_comparison(comparison: Comparison, old: Decider, new: Decider, console: Console | None = None) -> None:
    """Print flips by language, then what caused most of them."""
    console = console or Console()
    total = sum(comparison.items.values())
    console.print(
        f"{_named(old)} -> {_named(new)}: {comparison.flips():,} of {total:,} texts get another action.",
        highlight=False,
    )
    pairs = sorted(
        {(before, after) for _, before, after in comparison.actions if before != after},
        key=lambda pair: (pair[0].severity, pair[1].severity),
    )
    table = Table()
    table.add_column("language")
    for title in ("texts", *(f"{before} -> {after}" for before, after in pairs), "flips", "block", "flag"):
        table.add_column(title, justify="right")
    for language in sorted(comparison.items, key=lambda tag: (-comparison.flips(tag), tag)):
        texts, flips = comparison.items[language], comparison.flips(language)
        table.add_row(
            language,
            f"{texts:,}",
            *(f"{comparison.actions[language, before, after]:,}" for before, after in pairs),
            f"{flips:,} ({flips / texts:.1%})",
            *(
                " -> ".join(f"{comparison.rate(action, language, new=new):.1%}" for new in (False, True))
                for action in (Action.BLOCK, Action.FLAG)
            ),
        )
    console.print(table)
    _show_causes(comparison, console)


def _show_causes(comparison: Comparison, console: Console) -> None:
    if not comparison.causes:
        return
    table = Table(title="Why")
    for title in ("language", "change", "rule"):
        table.add_column(title, overflow="fold")
    table.add_column("flips", justify="right")
    common = comparison.causes.most_common(_MOST_CAUSES)
    for (language, rule, before, after), count in common:
        table.add_row(language, f"{before} -> {after}", rule, f"{count:,}")
    console.print(table)
    if (left := len(comparison.causes) - len(common)) > 0:
        console.print(f"{left:,} rarer causes are not shown; --flips FILE writes all flips with their causes.")


def show_languages(counts: LanguageCounts, console: Console | None = None) -> None:
    """Print how the languages of the texts were found, and why some were not."""
    console = console or Console()
    console.print(
        f"Languages: {counts.named:,} named, {counts.identified:,} identified, {counts.unknown:,} unknown.",
        highlight=False,
    )
    reasons = [
        (counts.not_identified, "that name none and could not be identified"),
        (counts.not_known, "that name a language which Babelguard does not know"),
        (counts.no_code, f"that name no language code, the first of them {counts.first_without_code}"),
    ]
    if counts.unknown:
        told = "; ".join(f"{number:,} {reason}" for number, reason in reasons if number)
        console.print(f"Unknown, and so judged by pooled values and rules for und: {told}.", highlight=False)


def show_policy(decider: Decider, console: Console | None = None) -> None:
    """Print the rules of a policy as they apply, category by category."""
    console = console or Console()
    document = decider.policy.document
    console.print(f"{_named(decider)} {document.description}".rstrip(), highlight=False)
    table = Table()
    for title in ("category", "language", "action", "condition", "where"):
        table.add_column(title, overflow="fold")
    by_language = decider.rules_by_language
    for tag in sorted(by_language, key=lambda each: each or ""):
        for category, rules in by_language[tag].items():
            if tag is not None and rules == by_language[None][category]:
                continue
            for rule in rules:
                table.add_row(category, tag or "any", rule.action.value, rule.condition, rule.source)
            if not rules:
                table.add_row(category, tag or "any", "allow", "always", "")
    console.print(table)
    for each in (*decider.policy.allow_lists, *decider.policy.block_lists):
        spoken = "all languages" if each.languages is None else ", ".join(sorted(each.languages))
        console.print(f"list {each.settings.name}: {len(each.phrases):,} entries, {spoken}", highlight=False)
    if decider.remark is not None:
        console.print(decider.remark, highlight=False)


def _named(decider: Decider) -> str:
    policy = decider.policy
    return f"Policy {policy.name} {policy.version} ({policy.digest[:8]})"
