"""One module is one entry."""

from __future__ import annotations

import sys

import pytest

from babelguard import UserError
from babelguard.registry import Registry


@pytest.fixture
def registry(tmp_path, monkeypatch):
    package = tmp_path / "entries_of_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "word_list.py").write_text("KIND = 'a word list'\n")
    (package / "broken.py").write_text("raise RuntimeError('imported too early')\n")
    (package / "_private.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield Registry("rater kind", "entries_of_a_test", "KIND")
    for name in [name for name in sys.modules if name.startswith("entries_of_a_test")]:
        del sys.modules[name]


def test_names_come_from_files_and_nothing_is_imported(registry):
    assert registry.names == ("broken", "word-list")
    assert registry.get("word-list") == "a word list"
    assert "entries_of_a_test.broken" not in sys.modules


def test_an_unknown_name_leads_to_the_nearest(registry):
    with pytest.raises(UserError, match=r"Unknown rater kind 'wordlist'. Did you mean 'word-list'\? Available: broken"):
        registry.get("wordlist")
