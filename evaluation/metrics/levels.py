"""Turns any sequence of ratings into integers with one sentinel for "missing".

Every metric starts here, so what counts as a rating, as missing and as an error is decided in one place.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
Ratings: TypeAlias = npt.ArrayLike | Sequence[Any]

MISSING: Final = -128
"""The sentinel for a missing rating in the arrays of this package.

Neither 0 nor -1: those are what a wrong mapping or a failed look-up yields, and they must stay errors.
"""


def as_levels(values: Ratings, levels: int) -> IntArray:
    """Converts ratings to an int64 array that holds levels and `MISSING`.

    Args:
        values: Ratings of any shape. Missing is None, NaN, pandas.NA, a masked entry or `MISSING`.
        levels: K, the number of levels of the ordinal scale 1..K.

    Returns:
        An array of the same shape with values in {1, ..., K, MISSING}.

    Raises:
        ValueError: If a value is not a whole number from 1 to K (booleans and strings are not), or K < 2.
    """
    check_scale(levels)
    numbers = _as_numbers(values)
    missing = np.isnan(numbers) | (numbers == MISSING)
    wrong = ~missing & ((numbers < 1) | (numbers > levels) | (numbers != np.floor(numbers)))
    if wrong.any():
        position = int(np.flatnonzero(wrong)[0])
        raise ValueError(_off_scale(numbers.ravel()[position].item(), position, levels))
    return np.where(missing, MISSING, numbers).astype(np.int64)


def as_table(ratings: Ratings, levels: int) -> IntArray:
    """Converts the ratings of several raters to a (raters, items) array of levels and `MISSING`.

    Raises:
        ValueError: If the ratings are not two-dimensional, or a value is off the scale.
    """
    table = as_levels(ratings, levels)
    if table.ndim != 2:
        raise ValueError(f"Ratings of several raters have the shape (raters, items), not {table.shape}.")
    return table


def complete_pairs(rater: Ratings, reference: Ratings, *, levels: int) -> tuple[IntArray, IntArray]:
    """Keeps the items that both raters rated (pairwise-complete deletion).

    Args:
        rater: Ratings, shape (items,).
        reference: Ratings of the same items in the same order, shape (items,).
        levels: K, the number of levels.

    Returns:
        Two arrays of equal length with levels only; the length is n.

    Raises:
        ValueError: If the two are not one-dimensional and equally long, or a value is off the scale.
    """
    ours, theirs = as_levels(rater, levels), as_levels(reference, levels)
    if ours.ndim != 1 or ours.shape != theirs.shape:
        raise ValueError(f"Two raters' ratings are two lists of the same items: {ours.shape} and {theirs.shape}.")
    both = (ours != MISSING) & (theirs != MISSING)
    return ours[both], theirs[both]


def n_pairs(rater: Ratings, reference: Ratings, *, levels: int) -> int:
    """Counts the items that both raters rated: the n of every two-rater metric."""
    return len(complete_pairs(rater, reference, levels=levels)[0])


def n_pairable(ratings: Ratings, *, levels: int) -> int:
    """Counts the items with two or more ratings: the n of observed agreement among several raters."""
    table = as_table(ratings, levels)
    return int(((table != MISSING).sum(axis=0) >= 2).sum())


def check_scale(levels: int) -> None:
    """Raises ValueError where K is not a whole number of two or more."""
    if isinstance(levels, bool) or not isinstance(levels, int | np.integer) or levels < 2:
        raise ValueError(f"A scale has two or more levels, given as a whole number, not {levels!r}.")


def _as_numbers(values: Ratings) -> FloatArray:
    """Returns float64 with NaN for missing; a masked entry's hidden value is never looked at."""
    if isinstance(values, np.ma.MaskedArray):
        visible = np.array(values.data, dtype=object)
        visible[np.ma.getmaskarray(values)] = None
        return _as_numbers(visible)
    array = np.asarray(values)
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    if array.dtype.kind != "O":
        raise ValueError(f"Ratings are whole numbers, not values of type {array.dtype}.")
    numbers = np.fromiter((_as_number(value) for value in array.ravel()), np.float64, count=array.size)
    return numbers.reshape(array.shape)


def _as_number(value: object) -> float:
    if value is None or type(value).__name__ == "NAType":
        return float("nan")
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"{value!r} is not a level: levels are whole numbers, and missing is None or NaN.")
    return float(value)


def _off_scale(value: float, position: int, levels: int) -> str:
    return (
        f"{value:g} at position {position} is not a level of this scale: levels are the whole numbers "
        f"1 to {levels}, and a missing rating is None, NaN or masked."
    )
