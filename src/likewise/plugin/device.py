"""Scenarios as pytest items, and the `testee` fixture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from likewise.device.controls import CommandUnsupported, Controls, describe
from likewise.device.discovery import gather
from likewise.device.flakiness import ONCE, Flakiness, examine, parse_analysis
from likewise.device.inventory import Board, Inventory, project_root, read_inventory
from likewise.device.program import program
from likewise.device.recording import recorders
from likewise.device.results import Mark, Note, ScenarioReport
from likewise.device.scenario import Scenario, Suite
from likewise.device.session import DeviceSession, chosen_boards
from likewise.device.testee import Answered, Limits
from likewise.model import LikewiseError
from likewise.plugin.managed import MARK
from likewise.store import load

SESSION = pytest.StashKey[DeviceSession]()
STACK = pytest.StashKey[ExitStack]()
RAN = pytest.StashKey[bool]()
SHOWN_STEPS = 200
"""Scenarios with more steps than this show only the steps that did not pass."""


def session_of(config: pytest.Config) -> DeviceSession:
    """The boards of this process, opened with the first use."""
    if SESSION not in config.stash:
        stack = ExitStack()
        config.stash[STACK] = stack
        option = config.option
        record = None
        if option.likewise_record:
            worker = getattr(config, "workerinput", {}).get("workerid", "")
            record = Path(option.likewise_record)
            record = record.with_stem(f"{record.stem}-{worker}") if worker else record
        recorder_for = stack.enter_context(recorders(record, suite=Path(config.rootpath.name)))
        config.stash[SESSION] = DeviceSession(
            shared=_shared_folder(config),
            analysis=parse_analysis(option.likewise_analyse) if option.likewise_analyse else ONCE,
            recorder_for=recorder_for,
        )
        stack.callback(config.stash[SESSION].close)
    return config.stash[SESSION]


@cache
def inventory_of(folder: Path) -> Inventory:
    """The boards of the project that a folder belongs to."""
    configuration = load(project_root(folder))
    return read_inventory(
        configuration.boards, root=configuration.root, where=configuration.sources.get("boards", "")
    )


def _shared_folder(config: pytest.Config) -> Path | None:
    given = getattr(config, "workerinput", {}).get("likewise_device")
    return Path(given) if given else None


def make_items(collector: Any, name: str, value: object) -> list[pytest.Function] | None:
    """Items for a suite, or for a scenario that is in none."""
    if not isinstance(value, Scenario | Suite):
        return None
    path, module = Path(collector.path), collector.obj
    names = {key: each for key, each in vars(module).items() if not isinstance(each, list | tuple)}
    suites = gather(names, title=path.stem)
    owner = next(
        (
            each
            for each in suites
            if value is each or (isinstance(value, Scenario) and value in each.scenarios)
        ),
        None,
    )
    if owner is None:
        return []
    written = any(each is owner for each in vars(module).values())
    if isinstance(value, Scenario) and written:
        return []  # comes with its suite
    several = sum(any(each is s for each in vars(module).values()) for s in suites) > 1
    config = collector.config
    turn = int("".join(filter(str.isdigit, getattr(config, "workerinput", {}).get("workerid", "0"))) or 0)
    boards = chosen_boards(inventory_of(path.parent), owner, tuple(config.option.likewise_board), turn=turn)
    scenarios = owner.scenarios if isinstance(value, Suite) else [value]
    items = []
    for scenario in scenarios:
        for board in boards:
            title = scenario.title.replace("::", ":")
            title = f"{name}: {title}" if several else title
            title = f"{title}[{board.name}]" if len(boards) > 1 else title
            items.append(_item(collector, title, owner, scenario, board, path.parent))
    return items


def _item(
    collector: Any, title: str, suite: Suite, scenario: Scenario, board: Board, folder: Path
) -> pytest.Function:
    def run_scenario(request: pytest.FixtureRequest) -> None:
        __tracebackhide__ = True
        node = request.node
        anew = node.stash.get(RAN, False)
        node.stash[RAN] = True
        session = session_of(request.config)
        try:
            report = session.run(suite, scenario, board, folder=folder, anew=anew)
        except LikewiseError as error:
            pytest.fail(str(error), pytrace=False)
        finally:
            session.hand_over()
        _tell(request, scenario, report)

    item: pytest.Function = pytest.Function.from_parent(collector, name=title, callobj=run_scenario)
    return item


def _tell(request: pytest.FixtureRequest, scenario: Scenario, report: ScenarioReport) -> None:
    """Turn a report into sub-results and the item's own result."""
    __tracebackhide__ = True
    node = request.node
    counts = report.counts
    node.user_properties += [
        (MARK, report.mark.value),
        ("likewise.board", report.board),
        ("likewise.attempts", len(report.attempts)),
        *((f"likewise.steps.{mark}", counts[mark]) for mark in Mark if counts[mark]),
    ]
    lines = [_line(each, note) for each in report.attempts for note in each.notes]
    node.add_report_section("call", "steps", "\n".join([_steps(report), *lines]))
    if len(report.attempts) > 1:
        node.add_report_section("call", "flakiness", "\n".join(map(_flaky, examine([report]))))
    _sub_results(request, scenario, report)
    match report.mark:
        case Mark.SKIPPED:
            pytest.skip(report.cause or lines[0])
        case Mark.UNSUPPORTED:
            pytest.skip("unsupported: " + "; ".join(note.why for note in report.notes))
        case Mark.FAILED | Mark.TIMED_OUT | Mark.FLAKY:
            pytest.fail(
                "\n".join([f"{scenario.title!r} {report.mark} on {report.board}", *lines]), pytrace=False
            )


