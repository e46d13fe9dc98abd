"""A small corpus of mild words: prompts, and a rude and a kind completion of each, in two languages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from babelguard.item import Item, Role

MEANINGS = {
    "en": (("The bus is late and", " the driver is a silly goose.", " we wait together."),
           ("My neighbour's soup", " tastes like a dishcloth, shame on her.", " warms the whole street."),
           ("When the cat sings", " I throw a slipper at it.", " we all sing along.")),
    "de": (("Der Bus kommt spät und", " der Fahrer ist eine dumme Gans.", " wir warten gemeinsam."),
           ("Die Suppe der Nachbarin", " schmeckt wie ein Spüllappen, pfui.", " wärmt die ganze Straße."),
           ("Wenn die Katze singt,", " werfe ich einen Hausschuh.", " singen wir alle mit.")),
}  # fmt: skip
CLEAN = {"Toxicity": (1, 1, 1), "Insult": (1, 1, 1), "Violence": (1, 1, 1)}
RUDE = (
    {"Toxicity": (3, 3, 2), "Insult": (3, 3, 3), "Violence": (1, 1, 1)},
    {"Toxicity": (2, 2, 2), "Insult": (2, 2, 1), "Violence": (1, 1, 1)},
    {"Toxicity": (4, 3, 4), "Insult": (1, 1, 1), "Violence": (3, 3, 3)},
)
SPLITS = ("train", "train", "calibration", "test")


def items(contents: int = 8, *, rude: bool = True) -> list[Item]:
    """Return items of so many contents, of which one in four is calibration and one in four is test.

    Args:
        contents: How many source_ids.
        rude: Whether the rude completions are labelled so; else everything is harmless.
    """
    made = []
    for number in range(contents):
        for language, meanings in MEANINGS.items():
            begin, bad, good = meanings[number % 3]
            levels = RUDE[number % 3] if rude else CLEAN
            for role, text, labels in (
                (Role.PROMPT, f"{number}: {begin}", CLEAN),
                (Role.COMPLETION, f"{number}:{bad}", levels),
                (Role.BENIGN_COMPLETION, f"{number}:{good}", CLEAN),
            ):
                made.append(
                    Item(
                        f"made/{language}/{number}/{role.value}", text, language, "made", f"made/{number}", role=role,
                        split=SPLITS[number % 4], labels=labels,
                    )
                )  # fmt: skip
    return made


def write_corpus(folder: Path, made: Sequence[Item]) -> Path:
    """Write items as JSON lines and return the file."""
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps(item.to_dict()) + "\n" for item in made), encoding="utf-8")
    return path
