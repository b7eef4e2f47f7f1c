"""One board at work: programs, resets, steps, time limits, recovery."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from likewise.device import paths
from likewise.device.actions import run_action
from likewise.device.commands import Command, Reset, SetBreakpoint, Upload
from likewise.device.controls import Controls, answer_to, describe, perform
from likewise.device.expectations import Latest, show
from likewise.device.program import Program, ProgramRefused, program
from likewise.device.results import Attempt, Mark, Note, Observer, Recorder, Tally
from likewise.device.scenario import NOTHING, Scenario, Step
from likewise.device.testee import (
    Answer,
    Answered,
    Call,
    Crashed,
    DeviceError,
    Limits,
    Lost,
    Refused,
    Testee,
    TimedOut,
    Unsupported,
    WithArguments,
    called,
    ends_run,
)
from likewise.run.collector import passing_objects

BEFORE = -1
"""The number of what comes before the first step."""
Trouble = tuple[str, Answer, str]
"""What was to be done before the first step, its answer, and why it is not a better one."""


class BoardGone(DeviceError):
    """A board cannot be brought back."""

    slug = "board-gone"


class Workbench:
    """A testee that scenarios are run on, one after the other; knows which program is on it."""

    def __init__(
        self,
        testee: Testee,
        limits: Limits,
        *,
        observer: Observer,
        recorder: Recorder | None = None,
        folder: Path | None = None,
        is_stopped: Callable[[], bool] = bool,
    ) -> None:
        """`is_stopped` says between steps whether the run was interrupted."""
        self._is_stopped = is_stopped
        self.testee, self.limits, self.folder = testee, limits, folder
        self._observer, self._recorder = observer, recorder
        self.loaded: Program | None = None
        """What is on the board for certain."""
        self.uploads = 0
        self._connected = False
        self._refused: dict[Program, ProgramRefused] = {}

    @property
    def name(self) -> str:
        """The board's name."""
        return self.testee.name

    @property
    def _retries(self) -> int:
        """What a lossy link has cost so far; testees whose link loses nothing count none."""
        count = getattr(self.testee, "retries", 0)
        return count if isinstance(count, int) else 0

    def connect(self) -> None:
        """Connect once. Raises DeviceError."""
        if not self._connected:
            self.testee.connect(self.limits)
            self._connected = True

    def close(self) -> None:
        """Let go of the board."""
        self._connected, self.loaded = False, None
        self.testee.close()

    def run(self, scenario: Scenario, number: int = 0) -> Attempt:
        """One attempt. Raises Ended, with the attempt, where the board cannot go on afterwards."""
        started = time.perf_counter()
        uploads, retries = self.uploads, self._retries
        tally = Tally()
        self._observer.began(scenario, self.name, number)
        if self._recorder is not None:
            self._recorder.begin(scenario, self.name, number)
        gone: BoardGone | None = None
        try:
            trouble = self._prepare(scenario)
            if trouble is None:
                with passing_objects:
                    gone = self._run_steps(scenario, tally)
            else:
                gone = self._give_up(scenario, tally, trouble)
        except BaseException:
            if self._recorder is not None:
                self._recorder.end(Mark.SKIPPED, tally.notes)  # whatever it is, it was not carried through
            raise
        if self._recorder is not None:
            self._recorder.end(tally.mark, tally.notes)
        attempt = Attempt(
            number=number,
            mark=tally.mark,
            counts=dict(tally.counts),
            notes=tuple(tally.notes),
            seconds=time.perf_counter() - started,
            uploaded=self.uploads - uploads,
            retries=self._retries - retries,
        )
        if gone is not None:
            raise _Ended(gone, attempt)
        return attempt

    def _prepare(self, scenario: Scenario) -> Trouble | None:
        """Connect, upload or reset, set breakpoints; what went wrong, its answer, and why."""
        begun = time.time()
        try:
            self.connect()
        except DeviceError as error:
            # Who could not be asked anything has not answered as the other side does.
            self._record("connect", {}, answer_to(error), begun)
            return "connect", answer_to(error), str(error)
        given = scenario.program
        if given is not None:
            wanted = program(given, beside=self.folder)
            what = "reset" if wanted == self.loaded else "upload"
            answer, why = self._load(wanted)
            self._record("load", {"program": wanted.title, "content": _content(wanted)}, answer, begun)
            if not isinstance(answer, Answered):
                return f"{what} {wanted.title}", answer, why
        for place in scenario.stops:
            begun = time.time()
            command = SetBreakpoint(place)
            answer = perform(self.testee, command, self.limits.step, self.limits)
            self._record(command.name, {}, answer, begun)
            if not isinstance(answer, Answered):
                return command.name, answer, describe(answer)
        return None

    def _load(self, wanted: Program) -> tuple[Answer, str]:
        """Reset where the program is on the board already, upload where it is not."""
        if wanted in self._refused:
            return answer_to(self._refused[wanted]), str(self._refused[wanted])
        try:
            if wanted == self.loaded:
                self.testee.reset(self.limits)
            else:
                self.loaded = None
                self.uploads += 1
                self.testee.upload(wanted, self.limits)
                self.loaded = wanted
        except ProgramRefused as error:
            self.uploads -= 1
            self._refused[wanted] = error
            return answer_to(error), str(error)
        except DeviceError as error:
            self.loaded = None
            return answer_to(error), str(error)
        return Answered(), ""

    def _give_up(self, scenario: Scenario, tally: Tally, trouble: Trouble) -> BoardGone | None:
        """Nothing of the scenario can run: say what went wrong before its first step."""
        what, answer, why = trouble
        mark = (
            Mark.UNSUPPORTED
            if isinstance(answer, Unsupported)
            else Mark.TIMED_OUT
            if isinstance(answer, TimedOut)
            else Mark.FAILED
        )
        note = Note(step=BEFORE, title=what, mark=mark, why=f"{what} on {self.name}: {why}")
        tally.notes.append(note)
        tally.before = mark
        self._observer.stepped(self.name, scenario, BEFORE, [mark], [note])
        cause = Mark.UNSUPPORTED if mark is Mark.UNSUPPORTED else Mark.SKIPPED
        self._skip(scenario, 0, tally, f"not run: {what} did not succeed", cause)
        return self._recover() if ends_run(answer) else None

    def _run_steps(self, scenario: Scenario, tally: Tally) -> BoardGone | None:
        steps, batch = scenario.steps, self.testee.batch
        watched, recorder, passed = scenario.watched, self._recorder, Mark.PASSED
        latest: Latest = {}
        index = 0
        while index < len(steps):
            if self._is_stopped():
                self._skip(scenario, index, tally, "not run: the run was interrupted", Mark.SKIPPED)
                return None
            begun = time.time()
            answers = self._execute(steps, index, batch)
            done = time.time()
            marks: list[Mark] = []
            notes: list[Note] = []
            for number, answer in enumerate(answers, index):
                step = steps[number]
                exact = step.exact
                if exact is not None and type(answer) is Answered and answer.data == exact:
                    mark = passed  # what most steps are, without a detour
                else:
                    mark, why = judge(step, answer, latest)
                    if mark is not passed:
                        why = self._place(step, answer, why)
                        notes.append(Note(step=number, title=step.title, mark=mark, why=why))
                        tally.add(notes[-1])
                marks.append(mark)
                if watched and isinstance(answer, Answered):
                    _remember(answer, watched, latest)
                if recorder is not None:
                    recorder.note(number, step, answer, begun, done)
            if len(marks) > len(notes):
                tally.counts[Mark.PASSED] += len(marks) - len(notes)
            self._observer.stepped(self.name, scenario, index, marks, notes)
            index += len(answers)
            if ends_run(answers[-1]):
                last = steps[index - 1]
                why = f"not run: step {last.title!r} took the testee away ({describe(answers[-1])})"
                self._skip(scenario, index, tally, why, Mark.SKIPPED)
                return self._recover()
        return None

    def _execute(self, steps: Sequence[Step], index: int, batch: int) -> Sequence[Answer]:
        """Answers to the step at `index` and as many after it as go together."""
        first = steps[index]
        if not isinstance(first.do, Command):
            return [self._act(first)]
        if isinstance(first.do, Upload | Reset):
            return [self._reload(first.do)]
        limit = self.limits.step
        calls: list[Call] = []
        for step in steps[index : index + batch]:
            command = step.command
            if command is None:
                break
            calls.append(called((command, step.timeout or limit)))
        return self.testee.execute(calls)

    def _reload(self, command: Upload | Reset) -> Answer:
        if isinstance(command, Reset):
            return perform(self.testee, command, self.limits.reset, self.limits)
        wanted = program(command.program, beside=self.folder)
        if wanted.path is not None and self.folder is not None and not wanted.path.is_absolute():
            wanted = program(wanted.path, beside=self.folder)
        return self._load(wanted)[0]

    def _act(self, step: Step) -> Answer:
        assert not isinstance(step.do, Command)
        controls = Controls(self.testee, self.limits, folder=self.folder)
        answer = run_action(step.do, controls, step.timeout or self.limits.action)
        controls.retire()
        if controls.uploaded is not None:
            self.uploads += 1
            self.loaded = controls.uploaded
        return answer

    def _place(self, step: Step, answer: Answer, why: str) -> str:
        """Which board, for what concerns the board and not the value."""
        concerns = isinstance(answer, TimedOut | Lost | Crashed | Unsupported)
        return f"{step.operation} on {self.name}: {why}" if concerns else why

    def _skip(self, scenario: Scenario, start: int, tally: Tally, why: str, mark: Mark) -> None:
        rest = len(scenario.steps) - start
        tally.counts[mark] += rest
        if rest:
            why = f"{why}; {rest} step{'s' if rest > 1 else ''}"
            note = Note(step=start, title=scenario.steps[start].title, mark=mark, why=why)
            tally.notes.append(note)
            self._observer.stepped(self.name, scenario, start, [mark] * rest, [note])

    def load(self, wanted: Program) -> Answer:
        """Reset where the program is on the board already, upload where it is not."""
        return self._load(wanted)[0]

    def mend(self) -> BoardGone | None:
        """Bring the board back after somebody else's command took it away."""
        return self._recover()

    def _recover(self) -> BoardGone | None:
        """Bring the board back; what was on it is not relied on."""
        self.loaded = None
        try:
            if self._connected:
                self.testee.recover(self.limits)
            else:
                return BoardGone("it could not be connected to", where=self.name)
        except DeviceError as error:
            self._connected = False
            self.testee.close()
            return BoardGone("it could not be recovered", where=self.name, why=str(error))
        return None

    def _record(self, operation: str, arguments: dict[str, str], answer: Answer, begun: float) -> None:
        if self._recorder is not None:
            self._recorder.prepared(operation, arguments, answer, begun, time.time())


