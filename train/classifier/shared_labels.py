"""Labels that the translations of one content lend each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from train.classifier.columns import Columns

_LEAST: Final = 1e-4
"""Rates are kept this far from 0 and 1, where their logits end."""


def share_labels(
    wanted: NDArray[np.float32],
    columns: Columns,
    *,
    contents: Sequence[str],
    languages: Sequence[str],
    pools: Sequence[str],
    share: float,
) -> NDArray[np.float32]:
    """Return targets of which a share comes from the other languages of the same content.

    Three annotators of one language are few. Where a corpus is parallel, those of the other languages have judged the
    same content, and together they say more of it. Their pools differ in strictness, so what they say is first moved to
    the language's own rate: with y the mean over the other languages, r the rate in this one and R the mean rate,

        y' = sigmoid(logit(y) + logit(r) - logit(R)),    target = (1 - share) own + share y'.

    What no other language sees stays 0, what all see stays 1. Items without a translation keep their own targets.

    Args:
        wanted: Targets, shape (items, columns), range 0 to 1, NaN where not covered.
        columns: The columns.
        contents: What each item says; items of one content are translations, or twins, of each other.
        languages: Language of each item.
        pools: Items of one pool, such as a source's prompts, have rates of their own.
        share: Range 0 to 1.
    """
    _, content = np.unique(np.asarray(contents), return_inverse=True)
    place = _number(contents, languages)
    own, has = _mean(wanted, place, place.max(initial=-1) + 1)
    first = np.unique(place, return_index=True)[1]
    total, languages_of = _sum(own, content[first], content.max(initial=-1) + 1)
    others = languages_of[content] - has[place]
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = (total[content] - np.nan_to_num(own[place])) / others
        moved = _moved(np.clip(seen, 0, 1), _shift(own, first, pools, languages)[place])
    mixed = np.where((others > 0) & ~np.isnan(wanted), (1 - share) * wanted + share * moved, wanted)
    for part in columns.slices:
        mixed[:, part] = np.minimum.accumulate(mixed[:, part], axis=1)
    return mixed.astype(np.float32)


def _shift(
    own: NDArray[np.float64], first: NDArray[np.int64], pools: Sequence[str], languages: Sequence[str]
) -> NDArray[np.float64]:
    """Return logit(r) - logit(R) of each content in each language, shape (places, columns)."""
    pool = np.unique(np.asarray(pools), return_inverse=True)[1][first]
    group = _number(np.asarray(pools)[first], np.asarray(languages)[first])
    rates, _ = _mean(own, group, group.max(initial=-1) + 1)
    overall, _ = _mean(rates, pool[np.unique(group, return_index=True)[1]], pool.max(initial=-1) + 1)
    return np.nan_to_num(_logit(rates)[group] - _logit(overall)[pool])


def _moved(seen: NDArray[np.float64], shift: NDArray[np.float64]) -> NDArray[np.float64]:
    odds = seen * np.exp(shift)
    return np.asarray(odds / (odds + 1 - seen))


def _logit(rates: NDArray[np.float64]) -> NDArray[np.float64]:
    inside = np.clip(rates, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def _number(*names: Sequence[str] | NDArray[np.str_]) -> NDArray[np.int64]:
    """Return a number for each combination of names."""
    numbers = [np.unique(np.asarray(each), return_inverse=True)[1] for each in names]
    return np.unique(np.stack(numbers, axis=1), axis=0, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _sum(
    values: NDArray[np.floating[Any]], group: NDArray[np.int64], groups: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    total = np.zeros((groups, values.shape[1]))
    count = np.zeros((groups, values.shape[1]), dtype=np.int64)
    np.add.at(total, group, np.nan_to_num(values))
    np.add.at(count, group, ~np.isnan(values))
    return total, count


def _mean(
    values: NDArray[np.floating[Any]], group: NDArray[np.int64], groups: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the mean of each group, NaN where it has no value, and whether it has one."""
    total, count = _sum(values, group, groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / count, count > 0
