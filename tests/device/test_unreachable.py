"""A board or simulator that cannot be used has proved nothing, and its packages are named by their extra."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from scripted import Scripted

from likewise.cli.main import _message
from likewise.device import Scenario, Step, Suite, invoke
from likewise.device.hybrid import conclude, record_run
from likewise.device.inventory import Board
from likewise.device.kinds import open_testee
from likewise.device.testee import DeviceError
from likewise.model import ConfigurationError, LikewiseError, Result, Role, Standing
from likewise.store import load


def open_nowhere(name: str, options: Mapping[str, object]) -> Scripted:
    testee = Scripted(name)
    testee.connection = DeviceError("it is not plugged in", where=name)
    return testee


def open_here(name: str, options: Mapping[str, object]) -> Scripted:
    return Scripted(name)


def test_a_scenario_that_never_reached_the_candidate_is_not_trusted(tmp_path: Path) -> None:
    suite = Suite(title="s", scenarios=[Scenario("one", None, [Step("call", invoke("f"))])])
    path = tmp_path / "s.py"
    path.touch()
    boards = [
        Board(name=each, kind=f"{__name__}:open_{each}", exclusive=False) for each in ("nowhere", "here")
    ]
    candidate, reference = boards
    finished = conclude(
        suite=suite,
        path=path,
        recording=record_run(suite, path, candidate, Role.CANDIDATE),
        candidate=candidate,
        reference=replace(reference, role=Role.REFERENCE),
        configuration=replace(load(tmp_path), ledger=str(tmp_path / "ledger.sqlite")),
        emit=lambda event: None,
    )
    (report,) = finished.tests
    assert (report.candidate, report.reference) == (Result.FAILED, Result.PASSED)
    assert report.standing is Standing.DISCREPANT


@pytest.mark.parametrize(
    ("kind", "module", "extra"),
    [("wasm", "wasmtime", "wasm"), ("wasm-debug", "pywasm", "wasm"), ("gdb", "cortex", "device")],
)
def test_a_kind_whose_packages_are_missing_names_the_extra_that_has_them(
    monkeypatch: pytest.MonkeyPatch, kind: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, f"likewise.device.testees.{module}", None)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=rf"pip install 'likewise\[{extra}\]'"):
        open_testee("b", kind, {})


def test_a_missing_package_is_no_fault_of_likewise() -> None:
    said = _message(ModuleNotFoundError("No module named 'elftools'", name="elftools.common"), LikewiseError)
    assert said.startswith("No module named 'elftools'. Install what this needs: ")
    assert said.endswith("pip install 'likewise[device]' [not-installed]")
    assert "This is a fault" in _message(ModuleNotFoundError("No module named 'x'", name="x"), LikewiseError)
