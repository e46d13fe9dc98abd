"""Splits: groups stay whole, the sources' own splits rule, and what is added moves nothing."""

import hashlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from data_prep.building.balance import hash_rank
from data_prep.building.split import DROPPED, FREE, PRECEDENCE, SplitRecipe, assign_splits, hashed_split
from data_prep.rtp_lx.alignment import split as rtp_lx_split

SHARES = SplitRecipe()
TEST, CALIBRATION, TRAIN = range(3)


def assign(contents, clusters, own, shares=SHARES):
    names = [f"made/{number}" for number in range(max(contents, default=0) + 1)]
    ranks = np.array([hash_rank(name) for name in names], dtype=np.uint64)
    return assign_splits(*(np.array(c, dtype=np.int64) for c in (contents, clusters, own)), names, ranks, shares)


def test_a_source_id_alone_is_split_as_rtp_lx_is():
    for number in range(300):
        assert PRECEDENCE[hashed_split(f"rtp-lx/{number}", SHARES)] == rtp_lx_split(f"rtp-lx/{number}")


def test_the_hash_is_the_one_that_is_documented():
    bucket = int(hashlib.sha256(b"made/0").hexdigest()[:8], 16) % 100
    expected = TEST if bucket < 20 else CALIBRATION if bucket < 30 else TRAIN
    assert assign([0], [0], [FREE]).splits.tolist() == [expected]


def test_own_splits_stay_and_training_rows_like_test_rows_go():
    found = assign([0, 1, 2], [0, 0, 2], [TEST, TRAIN, TRAIN])
    assert found.splits.tolist() == [TEST, DROPPED, TRAIN]
    assert found.reasons.tolist() == ["", "near-duplicate-of-fixed-test", ""]


def test_only_the_row_is_dropped_not_its_translations():
    found = assign([0, 1, 1], [0, 0, 2], [TEST, TRAIN, TRAIN])
    assert found.splits.tolist() == [TEST, DROPPED, TRAIN]


def test_other_sources_do_not_enter_a_published_test_split():
    found = assign([0, 1, 1], [0, 0, 2], [TEST, FREE, FREE])
    assert found.splits[1] == DROPPED
    assert found.splits[2] == hashed_split("made/1", SHARES)


def test_rows_like_published_training_rows_join_them():
    assert assign([0, 1, 1], [0, 0, 2], [TRAIN, FREE, FREE]).splits.tolist() == [TRAIN] * 3


def test_twins_without_a_split_follow_their_parents():
    assert assign([0, 0, 0], [0, 1, 2], [CALIBRATION, FREE, FREE]).splits.tolist() == [CALIBRATION] * 3
    assert assign([0, 0], [0, 0], [TEST, FREE]).splits.tolist() == [TEST, TEST]


ROWS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.sampled_from([FREE, TEST, CALIBRATION, TRAIN])))


@settings(max_examples=300, deadline=None)
@given(ROWS)
def test_nothing_that_belongs_together_is_in_two_splits(rows):
    contents, labels, own = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    clusters = [labels.index(label) for label in labels]
    found = assign(contents, clusters, own)
    for keys in (contents, clusters):
        for key in set(keys):
            splits = {s for s, k in zip(found.splits.tolist(), keys, strict=True) if k == key and s != DROPPED}
            assert len(splits) <= 1
    for split, fixed, reason in zip(found.splits.tolist(), own, found.reasons, strict=True):
        assert (split == DROPPED) == bool(reason)
        assert split in {DROPPED, fixed} or fixed == FREE
        assert fixed != TEST or split == TEST


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8))), st.integers(1, 5))
def test_items_that_join_no_group_move_nothing(rows, more):
    contents = [content for content, _ in rows]
    labels = [label for _, label in rows]
    clusters = [labels.index(label) for label in labels]
    before = assign(contents, clusters, [FREE] * len(rows)).splits.tolist()
    added = len(rows) + np.arange(more)
    after = assign(contents + [100 + n for n in range(more)], [*clusters, *added], [FREE] * (len(rows) + more))
    assert after.splits.tolist()[: len(rows)] == before


def test_shares_are_kept_roughly():
    splits = [hashed_split(f"x/{number}", SplitRecipe(test=30, calibration=20)) for number in range(4000)]
    assert abs(splits.count(TEST) / 4000 - 0.3) < 0.03
    assert abs(splits.count(CALIBRATION) / 4000 - 0.2) < 0.03
