"""Every run is a recording like any other: an interaction a step, a trace a scenario."""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path

from likewise.canonical.redact import Secrets, redact
from likewise.device.commands import (
    Command,
    DeleteBreakpoint,
    Dump,
    DumpCallbacks,
    DumpLocals,
    ReadMemory,
    Reset,
    SetBreakpoint,
    Upload,
)
from likewise.device.inventory import Board
from likewise.device.program import Program, ProgramRefused
from likewise.device.results import Mark, Note, Recorder
from likewise.device.scenario import Scenario, Step
from likewise.device.testee import Answer, Answered, Crashed, Data, Lost, Refused, TimedOut, Unsupported
from likewise.device.values import Nan, Number
from likewise.model import (
    Effect,
    Interaction,
    Operation,
    Outcome,
    Provenance,
    Raised,
    Result,
    Returned,
    Role,
    Target,
    Touch,
    Trace,
    Value,
)
from likewise.store import RecordingWriter

PART = 1000
"""So many steps are held in memory before they are written."""
SERVICE = "device"
STATE = ("device", "state")
"""All that a program can remember: every call may read and change it."""
READS = (Dump, DumpLocals, DumpCallbacks, ReadMemory)
RESULTS = {
    Mark.PASSED: Result.PASSED,
    Mark.FAILED: Result.FAILED,
    Mark.TIMED_OUT: Result.FAILED,
    Mark.SKIPPED: Result.SKIPPED,
    Mark.UNSUPPORTED: Result.SKIPPED,
}


def as_value(data: object) -> Value:
    """Data of a testee as a value of a recording; a number keeps its type and every bit."""
    match data:
        case Number() if data.kind.is_float:
            return {"type": data.kind.name, "bits": f"0x{data.bits:0{data.kind.size * 2}x}"}
        case Number():
            return {"type": data.kind.name, "value": str(data.value)}
        case Nan():
            return str(data)
        case dict():
            return {str(key): as_value(each) for key, each in data.items()}
        case list() | tuple():
            return [as_value(each) for each in data]
        case float():
            return repr(data)
        case int() if not isinstance(data, bool) and not -(2**63) <= data < 2**63:
            return str(data)
        case None | bool() | int() | str() | bytes():
            return data
        case bytearray():
            return bytes(data)
        case Program():
            return data.title
        case _ if is_dataclass(data) and not isinstance(data, type):
            return {each.name: as_value(getattr(data, each.name)) for each in fields(data)}
    return repr(data)


def outcome_of(answer: Answer) -> Outcome:
    """An answer as the outcome of an interaction."""
    match answer:
        case Answered():
            return Returned(value=as_value(answer.data))
        case Refused() | Crashed():
            return Raised(kind=answer.kind, message=answer.message)
        case Unsupported():
            return Raised(kind="unsupported", message=answer.what)
        case TimedOut() | Lost():
            return answer


def interaction_of(
    operation: str,
    arguments: dict[str, Value],
    answer: Answer,
    *,
    order: int,
    effect: Effect,
    started: float,
    ended: float,
) -> Interaction:
    """One step as an interaction. A refused change may have happened halfway: it stays a change."""
    return Interaction(
        operation=Operation(SERVICE, operation),
        arguments=arguments,
        outcome=outcome_of(answer),
        touches=(Touch(resource=STATE, effect=effect),),
        order=order,
        started=started,
        ended=ended,
    )


