"""`likewise run`: a command that is not pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from likewise.cli import run as run_module
from likewise.cloud import side as side_module
from likewise.model import Role, Standing, Target
from likewise.report import load
from likewise.store import DEFAULT, open_ledger


class FakeSide:
    """A side that only has an environment."""

    running = ("server",)

    def __init__(self, role: Role) -> None:
        self.role = role
        self.targets = (Target(name=f"{role}-server", role=role),)

    def __enter__(self) -> FakeSide:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def apply(self, base: Mapping[str, str]) -> dict[str, str]:
        return {**base, "SIDE": str(self.role)}


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> list[Role]:
    """Opens fake sides; says which."""
    opened: list[Role] = []

    def open_side(_: object, role: Role) -> FakeSide:
        opened.append(role)
        return FakeSide(role)

    monkeypatch.setattr(side_module, "open_side", open_side)
    return opened


def python(code: str) -> tuple[str, ...]:
    return ("--", sys.executable, "-c", code)


def test_the_exit_code_is_passed_through_and_the_result_is_undecided(likewise, sides, project: Path) -> None:
    likewise("run", "--test", "suite", *python("raise SystemExit(7)"), exit_code=7)
    assert sides == [Role.CANDIDATE]
    (report,) = load(project / ".likewise/last-run.json").finished.tests
    assert (report.test, report.standing, report.candidate) == ("suite", Standing.UNDECIDED, "failed")


def test_with_verify_the_reference_counts(likewise, sides, project: Path) -> None:
    code = "import os; raise SystemExit(0 if os.environ['SIDE'] == 'reference' else 3)"
    likewise("run", "--verify", "--test", "suite", *python(code), exit_code=0)
    (report,) = load(project / ".likewise/last-run.json").finished.tests
    assert (report.standing, report.candidate, report.reference) == (Standing.DISCREPANT, "failed", "passed")
    with open_ledger(DEFAULT) as ledger:
        assert {(each.role, each.result) for each in ledger.attempts("suite")} == {
            ("candidate", "failed"),
            ("reference", "passed"),
        }


def test_the_same_result_on_both_sides_is_proved(likewise, sides, project: Path) -> None:
    likewise("run", "--verify", *python("pass"))
    (report,) = load(project / ".likewise/last-run.json").finished.tests
    assert report.standing is Standing.PROVED


def test_a_command_that_is_not_there_is_named(likewise, sides) -> None:
    result = likewise("run", "--", "no-such-command-here", exit_code=2)
    assert "no-such-command-here: the command cannot be started" in result.stderr


def test_a_side_inside_a_process_does_not_do(likewise, sides, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeSide, "running", ())
    assert "lives inside a Python process" in likewise("run", *python("pass"), exit_code=2).stderr


def test_a_killed_command_has_the_shells_exit_code(likewise, sides) -> None:
    likewise("run", *python("import os, signal; os.kill(os.getpid(), signal.SIGTERM)"), exit_code=143)


def test_a_proxy_can_take_the_place_of_none() -> None:
    """The seam for recording commands: what is there now fits the protocol that a proxy will."""
    proxy: run_module.RecordingProxy = run_module.Unwatched()
    with proxy.watch(FakeSide(Role.CANDIDATE), test="t") as environment:  # type: ignore[arg-type]
        assert environment["SIDE"] == "candidate"
    assert proxy.trace("t") is None


@pytest.mark.server
def test_a_real_candidate_answers_the_command(project: Path) -> None:
    code = (
        "import os, urllib.request\n"
        "print(urllib.request.urlopen(os.environ['AWS_ENDPOINT_URL_S3'] + '/moto-api/').status)"
    )
    done = subprocess.run(
        [sys.executable, "-m", "likewise.cli", "run", "--test", "ping", *python(code)],
        capture_output=True,
        text=True,
        cwd=project,
        env=os.environ | {"AWS_PROFILE": "somebody"},
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "200\n")
    assert "undecided 1: 1 unclear" in done.stderr
