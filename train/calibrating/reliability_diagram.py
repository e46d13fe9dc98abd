"""Reliability diagrams: how often texts with a probability are above the level, before and after calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from serve.bundle import BundleCategory
from train.calibrating.data import FloatArray
from train.calibrating.reliability import reliability_bins

FILE = "reliability.png"


def draw_reliability(
    path: Path, before: FloatArray, after: FloatArray, exceeded: FloatArray, categories: Sequence[BundleCategory]
) -> Path:
    """Draw one diagram a category, of P(level > 1), and write them as PNG.

    Args:
        path: The file.
        before: [items, columns], raw probabilities.
        after: [items, columns], calibrated probabilities.
        exceeded: [items, columns], 0 or 1, NaN where people said nothing.
        categories: The categories.
    """
    from matplotlib.figure import Figure

    wide = min(4, len(categories))
    tall = -(-len(categories) // wide)
    figure = Figure(figsize=(3.1 * wide, 3.1 * tall), layout="constrained")
    axes = np.atleast_1d(np.asarray(figure.subplots(tall, wide, sharex=True, sharey=True))).ravel()
    column = 0
    for axis, category in zip(axes, categories, strict=False):
        outcomes = exceeded[:, column]
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        for name, probabilities, colour in (("before", before, "tab:orange"), ("after", after, "tab:blue")):
            bins = reliability_bins(probabilities[:, column], outcomes, 10)
            filled = bins.counts > 0
            sizes = 12 + 120 * bins.counts[filled] / max(1, int(bins.counts.sum()))
            axis.plot(bins.confidence[filled], bins.share[filled], color=colour, linewidth=1, label=name)
            axis.scatter(bins.confidence[filled], bins.share[filled], s=sizes, color=colour, alpha=0.7)
        axis.set_title(f"{category.title} (n = {int((~np.isnan(outcomes)).sum())})", fontsize=9)
        axis.set_xlim(0, 1)
        axis.set_ylim(0, 1)
        column += category.scale - 1
    for axis in axes[len(categories) :]:
        axis.set_axis_off()
    axes[0].legend(fontsize=8, loc="upper left")
    figure.supxlabel("probability of a level above 1", fontsize=9)
    figure.supylabel("share of texts above 1", fontsize=9)
    figure.savefig(path, dpi=110)
    return path
