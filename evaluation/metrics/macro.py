"""The mean of several figures, such as a row's categories."""

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from evaluation.metrics.confusion import ratio
from evaluation.metrics.levels import FloatArray

Undefined: TypeAlias = Literal["propagate", "skip"]


def macro_mean(values: npt.ArrayLike, *, axis: int = 0, undefined: Undefined = "propagate") -> FloatArray:
    """Returns the unweighted mean of figures along an axis.

    Args:
        values: Figures, NaN where undefined.
        axis: The axis of the cells to average over.
        undefined: "propagate" makes the mean of an undefined figure undefined. "skip" averages the defined
            ones: the mean then covers fewer cells, which must be said beside it.

    Returns:
        The means; NaN where nothing is defined.

    Raises:
        ValueError: If `undefined` is neither of the two.
    """
    array = np.asarray(values, dtype=np.float64)
    if undefined == "propagate":
        return ratio(array.sum(axis=axis), array.shape[axis])
    if undefined != "skip":
        raise ValueError(f"undefined is 'propagate' or 'skip', not {undefined!r}.")
    missing = np.isnan(array)
    if not missing.any():
        return ratio(array.sum(axis=axis), array.shape[axis])
    return ratio(np.where(missing, 0.0, array).sum(axis=axis), (~missing).sum(axis=axis))
