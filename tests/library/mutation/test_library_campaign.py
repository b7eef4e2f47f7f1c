"""`likewise library mutate` and `footprint` on the example: what tests miss, snapshots notice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "library"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The example's client, and its library beside it."""
    root = tmp_path / "project"
    root.mkdir()
    for name in ("parcels", "tests"):
        shutil.copytree(EXAMPLE / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(EXAMPLE / "versions" / "1.0", tmp_path / "installed")
    return root


def run(project: Path, *arguments: str) -> dict[str, Any]:
    paths = [str(project.parent / "installed"), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-m", "likewise.cli", "library", *arguments, "--json", "--", "pytest", "tests"],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "LIKEWISE_CACHE": str(project.parent / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_snapshots_notice_every_extreme_mutant_of_the_example(project: Path) -> None:
    found = run(project, "mutate", "measures", "--only", "extreme", "-j", "1")
    fates = {each["operation"]: (each["by_tests"], each["by_snapshots"]) for each in found["mutants"]}
    assert fates["measures.Weight.pounds"] == (False, True), "the tests do not look at the weight"
    assert fates["measures.Shelf.put"] == (False, True), "nothing is returned, but the shelf differs"
    assert fates["measures.sort_edges"] == (True, True)
    assert found["extreme"]["by_snapshots"] == found["extreme"]["counted"] == len(fates)
    assert found["extreme"]["by_tests_only"] == 0


@pytest.mark.slow
def test_the_footprint_names_what_no_test_reaches(project: Path) -> None:
    more = project / "parcels" / "more.py"
    more.write_text("import measures as m\n\ndef limit():\n    return m.LIMIT\n")
    found = run(project, "footprint", "measures")
    reached = {each["operation"]: each for each in found["reached"]}
    assert reached["measures.postage"]["tests"] == 2
    assert {"name": "measures.LIMIT", "at": "parcels/more.py:4"} in found["unreached"]
