"""Recorded traffic as a corpus: every call, repeated on a candidate and compared with what was recorded."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.cases import Case, NotComparable, Recorded, Step, Verdict, judge
from likewise.cloud.replay import HttpReplayer
from likewise.cloud.targets import Running
from likewise.model import (
    Interaction,
    Lost,
    Outcome,
    Raised,
    ReplayImpossible,
    Returned,
    TargetUnavailable,
    TimedOut,
    Trace,
)
from likewise.run import Meter, Slice


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What one test did to the real service."""

    id: str
    trace: Trace

    @property
    def services(self) -> frozenset[str]:
        """What it called."""
        return frozenset(call.operation.service for call in self.trace.interactions)

    def case_id(self, position: int) -> str:
        """What one of its calls is called."""
        return f"{self.id}#{position + 1}:{self.trace.interactions[position].operation}"


class _Nothing:
    """Nobody has to remember what is made on an emulator that is emptied or named afresh."""

    def remember_created(self, run: str, target: str, resource: str, hint: str = "") -> None: ...

    def forget_created(self, target: str, resource: str) -> None: ...


def check_traffic(traffic: Traffic, running: Mapping[str, Running]) -> Iterator[Verdict]:
    """One verdict a call; after a call that changed the states differently, nothing can be compared."""
    calls = tuple(traffic.trace.interactions)
    if missing := sorted(traffic.services - running.keys()):
        reason = f"the candidate has no {', '.join(missing)}"
        yield from (NotComparable(case=traffic.case_id(each), reason=reason) for each in range(len(calls)))
        return
    replayer = HttpReplayer(
        running=running, meter=Meter(), created=_Nothing(), run=f"corpus-{os.getpid()}-{id(traffic)}"
    )
    try:
        replayed: Sequence[Interaction] = replayer.replay(Slice(test=traffic.id, calls=calls)).calls
    except (ReplayImpossible, TargetUnavailable) as error:
        yield from (
            NotComparable(case=traffic.case_id(each), reason=str(error)) for each in range(len(calls))
        )
        return
    finally:
        replayer.clean_up()
    yield from _compared(traffic, replayed)


def _compared(traffic: Traffic, replayed: Sequence[Interaction]) -> Iterator[Verdict]:
    spoilt = ""
    for position, (recorded, answered) in enumerate(zip(traffic.trace.interactions, replayed, strict=True)):
        name = traffic.case_id(position)
        if spoilt:
            yield NotComparable(case=name, reason=f"{spoilt} already went another way, so the states differ")
            continue
        said, answer = _recorded(recorded.outcome), _answer(answered.outcome)
        case = Case(id=name, service=recorded.operation.service, steps=(Step(operation=name),), recorded=said)
        if said.success is None or answer.silence:
            yield NotComparable(case=name, reason=f"no answer ({answer.silence or 'in the recording'})")
            continue
        yield judge(case, answer)
        changed = recorded.is_write or answered.is_write
        if said.success != answer.success and changed:
            spoilt = f"call {position + 1} ({recorded.operation})"


def _recorded(outcome: Outcome) -> Recorded:
    answer = _answer(outcome)
    if answer.silence:
        return Recorded()
    return Recorded(
        ok=answer.success, status=answer.status, code=answer.code or None, message=answer.message or None
    )


def _answer(outcome: Outcome) -> Answer:
    match outcome:
        case Returned(value=value):
            return Answer(success=True, status=_status(value))
        case Raised(kind=kind, message=message, value=value):
            status = _status(value)
            code = "" if kind == str(status) else kind
            return Answer(success=False, status=status, code=code, message=message)
        case TimedOut() | Lost():
            return Answer(success=False, silence=type(outcome).__name__)


def _status(value: object) -> int | None:
    status = value.get("status") if isinstance(value, Mapping) else None
    return status if isinstance(status, int) else None
