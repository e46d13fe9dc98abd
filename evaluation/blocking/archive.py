"""Documents in folders and zip files, also encrypted ones and zip files inside zip files."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from babelguard.errors import UserError

LARGEST = 64 * 2**20
"""Bytes of the largest document that is read: no word list comes near, a compressed bomb would pass."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that may be read.

    Attributes:
        where: Its path for people; inside an archive, the archive's path and its own.
        stem: Its name without folder and ending.
        read: Returns its bytes; raises a `UserError` that names it.
    """

    where: str
    stem: str
    read: Callable[[], bytes]


def documents(path: Path, password: str | None = None) -> Iterator[Document]:
    """Yield the documents of a folder, of a zip file, or the one that `path` is; hidden ones are left out.

    Args:
        path: Folder, zip file or plain file.
        password: What opens encrypted zip members (the legacy encryption of zip files).

    Raises:
        UserError: The path is missing, or an archive is damaged or cannot be opened.
    """
    if path.is_dir():
        for file in sorted(path.iterdir()):
            if file.is_file() and not file.name.startswith("."):
                yield from documents(file, password)
    elif path.is_file() and path.suffix.lower() == ".zip":
        try:
            yield from _members(path.read_bytes(), str(path), password)
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error}.") from None
    elif path.is_file():
        yield Document(str(path), path.stem, lambda: _read_file(path))
    else:
        raise UserError(f"{path} does not exist; name the folder, the zip file or the list itself.")


def _read_file(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise UserError(f"{path} is larger than {LARGEST >> 20} MiB, which no word list is; name another file.")
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error}.") from None


def _members(data: bytes, where: str, password: str | None, depth: int = 0) -> Iterator[Document]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError):
        raise UserError(f"{where} is not a whole zip file; fetch it again.") from None
    for info in sorted(archive.infolist(), key=lambda member: member.filename):
        inside = PurePosixPath(info.filename)
        if info.is_dir() or inside.name.startswith(".") or "__MACOSX" in inside.parts:
            continue
        at = f"{where}, {info.filename}"
        if inside.suffix.lower() == ".zip" and depth == 0:
            yield from _members(_read_member(archive, info, at, password), at, password, depth + 1)
        else:
            yield Document(at, inside.stem, _reader(archive, info, at, password))


def _reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, password: str | None) -> Callable[[], bytes]:
    return lambda: _read_member(archive, info, where, password)


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, password: str | None) -> bytes:
    if info.file_size > LARGEST:
        raise UserError(f"{where} unpacks to more than {LARGEST >> 20} MiB, which no word list does; fetch it again.")
    encrypted = bool(info.flag_bits & 1)
    if encrypted and password is None:
        raise UserError(f"{where} is encrypted; set password to the one that its publisher gives.")
    damaged = "is damaged; fetch it again"
    try:
        return archive.read(info, pwd=password.encode("utf-8") if password is not None else None)
    except NotImplementedError as error:
        raise UserError(f"{where} cannot be unpacked here ({error}); unpack it yourself and name the folder.") from None
    except RuntimeError:  # what zipfile raises for a password that does not fit
        raise UserError(f"{where}: the password does not open it; check password.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError):
        reason = "cannot be unpacked: the password is wrong or the file damaged" if encrypted else damaged
        raise UserError(f"{where} {reason}.") from None
