"""Fetching a data set's files from the Hugging Face hub, through its own library, and checking them."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from babelguard.checksums import sha256_of
from babelguard.errors import UserError
from data_prep.fetching.checksums_file import record_sum
from data_prep.fetching.places import HubFiles


def fetch_from_hub(place: HubFiles, folder: Path) -> dict[str, str]:
    """Fetch the files and return path -> sha256.

    The hub's library resumes, honours proxies and takes the token from HF_TOKEN. The hub gives a sha256 for files that
    it keeps as large files; others are checked by their size alone.

    Raises:
        UserError: The data set is not there, is gated, cannot be reached, or a file came damaged.
    """
    try:
        import huggingface_hub as hub
        from huggingface_hub import errors
    except ImportError:
        raise UserError("Fetching from the hub needs huggingface_hub: pip install 'babelguard[data]'.") from None
    try:
        info = hub.HfApi().dataset_info(place.repository, revision=place.revision, files_metadata=True)
        hub.snapshot_download(
            place.repository,
            repo_type="dataset",
            revision=info.sha,
            allow_patterns=list(place.patterns),
            local_dir=folder,
        )
    # HTTPError is the base of what the hub's HTTP library raises, whichever it is in this version
    except (errors.HTTPError, errors.EntryNotFoundError, errors.HFValidationError, OSError) as error:  # type: ignore[attr-defined]
        raise _told(error, place) from None
    wanted = [file for file in info.siblings or () if any(fnmatch(file.rfilename, glob) for glob in place.patterns)]
    if not wanted:
        raise UserError(f"{place.page} has no files {', '.join(place.patterns)}; the publisher may have renamed them.")
    sums = {file.rfilename: _checked(file, folder) for file in wanted}
    for path, checksum in sums.items():
        record_sum(folder, path, checksum)
    return sums


def _told(error: Exception, place: HubFiles) -> UserError:
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return UserError(f"{place.page} is gated: agree to its terms there, make a token and set HF_TOKEN.")
    if isinstance(error, errors.RepositoryNotFoundError):
        return UserError(f"{place.page} does not exist, or asks for a login: set HF_TOKEN.")
    if isinstance(error, errors.RevisionNotFoundError):
        return UserError(f"{place.page} has no revision {place.revision!r}.")
    return UserError(
        f"{place.page} could not be fetched ({type(error).__name__}); check the network and start the command "
        "again, it goes on where it was."
    )


def _checked(file: Any, folder: Path) -> str:  # noqa: ANN401 - huggingface_hub's RepoSibling
    path = folder / file.rfilename
    checksum = sha256_of(path)
    expected = file.lfs.sha256 if file.lfs is not None else None
    size = path.stat().st_size
    if (expected is not None and checksum != expected) or (file.size is not None and size != file.size):
        raise UserError(f"{path} is damaged (sha256 {checksum}, {size:,} bytes); delete it and fetch it again.")
    return checksum
