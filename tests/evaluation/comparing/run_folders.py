"""Run folders of a few made-up texts, whose figures can be worked out by hand.

Two languages of four texts each; three annotators who agree. Levels of Violence and Insult:

    text        de/0 de/1 de/2 de/3   fr/0 fr/1 fr/2 fr/3
    people       1 1  1 1  3 1  3 1    1 1  1 3  3 1  3 3
    alpha        1 1  1 1  3 1  3 1    1 1  3 3  3 1  3 3
    beta         1 1  1 1  1 1  3 3    1 3  1 1  3 3  3 1
    gamma        1 -  1 -  3 -  ? -    1 -  1 -  1 -  1 -    (Violence alone; de/3 is unparsed)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from babelguard import RTP_LX, Item, Rating, Role, Score, Status
from evaluation.item_table import build_item_table, write_item_table
from evaluation.rater import complete
from evaluation.ratings_file import rating_key
from evaluation.run_folder import RunFolder

Levels = tuple[int | None, ...]

TEXTS = ("de/0", "de/1", "de/2", "de/3", "fr/0", "fr/1", "fr/2", "fr/3")
PEOPLE: dict[str, Levels] = {"Violence": (1, 1, 3, 3, 1, 1, 3, 3), "Insult": (1, 1, 1, 1, 1, 3, 1, 3)}
ALPHA: dict[str, Levels] = {"Violence": (1, 1, 3, 3, 1, 3, 3, 3), "Insult": (1, 1, 1, 1, 1, 3, 1, 3)}
BETA: dict[str, Levels] = {"Violence": (1, 1, 1, 3, 1, 1, 3, 3), "Insult": (1, 1, 1, 3, 3, 1, 3, 1)}
GAMMA: dict[str, Levels] = {"Violence": (1, 1, 3, None, 1, 1, 1, 1)}
BENIGN = ("de/4", "de/5")


def labelled(annotators: int = 3, people: Mapping[str, Levels] = PEOPLE, texts: Sequence[str] = TEXTS) -> list[Item]:
    return [
        Item(
            name,
            "a made-up text",
            name[:2],
            "made",
            f"made/{name[3:]}",
            role=Role.PROMPT,
            labels={category: (levels[TEXTS.index(name)],) * annotators for category, levels in people.items()},
        )
        for name in texts
    ]


def benign() -> list[Item]:
    return [Item(n, "a harmless text", n[:2], "made", f"made/{n[3:]}", role=Role.BENIGN_COMPLETION) for n in BENIGN]


def rated(name: str, levels: Mapping[str, Levels], texts: Sequence[str] = TEXTS) -> list[Rating]:
    """Ratings of texts in order; a level that is `None` is one that could not be read from the answer."""
    ratings = []
    for place, item in enumerate(texts):
        scores = {}
        for category, given in levels.items():
            level = given[place]
            scores[category] = Score.missing(Status.UNPARSED) if level is None else Score(level)
        ratings.append(Rating(name, item, complete(RTP_LX, scores)))
    return ratings


def write_run(
    path: Path,
    items: Sequence[Item],
    raters: Mapping[str, Sequence[Rating]],
    kinds: Mapping[str, str] | None = None,
    fingerprints: Mapping[str, str] | None = None,
) -> Path:
    """Write what a finished run leaves, as far as a comparison reads it."""
    path.mkdir(parents=True)
    table = build_item_table(items, RTP_LX, "here")
    write_item_table(table, RTP_LX, path / "items.parquet")
    keys = dict(zip(table.ids.tolist(), table.keys.tolist(), strict=True))
    people = [{"name": "human-1", "kind": "human", "description": "", "covers": [], "fingerprint": ""}]
    summaries = []
    for name, ratings in raters.items():
        mark = (fingerprints or {}).get(name, f"made-{name}")
        RunFolder(path).ratings(name).append((rating_key(r.item, keys[r.item], mark), r) for r in ratings)
        covers = [c for c in RTP_LX.names if any(r.scores[c].status is not Status.NOT_COVERED for r in ratings)]
        kind = (kinds or {}).get(name, "made")
        summaries.append({"name": name, "kind": kind, "description": "", "covers": covers, "fingerprint": mark})
    record = {
        "recipe": {"taxonomy": "rtp-lx"},
        "raters": [*people, *summaries],
        "settings": {"replicates": 50, "confidence": 0.95, "method": "percentile", "seed": 0},
    }
    (path / "metrics.json").write_text(json.dumps(record), encoding="utf-8")
    return path


def three_raters(path: Path) -> Path:
    raters = {"alpha": rated("alpha", ALPHA), "beta": rated("beta", BETA), "gamma": rated("gamma", GAMMA)}
    return write_run(path, labelled(), raters)
