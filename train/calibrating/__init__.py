"""Calibration and thresholds of a classifier guard, fitted on the calibration split alone.

`fit_block` makes the `calibration` and `thresholds` blocks of `guard.json`; `serve.calibration` applies them, here too,
so that what is fitted is what is served.
"""

from train.calibrating.block import CalibrationBlock, read_block, write_block
from train.calibrating.fit import fit_block
from train.calibrating.options import CalibrationOptions

__all__ = ["CalibrationBlock", "CalibrationOptions", "fit_block", "read_block", "write_block"]
