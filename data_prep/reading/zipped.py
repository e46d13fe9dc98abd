"""Lines of a file inside a zip, password-protected or not, without unpacking it to disk."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from babelguard.errors import UserError
from babelguard.jsonl import numbered_lines

_AES = 99


def members_of(path: Path) -> list[str]:
    """Return the names of the files in a zip, sorted.

    Raises:
        UserError: It does not exist, is no zip, or is cut short.
    """
    with _opened(path) as archive:
        return sorted(info.filename for info in archive.infolist() if not info.is_dir())


def zip_lines(path: Path, member: str, password: str | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) of one file in a zip, as `babelguard.jsonl.read_lines` does.

    Args:
        path: The zip.
        member: Name of the file in it.
        password: Its password, if it has one. Only the classic encryption of zips is understood, not AES.

    Raises:
        UserError: The zip is damaged or cut short, or the password is missing or wrong.
    """
    with _opened(path) as archive:
        info = archive.getinfo(member)
        encrypted = bool(info.flag_bits & 1)
        if encrypted and info.compress_type == _AES:
            raise UserError(f"{path}: {member} is encrypted with AES; unpack it and pass the folder instead.")
        if encrypted and password is None:
            raise UserError(f"{path}: {member} is encrypted; set the password's environment variable.")
        try:
            with archive.open(info, pwd=password.encode() if encrypted and password is not None else None) as stream:
                yield from numbered_lines(stream)
        except (RuntimeError, zlib.error) as error:
            if encrypted:
                raise UserError(f"{path}: the password for {member} is wrong.") from None
            raise UserError(f"{path}: {member} is damaged ({error}); fetch the file again.") from None
        except (zipfile.BadZipFile, EOFError) as error:
            also = ", or the password is wrong" if encrypted else ""
            raise UserError(
                f"{path}: {member} is damaged or cut short{also} ({error}); fetch the file again."
            ) from None


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise UserError(f"{path} does not exist; check the path.") from None
    except zipfile.BadZipFile:
        raise UserError(f"{path} is not a zip, or is cut short; fetch it again.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
