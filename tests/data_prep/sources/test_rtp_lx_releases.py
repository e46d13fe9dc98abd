"""RTP-LX as its publisher releases it: a locked zip, more languages, several files a language."""

from __future__ import annotations

import json

import pytest

from babelguard import RTP_LX, Role, UserError
from babelguard.rejects import RejectLog
from data_prep.rtp_lx.files import CORPUS, PASSWORD_VARIABLE, find_files
from data_prep.sources.rtp_lx import RtpLxOptions, read
from tests.data_prep.sources.rtp_lx_files import corpus_row, write
from tests.encrypted_zip import encrypted_zip

PASSWORD = "test only"


def items_of(path, log=None, **options):
    return list(read(RtpLxOptions(path=path, **options), RTP_LX, log or RejectLog(strict=True)))


def content(*rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    members = {
        "RTP-LX/RTP_LX_DE.json": content(corpus_row(0), corpus_row(1, Dialect="\u2028")),
        "RTP-LX/RTP_LX_DE-ch.json": content(corpus_row(0)),
        "RTP-LX/RTP_LX_LV.json": content(corpus_row(0)),
        "__MACOSX/RTP-LX/._RTP_LX_LV.json": b"\x00",
        "NOTICE": b"",
    }
    path = tmp_path / "RTP-LX.zip"
    path.write_bytes(encrypted_zip(members, PASSWORD))
    return path


def test_the_zip_is_read_where_it_lies(release):
    for path in (release, release.parent):
        items = items_of(path, roles=(Role.PROMPT, Role.COMPLETION, Role.BENIGN_COMPLETION))
        assert len(items) == 4 * 3
        assert {item.language for item in items} == {"de", "de-CH", "lv"}
        assert {item.provenance["file"] for item in items} == {
            "RTP_LX_DE.json",
            "RTP_LX_DE-ch.json",
            "RTP_LX_LV.json",
        }
    assert {item.source_id for item in items_of(release, languages=("lav", "de-CH"))} == {"rtp-lx/0"}


def test_plain_files_come_before_the_zip(release):
    write(release.parent / "RTP_LX_DE.json", corpus_row(7))
    german = [item for item in items_of(release.parent) if item.language == "de"]
    assert [item.metadata["index"] for item in german] == [7]


def test_the_password_comes_from_the_environment_and_goes_nowhere(release, monkeypatch):
    assert PASSWORD not in repr(find_files(release, CORPUS))
    monkeypatch.setenv(PASSWORD_VARIABLE, "wrong")
    with pytest.raises(UserError, match="password for .* is wrong|or the password is wrong") as caught:
        items_of(release)
    assert "'wrong'" not in str(caught.value)
    monkeypatch.delenv(PASSWORD_VARIABLE)
    with pytest.raises(UserError, match="is encrypted; .* It is RTP_LX_PASSWORD; the publisher's README tells"):
        items_of(release)


def test_a_cut_zip_is_named(release):
    release.write_bytes(release.read_bytes()[:-40])
    with pytest.raises(UserError, match="RTP-LX.zip is not a zip, or is cut short; fetch it again"):
        items_of(release)


def test_a_bad_row_in_the_zip_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    members = {"RTP_LX_SL.json": content(corpus_row(0)) + b"not json\n"}
    path = tmp_path / "RTP-LX.zip"
    path.write_bytes(encrypted_zip(members, PASSWORD))
    with pytest.raises(UserError, match="RTP-LX.zip/RTP_LX_SL.json, line 2: the line is not JSON"):
        items_of(path)


def test_one_language_may_have_several_files(tmp_path):
    write(tmp_path / "RTP_LX_PT.json", corpus_row(0))
    write(tmp_path / "RTP_LX_PT-BR.json", corpus_row(0))
    for options in ({}, {"languages": ("por",)}):
        items = items_of(tmp_path, **options)
        assert [item.id for item in items] == ["rtp-lx/PT/0/prompt", "rtp-lx/PT-BR/0/prompt"]
        assert {(item.language, item.source_id) for item in items} == {("pt", "rtp-lx/0")}


def test_rows_that_nobody_has_annotated_yet(tmp_path):
    write(tmp_path / "RTP_LX_CY.json", corpus_row(0, PromptAnnotationsRaw={}), corpus_row(1, PromptAnnotationsRaw=None))
    log = RejectLog()
    assert items_of(tmp_path, log) == []
    assert log.counts() == {"annotator-count": 1, "no-labels": 1}
    assert [item.labels for item in items_of(tmp_path, unlabelled="keep")] == [{}, {}]
