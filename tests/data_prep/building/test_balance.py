"""Balance: outcomes, and bounds that keep the contents with the smallest hashes."""

import numpy as np

from babelguard.aggregation import AggregatedLabel
from data_prep.building.balance import BalanceRecipe, beyond_bounds, hash_rank, outcome_of
from tests.data_prep.building.made_items import build_of, item


def test_outcomes():
    assert outcome_of(item(1, labels={})) == "unlabelled"
    assert outcome_of(item(1, labels={"Insult": (None, None)})) == "unlabelled"
    assert outcome_of(item(1, labels={"Insult": (1, 1, 2)})) == "benign"
    assert outcome_of(item(1, labels={"Insult": (1, 1, 1), "Violence": (2, 2, 1)})) == "harmful"
    assert outcome_of(item(1, labels={}, aggregated={"Toxicity": AggregatedLabel(4, "gold")})) == "harmful"


def test_bounds_keep_the_smallest_hashes():
    languages = np.array([0, 0, 0, 1], dtype=np.int32)
    outcomes = np.array([0, 0, 1, 0], dtype=np.int8)
    ranks = np.array([30, 10, 20, 5], dtype=np.uint64)
    per_language = beyond_bounds(BalanceRecipe(most_per_language=2), languages, outcomes, ranks)
    assert per_language.tolist() == [True, False, False, False]
    both = beyond_bounds(BalanceRecipe(most_per_language_and_label=1), languages, outcomes, ranks)
    assert both.tolist() == [True, False, False, False]
    assert not beyond_bounds(BalanceRecipe(), languages, outcomes, ranks).any()


def test_aligned_languages_lose_the_same_contents(tmp_path):
    items = [
        item(n, id=f"{tag}/{n}", language=tag, text=f"{tag} {item(n).text}", source_id=f"made/{n}")
        for tag in ("en", "de")
        for n in range(20)
    ]
    manifest = build_of(tmp_path, items, balance={"most_per_language": 5}, deduplicate={"near": None})
    assert manifest["items"] == 10
    assert manifest["parts"][0]["items"]["left_out"] == {"balance": 30}
    smallest = sorted((f"made/{n}" for n in range(20)), key=hash_rank)[:5]
    import pyarrow.dataset as ds

    rows = ds.dataset(tmp_path / "corpora" / "made" / "data").to_table(columns=["source_id", "language"]).to_pylist()
    assert {(row["source_id"], row["language"]) for row in rows} == {(k, t) for k in smallest for t in ("en", "de")}