class TraceRecorder:
    """Makes a trace of every attempt on one board and hands it on: whole, or in parts where that goes."""

    def __init__(
        self,
        board: str,
        role: Role,
        prefix: str,
        keep: Callable[[Trace], None],
        keep_part: Callable[[Trace], None] | None = None,
    ) -> None:
        self._board, self._role, self._prefix, self._keep = board, role, prefix, keep
        self._keep_part = keep_part
        self._interactions: list[Interaction] = []
        self._order = 0
        self._test = self._world = ""
        self._attempt, self._started = 0, 0.0

    def begin(self, scenario: Scenario, board: str, attempt: int) -> None:
        """An attempt begins."""
        self._interactions, self._order = [], 0
        self._test, self._attempt = test_name(self._prefix, scenario), attempt
        self._world = uuid.uuid4().hex
        self._started = time.time()

    def prepared(
        self, operation: str, arguments: dict[str, str], answer: Answer, started: float, ended: float
    ) -> None:
        """Something before the first step; loading a program makes everything before it irrelevant."""
        effect = Effect.ABSORB if operation == "load" else Effect.WRITE
        values: dict[str, Value] = dict(arguments)
        self._add(operation, values, answer, effect, started, ended)

    def note(self, index: int, step: Step, answer: Answer, started: float, ended: float) -> None:
        """One step was answered."""
        command = step.do
        if not isinstance(command, Command):
            self._add(step.operation, {"step": step.title}, answer, Effect.WRITE, started, ended)
            return
        self._add(command.name, arguments_of(command), answer, effect_of(command), started, ended)

    def end(self, mark: Mark, notes: Sequence[Note]) -> None:
        """The attempt is over."""
        first = next((note for note in notes if note.mark is not Mark.PASSED), None)
        failure = f"{first.title}: {first.why}" if first else ""
        self._keep(self._trace(RESULTS.get(mark, Result.FAILED), failure))

    def _trace(self, result: Result, failure: str = "") -> Trace:
        """What has been noted since the last part."""
        noted, self._interactions = tuple(self._interactions), []
        return Trace(
            test=self._test,
            role=self._role,
            interactions=noted,
            result=result,
            attempt=self._attempt,
            world=self._world,
            failure=failure,
            started=self._started,
            ended=time.time(),
        )

    def _add(
        self,
        operation: str,
        arguments: dict[str, Value],
        answer: Answer,
        effect: Effect,
        started: float,
        ended: float,
    ) -> None:
        self._interactions.append(
            interaction_of(
                operation,
                arguments,
                answer,
                order=self._order,
                effect=effect,
                started=started,
                ended=ended,
            )
        )
        self._order += 1
        if self._keep_part is not None and len(self._interactions) >= PART:
            self._keep_part(self._trace(Result.UNFINISHED))


def test_name(prefix: str, scenario: Scenario) -> str:
    """The key of a scenario everywhere: `suite.py::title`."""
    return f"{prefix}::{scenario.title}"


def effect_of(command: Command) -> Effect:
    """What a command does to the testee."""
    if isinstance(command, Upload | Reset):
        return Effect.ABSORB
    return Effect.READ if isinstance(command, READS) else Effect.WRITE


def arguments_of(command: Command) -> dict[str, Value]:
    """A command's fields as values; a program by its content."""
    if isinstance(command, Upload):
        try:
            return {"program": command.program.title, "content": command.program.digest()}
        except ProgramRefused:
            return {"program": command.program.title}
    if isinstance(command, SetBreakpoint | DeleteBreakpoint):
        return {"at": str(command.at)}
    return {each.name: as_value(getattr(command, each.name)) for each in fields(command)}


@contextlib.contextmanager
def recorders(
    path: Path | None, *, suite: Path, boards: Iterable[Board] = ()
) -> Iterator[Callable[[Board], Recorder] | None]:
    """Recorders for one run, into one file; none where no file is named. `boards` are those known before."""
    if path is None:
        yield None
        return
    provenance = Provenance(
        run=uuid.uuid4().hex,
        started=time.time(),
        code=code_of(suite),
        targets=tuple({board.name: Target(name=board.name, role=board.role) for board in boards}.values()),
    )
    with RecordingWriter(path, provenance) as writer:

        def keep(trace: Trace) -> None:
            writer.add(redact(trace, secrets=Secrets()))

        def keep_part(trace: Trace) -> None:
            writer.add_part(redact(trace, secrets=Secrets()))

        def recorder_for(board: Board) -> Recorder:
            return TraceRecorder(board.name, board.role, suite.name, keep, keep_part)

        yield recorder_for


def code_of(suite: Path) -> str:
    """What identifies the suite's text."""
    from hashlib import blake2b

    try:
        return blake2b(suite.read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


__all__ = ["Data", "TraceRecorder", "arguments_of", "as_value", "effect_of", "outcome_of", "recorders"]
