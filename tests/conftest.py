"""What every test shares: where the real data lie, and no network."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")

# A busy machine must not fail a test: how fast something is, benchmarks measure.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED_DATA = REPOSITORY.parent / "shared" / "data"


@pytest.fixture(autouse=True, scope="session")
def _own_response_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep the tests' answers apart from the user's, and from those of earlier tests."""
    os.environ["BABELGUARD_CACHE"] = str(tmp_path_factory.mktemp("cache") / "responses.sqlite")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the public research files that are not part of the repository."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"needs the research files in {SHARED_DATA}, which are not part of the repository")
    return SHARED_DATA


@pytest.fixture(scope="session")
def rtp_lx(shared_data: Path) -> Path:
    """Folder of the RTP-LX scoring files, with the corpus files in `corpus/`."""
    folder = shared_data / "rtp_lx"
    if not folder.is_dir():
        pytest.skip(f"needs the RTP-LX files in {folder}")
    return folder
