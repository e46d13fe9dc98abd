"""Block lists: MB of text a second on one core, with the lists of all languages loaded.

    python benchmarks/block_list.py --lists FOLDER --corpus FOLDER

The lists: LDNOOBW, or any folder of lists. The corpus: RTP-LX, one JSON Lines file a language. The baseline is
the regular expression that most teams start from: all entries of the language as alternatives.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from babelguard.jsonl import parse_line, read_lines
from babelguard.languages import language
from evaluation.blocking.folding import fold
from evaluation.blocking.matcher import Matcher
from evaluation.blocking.word_lists import read_word_lists


def main() -> None:
    """Print the speed by language and over all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--suffix", default="", help="what follows the language code in the lists' names")
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    lists = read_word_lists(chosen.lists, suffix=chosen.suffix).by_language()
    matchers = {tag: Matcher.of(named) for tag, named in lists.items()}
    texts = texts_by_language(chosen.corpus, set(matchers))
    total, spent, spent_plain = 0, 0.0, 0.0
    print(f"{len(matchers)} languages' lists loaded; best of {chosen.repeats}; processor time; MB are of UTF-8")
    print("language  entries      MB  share of texts with a hit  ours MB/s  regex MB/s  ratio")
    for tag, several in sorted(texts.items()):
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in several)
        ours = best(matchers[tag].find, several, chosen.repeats)
        plain = best(pattern_of(matchers[tag]), several, 1)
        flagged = sum(matchers[tag].holds(text) for text in several) / len(several)
        total, spent, spent_plain = total + size, spent + ours, spent_plain + plain
        print(
            f"{tag:8}  {len(matchers[tag].entries):7,}  {size / 1e6:6.2f}  {flagged:25.2f}  "
            f"{size / ours / 1e6:9.1f}  {size / plain / 1e6:10.1f}  {plain / ours:5.1f}"
        )
    print(
        f"all       {'':7}  {total / 1e6:6.2f}  {'':25}  {total / spent / 1e6:9.1f}  "
        f"{total / spent_plain / 1e6:10.1f}  {spent_plain / spent:5.1f}"
    )


def best(work: Callable[[str], object], texts: Sequence[str], repeats: int) -> float:
    """Return the processor seconds of the fastest pass over the texts."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        for text in texts:
            work(text)
        seconds.append(time.process_time() - start)
    return min(seconds)


def pattern_of(matcher: Matcher) -> Callable[[str], object]:
    """Return the baseline: fold, then one regular expression of alternatives."""
    alternatives = "|".join(re.escape(entry) for entry in sorted(matcher.entries, key=len, reverse=True))
    search = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)").findall
    return lambda text: search(fold(text))


def texts_by_language(folder: Path, tags: set[str]) -> dict[str, list[str]]:
    """Return the prompts and completions of RTP-LX by language, for languages that have a list."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("RTP_LX_*.json*")):
        tag = language(path.stem.removeprefix("RTP_LX_")).tag
        if tag not in tags:
            continue
        for _, line in read_lines(path):
            record = parse_line(line)
            found.setdefault(tag, []).extend(
                value for field in ("Prompt", "Completion") if isinstance(value := record.get(field), str) and value
            )
    if not found:
        raise SystemExit(f"{folder} holds no RTP_LX_XX.json of a language with a list.")
    return found


if __name__ == "__main__":
    main()
