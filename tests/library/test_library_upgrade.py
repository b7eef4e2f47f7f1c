"""`likewise upgrade` from nothing but a folder and a directory of wheels."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from likewise.library.runs import Finished, uncollected
from likewise.library.upgrade import unread

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


def test_files_that_no_side_can_import_are_said() -> None:
    """Otherwise the number of tests is all that shows that some are missing."""
    output = """
    ERROR is no error inside of something
ERROR tests/text/test_run.py - pyparsing.warnings.PyparsingDeprecationW...
ERROR tests/test_api.py
ERROR tests/test_db.py::test_insert - OSError: no server
FAILED tests/test_b.py::test_c - assert 1 == 2
"""
    found = uncollected(Finished(code=1, output=output))
    why = "pyparsing.warnings.PyparsingDeprecationW..."
    assert found == {"tests/text/test_run.py": why, "tests/test_api.py": ""}
    (note,) = unread(found, found)
    assert note.startswith("2 test files could not be imported on either side")
    assert note.endswith(f"such as tests/text/test_run.py ({why})")
    assert unread(found, {"tests/test_other.py": ""}) == [], "one side alone: a finding, and no note"


def interpreter(home: Path, version: str) -> Path:
    """An environment with one version of the example's library, which sees what this one has besides."""
    venv.create(home, with_pip=False, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    shutil.copy(EXAMPLE / "versions" / version / "measures.py", site)
    metadata = site / f"measures-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: measures\nVersion: {version}\n")
    (metadata / "RECORD").write_text("measures.py,,\n")
    besides = [place for place in sys.path if "-packages" in place]
    (site / "besides.pth").write_text("".join(f"{place}\n" for place in besides))
    return home / "bin" / "python"


@pytest.mark.slow
def test_two_interpreters_that_exist_are_taken_as_they_are(tmp_path: Path) -> None:
    for name in ("parcels", "tests"):
        shutil.copytree(EXAMPLE / name, tmp_path / "client" / name)
    sides = [interpreter(tmp_path / version, version) for version in ("1.0", "2.0")]
    options = [f"--reference-python={sides[0]}", f"--candidate-python={sides[1]}", "--times=1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "likewise.cli", "upgrade", "measures", *options, "--", "pytest", "tests"],
        cwd=tmp_path / "client",
        env={**os.environ, "LIKEWISE_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    causes = [group for group in json.loads(done.stdout)["groups"] if not group["downstream"]]
    assert ("measures.Weight.pounds", "value") in {(each["operation"], each["kind"]) for each in causes}
