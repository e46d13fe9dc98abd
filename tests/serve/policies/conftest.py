from __future__ import annotations

import pytest

from serve.bundle import GuardManifest, read_bundle
from tests.tiny_bundle import make_tiny_bundle


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> GuardManifest:
    return read_bundle(make_tiny_bundle(tmp_path_factory.mktemp("bundle") / "tiny")).manifest
