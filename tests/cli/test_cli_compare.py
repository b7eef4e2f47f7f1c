"""`likewise compare` and `likewise accept`: what is shown, the exit code, what stays quiet."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from likewise.canonical.redact import Secrets, redact
from likewise.model import Interaction, Provenance, Role, Target
from likewise.store import RecordingWriter

sys.path.insert(0, str(Path(__file__).parents[1] / "library" / "comparison"))

from library_traces import call, trace

Command = Callable[..., Result]


def record(path: Path, version: str, *calls: Interaction) -> str:
    """A recording of one test."""
    provenance = Provenance(run=version, targets=(Target(name="lib", role=Role.REFERENCE, version=version),))
    with RecordingWriter(path, provenance) as writer:
        writer.add(redact(trace(*calls), secrets=Secrets()))
    return str(path)


@pytest.fixture
def recordings(project: Path) -> tuple[str, str, str]:
    """Three versions: the first two differ in one operation, the third in it again and in another."""
    first = record(project / "a.recording", "1.0", call("f", 1), call("g", 1, at=2))
    second = record(project / "b.recording", "2.0", call("f", 2), call("g", 1, at=2))
    third = record(project / "c.recording", "3.0", call("f", 3), call("g", 2, at=2))
    return first, second, third


def test_compare_prints_the_report_and_ends_with_1(likewise: Command, recordings: tuple[str, ...]) -> None:
    shown = likewise("compare", *recordings[:2], exit_code=1).output
    assert "lib.f: another value" in shown
    assert "at client.py:1, in 1 test" in shown


def test_compare_of_equals_ends_with_0(likewise: Command, recordings: tuple[str, ...]) -> None:
    assert "no difference" in likewise("compare", recordings[0], recordings[0]).output


def test_json_is_one_object(likewise: Command, recordings: tuple[str, ...]) -> None:
    data = json.loads(likewise("compare", *recordings[:2], "--json", exit_code=1).output)
    assert data["groups"] == [
        {
            "operation": "lib.f",
            "kind": "value",
            "at": "client.py:1",
            "tests": 1,
            "downstream": False,
            "reference": "1",
            "candidate": "2",
        }
    ]
    assert data["tests"]["common"] == 1


def test_github_writes_the_page_to_the_summary(
    likewise: Command, recordings: tuple[str, ...], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = project / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    shown = likewise("compare", *recordings[:2], "--github", "--exit-zero").output
    assert shown.startswith("::warning file=client.py,line=1")
    assert "### `lib.f`: another value" in summary.read_text()


def test_an_accepted_change_is_quiet_until_it_changes(likewise: Command, recordings: tuple[str, ...]) -> None:
    first, second, third = recordings
    likewise("compare", first, second, exit_code=1)
    assert "accepted 1" in likewise("accept", "lib.f").output
    assert "1 accepted change not shown" in likewise("compare", first, second).output
    again = likewise("compare", first, third, exit_code=1).output
    assert "lib.f: another value" in again
    assert "lib.g: another value" in again
    assert "lib.f: value: 1 → 2" in likewise("accept", "--list").output
    likewise("accept", "--forget", "lib.f")
    likewise("compare", first, second, exit_code=1)


def test_what_is_not_there_cannot_be_accepted(likewise: Command, recordings: tuple[str, ...]) -> None:
    assert "[not-found]" in likewise("accept", "lib.f", exit_code=2).output
    likewise("compare", *recordings[:2], exit_code=1)
    shown = likewise("accept", "lib.nothing", exit_code=2).output
    assert "There are:" in shown
    assert "lib.f" in shown


def test_a_file_that_is_no_recording_is_refused(likewise: Command, recordings: tuple[str, ...]) -> None:
    Path("x.recording").write_text("{}\n")
    assert "[recording-corrupt]" in likewise("compare", recordings[0], "x.recording", exit_code=2).output
    assert "[recording-absent]" in likewise("compare", recordings[0], "none", exit_code=2).output
