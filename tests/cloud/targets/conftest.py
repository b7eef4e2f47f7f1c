"""A cache of the test's own that shares what is installed, so that runs and logs do not mix."""

from pathlib import Path

import pytest

from likewise.cloud import targets


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    own = tmp_path / "cache"
    own.mkdir()
    installed = targets.default_cache() / "servers"
    if installed.is_dir():
        (own / "servers").symlink_to(installed)
    return own
