"""The same server on both sides: nothing differs, and what was proved once is not asked again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from soundness_suites import SUITE, Project, Run, installed

from likewise.cloud.session import read_recording

pytestmark = [pytest.mark.server, pytest.mark.slow]

INVENTORY = Path(__file__).parents[2] / "examples" / "inventory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A suite, and a change of one literal in one of its tests."""

    make: Callable[[Path], None]
    file: str
    test: str
    before: str
    after: str

    def change(self, project: Project) -> None:
        """Change the literal."""
        path = project.root / self.file
        content = path.read_text()
        assert content.count(self.before) == 1
        path.write_text(content.replace(self.before, self.after))


def _inventory(root: Path) -> None:
    for name in ("inventory", "tests"):
        shutil.copytree(INVENTORY / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    root.joinpath("pytest.ini").write_text("[pytest]\ntestpaths = tests\npythonpath = .\n")


def _azure(root: Path) -> None:
    shutil.copyfile(SUITE / "azure_service.py", root / "test_service.py")
    root.joinpath("pytest.ini").write_text("[pytest]\n")


INVENTORY_SUITE = Example(
    make=_inventory,
    file="tests/test_documents.py",
    test="tests/test_documents.py::test_only_the_edition_that_was_seen_is_replaced",
    before='b"third"',
    after='b"tertiary"',
)
AZURE_SUITE = Example(
    make=_azure,
    file="test_service.py",
    test="test_service.py::test_an_unchanged_blob_is_replaced_only_once",
    before='b"one"',
    after='b"uno"',
)
PAIRS = [
    pytest.param("moto", INVENTORY_SUITE, id="moto"),
    pytest.param("ministack", INVENTORY_SUITE, id="ministack"),
    pytest.param("azurite", AZURE_SUITE, id="azurite"),
]


def begin(root: Path, server: str, example: Example, **more: object) -> Project:
    installed(server)
    example.make(root)
    project = Project(root=root)
    project.configure(candidate=server, reference=server, **more)
    return project


def alarms(run: Run) -> list[str]:
    """What is said against any test, or against its trust."""
    return [
        f"{test}: {each['standing']} {each['notes']} {each['discrepancies']}"
        for test, each in run.tests.items()
        if each["standing"] not in ("trusted", "proved") or each["discrepancies"]
    ]


def asked(run: Run) -> list[str]:
    """The tests for which the reference was asked."""
    return [
        test for test, each in run.tests.items() if each["reference_calls"] or each["standing"] != "trusted"
    ]


@pytest.mark.parametrize(("server", "example"), PAIRS)
def test_what_is_proved_once_stays_proved(tmp_path: Path, server: str, example: Example) -> None:
    """Cold: nothing differs. Warm: no call. With one literal changed: that test alone is asked about."""
    project = begin(tmp_path, server, example, audit_share=0.0)
    cold = project.run("--likewise-verify", "-p", "no:randomly")
    assert alarms(cold) == []
    warm = project.run("--likewise-verify", "-p", "no:randomly")
    assert alarms(warm) == []
    assert set(warm.standing("trusted")) == warm.tests.keys()
    assert warm.reference_calls == 0
    example.change(project)
    changed = project.run("--likewise-verify", "-p", "no:randomly")
    assert alarms(changed) == []
    assert asked(changed) == [example.test]


@pytest.mark.parametrize(("server", "example"), PAIRS)
def test_audits_of_the_same_server_are_clean(tmp_path: Path, server: str, example: Example) -> None:
    """What is skipped and audited agrees, and the bound that follows is printed."""
    project = begin(tmp_path, server, example, audit_share=0.3)
    project.run("--likewise-verify", "-p", "no:randomly")
    audited = project.run("--likewise-verify", "-p", "no:randomly")
    assert alarms(audited) == []
    audits = audited.content["audits"]
    assert audits["failed"] == 0
    assert audits["clean"] > 0
    assert audits["bound"] == min(1.0, 3 / audits["clean"])
    assert audited.reference_calls > 0
    assert "95 %" in audited.output


@pytest.mark.parametrize(("server", "example"), PAIRS)
def test_workers_and_random_order_raise_no_alarm(tmp_path: Path, server: str, example: Example) -> None:
    """Two workers, another order each time: fixtures of the session fall to other tests, nothing differs."""
    project = begin(tmp_path, server, example, audit_share=0.0)
    cold = project.run("--likewise-verify", "-n", "2")
    assert alarms(cold) == []
    warm = project.run("--likewise-verify", "-n", "2")
    assert alarms(warm) == []
    assert warm.reference_calls < cold.reference_calls / 2


@pytest.mark.parametrize(("server", "suite"), [("moto", "drawn_aws"), ("azurite", "drawn_azure")])
def test_what_depends_on_drawn_values_raises_no_alarm(tmp_path: Path, server: str, suite: str) -> None:
    """Pages, ranges and counts of random names; who sets up a fixture changes from run to run.

    What by chance came out alike twice may be asked about once more, as a whole test.
    """
    installed(server)
    shutil.copyfile(SUITE / f"{suite}.py", tmp_path / "test_drawn.py")
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n")
    project = Project(root=tmp_path)
    project.configure(candidate=server, reference=server, audit_share=0.0)
    assert alarms(project.run("--likewise-verify", "--randomly-dont-reset-seed")) == []
    (folder,) = (tmp_path / ".likewise" / "recordings").iterdir()
    first, repeated = (read_recording([folder / name]) for name in ("main.jsonl", "reruns/candidate-1.jsonl"))
    gap = min(trace.started for trace in repeated.traces) - max(trace.ended for trace in first.traces)
    assert gap >= 1, "dates that tell seconds would be taken for constants"
    later = [project.run("--likewise-verify", f"--randomly-seed={seed}") for seed in (2, 3, 4)]
    assert [alarms(each) for each in later] == [[], [], []]
    again = [test for each in later for test in asked(each)]
    assert len(again) <= 2
    assert len(set(again)) == len(again)
