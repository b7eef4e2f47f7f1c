"""Play the cases of a corpus on a candidate, each in a world of its own, and judge the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Protocol

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.aws import AwsStage, UncheckedSide
from likewise.cloud.fuzz.corpus.azure import AzureStage
from likewise.cloud.fuzz.corpus.cases import (
    Agrees,
    Case,
    Differs,
    NotComparable,
    Step,
    Verdict,
    judge,
)
from likewise.cloud.fuzz.corpus.excuses import coincidence, excuse, is_read
from likewise.cloud.fuzz.corpus.methods import PublicMethods
from likewise.cloud.fuzz.corpus.recording import record
from likewise.cloud.fuzz.corpus.stage import Stage
from likewise.cloud.fuzz.corpus.traffic import Traffic, check_traffic
from likewise.cloud.fuzz.corpus.values import Unplayable
from likewise.cloud.fuzz.sides.azure import AzureSide
from likewise.cloud.targets import SERVICES, Running

TIMEOUT = 20.0
MakeStage = Callable[[Case], Stage]
_UNFIT = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What parameters of strange types make an SDK or a stage raise."""


class Counted(Protocol):
    """Whatever counts the requests that it sends."""

    @property
    def sent(self) -> int:
        """Requests so far."""
        ...


class Player:
    """Plays cases on the targets that the user named, each on the first that has its service."""

    def __init__(self, running: Iterable[Running], *, timeout: float = TIMEOUT) -> None:
        self._running = tuple(running)
        self._timeout = timeout
        self._makers: dict[str, MakeStage | None] = {}
        self._counted: list[Counted] = []

    @property
    def sent(self) -> int:
        """Requests that left for the targets."""
        return sum(each.sent for each in self._counted)

    def verdicts(self, entries: Iterable[Case | Traffic]) -> Iterator[Verdict]:
        """One verdict a case, in order; recorded traffic has one for each of its calls."""
        for entry in entries:
            if isinstance(entry, Traffic):
                yield from check_traffic(entry, self._by_service())
            else:
                yield self.verdict(entry)

    def record(self, case: Case) -> Case | NotComparable:
        """Play one case for its answers; see `likewise.cloud.fuzz.corpus.recording`."""
        maker = self._maker(case.service)
        if maker is None or not case.steps:
            return NotComparable(case=case.id, reason=f"the reference has no {case.service}")
        return record(maker(case), reference=", ".join(str(each.target) for each in self._running))

    def _by_service(self) -> dict[str, Running]:
        return {
            service: running
            for running in reversed(self._running)
            for service in SERVICES
            if running.endpoint(service) is not None or running.real
        }

    def is_alive(self) -> bool:
        """Whether every target can still be called."""
        return all(running.is_alive() for running in self._running)

    def verdict(self, case: Case) -> Verdict:
        """Play one case."""
        if case.unreadable:
            return NotComparable(case=case.id, reason=f"the file has no case there: {case.unreadable}")
        if case.recorded.success is None:
            return NotComparable(case=case.id, reason="the file does not say what the reference answered")
        if not case.steps:
            return NotComparable(case=case.id, reason="the file has no calls for it")
        if not case.service:
            return NotComparable(case=case.id, reason="the file names no service for it")
        maker = self._maker(case.service)
        if maker is None:
            return NotComparable(case=case.id, reason=f"the candidate has no {case.service}")
        try:
            stage = maker(case)
        except _UNFIT as error:
            return NotComparable(case=case.id, reason=_unfit(error))
        try:
            return play(stage)
        except _UNFIT as error:  # no case may end the others
            return NotComparable(case=case.id, reason=_unfit(error))
        finally:
            with suppress(Unplayable, *_UNFIT):
                stage.clean()

    def _maker(self, service: str) -> MakeStage | None:
        if service not in self._makers:
            self._makers[service] = self._make(service)
        return self._makers[service]

    def _make(self, service: str) -> MakeStage | None:
        for running in self._running:
            if running.endpoint(service) is None and not running.real:
                continue
            if service in ("s3", "dynamodb"):
                side = UncheckedSide(running, service, timeout=self._timeout)
                self._counted.append(side)
                return lambda case: AwsStage(side, case)
            if service in ("blob", "queue", "table"):
                azure = AzureSide(running, service, timeout=self._timeout)
                methods = PublicMethods(running, service, timeout=self._timeout)
                self._counted += [azure, methods]
                return lambda case: AzureStage(azure, methods, case)
        return None


def _unfit(error: Exception) -> str:
    return f"it cannot be played as it is written ({type(error).__name__}: {str(error)[:200]})"


def play(stage: Stage) -> Verdict:
    """Play the steps of a case and judge the answer to the last."""
    case = stage.case
    for number, step in enumerate(case.steps, start=1):
        is_last = number == len(case.steps)
        try:
            answer = stage.send(step, is_last=is_last)
        except Unplayable as error:
            if not is_last and _changed_nothing(step):
                stage.answers.append(Answer(success=False, refused=str(error)))
                continue
            where = "" if is_last else f"call {number} ({step.operation}): "
            return NotComparable(case=case.id, reason=f"{where}{error}")
        stage.answers.append(answer)
        if not is_last and (trouble := _trouble(step, answer)):
            reason = f"call {number} ({step.operation}) {trouble}"
            return NotComparable(case=case.id, reason=reason, is_silent=bool(answer.silence))
    return _judged(stage)


def _judged(stage: Stage) -> Verdict:
    case, answer = stage.case, stage.answers[-1]
    if answer.refused:
        return NotComparable(case=case.id, reason=f"the SDK did not send it: {answer.refused}")
    if answer.silence:
        silence = f"the candidate gave no answer ({answer.silence})"
        return NotComparable(case=case.id, reason=silence, is_silent=True)
    found = judge(case, answer, texts=stage.texts)
    reason = excuse(stage, answer) if isinstance(found, Differs) else coincidence(stage, answer)
    return found if reason is None else NotComparable(case=case.id, reason=reason)


def _changed_nothing(step: Step) -> bool:
    """Whether a step left the reference as it was, so that the state is the same without it."""
    return is_read(step) or (step.recorded is not None and step.recorded.success is False)


def _trouble(step: Step, answer: Answer) -> str | None:
    """Why the state after a step is not the recorded one; None where nothing speaks against it."""
    if answer.silence:
        return f"got no answer from the candidate ({answer.silence})"
    if is_read(step):
        return None  # nothing was changed by it on either side
    if answer.refused:
        return f"was not sent by the SDK: {answer.refused}"
    if step.recorded is not None and step.recorded.success is not None:
        said = step.recorded
        if said.success != answer.success:
            return (
                f"already went another way, so the states differ: the reference says {said.summary()}, "
                f"the candidate {answer.summary()}"
            )
    return None


__all__ = ["Agrees", "Differs", "NotComparable", "Player", "play"]
