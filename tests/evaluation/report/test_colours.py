"""Text can be read in both modes: WCAG 2's contrast of 4.5 : 1, and 3 : 1 for marks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import evaluation.report

STYLE = (Path(evaluation.report.__file__).parent / "report.css").read_text(encoding="utf-8")
BLOCKS = re.findall(r":root \{(.*?)\}", STYLE, flags=re.DOTALL)
LIGHT, DARK = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in BLOCKS)
MODES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])

STEPS = ["below", *range(9)]


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    high, low = sorted([luminance(one), luminance(two)], reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_modes_define_the_same_colours():
    assert len(BLOCKS) == 2
    assert set(LIGHT) == set(DARK)
    assert len(LIGHT) > 40


@MODES
def test_text_can_be_read(palette):
    for ground in ("ground", "surface"):
        for ink in ("ink", "muted", "accent"):
            assert contrast(palette[ink], palette[ground]) >= 4.5, (ink, ground)
    assert contrast(palette["warn-ink"], palette["warn-ground"]) >= 4.5


@MODES
def test_numbers_in_heat_maps_can_be_read(palette):
    for step in STEPS:
        assert contrast(palette[f"heat-{step}-ink"], palette[f"heat-{step}"]) >= 4.5, step


@MODES
def test_marks_can_be_seen(palette):
    for number in range(9):
        for ground in ("ground", "surface"):
            assert contrast(palette[f"series-{number}"], palette[ground]) >= 3, number


@MODES
def test_the_scales_run_one_way_in_grey(palette):
    for name, steps in (("heat", range(9)), ("level", range(1, 6))):
        greys = [luminance(palette[f"{name}-{step}"]) for step in steps]
        assert greys in (sorted(greys), sorted(greys, reverse=True))


def test_every_colour_of_the_style_sheet_is_a_variable():
    rules = re.sub(r":root \{.*?\}", "", STYLE, flags=re.DOTALL)
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?=[^{]*\})", rules)
    assert set(re.findall(r"var\(--([\w-]+)\)", rules)) - {"count", "row"} <= set(LIGHT)
