"""Data sets of the hub: the library fetches, we check what came."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import errors

from babelguard import UserError
from data_prep.fetching.checksums_file import read_sums
from data_prep.fetching.hub import fetch_from_hub
from data_prep.fetching.places import HubFiles

BODY = b"a,b\n1,2\n"
PLACE = HubFiles("owner/name", ("data/*.csv",))


def sibling(name, sha256=None, size=8):
    return SimpleNamespace(rfilename=name, size=size, lfs=None if sha256 is None else SimpleNamespace(sha256=sha256))


def play_hub(monkeypatch, siblings, asked):
    def dataset_info(self, repository, **options):
        return SimpleNamespace(sha="c0ffee", siblings=siblings)

    def snapshot_download(repository, **options):
        asked.update(options, repository=repository)
        for file in siblings:
            path = options["local_dir"] / file.rfilename
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(BODY)

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", dataset_info)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)


def test_the_files_come_at_one_commit_and_are_checked(tmp_path, monkeypatch):
    asked: dict = {}
    checksum = hashlib.sha256(BODY).hexdigest()
    play_hub(monkeypatch, [sibling("data/a.csv", checksum), sibling("data/b.csv"), sibling("README.md")], asked)
    assert fetch_from_hub(PLACE, tmp_path) == {"data/a.csv": checksum, "data/b.csv": checksum}
    assert (asked["revision"], asked["repo_type"], asked["allow_patterns"]) == ("c0ffee", "dataset", ["data/*.csv"])
    assert set(read_sums(tmp_path)) == {"data/a.csv", "data/b.csv"}


@pytest.mark.parametrize("damage", [{"sha256": "0" * 64}, {"size": 3}])
def test_a_damaged_file_is_named(tmp_path, monkeypatch, damage):
    play_hub(monkeypatch, [sibling("data/a.csv", **damage)], {})
    with pytest.raises(UserError, match="a.csv is damaged"):
        fetch_from_hub(PLACE, tmp_path)


def test_renamed_files_are_told(tmp_path, monkeypatch):
    play_hub(monkeypatch, [sibling("other.csv")], {})
    with pytest.raises(UserError, match=r"has no files data/\*.csv"):
        fetch_from_hub(PLACE, tmp_path)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (errors.GatedRepoError, "is gated: agree to its terms there, make a token and set HF_TOKEN"),
        (errors.RepositoryNotFoundError, "does not exist, or asks for a login"),
        (errors.RevisionNotFoundError, "has no revision 'main'"),
        (errors.HfHubHTTPError, "could not be fetched"),
    ],
)
def test_the_hubs_refusals_are_sentences(tmp_path, monkeypatch, kind, words):
    def refuse(self, repository, **options):
        raise kind("no", response=SimpleNamespace(headers={}, request=None, status_code=403, json=dict, text=""))

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", refuse)
    with pytest.raises(UserError, match=words):
        fetch_from_hub(PLACE, tmp_path)


def test_no_network_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *a, **k: (_ for _ in ()).throw(OSError("down")))
    with pytest.raises(UserError, match="check the network"):
        fetch_from_hub(PLACE, tmp_path)
