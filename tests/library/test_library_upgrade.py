"""`likewise upgrade` from nothing but a folder and a directory of wheels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "library"


def upgrade(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLE / "try.py"), *arguments],
        env={**os.environ, "LIKEWISE_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_example_shows_what_its_tests_do_not_see(tmp_path: Path) -> None:
    done = upgrade(tmp_path, "--json", "--times", "1")
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    kinds = {group["operation"]: group["kind"] for group in data["groups"] if not group["downstream"]}
    assert kinds["measures.Weight.pounds"] == "value"
    assert kinds["measures.sort_edges"] == "mutability"
    assert kinds["measures.postage"] == "message"
    assert data["tests"]["common"] == 4
    assert data["tests"]["failed_reference"] == data["tests"]["failed_candidate"] == 0
    absent = upgrade(tmp_path, "--to", "9.9")
    assert absent.returncode == 2
    assert "[version-absent]" in absent.stderr
    assert "2.0" in absent.stderr
