"""The contents of a review: stratified, the same for everyone, stable."""

from collections import Counter

import pytest

from babelguard import UserError
from data_prep.annotating.sampling import sample_contents, smallest_hashes, stratum_of
from tests.data_prep.building.made_items import item


def test_strata():
    assert stratum_of(item(1, labels={})) == "unlabelled"
    assert stratum_of(item(1, labels={"Toxicity": (1,), "Insult": (1,)})) == "benign"
    assert stratum_of(item(1, labels={"Toxicity": (4,), "Insult": (2,), "Violence": (3,)})) == "Violence-3"
    assert stratum_of(item(1, labels={"Toxicity": (4,), "Insult": (1,)})) == "Toxicity-4"


def sources():
    levels = {n: {"Violence": (3,)} if n < 3 else {"Insult": (2,)} if n < 20 else {"Toxicity": (1,)} for n in range(60)}
    return {f"made/{n}": item(n, labels=labels) for n, labels in levels.items()}


def test_rare_strata_are_seen_and_the_choice_is_stable():
    known = sources()
    chosen = sample_contents(known, known, 15, seed=0)
    assert len(set(chosen)) == 15
    assert Counter(stratum_of(known[key]) for key in chosen) == {"Violence-3": 3, "Insult-2": 6, "benign": 6}
    assert sample_contents(dict(reversed(known.items())), sorted(known, reverse=True), 15, seed=0) == chosen
    assert sample_contents(known, known, 15, seed=1) != chosen


def test_only_contents_of_every_language_are_chosen():
    known = sources()
    complete = [f"made/{n}" for n in range(15)]
    assert set(sample_contents(known, complete, 15, seed=0)) == set(complete)
    with pytest.raises(UserError, match="Only 15 contents"):
        sample_contents(known, complete, 16, seed=0)


def test_a_smaller_limit_is_part_of_a_larger():
    keys = [f"made/{n}" for n in range(50)]
    assert smallest_hashes(keys, 5) < smallest_hashes(keys, 10) < smallest_hashes(keys, None) == frozenset(keys)
