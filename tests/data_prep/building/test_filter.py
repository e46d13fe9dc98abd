"""What a corpus takes, and why not."""

import pytest

from babelguard import UserError
from babelguard.item import Message
from data_prep.building.filter import Filter, FilterRecipe
from tests.data_prep.building.made_items import item


@pytest.mark.parametrize(
    ("recipe", "fields", "reason"),
    [
        ({}, {}, None),
        ({}, {"text": " \n"}, "filter-empty"),
        ({}, {"text": "", "messages": (Message("user", "hello"),)}, None),
        ({}, {"text": "NA", "metadata": {"text_is_void": True}}, "filter-void-text"),
        ({"languages": ("DE",)}, {}, "filter-language"),
        ({"languages": ("eng",)}, {}, None),
        ({"roles": ("completion",)}, {}, "filter-role"),
        ({"registers": ("leet",)}, {}, "filter-register"),
        ({"min_characters": 500}, {}, "filter-too-short"),
        ({"max_characters": 5}, {}, "filter-too-long"),
        ({"labelled": True}, {"labels": {"Toxicity": (None,)}}, "filter-unlabelled"),
        ({"labelled": True}, {}, None),
    ],
)
def test_reasons(recipe, fields, reason):
    assert Filter(FilterRecipe(**recipe)).reason_against(item(1, **fields)) == reason


def test_unknown_languages_and_impossible_lengths_are_told():
    with pytest.raises(UserError, match="klingon"):
        Filter(FilterRecipe(languages=("klingon",)))
    with pytest.raises(ValueError, match="leaves nothing"):
        FilterRecipe(min_characters=5, max_characters=3)
