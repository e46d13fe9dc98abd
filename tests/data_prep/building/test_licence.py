"""What licences allow, and which parts stop a commercial corpus."""

import pytest

from babelguard import UserError
from data_prep.building.licence import check_use, terms_of


@pytest.mark.parametrize(
    ("text", "commercial"),
    [
        ("MIT", "allowed"),
        ("cc-by-4.0", "allowed"),
        ("Apache-2.0 and CC-BY-4.0", "allowed"),
        ("CC-BY-SA-4.0", "allowed"),
        ("CC-BY-NC-4.0", "forbidden"),
        ("CC-BY-NC-SA-4.0", "forbidden"),
        ("MIT with third-party parts", "unknown"),
        ("MIT; the metadata also lists CC-BY-NC-4.0", "forbidden"),
        ("No licence stated: treat as research use", "forbidden"),
        ("for non-commercial purposes", "forbidden"),
        ("as the publisher says", "unknown"),
        ("", "unknown"),
    ],
)
def test_commercial_use(text, commercial):
    assert terms_of(text).commercial == commercial


def test_share_alike_and_derivatives_are_read():
    assert terms_of("CC-BY-SA-4.0").share_alike
    assert not terms_of("CC-BY-4.0").share_alike
    assert not terms_of("CC-BY-ND-4.0").derivatives


def test_all_refused_parts_are_named_at_once():
    parts = [("clean", "MIT"), ("bound", "CC-BY-NC-4.0"), ("vague", "ask us"), ("frozen", "CC-BY-ND-4.0")]
    with pytest.raises(UserError) as caught:
        check_use("commercial", parts)
    told = str(caught.value)
    assert all(name in told for name in ("bound", "vague", "frozen"))
    assert "clean" not in told
    check_use("research", parts)
    check_use("commercial", parts[:1])
