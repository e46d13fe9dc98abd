"""How often a guard flags texts that ask for nothing harmful: everyday texts, and XSTest's prompts.

    python benchmarks/false_alarms.py BUNDLE... [--xstest ../shared/data/xstest]

The everyday texts are those of `data_prep/everyday` that no guard of ours has learnt from. XSTest (Röttger et al.,
NAACL 2024) has English prompts that are safe to answer though they sound otherwise, and prompts that are not: its
labels say what a model should answer, not which of our harms is in a text. A text is flagged if any category is.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from babelguard.item import Role
from babelguard.rejects import RejectLog
from babelguard.taxonomy import taxonomy
from data_prep.sources.sample import SampleOptions, read
from data_prep.sources.xstest import XsTestOptions
from data_prep.sources.xstest import read as read_xstest
from serve import Guard

EVERYDAY = Path(__file__).resolve().parents[1] / "data_prep" / "everyday"
Group = tuple[str, str]
"""What the texts are, and their language."""


def main() -> None:
    """Print the share that is flagged, group by group."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", nargs="+", type=Path)
    parser.add_argument("--xstest", type=Path, help="folder with xstest_prompts.csv")
    chosen = parser.parse_args()
    groups = everyday()
    if chosen.xstest is not None:
        groups |= xstest(chosen.xstest)
    guards = [Guard.load(bundle) for bundle in chosen.bundles]
    found = [{group: shares(guard, group[1], texts) for group, texts in groups.items()} for guard in guards]
    print("| texts | " + " | ".join(f"{path.name}: flagged | most often" for path in chosen.bundles) + " |")
    print("|---|" + "--:|---|" * len(guards))
    for group, texts in groups.items():
        cells = [f"{each[group]['any']:.1%} | {most_often(each[group])}" for each in found]
        print(f"| {group[0]}, {group[1]}: {len(texts)} | " + " | ".join(cells) + " |")
    learnt = [group for group in groups if group[0] == "everyday"]
    means = [sum(each[group]["any"] for group in learnt) / len(learnt) for each in found]
    print("| everyday, mean of the languages | " + " | ".join(f"{mean:.1%} | " for mean in means) + " |")


def everyday() -> dict[Group, list[str]]:
    """Return the test texts by language."""
    found: dict[Group, list[str]] = defaultdict(list)
    for item in read(SampleOptions(path=EVERYDAY), taxonomy("rtp-lx"), RejectLog()):
        if item.split == "test":
            found["everyday", item.language].append(item.text)
    return dict(found)


def xstest(folder: Path) -> dict[Group, list[str]]:
    """Return XSTest's prompts by what they ask for."""
    found: dict[Group, list[str]] = defaultdict(list)
    for item in read_xstest(XsTestOptions(path=folder, roles=(Role.PROMPT,)), taxonomy("rtp-lx"), RejectLog()):
        found[f"XSTest, {item.metadata['request']}", item.language].append(item.text)
    return dict(found)


def shares(guard: Guard, tag: str, texts: Sequence[str]) -> dict[str, float]:
    """Return the share of texts that is flagged, in any category (`any`) and in each."""
    ratings = guard.rate(texts, [tag] * len(texts))
    each = {name: sum(rating.flagged[name] for rating in ratings) / len(texts) for name in ratings[0].flagged}
    return {"any": sum(any(rating.flagged.values()) for rating in ratings) / len(texts), **each}


def most_often(found: Mapping[str, float]) -> str:
    """Return the two categories that are flagged most often, in words."""
    ordered = sorted((share, name) for name, share in found.items() if name != "any" and share)
    return ", ".join(f"{name} {share:.1%}" for share, name in ordered[:-3:-1])


if __name__ == "__main__":
    main()
