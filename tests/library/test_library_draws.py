"""What a client draws by chance is seen where it draws it: two recordings of one version are equal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from likewise.library.comparison import Side, compare
from likewise.library.crossing import Kind
from likewise.library.footprint import footprint
from likewise.model import Recording
from likewise.store import read

LIBRARY = """
import hashlib, functools

def keep(thing):
    return thing

def sign(thing, salt=b"1"):
    return hashlib.sha256(salt + thing).hexdigest()

@functools.lru_cache
def twice(number):
    return 2 * number
"""

TESTS = """
import base64, os, secrets
from os import urandom
import kept

NAME = base64.encodebytes(os.urandom(5)).decode("ascii")

def test_import():
    assert kept.keep({"image": NAME})

def test_inside():
    short = secrets.token_urlsafe(5)
    assert kept.keep(f"/tokens/{short}/") and kept.keep(urandom(4).hex())

def test_derived():
    assert kept.sign(os.urandom(4)) != kept.sign(b"fixed")

def test_patched(monkeypatch):
    monkeypatch.setattr(os, "urandom", lambda count: b"x" * count)
    assert os.urandom(4) == b"xxxx" and urandom is not os.urandom and kept.keep(os.urandom(4))

def test_cached():
    assert kept.twice(2) == 4 and kept.twice.cache_info().misses == 1
"""


def record(root: Path, *, library: str = LIBRARY, tests: str = TESTS, pure: str = "") -> Recording:
    """Run the suite with the recorder; what it wrote."""
    (root / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly -p no:asyncio -p no:cacheprovider\n")
    (root / "installed").mkdir(exist_ok=True)
    (root / "installed" / "kept.py").write_text(library)
    (root / "test_draws.py").write_text(tests)
    out = root / f"{len(list(root.glob('*.recording')))}.recording"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join([str(root / "installed"), *sys.path])
    watching = ["--likewise-library=kept", f"--likewise-library-out={out}"]
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", *watching],
        cwd=root,
        env=environment | {"LIKEWISE_PURE": pure},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "5 passed" in done.stdout, done.stdout + done.stderr
    return read(out)


@pytest.mark.parametrize("pure", ["", "1"])
def test_two_recordings_are_equal_and_a_change_beside_a_draw_is_found(tmp_path: Path, pure: str) -> None:
    first, second = (record(tmp_path, pure=pure) for _ in range(2))
    drawn = [
        str(each.operation)
        for trace in first.traces
        for each in trace.interactions
        if each.wire["kind"] == Kind.DRAW
    ]
    assert drawn == ["os.urandom", "secrets.token_urlsafe", "os.urandom", "os.urandom"]
    assert compare(Side(recording=first), Side(recording=second)).groups == ()
    other = record(tmp_path, library=LIBRARY.replace("return thing", "return [thing]"), pure=pure)
    changed = compare(Side(recording=first), Side(recording=other))
    assert [group.operation for group in changed.causes] == ["kept.keep"]
    salted = record(tmp_path, library=LIBRARY.replace('b"1"', 'b"2"'), pure=pure)
    (group,) = compare(Side(recording=first), Side(recording=salted)).causes
    assert (group.operation, group.examples[0].inputs) == ("kept.sign", "b'fixed'")


@pytest.mark.parametrize("pure", ["", "1"])
def test_that_a_function_remembers_its_answers_now_is_no_change(tmp_path: Path, pure: str) -> None:
    plain = LIBRARY.replace("@functools.lru_cache\n", "")
    tests = TESTS.replace(" and kept.twice.cache_info().misses == 1", "")
    sides = [record(tmp_path, library=each, tests=tests, pure=pure) for each in (plain, LIBRARY)]
    assert compare(*(Side(recording=each) for each in sides)).groups == ()


def test_draws_are_no_part_of_the_library(tmp_path: Path) -> None:
    found = footprint(record(tmp_path), root=tmp_path, libraries=["kept"])
    assert {use.operation for use in found.uses} == {"kept.keep", "kept.sign", "kept.twice"}
