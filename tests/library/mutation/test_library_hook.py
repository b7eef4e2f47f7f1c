"""One mutant in one process: the library is imported changed, and no file of it is touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from likewise.library.mutation.hook import TOO_LATE, VARIABLE
from likewise.library.mutation.operators import EXTREME, NOTHING, Mutation

LIBRARY = "def double(value):\n    return value * 2\n"


def run(folder: Path, mutation: Mutation, program: str) -> subprocess.CompletedProcess[str]:
    (folder / "lib.py").write_text(LIBRARY)
    change = json.dumps({"module": "lib", **asdict(mutation)})
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, VARIABLE: change, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )


def change(operator: str) -> Mutation:
    return Mutation(qualname="double", operator=operator, index=0, line=1, about="", default="0")


@pytest.mark.parametrize(("operator", "expected"), [(EXTREME, "0"), ("arithmetic", "1"), (NOTHING, "6")])
def test_the_function_is_changed_on_import(tmp_path: Path, operator: str, expected: str) -> None:
    program = "import likewise.library.mutation.hook, lib; print(lib.double(3))"
    assert run(tmp_path, change(operator), program).stdout.strip() == expected
    assert (tmp_path / "lib.py").read_text() == LIBRARY


def test_a_library_that_is_there_already_is_said_to_be(tmp_path: Path) -> None:
    program = "import lib; import likewise.library.mutation.hook"
    assert run(tmp_path, change(EXTREME), program).returncode == TOO_LATE


def test_a_finder_that_asks_all_others_does_not_go_round_in_circles(tmp_path: Path) -> None:
    """The recorder's finder stands before ours and asks every finder in turn, ours included."""
    program = (
        "import sys\n"
        "class Asking:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        for each in sys.meta_path:\n"
        "            if each is not self and (spec := each.find_spec(name, path, target)):\n"
        "                return spec\n"
        "import likewise.library.mutation.hook\n"
        "sys.meta_path.insert(0, Asking())\n"
        "import lib; print(lib.double(3))\n"
    )
    assert run(tmp_path, change(EXTREME), program).stdout.strip() == "0"
