"""How many short texts a second each register shifts, on one core.

    python benchmarks/registers.py [REGISTER ...]

Every register gets the neutral texts of the bundled sample in a language in which it exists, made 2,000 distinct ones
by a running number, through `shift_items` itself: seeds, edits, spans, inverse and the twin's item are in the figure.
The baseline, timed in the same run on the same texts, copies each item with one character appended. A transliterator
is measured twice: on words that it has not seen, and again when it remembers them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter, process_time

from babelguard import RTP_LX
from babelguard.item import Item
from babelguard.languages import language
from babelguard.rejects import RejectLog
from data_prep.register import REGISTERS, Register
from data_prep.register_shift import ShiftOptions, shift_items
from data_prep.sources.sample import SampleOptions, read

TEXTS = 2_000
REPEATS = 3
CACHED = {"pinyin", "romaji", "romanised", "hinglish", "arabizi", "cyrillic-translit", "no-diacritics", "greeklish"}
PREFERRED = ("en", "de", "ru", "ar", "hi", "ja", "zh-Hans", "he", "fr", "es", "pt", "sw")
GREEK = "Θα βρέχει όλο το Σαββατοκύριακο, πάρε μια ομπρέλα."


def texts_of(tag: str) -> list[Item]:
    """Return neutral items of the sample in a language, each with a number of its own."""
    if tag == "el":
        return [Item(f"el/{n}", f"{GREEK} {n}", "el", "benchmark", f"el/{n}") for n in range(TEXTS)]
    sample = list(read(SampleOptions(languages=(tag,), registers=("neutral",)), RTP_LX, RejectLog()))
    return [
        replace(sample[n % len(sample)], id=f"{tag}/{n}", text=f"{sample[n % len(sample)].text} {n}")
        for n in range(TEXTS)
    ]


def rate(work: Callable[[], object]) -> float:
    """Return texts a second of CPU time, the best of a few runs."""
    best = min(_seconds(work) for _ in range(REPEATS))
    return TEXTS / best


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def shift_all(items: list[Item], name: str) -> int:
    """Shift all items into one register; return the number of twins."""
    options = ShiftOptions(registers=(name,), keep_parents=False)  # type: ignore[arg-type] - a name is understood
    return sum(1 for _ in shift_items(items, options, RejectLog()))


def copy_all(items: list[Item]) -> int:
    """The baseline: copy every item with one more character."""
    return len([replace(item, id=f"{item.id}#copy", text=f"{item.text}.") for item in items])


def main() -> None:
    """Print one line a register."""
    print(f"{'register':24}{'in':>9}{'twins':>7}{'letters':>9}{'first/s':>10}{'texts/s':>10}{'of copying':>12}")
    started = perf_counter()
    for name in sys.argv[1:] or REGISTERS.names:
        register: Register = REGISTERS.get(name)
        tag = next(tag for tag in (*PREFERRED, "el") if register.refuses(language(tag)) is None)
        if name in {"no-diacritics", "no-vowel-points"}:
            tag = {"no-diacritics": "fr", "no-vowel-points": "ar"}[name]
        items = texts_of(tag)
        shift_all(items[:1], name)  # loads tables and libraries
        first = _seconds(lambda items=items, name=name: shift_all(items, name))  # type: ignore[misc]
        twins = shift_all(items, name)
        speed = rate(lambda items=items, name=name: shift_all(items, name))  # type: ignore[misc]
        base = rate(lambda items=items: copy_all(items))  # type: ignore[misc]
        letters = sum(len(item.text) for item in items) / len(items)
        unseen = f"{TEXTS / first:>10,.0f}" if name in CACHED else f"{'':>10}"
        print(f"{name:24}{tag:>9}{twins:>7,}{letters:>9.0f}{unseen}{speed:>10,.0f}{speed / base:>11.0%}")
    print(f"{perf_counter() - started:.0f} s in all")


if __name__ == "__main__":
    main()
