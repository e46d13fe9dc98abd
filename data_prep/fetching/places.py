"""Where a publisher keeps a source: addresses of files, or a data set on the Hugging Face hub."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Download:
    """One file at one address.

    Attributes:
        url: Its address, pinned to a commit where the publisher's site allows it.
        path: Where it goes, relative to the source's folder.
        sha256: What its bytes must hash to; `None` where nobody has published or recorded it.
    """

    url: str
    path: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class HubFiles:
    """Files of a data set on the Hugging Face hub, which gives the checksums of its large files itself.

    Attributes:
        repository: ``owner/name``.
        patterns: Which files, as globs.
        revision: Branch, tag or commit.
        gated: The hub asks for a login and for agreement to the publisher's terms.
    """

    repository: str
    patterns: tuple[str, ...] = ("*",)
    revision: str = "main"
    gated: bool = False

    @property
    def page(self) -> str:
        """Address of the data set's page."""
        return f"https://huggingface.co/datasets/{self.repository}"


def github(repository: str, commit: str, *files: tuple[str, str | None]) -> tuple[Download, ...]:
    """Return downloads of (path in the repository, sha256) at one commit; each keeps its file name."""
    base = f"https://raw.githubusercontent.com/{repository}/{commit}"
    return tuple(Download(f"{base}/{path.replace(' ', '%20')}", path.rsplit("/", 1)[-1], sha) for path, sha in files)
