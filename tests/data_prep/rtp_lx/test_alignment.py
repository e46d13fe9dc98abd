"""Contents, source_ids and splits, as the project's data notes define them."""

from __future__ import annotations

import pytest

from data_prep.rtp_lx import alignment


@pytest.mark.parametrize(
    ("locale", "index", "content"),
    [
        ("EN", 960, 960),
        ("EN", 998, 998),
        ("EN", 999, None),
        ("DE", 959, 959),
        ("DE", 961, 960),
        ("DE", 999, 998),
        ("DE", 1000, None),
        ("ZH-Hans", 999, 998),
        ("ZH-Hant", 961, 961),
        ("HE", 999, None),
    ],
)
def test_content_numbers(locale, index, content):
    assert alignment.content_number(locale, index) == content
    assert alignment.subset(locale, index) == ("manual" if content is None else "transcreated")
    expected = f"rtp-lx/{locale}/{index}" if content is None else f"rtp-lx/{content}"
    assert alignment.source_id(locale, index) == expected


def test_the_published_subsets_use_the_raw_index():
    assert [alignment.published_subset(index) for index in (0, 998, 999)] == ["transcreated", "transcreated", "manual"]


@pytest.mark.parametrize(
    ("key", "split"),
    [
        # printf KEY | sha256sum: the first eight hex digits, modulo 100, are the numbers beside the keys.
        ("rtp-lx/7", "test"),  # 8
        ("rtp-lx/9", "test"),  # 17
        ("rtp-lx/10", "calibration"),  # 25
        ("rtp-lx/0", "train"),  # 93
        ("rtp-lx/DE/1000", "train"),  # 71
    ],
)
def test_splits_are_by_hash(key, split):
    assert alignment.split(key) == split


def test_splits_have_about_the_sizes_they_should():
    splits = [alignment.split(f"rtp-lx/{content}") for content in range(999)]
    assert 150 < splits.count("test") < 250
    assert 60 < splits.count("calibration") < 140
