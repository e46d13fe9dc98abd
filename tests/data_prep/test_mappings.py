"""The tables from sources' labels into the taxonomy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import RTP_LX, Taxonomy, UserError
from data_prep.mappings import MAPPINGS, mapping_of
from data_prep.reading.row import RowError
from data_prep.source import SOURCES
from data_prep.source_mapping import Rule, Scale, SourceMapping
from data_prep.sources.openai_moderation import LABELS


def test_every_published_source_has_a_table():
    published = {name for name in SOURCES.names if SOURCES.get(name).downloads or SOURCES.get(name).hub}
    assert set(MAPPINGS) == published - {"rtp-lx"}, "RTP-LX is labelled in the taxonomy itself"


@pytest.mark.parametrize("name", sorted(MAPPINGS))
def test_covered_and_not_covered_are_all_categories(name):
    table = MAPPINGS[name]
    assert sorted([*table.covered, *table.not_covered]) == sorted(RTP_LX.names)
    assert set(table.only_present) <= set(table.covered)
    if table.scale is Scale.UNLABELLED:
        assert table.covered == ()
        assert table.unmapped
    levels = [level for rules in table.rules.values() for rule in rules for level in rule.levels.values()]
    if table.scale is Scale.BINARY:
        assert set(levels) <= {None, 1, 2}, "a binary label does not know how severe a text is"


def test_what_openai_labels():
    table = MAPPINGS["openai-moderation"]
    assert table.not_covered == ("Toxicity", "Bias", "Microaggression")
    assert table.only_present == ("Insult",)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"S": "0", "S3": "0"}, {"SexualContent": 1}),
        ({"S": "0", "S3": "1"}, {"SexualContent": 2}),  # the part shows the whole
        ({"S3": "0"}, {}),  # the part's absence does not show the whole's
        ({"S": None, "S3": "1"}, {"SexualContent": 2}),
        ({"H2": "1"}, {"IdentityAttack": 2, "Violence": 2}),
        ({"V": "0", "H2": "1"}, {"IdentityAttack": 2, "Violence": 2}),
        ({"HR": "0"}, {}),
        ({}, {}),
    ],
)
def test_missing_and_partial_labels_are_not_read_as_clean(flags, expected):
    assert MAPPINGS["openai-moderation"].levels(flags) == expected


def test_a_value_that_a_source_does_not_have_is_named():
    with pytest.raises(RowError, match="the label '2' of S is none of 0, 1"):
        MAPPINGS["openai-moderation"].levels({"S": "2"})


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, {"Toxicity": 1, "IdentityAttack": 1, "Insult": 1}),
        ({"racism": 2}, {"Toxicity": 2, "IdentityAttack": 2, "Insult": 1}),
        ({"insult": 1}, {"Toxicity": 1, "IdentityAttack": 1, "Insult": 1}),
        # One saw an insult, one obscenity: perhaps two annotators, perhaps the same one.
        ({"insult": 1, "obscene": 1}, {"IdentityAttack": 1}),
        ({"insult": 1, "racism": 1}, {"IdentityAttack": 1, "Insult": 1}),
        ({"obscene": 3, "racism": 1, "misogyny": 1}, {"Toxicity": 2, "Insult": 2}),
    ],
)
def test_votes(counts, expected):
    table = MAPPINGS["told-br"]
    kinds = table.votes["Toxicity"]
    assert table.voted({**dict.fromkeys(kinds, 0), **counts}) == expected


def test_a_count_of_more_annotators_than_there_are_is_named():
    with pytest.raises(RowError, match="insult counts 4 of 3 annotators"):
        MAPPINGS["told-br"].voted({**dict.fromkeys(MAPPINGS["told-br"].votes["Toxicity"], 0), "insult": 4})


@given(st.fixed_dictionaries({}, optional={label: st.sampled_from("01") for label in LABELS}))
def test_knowing_more_never_takes_a_flag_back(flags):
    table = MAPPINGS["openai-moderation"]
    whole = table.levels(flags)
    for label in flags:
        fewer = table.levels({name: value for name, value in flags.items() if name != label})
        assert all(whole[category] >= level for category, level in fewer.items())


def test_a_wrong_table_cannot_be_written():
    with pytest.raises(UserError, match="Unknown category of the taxonomy rtp-lx 'Hate'"):
        SourceMapping("x", Scale.BINARY, {"label": (Rule("Hate", {"1": 2}),)})
    with pytest.raises(UserError, match="level 4 of Bias is off its scale"):
        SourceMapping("x", Scale.ORDINAL, {"label": (Rule("Bias", {"1": 4}),)})


def test_another_taxonomy_needs_tables_of_its_own():
    assert mapping_of("told-br", RTP_LX) is MAPPINGS["told-br"]
    with pytest.raises(UserError, match="no table from told-br to the taxonomy other"):
        mapping_of("told-br", Taxonomy("other", RTP_LX.categories))
