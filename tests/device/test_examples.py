"""The worked examples run, and what one testee does differently from another is found."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from likewise.cli import main
from likewise.device.comparing import compare_recordings
from likewise.device.discovery import suites_in
from likewise.device.hybrid import conclude, record_run
from likewise.device.inventory import Board
from likewise.device.recording import as_value
from likewise.device.values import f32
from likewise.model import Event, Returned, Role, Standing
from likewise.store import load

EXAMPLES = Path(__file__).parents[2] / "examples" / "device"
pytestmark = [
    pytest.mark.skipif(not shutil.which("arm-none-eabi-gcc"), reason="needs arm-none-eabi-gcc"),
    pytest.mark.server,
]
SIMULATOR = Board(name="unicorn", kind="unicorn", exclusive=False)


@pytest.mark.parametrize(
    ("suite", "board"),
    [
        ("maths", "unicorn"),
        ("debugger", "unicorn"),
        ("maths", "qemu"),
        ("debugger", "qemu"),
        ("uart", "qemu"),
    ],
)
def test_examples_pass(suite: str, board: str) -> None:
    if board == "qemu" and not shutil.which("qemu-system-arm"):
        pytest.skip("needs qemu-system-arm")
    result = CliRunner().invoke(main, ["device", "run", str(EXAMPLES / f"{suite}.py"), "--board", board])
    assert result.exit_code == 0, result.output
    assert f"{suite}: passed; 1 uploads" in result.output


def test_one_changed_bit_is_found_at_its_step() -> None:
    path = EXAMPLES / "maths.py"
    (suite,) = suites_in(path)
    reference = record_run(suite, path, SIMULATOR, Role.REFERENCE)
    candidate = record_run(suite, path, SIMULATOR, Role.CANDIDATE)
    assert not compare_recordings(reference=reference, candidate=candidate).discrepancies
    trace = candidate.traces[0]
    calls = list(trace.interactions)
    place = next(n for n, each in enumerate(calls) if "scale" in each.operation.name)
    calls[place] = replace(calls[place], outcome=Returned(value=as_value(f32(0.0))))
    changed = replace(candidate, traces=(replace(trace, interactions=tuple(calls)), *candidate.traces[1:]))
    (found,) = compare_recordings(reference=reference, candidate=changed).discrepancies
    assert (found.position, found.place) == (place, "bits")
    assert (found.reference, found.candidate) == ("0x80000000", "0x00000000")


def test_what_the_board_has_proved_is_not_run_there_again(tmp_path: Path) -> None:
    path = EXAMPLES / "maths.py"
    (suite,) = suites_in(path)
    board = replace(SIMULATOR, name="board", role=Role.REFERENCE)
    configuration = replace(load(tmp_path), ledger=str(tmp_path / "ledger.sqlite"))
    standings = []
    for _ in range(2):
        events: list[Event] = []
        finished = conclude(
            suite=suite,
            path=path,
            recording=record_run(suite, path, SIMULATOR, Role.CANDIDATE),
            candidate=SIMULATOR,
            reference=board,
            configuration=configuration,
            emit=events.append,
        )
        standings.append(({each.standing for each in finished.tests}, finished.spending.reference_calls))
    steps = sum(len(each.steps) + 1 for each in suite.scenarios)
    assert standings == [({Standing.PROVED}, steps), ({Standing.TRUSTED}, 0)]
