"""The taxonomy of RTP-LX, and mappings into it."""

from __future__ import annotations

import pytest

from babelguard import RTP_LX, TaxonomyMapping, UserError, taxonomy


def test_the_eight_harms_and_their_scales():
    assert [(c.name, c.scale) for c in RTP_LX] == [
        ("Toxicity", 5),
        ("IdentityAttack", 3),
        ("Bias", 3),
        ("Microaggression", 3),
        ("Violence", 3),
        ("SelfHarm", 3),
        ("Insult", 3),
        ("SexualContent", 3),
    ]
    assert taxonomy("rtp-lx") is RTP_LX
    assert len(RTP_LX) == 8


def test_levels_are_whole_numbers_on_the_scale():
    bias = RTP_LX["Bias"]
    assert [level for level in (0, 1, 2, 3, 4, True, 2.0, "2", None) if bias.has_level(level)] == [1, 2, 3]


def test_unknown_names_lead_to_the_nearest():
    with pytest.raises(UserError, match="Did you mean 'SelfHarm'"):
        RTP_LX["Selfharm"]
    with pytest.raises(UserError, match="Unknown taxonomy 'rtplx'. Did you mean 'rtp-lx'"):
        taxonomy("rtplx")


def test_a_mapping_says_what_it_does_not_cover():
    mapping = TaxonomyMapping("other", RTP_LX, {"hate": ("IdentityAttack",), "safe": ()})
    assert mapping.categories_of("hate") == ("IdentityAttack",)
    assert mapping.categories_of("safe") == ()
    assert mapping.not_covered == tuple(name for name in RTP_LX.names if name != "IdentityAttack")


def test_an_unmapped_label_is_an_error_and_never_safe():
    mapping = TaxonomyMapping("other", RTP_LX, {"hate": ("IdentityAttack",)})
    with pytest.raises(UserError, match="Unknown label of other 'LABEL_1'"):
        mapping.categories_of("LABEL_1")


def test_a_mapping_to_nowhere_is_an_error():
    with pytest.raises(UserError, match="sends 'hate' to 'Hate'"):
        TaxonomyMapping("other", RTP_LX, {"hate": ("Hate",)})
