"""Near-duplicates against exact Jaccard similarity of n-grams that are made one by one."""

import random
import re
import unicodedata
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_prep.building.near_duplicates import SignatureMaker, band_length, find_clusters, unite_equal
from data_prep.building.shingles import shingle_hashes
from tests.data_prep.building.made_items import sentence

HAN = re.compile("[\u4e00-\u9fff]")


@cache
def n_grams(text: str) -> set[str]:
    """The n-grams as the documentation of `shingles` words them, made in the plainest way."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = [c for c in folded if unicodedata.category(c)[0] != "C" or c in "\t\n"]
    spaced = "".join(" " if unicodedata.category(c)[0] in "ZP" or c in "\t\n" else c for c in kept)
    plain = re.sub(" +", " ", spaced).strip(" ")
    found = set()
    for place, character in enumerate(plain):
        length = 3 if HAN.match(character) else 5
        if place + length <= len(plain):
            found.add(plain[place : place + length])
    return found or ({plain.ljust(5)} if plain else set())


def jaccard(first: str, second: str) -> float:
    one, other = n_grams(first), n_grams(second)
    return len(one & other) / len(one | other) if one | other else 0.0


def clusters_of(texts: list[str], threshold: float = 0.8) -> list[int]:
    maker = SignatureMaker(permutations=128, seed=1)
    for start in range(0, len(texts), 7):
        maker.add(texts[start : start + 7])
    return find_clusters(maker.signatures(), threshold).tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.sampled_from("abcDE ,.!éßक्ि中文字漢\u200d\U0001f600"), max_size=25), max_size=6))
def test_every_text_has_as_many_distinct_hashes_as_n_grams(texts):
    hashes, bounds = shingle_hashes(texts)
    assert len(bounds) == len(texts) + 1
    for text, start, end in zip(texts, bounds[:-1], bounds[1:], strict=True):
        assert len(set(hashes[start:end].tolist())) == len(n_grams(text))


def test_equal_n_grams_have_equal_hashes_wherever_they_stand():
    hashes, bounds = shingle_hashes(["hello world", "  HELLO,  world!"])
    assert hashes[: bounds[1]].tolist() == hashes[bounds[1] :].tolist()


def test_case_spaces_and_punctuation_do_not_tell_texts_apart():
    assert clusters_of(["Shut the door, please!", "shut   the door please", "open a window now"]) == [0, 0, 2]


def test_texts_without_a_letter_are_near_duplicates_of_nothing():
    assert clusters_of(["?!", "...", "", "?!"]) == [0, 1, 2, 3]


def test_equal_keys_unite_what_has_no_n_grams():
    assert unite_equal(np.arange(4), np.array([9, 5, 9, 7])).tolist() == [0, 1, 0, 3]
    assert unite_equal(np.array([0, 0, 2, 3]), np.array([1, 2, 3, 2])).tolist() == [0, 0, 2, 0]


def test_pairs_at_the_threshold_are_candidates():
    for threshold in (0.5, 0.7, 0.8, 0.9):
        rows = band_length(threshold, 128)
        assert 1 - (1 - threshold**rows) ** (128 // rows) >= 0.995


def test_clusters_agree_with_exact_similarity():
    rng = random.Random(4)
    texts = [sentence(number) for number in range(120)]
    for number in range(60):
        words = texts[number].split()
        for _ in range(1 + number % 4):
            words[rng.randrange(len(words))] = f"changed{rng.randrange(1000)}"
        texts.append(" ".join(words))
    found = clusters_of(texts)
    for first, second in combinations(range(len(texts)), 2):
        similarity = jaccard(texts[first], texts[second])
        if similarity >= 0.9:
            assert found[first] == found[second]
        if similarity < 0.6 and found[first] == found[second]:  # joined through a third text, or wrongly
            others = [n for n in range(len(texts)) if found[n] == found[first] and n not in (first, second)]
            assert others


def test_clusters_are_transitive_and_named_for_their_first_text():
    base = sentence(1) + " " + sentence(2)
    words = base.split()
    chain = [base]
    for place in range(3):
        words = [*words[:place], f"word{place}", *words[place + 1 :]]
        chain.append(" ".join(words))
    assert clusters_of([sentence(50), *chain]) == [0, 1, 1, 1, 1]


def test_many_texts_that_share_a_band_are_searched_from_leaders():
    rng = np.random.default_rng(0)
    signatures = rng.integers(1, 2**32 - 2, size=(2, 128), dtype=np.uint32).repeat(400, axis=0)
    signatures[:, :6] = 7  # one band in common to all, nothing else between the halves
    assert set(find_clusters(signatures, 0.8).tolist()) == {0, 400}


@pytest.mark.parametrize("folder", ["corpus"])
def test_real_texts_agree_with_exact_similarity(rtp_lx, folder):
    from babelguard import RTP_LX
    from babelguard.rejects import RejectLog
    from data_prep.sources.rtp_lx import RtpLxOptions, read

    options = RtpLxOptions(path=rtp_lx, languages=("EN", "ZH-Hans"))
    texts = [item.text for item in read(options, RTP_LX, RejectLog())][::4]
    found = clusters_of(texts)
    grams = [n_grams(text) for text in texts]
    for first, second in combinations(range(len(texts)), 2):
        shared = len(grams[first] & grams[second])
        if shared and shared / len(grams[first] | grams[second]) >= 0.9:
            assert found[first] == found[second]
