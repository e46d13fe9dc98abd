"""Files come whole or not at all, and a cut transfer goes on where it was."""

from __future__ import annotations

import hashlib

import pytest

from babelguard import UserError
from data_prep.fetching.checksums_file import read_sums
from data_prep.fetching.places import Download
from data_prep.fetching.web import fetch_file
from tests.data_prep.fetching.publisher import BODY, serve

SUM = hashlib.sha256(BODY).hexdigest()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def fetch(url, folder, sha256=SUM, told=None):
    progress = (lambda *how_far: told.append(how_far)) if told is not None else (lambda *how_far: None)
    return fetch_file(Download(url, "file.csv", sha256), folder, progress, pause=lambda attempt: 0.0)


def test_a_file_comes_whole_and_is_recorded(tmp_path):
    told: list[tuple] = []
    with serve() as publisher:
        assert fetch(publisher.url, tmp_path, told=told) == SUM
        assert fetch(publisher.url, tmp_path) == SUM
    assert len(publisher.asked) == 1, "a file that is there is not fetched again"
    assert (tmp_path / "file.csv").read_bytes() == BODY
    assert read_sums(tmp_path) == {"file.csv": SUM}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SHA256SUMS", "file.csv"]
    assert told[-1] == ("file.csv", len(BODY), len(BODY))


def test_a_cut_connection_is_taken_up_where_it_was(tmp_path):
    with serve(cut_after=300_000, cuts=3) as publisher:
        assert fetch(publisher.url, tmp_path) == SUM
    starts = [asked.get("Range") for asked in publisher.asked]
    assert starts == [None, "bytes=300000-", "bytes=600000-", "bytes=900000-"]
    assert {asked.get("If-Range") for asked in publisher.asked[1:]} == {'"one"'}


def test_a_later_command_goes_on(tmp_path):
    with serve(cut_after=1000, cuts=99) as publisher:
        with pytest.raises(UserError, match="5,000 bytes are kept; the same command goes on from there"):
            fetch(publisher.url, tmp_path)
        assert not (tmp_path / "file.csv").exists()
        publisher.cuts = 0
        assert fetch(publisher.url, tmp_path) == SUM
    assert publisher.asked[-1]["Range"] == "bytes=5000-"


@pytest.mark.parametrize("behaviour", [{"ranges": False}, {"etag": None}, {"etag": 'W/"weak"'}])
def test_a_server_that_cannot_resume_is_asked_for_the_whole_file(tmp_path, behaviour):
    with serve(cut_after=1000, cuts=2, **behaviour) as publisher:
        assert fetch(publisher.url, tmp_path) == SUM


def test_a_file_that_changed_meanwhile_is_fetched_anew(tmp_path):
    with serve(cut_after=1000, cuts=99) as publisher:
        with pytest.raises(UserError):
            fetch(publisher.url, tmp_path)
        publisher.cuts, publisher.body, publisher.etag = 0, b"new", '"two"'
        fetch(publisher.url, tmp_path, hashlib.sha256(b"new").hexdigest())
    assert (tmp_path / "file.csv").read_bytes() == b"new"


def test_a_partial_file_that_is_whole_counts(tmp_path):
    (tmp_path / "file.csv.partial").write_bytes(BODY)
    (tmp_path / "file.csv.partial.etag").write_text('"one"')
    with serve() as publisher:
        assert fetch(publisher.url, tmp_path) == SUM


def test_a_wrong_checksum_is_thrown_away(tmp_path):
    with serve(body=b"other") as publisher, pytest.raises(UserError, match=f"expected was {SUM}.*thrown away"):
        fetch(publisher.url, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_a_published_checksum_the_recorded_one_counts(tmp_path):
    with serve() as publisher:
        assert fetch(publisher.url, tmp_path, sha256=None) == SUM
        (tmp_path / "file.csv").write_bytes(b"touched")
        with pytest.raises(UserError, match="Move .*file.csv away"):
            fetch(publisher.url, tmp_path, sha256=None)
        assert (tmp_path / "file.csv").read_bytes() == b"touched", "the user's file is not deleted"


def test_a_busy_server_is_asked_again_and_a_missing_file_is_not(tmp_path):
    with serve(statuses=[503, 429]) as publisher:
        assert fetch(publisher.url, tmp_path / "a") == SUM
        assert len(publisher.asked) == 3
        publisher.statuses = [404]
        with pytest.raises(UserError, match="answers 404 for file.csv; the publisher may have moved it"):
            fetch(publisher.url, tmp_path / "b")
        assert len(publisher.asked) == 4


def test_a_pointer_is_not_the_file(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\n"
    with serve(body=pointer) as publisher, pytest.raises(UserError, match="pointer of Git LFS"):
        fetch(publisher.url, tmp_path, sha256=None)


def test_proxies_of_the_environment_are_used(tmp_path, monkeypatch):
    with serve() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.removesuffix("/file.csv"))
        monkeypatch.setenv("NO_PROXY", "")
        monkeypatch.delenv("no_proxy", raising=False)
        assert fetch("http://publisher.invalid/file.csv", tmp_path) == SUM
    assert proxy.asked[0]["Host"] == "publisher.invalid"


def test_an_unreachable_server_is_named(tmp_path):
    with serve() as publisher:
        gone = publisher.url
    with pytest.raises(UserError, match="could not be fetched from 127.0.0.1: the connection failed"):
        fetch(gone, tmp_path)
    with pytest.raises(UserError, match="is not an address that can be fetched"):
        fetch("ftp://127.0.0.1/file.csv", tmp_path)
