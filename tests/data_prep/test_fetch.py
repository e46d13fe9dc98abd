"""The command that fetches a source."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from babelguard import UserError
from data_prep import fetch
from data_prep.fetching.places import Download
from data_prep.mappings import MAPPINGS
from data_prep.source import SOURCES
from tests.data_prep.fetching.publisher import BODY, serve


@pytest.mark.parametrize("name", SOURCES.names)
def test_every_source_says_where_it_comes_from(name):
    source = SOURCES.get(name)
    assert source.licence
    assert source.citation
    assert bool(source.downloads or source.hub) == (name in MAPPINGS or name == "rtp-lx")
    paths = [file.path for file in source.downloads]
    assert len(set(paths)) == len(paths)
    for file in source.downloads:
        assert urlsplit(file.url).scheme == "https"
        assert " " not in file.url
        assert ".." not in file.path
        assert file.sha256 is None or len(file.sha256) == 64


def test_the_checksums_are_those_of_the_public_files(shared_data):
    """The files beside the checkout are the publishers', so a fetch must give the same bytes."""
    sums = {}
    for line in (shared_data / "SHA256SUMS").read_text().splitlines():
        checksum, _, path = line.partition("  ")
        sums[checksum] = path
    known = [file for name in SOURCES.names for file in SOURCES.get(name).downloads if file.sha256 is not None]
    assert len(known) >= 20
    for file in known:
        assert sums[file.sha256].rsplit("/", 1)[-1] == file.path.rsplit("/", 1)[-1]


@pytest.fixture
def source(monkeypatch):
    monkeypatch.delenv("HTTP_PROXY", raising=False)
    monkeypatch.delenv("http_proxy", raising=False)
    with serve() as publisher:
        download = Download(publisher.url, "sub/file.csv", hashlib.sha256(BODY).hexdigest())
        known = replace(SOURCES.get("sample"), downloads=(download,), licence="CC-BY-4.0", citation="Someone, 2020")
        monkeypatch.setattr(fetch, "SOURCES", type("Registry", (), {"get": staticmethod(lambda name: known)}))
        yield publisher


def test_the_licence_is_shown_before_anything_is_fetched(source, tmp_path, capsys):
    with pytest.raises(UserError, match="read the licence above and pass --yes"):
        fetch.main("any", to=tmp_path)
    assert "CC-BY-4.0" in capsys.readouterr().out
    assert source.asked == []


def test_agreed_and_fetched(source, tmp_path, capsys):
    fetch.main("any", to=tmp_path, yes=True)
    assert (tmp_path / "sub" / "file.csv").read_bytes() == BODY
    captured = capsys.readouterr()
    assert hashlib.sha256(BODY).hexdigest() in captured.out
    assert "100% of 1,048,576 bytes" in captured.err


def test_the_question_is_asked_on_a_terminal(source, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.confirm", lambda question: False)
    with pytest.raises(UserError, match="Nothing was fetched"):
        fetch.main("any", to=tmp_path)
    monkeypatch.setattr("typer.confirm", lambda question: True)
    fetch.main("any", to=tmp_path)
    assert (tmp_path / "sub" / "file.csv").exists()


def test_a_source_of_ones_own_has_nothing_to_fetch():
    with pytest.raises(UserError, match="table has nothing to fetch"):
        fetch.main("table")
    with pytest.raises(UserError, match="Did you mean 'told-br'"):
        fetch.main("told_brr")
