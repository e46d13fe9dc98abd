"""Fetching one file from a web address: resumed where it was cut, and checked before it counts.

Proxies and certificates come from the environment (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE), as httpx reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from babelguard.checksums import sha256_of
from babelguard.errors import UserError
from data_prep.fetching.checksums_file import read_sums, record_sum
from data_prep.fetching.places import Download

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 5
"""How often a cut connection is taken up again before the command gives up; a later command goes on from there."""
TIMEOUT_SECONDS = 60.0
_OK, _PARTIAL, _PAST_END, _TOO_MANY = 200, 206, 416, 429
_LFS_POINTER = b"version https://git-lfs"


Progress: TypeAlias = Callable[[str, int, int | None], None]
"""Is told the file, the bytes that are there, and how many there will be where the server says so."""


class _CutError(Exception):
    """The connection broke or the server was busy; what came so far is kept."""


def fetch_file(
    download: Download, folder: Path, progress: Progress, pause: Callable[[int], float] = lambda attempt: 2.0**attempt
) -> str:
    """Fetch one file, unless it is there already, and return its sha256.

    What came of a cut transfer stays in ``<file>.partial``, also when the command is killed, and is resumed if the
    server still has the same file (ETag). The file takes its name only after its checksum is right.

    Args:
        download: The address, the file and its checksum.
        folder: The source's folder.
        progress: Is told how far it is.
        pause: Seconds to wait before the nth new attempt.

    Raises:
        UserError: The server does not give the file, or it is not the file that was expected.
    """
    target = folder / download.path
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        partial = target.with_name(f"{target.name}.partial")
        _fetch_resuming(download, partial, progress, pause)
        checksum = _checked(partial, download, read_sums(folder).get(download.path))
        partial.replace(target)
        _etag_file(partial).unlink(missing_ok=True)
    else:
        checksum = _checked(target, download, read_sums(folder).get(download.path))
    record_sum(folder, download.path, checksum)
    return checksum


def _fetch_resuming(download: Download, partial: Path, progress: Progress, pause: Callable[[int], float]) -> None:
    import httpx
    import tenacity

    retrying = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        wait=lambda state: pause(state.attempt_number),
        retry=tenacity.retry_if_exception_type(_CutError),
        reraise=True,
    )
    with httpx.Client(follow_redirects=True, timeout=TIMEOUT_SECONDS) as client:
        try:
            retrying(_attempt, client, download, partial, progress)
        except _CutError as error:
            kept = partial.stat().st_size if partial.exists() else 0
            raise UserError(
                f"{download.path} could not be fetched from {_host(download)}: {error}. {kept:,} bytes are kept; "
                "the same command goes on from there."
            ) from None


def _attempt(client: httpx.Client, download: Download, partial: Path, progress: Progress) -> None:
    import httpx

    headers = {"Accept-Encoding": "identity"}
    kept = partial.stat().st_size if partial.exists() else 0
    etag = _etag_file(partial).read_text(encoding="utf-8") if _etag_file(partial).exists() else ""
    if kept and etag:
        headers |= {"Range": f"bytes={kept}-", "If-Range": etag}
    try:
        with client.stream("GET", download.url, headers=headers) as response:
            resumed = _accepted(response, download, kept)
            if resumed is None:
                return
            _keep_etag(response, partial)
            _write(response, partial, kept if resumed else 0, download, progress)
    except httpx.UnsupportedProtocol:
        raise UserError(f"{download.url} is not an address that can be fetched.") from None
    except httpx.TooManyRedirects:
        raise UserError(f"{_host(download)} sends {download.path} round in circles.") from None
    except httpx.TransportError as error:
        raise _CutError(f"the connection failed ({type(error).__name__})") from None


def _accepted(response: httpx.Response, download: Download, kept: int) -> bool | None:
    """Return whether the answer goes on from what is kept; `None` where all of it is kept already."""
    status = response.status_code
    if status == _PARTIAL and response.headers.get("Content-Range", "").startswith(f"bytes {kept}-"):
        return True
    if status == _OK:
        return False
    if status == _PAST_END and response.headers.get("Content-Range", "").endswith(f"/{kept}"):
        return None
    if status == _TOO_MANY or status >= 500:
        raise _CutError(f"the server answers {status}")
    raise UserError(
        f"{_host(download)} answers {status} for {download.path}; the publisher may have moved it, or asks for a login "
        f"({download.url})."
    )


def _write(response: httpx.Response, partial: Path, start: int, download: Download, progress: Progress) -> None:
    length = response.headers.get("Content-Length")
    total = start + int(length) if length is not None and length.isdecimal() else None
    done = start
    with partial.open("ab" if start else "wb") as file:
        for piece in response.iter_raw():
            file.write(piece)
            done += len(piece)
            progress(download.path, done, total)
    if total is not None and done != total:
        raise _CutError(f"{done:,} of {total:,} bytes came")


def _etag_file(partial: Path) -> Path:
    return partial.with_name(f"{partial.name}.etag")


def _keep_etag(response: httpx.Response, partial: Path) -> None:
    etag = response.headers.get("ETag", "")
    if etag and not etag.startswith("W/"):
        _etag_file(partial).write_text(etag, encoding="utf-8")
    else:
        _etag_file(partial).unlink(missing_ok=True)


def _checked(file: Path, download: Download, recorded: str | None) -> str:
    with file.open("rb") as stream:
        pointer = stream.read(len(_LFS_POINTER)) == _LFS_POINTER
    checksum = sha256_of(file)
    expected = download.sha256 or recorded
    if not pointer and (expected is None or checksum == expected):
        return checksum
    finished = file.name == Path(download.path).name
    if not finished:
        file.unlink()
        _etag_file(file).unlink(missing_ok=True)
    remedy = f"Move {file} away and fetch it again." if finished else "It was thrown away."
    if pointer:
        raise UserError(f"{download.path} is a pointer of Git LFS and not the file itself. {remedy}")
    raise UserError(
        f"{download.path} has the sha256 {checksum}, expected was {expected}: it is damaged, or the publisher has "
        f"changed it. {remedy}"
    )


def _host(download: Download) -> str:
    return urlsplit(download.url).hostname or download.url