class _Ended(Exception):
    """An attempt after which the board is gone."""

    def __init__(self, gone: BoardGone, attempt: Attempt) -> None:
        self.gone, self.attempt = gone, attempt
        super().__init__(str(gone))


Ended = _Ended


def judge(step: Step, answer: Answer, latest: Latest) -> tuple[Mark, str]:
    """Whether a step passed, and why not."""
    if isinstance(answer, Unsupported):
        return Mark.UNSUPPORTED, describe(answer)
    if step.fails is not None:
        return _judge_failure(step, answer)
    if isinstance(answer, Answered):
        for claim in step.claims:
            if (why := claim.check(answer.data, latest)) is not None:
                return Mark.FAILED, why
        return Mark.PASSED, ""
    return (Mark.TIMED_OUT if isinstance(answer, TimedOut) else Mark.FAILED), describe(answer)


def _judge_failure(step: Step, answer: Answer) -> tuple[Mark, str]:
    assert step.fails is not None
    if isinstance(answer, Refused | Crashed):
        fails = step.fails
        if fails.kind in answer.kind and fails.message in f"{answer.kind}: {answer.message}":
            return Mark.PASSED, ""
        wanted = ": ".join(part for part in (fails.kind, fails.message) if part)
        return Mark.FAILED, f"expected it to fail with {wanted!r}, it failed with {describe(answer)}"
    if isinstance(answer, Answered):
        return Mark.FAILED, f"expected it to fail, it completed with {show(answer.data)}"
    return (Mark.TIMED_OUT if isinstance(answer, TimedOut) else Mark.FAILED), describe(answer)


def _remember(answer: Answered, watched: frozenset[paths.Path], latest: Latest) -> None:
    for path in watched:
        try:
            value = paths.look_up(answer.data, path)
        except paths.Absent:
            continue
        if not path and isinstance(value, WithArguments):
            value = value["result"]
        if value is not None:
            latest[path] = value


def _content(wanted: Program) -> str:
    try:
        return wanted.digest()
    except ProgramRefused:
        return ""


__all__ = ["BEFORE", "NOTHING", "BoardGone", "Ended", "Workbench", "judge"]
