"""Threads and tasks that race: two recordings are equal, and what changed is found all the same."""

from __future__ import annotations

import os
import subprocess
import sys

import library_races
import pytest

from likewise.library.comparison import Comparison, Side, compare
from likewise.store import read


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Side]:
    """The same suite with its threads and tasks in several orders, and with changed libraries."""
    root = tmp_path_factory.mktemp("races")
    installed = root / "installed"
    installed.mkdir()
    (installed / "races.py").write_text(library_races.LIBRARY)
    (root / "test_racing.py").write_text(library_races.CLIENT)
    (root / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    found = {}
    for name, race, changed, pure in RUNS:
        place = root / f"{name}.recording"
        path = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))
        environment = {"RACE": race, "CHANGED": changed, "LIKEWISE_PURE": pure, "PYTHONPATH": path}
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "--likewise-library=races",
                f"--likewise-library-out={place}",
            ],
            cwd=root,
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
        )
        found[name] = Side(recording=read(place))
    return found


RUNS = (
    ("first", "1", "", ""),
    ("second", "2", "", ""),
    ("pure", "3", "", "1"),
    ("objects", "4", "objects", ""),
    ("results", "5", "results", ""),
    ("order", "6", "order", ""),
)


def causes(comparison: Comparison) -> dict[str, set[str]]:
    """Which operations changed in which tests."""
    found: dict[str, set[str]] = {}
    for group in comparison.causes:
        found.setdefault(group.operation, set()).update(test.partition("::")[2] for test in group.tests)
    return found


@pytest.mark.parametrize("other", ["second", "pure"])
def test_who_comes_first_is_no_difference(sides: dict[str, Side], other: str) -> None:
    comparison = compare(sides["first"], sides[other])
    assert [(each.operation, each.manner, each.tests) for each in comparison.groups] == []
    assert comparison.counts.common == library_races.CLIENT.count("\ndef test_")


def test_objects_that_come_to_the_wrong_task_are_found(sides: dict[str, Side]) -> None:
    found = causes(compare(sides["first"], sides["objects"]))
    assert found["races.Answer.status"] == {"test_gather", "test_handed_on", "test_own_tasks"}
    assert found.keys() <= {"races.Answer.status", "races.Answer.text", "races.Answer.number"}


def test_results_that_are_swapped_are_found_in_every_pool(sides: dict[str, Side]) -> None:
    pools = {"test_pool", "test_pool_of_multiprocessing", "test_executor_of_a_loop", "test_own_workers"}
    assert causes(compare(sides["first"], sides["results"])) == {"races.second": pools}


def test_another_order_within_a_job_is_found(sides: dict[str, Side]) -> None:
    found = causes(compare(sides["first"], sides["order"]))
    assert {"test_pool", "test_executor_of_a_loop", "test_own_workers"} <= found["races.label"]
    assert any("test_pool_of_multiprocessing" in tests for tests in found.values())
