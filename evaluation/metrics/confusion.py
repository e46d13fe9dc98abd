"""Confusion matrices: the sufficient statistic of every two-rater metric here.

Rows are the reference's levels and columns the rater's, as in scikit-learn (true, predicted). Functions
named `*_from_confusion` take any stack of matrices, shape (..., K, K), and return shape (...); that is what
makes ten thousand bootstrap replicates of a table one array operation.
"""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from evaluation.metrics.levels import FloatArray, IntArray, Ratings, complete_pairs

ConfusionMetric: TypeAlias = Callable[[npt.ArrayLike], FloatArray]


def confusion_matrix(rater: Ratings, reference: Ratings, *, levels: int) -> IntArray:
    """Counts the items by reference level (row) and rater level (column).

    Args:
        rater: Ratings, shape (items,).
        reference: Ratings of the same items, shape (items,).
        levels: K, the number of levels.

    Returns:
        A (K, K) array of counts over the items that both rated; its sum is n.

    Raises:
        ValueError: If the shapes differ or a value is off the scale.
    """
    ours, theirs = complete_pairs(rater, reference, levels=levels)
    cells = (theirs - 1) * levels + (ours - 1)
    return np.bincount(cells, minlength=levels * levels).reshape(levels, levels).astype(np.int64)


def pooled_confusion(confusions: Iterable[npt.ArrayLike]) -> FloatArray:
    """Adds confusion matrices, so that a metric of the sum weighs every item alike (micro average).

    A pooled figure answers another question than a mean of the figures (`macro_mean`): differences
    between the pools' base rates count as agreement.

    Raises:
        ValueError: If there is none, or the matrices' shapes differ.
    """
    stack = [as_confusions(confusion) for confusion in confusions]
    if not stack or any(matrix.shape != stack[0].shape for matrix in stack):
        raise ValueError("Pooling takes one or more confusion matrices of the same shape.")
    return np.asarray(np.sum(stack, axis=0))


def as_confusions(confusion: npt.ArrayLike) -> FloatArray:
    """Returns a stack of square matrices as float64.

    Raises:
        ValueError: If the last two axes are not K x K with K of two or more.
    """
    array = np.asarray(confusion, dtype=np.float64)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise ValueError(f"Confusion matrices have the shape (..., K, K) with K of 2 or more, not {array.shape}.")
    return array


def margins(confusions: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Returns n (...), the reference's counts (..., K) and the rater's counts (..., K)."""
    levels = confusions.shape[-1]
    eye, ones = np.eye(levels), np.ones((levels, 1))
    sums = contract(confusions, np.concatenate([_rows(eye, ones), _columns(eye, ones)], axis=-1))
    reference, rater = sums[..., :levels], sums[..., levels:]
    return reference @ np.ones(levels), reference, rater


def contract(confusions: FloatArray, functionals: npt.ArrayLike) -> FloatArray:
    """Returns sum_ij C_ij F_ij for each functional: (..., K, K) with (K, K, m) gives (..., m).

    One matrix product over flattened matrices: reductions over axes as short as K would spend their time
    in NumPy's loop set-up.
    """
    weights = np.asarray(functionals, dtype=np.float64)
    levels = confusions.shape[-1]
    flat = confusions.reshape(-1, levels * levels) @ weights.reshape(levels * levels, -1)
    return np.asarray(flat.reshape((*confusions.shape[:-2], *weights.shape[2:])))


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Divides, with NaN (undefined) where the denominator is zero."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    return np.asarray(np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0))


def _rows(eye: FloatArray, ones: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ik,jl->ijk", eye, ones))


def _columns(eye: FloatArray, ones: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("jk,il->ijk", eye, ones))
