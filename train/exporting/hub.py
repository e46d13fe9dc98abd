"""Uploads to the Hugging Face hub: a bundle, merged weights, or an adapter."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from babelguard.errors import UserError

_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_NEVER: Final = ("*.pt", "*.pth", "*.bin", "*.pkl", ".*", "**/.*")
"""Pickled optimiser states and hidden files stay here."""


def upload_folder(folder: Path, repository: str, *, public: bool = False) -> str:
    """Upload an exported folder and return its address.

    The token is that of `HF_TOKEN` or of `hf auth login`; the hub's address can be changed with `HF_ENDPOINT`.

    Args:
        folder: What to upload; its `README.md` is the card.
        repository: ``OWNER/NAME``; made if it does not exist.
        public: Whether a new repository is public.

    Raises:
        UserError: The name is none, the folder has no card, or the hub refuses.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise UserError(f"{repository!r} is not the name of a hub repository; it has the form OWNER/NAME.")
    if not (folder / "README.md").is_file():
        raise UserError(f"{folder} has no README.md; a model without a card is not uploaded.")
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    api = HfApi()
    try:
        api.create_repo(repository, private=not public, exist_ok=True)
        done = api.upload_folder(
            repo_id=repository,
            folder_path=folder,
            commit_message="Upload a Babelguard guard",
            ignore_patterns=list(_NEVER),
        )
    except LocalTokenNotFoundError:
        raise UserError("The hub wants a token: set HF_TOKEN, or run `hf auth login`.") from None
    except HfHubHTTPError as error:
        status = error.response.status_code if error.response is not None else "no"
        raise UserError(
            f"The hub refused {repository} with status {status}; check the token's rights (HF_TOKEN) and the name."
        ) from None
    return str(done.commit_url)


def upload_adapter(run: Path, repository: str, *, public: bool = False) -> str:
    """Upload a run's best weights with what is needed to load them: adapter, head, tokenizer, specification, card.

    Raises:
        UserError: As `upload_folder`, or the run is not finished.
    """
    import shutil
    import tempfile

    best = run / "best"
    if not best.is_dir():
        raise UserError(f"{run} has no best/; training has not ended. Run it again to go on.")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "adapter"
        shutil.copytree(best, folder)
        for name in ("README.md", "guard_spec.json", "calibration.json", "metrics.json"):
            if (run / name).is_file():
                shutil.copy(run / name, folder / name)
        return upload_folder(folder, repository, public=public)
