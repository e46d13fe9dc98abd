"""Lists are read from folders, zip files and files, and what is wrong with them is told in a sentence."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from babelguard.errors import UserError
from evaluation.blocking.word_lists import read_word_lists
from tests.encrypted_zip import encrypted_zip

FILES = {
    "eng_Latn_twl.txt": b"Cat\r\ndog\n\n",
    "bos_Latn_twl.txt": "mačka\n".encode(),
    "hrv_Latn_twl.txt": "\ufeffmačka\npas\n".encode(),
    "srp_Cyrl_twl.txt": "мачка\n".encode(),
    "arb_Arab_twl.txt": "قط\n".encode(),
    "arz_Arab_twl.txt": "قطة\n".encode(),
    "zul_Latn_twl.txt": b"ikati\n",
}


def folder_of(path: Path) -> Path:
    for name, data in FILES.items():
        (path / name).write_bytes(data)
    (path / "README.md").write_text("no list", encoding="utf-8")
    (path / ".hidden_twl.txt").write_text("no list", encoding="utf-8")
    return path


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_a_folder_of_lists(tmp_path: Path) -> None:
    found = read_word_lists(folder_of(tmp_path), suffix="_twl")
    by_language = found.by_language()
    assert by_language["en"] == {"eng_Latn_twl": ("Cat", "dog")}
    assert by_language["sh"] == {
        "bos_Latn_twl": ("mačka",),
        "hrv_Latn_twl": ("mačka", "pas"),
        "srp_Cyrl_twl": ("мачка",),
    }
    assert by_language["ar"] == {"arb_Arab_twl": ("قط",), "arz_Arab_twl": ("قطة",)}
    assert found.set_aside == ("zul_Latn_twl",)


def test_archives_give_what_a_folder_gives(tmp_path: Path) -> None:
    wanted = read_word_lists(folder_of(tmp_path), suffix="_twl")
    plain, encrypted, nested = (tmp_path / f"{name}.zip" for name in ("plain", "encrypted", "nested"))
    plain.write_bytes(zipped({f"NLLB-200_TWL/{name}": data for name, data in FILES.items()} | {"__MACOSX/._a": b""}))
    encrypted.write_bytes(encrypted_zip(FILES, "meow"))
    each = {name.replace(".txt", ".zip"): encrypted_zip({name: data}, "meow") for name, data in FILES.items()}
    nested.write_bytes(zipped(each))
    published = tmp_path / "published"
    published.mkdir()
    for name, data in each.items():
        (published / name).write_bytes(data)
    for path in (plain, encrypted, nested, published):
        assert read_word_lists(path, suffix="_twl", password="meow") == wanted


def test_some_lists_only(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    found = read_word_lists(folder, suffix="_twl", names=["hrv_Latn_twl"])
    assert [each.name for each in found.lists] == ["hrv_Latn_twl"]
    with pytest.raises(UserError, match="Unknown word list .*'hrv_Latin_twl'. Did you mean 'hrv_Latn_twl'"):
        read_word_lists(folder, suffix="_twl", names=["hrv_Latin_twl"])


def test_a_single_list_of_a_stated_language(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("cat\n", encoding="utf-8")
    assert read_word_lists(path, code="en").by_language() == {"en": {"words": ("cat",)}}
    with pytest.raises(UserError, match="set language"):
        read_word_lists(path)
    with pytest.raises(UserError, match="The language 'xx' .* is none that items can have"):
        read_word_lists(path, code="xx")


@pytest.mark.parametrize("password", [None, "wrong"])
def test_encrypted_lists_need_their_password(tmp_path: Path, password: str | None) -> None:
    path = tmp_path / "lists.zip"
    path.write_bytes(encrypted_zip(FILES, "meow"))
    with pytest.raises(UserError, match=r"lists\.zip, .*_twl\.txt.*password"):
        read_word_lists(path, suffix="_twl", password=password)


@pytest.mark.parametrize("kept", [0.2, 0.6, 0.99])
def test_a_truncated_archive(tmp_path: Path, kept: float) -> None:
    data = zipped(FILES)
    path = tmp_path / "lists.zip"
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(UserError, match=r"lists\.zip is not a whole zip file; fetch it again"):
        read_word_lists(path)


def test_a_damaged_member(tmp_path: Path) -> None:
    data = bytearray(zipped({"en.txt": b"cat\n" * 100}))
    data[40] ^= 0xFF
    path = tmp_path / "lists.zip"
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"lists\.zip, en\.txt is damaged"):
        read_word_lists(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"en\.txt holds no entry"),
        (b"\n \r\n", r"en\.txt holds no entry"),
        (b"cat\nk\xf6ter\n", r"en\.txt, line 2: this is not UTF-8"),
    ],
)
def test_malformed_lists(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "en.txt").write_bytes(data)
    with pytest.raises(UserError, match=message):
        read_word_lists(tmp_path)


def test_a_missing_path(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        read_word_lists(tmp_path / "nowhere")


def test_the_published_lists(shared_data: Path) -> None:
    found = read_word_lists(shared_data / "ldnoobw")
    assert len(found.lists) == 24
    assert found.set_aside == ("LICENSE", "eo", "fil", "kab", "tlh")
    assert sorted(found.by_language()["fr"]) == ["fr", "fr-CA-u-sd-caqc"]
