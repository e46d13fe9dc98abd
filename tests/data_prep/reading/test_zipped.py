"""Zips: read where they lie, wrong passwords and damage told in sentences."""

from __future__ import annotations

import zipfile

import pytest

from babelguard import UserError
from data_prep.reading.zipped import members_of, zip_lines
from tests.encrypted_zip import AES, encrypted_zip

CONTENT = b'\xef\xbb\xbf{"a": 1}\r\n\n{"b": "\xe2\x80\xa8"}\n' + b'{"c": 3}\n' * 500


@pytest.fixture
def locked(tmp_path):
    path = tmp_path / "locked.zip"
    path.write_bytes(encrypted_zip({"in/rows.json": CONTENT}, "open sesame"))
    return path


def test_lines_of_an_open_zip(tmp_path):
    path = tmp_path / "plain.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("in/rows.json", CONTENT)
    assert members_of(path) == ["in/rows.json"]
    lines = list(zip_lines(path, "in/rows.json"))
    assert lines[:2] == [(1, b'{"a": 1}'), (3, '{"b": "\u2028"}'.encode())]
    assert list(zip_lines(path, "in/rows.json", "not needed")) == lines


def test_lines_of_a_locked_zip(locked):
    assert len(list(zip_lines(locked, "in/rows.json", "open sesame"))) == 502


def test_the_password_is_missing_or_wrong(locked):
    with pytest.raises(UserError, match="rows.json is encrypted; set the password"):
        list(zip_lines(locked, "in/rows.json"))
    for wrong in (f"guess {number}" for number in range(300)):  # one guess in 256 passes the zip's own check
        with pytest.raises(UserError, match="password"):
            list(zip_lines(locked, "in/rows.json", wrong))


def test_aes_is_named(tmp_path):
    path = tmp_path / "aes.zip"
    path.write_bytes(encrypted_zip({"rows.json": CONTENT}, "x", method=AES))
    with pytest.raises(UserError, match="encrypted with AES; unpack it"):
        list(zip_lines(path, "rows.json", "x"))


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.6, 0.97])
def test_a_truncated_zip_is_named(locked, kept):
    whole = locked.read_bytes()
    locked.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(UserError, match="locked.zip is not a zip, or is cut short"):
        members_of(locked)


def test_a_damaged_member_is_named(tmp_path):
    path = tmp_path / "damaged.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("rows.json", CONTENT)
    path.write_bytes(path.read_bytes().replace(b'{"a": 1}', b'{"a": 2}'))
    with pytest.raises(UserError, match="rows.json is damaged"):
        list(zip_lines(path, "rows.json"))


def test_a_missing_zip_is_named(tmp_path):
    with pytest.raises(UserError, match="does not exist"):
        members_of(tmp_path / "absent.zip")
