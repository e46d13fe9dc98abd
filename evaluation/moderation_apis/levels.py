"""Scores between 0 and 1 as levels of an ordinal scale."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise

from babelguard.errors import UserError
from babelguard.taxonomy import Category, Taxonomy

FLAGGED_LEVEL = 2
"""A category that the service itself flags is never the lowest level."""


def level_of(score: float, category: Category, cut_points: Sequence[float] | None = None, flagged: bool = False) -> int:
    """Return the level that a score stands for.

    Without cut points it is ``max(1, ceil(scale x score))``, as the RTP-LX paper rescales Azure Content Safety's
    scores (de Wynter et al., AAAI 2025). With cut points, a level begins just above each of them, as with the formula.

    Args:
        score: Between 0 and 1.
        category: Whose scale it is.
        cut_points: Scores above which level 2, 3, ... begin.
        flagged: Whether the service itself flags the category, which then is at least level 2.

    Raises:
        ValueError: The score is not between 0 and 1.
    """
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"the score {score} is not between 0 and 1")
    if cut_points is None:
        level = max(1, math.ceil(round(category.scale * score, 9)))
    else:
        level = 1 + bisect_left(cut_points, score)
    return max(level, FLAGGED_LEVEL) if flagged else level


def check_cut_points(cut_points: Mapping[str, Sequence[float]], taxonomy: Taxonomy) -> None:
    """Check that every category named has one cut point fewer than levels, ascending between 0 and 1.

    Raises:
        UserError: It has not, or there is no such category.
    """
    for name, points in cut_points.items():
        scale = taxonomy[name].scale
        ascending = all(low < high for low, high in pairwise(points))
        if len(points) != scale - 1 or not ascending or not all(0 <= point < 1 for point in points):
            raise UserError(
                f"cut_points.{name} must be {scale - 1} ascending scores from 0 to 1, above which the levels 2 to "
                f"{scale} begin; found {list(points)}."
            )