def _sub_results(request: pytest.FixtureRequest, scenario: Scenario, report: ScenarioReport) -> None:
    try:
        subtests = request.getfixturevalue("subtests")
    except pytest.FixtureLookupError:
        return  # before pytest 9, without pytest-subtests: the section has them
    if report.cause:
        return
    for attempt in report.attempts:
        again = {"attempt": attempt.number + 1} if len(report.attempts) > 1 else {}
        notes = {note.step: note for note in attempt.notes}
        shows_all = request.config.get_verbosity() > 0 and len(scenario.steps) <= SHOWN_STEPS
        for index, step in enumerate(scenario.steps):
            note = notes.get(index)
            if note is not None or shows_all:
                with subtests.test(step.title, **again):
                    _sub_result(note)


def _sub_result(note: Note | None) -> None:
    __tracebackhide__ = True
    if note is None:
        return
    if note.mark in (Mark.SKIPPED, Mark.UNSUPPORTED):
        pytest.skip(note.why)
    pytest.fail(note.why, pytrace=False)


def _steps(report: ScenarioReport) -> str:
    counts = report.counts
    parts = [f"{counts[mark]} {mark}" for mark in Mark if counts[mark]]
    return f"{report.board}: {', '.join(parts)} steps in {len(report.attempts)} attempts"


def _line(attempt: Any, note: Note) -> str:
    where = f"step {note.step + 1} " if note.step >= 0 else ""
    again = f"attempt {attempt.number + 1}: " if attempt.number else ""
    return f"{again}{where}{note.title!r} {note.mark}: {note.why}"


def _flaky(found: Flakiness) -> str:
    low, high = found.interval
    steps = "; ".join(f"{each.title!r} failed in {each.failed} of {each.reached}" for each in found.steps)
    return (
        f"{found.board or 'all boards'}: {found.failed} of {found.runs} runs failed ({found.rate:.1%}, "
        f"95 % interval {low:.1%} to {high:.1%}); {found.needed} clean runs would bring the bound under 5 %"
        + (f"; {steps}" if steps else "")
    )


def lend(request: pytest.FixtureRequest) -> Iterator[Controls]:
    """A board for a plain test: reset before each, with the program that `likewise_program` names."""
    config = request.config
    session = session_of(config)
    marker = request.node.get_closest_marker("likewise_board")
    named = config.option.likewise_board or (marker.args if marker else ())
    folder = request.path.parent
    board = inventory_of(folder).choose(tuple(named)[:1])[0]
    wait = request.node.get_closest_marker("likewise_limits")
    limits = replace(Limits(), **wait.kwargs) if wait is not None else Limits()
    try:
        with session.controls(board, limits, folder) as (bench, controls):
            wanted = request.node.get_closest_marker("likewise_program")
            if wanted is not None:
                answer = bench.load(program(wanted.args[0], beside=folder))
                if not isinstance(answer, Answered):
                    pytest.fail(f"{wanted.args[0]} on {board.name}: {describe(answer)}", pytrace=False)
            yield controls
    finally:
        session.hand_over()


def is_unsupported(error: BaseException) -> bool:
    """Whether a test asked for a command that its testee lacks."""
    return isinstance(error, CommandUnsupported)


def finish(config: pytest.Config) -> None:
    """Let go of all boards and close the recording."""
    if STACK in config.stash:
        config.stash[STACK].close()
