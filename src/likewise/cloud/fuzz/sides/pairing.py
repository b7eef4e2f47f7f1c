"""Both sides at once: a case in two threads, and contexts that are left standing for a while."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import TypeVar

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.sides.contexts import Context
from likewise.cloud.fuzz.sides.execution import Case, Exhausted, Lane, Seen
from likewise.cloud.fuzz.sides.turns import Turns

Result = TypeVar("Result")
Other = TypeVar("Other")
Counted = tuple[Result, int, float]
"""What the reference gave, for how many calls, and how many more it may be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The contexts of both sides, left as they are so that more can be asked of them later."""

    reference: Context
    candidate: Context

    @property
    def said(self) -> list[tuple[Answer, Answer]]:
        """Both sides' answers to the reads after the probe, as far as both were asked."""
        return list(zip(self.reference.said, self.candidate.said, strict=False))


@dataclass(slots=True, kw_only=True)
class Shared:
    """What all who use a pair of sides have in common."""

    cases: int = 0
    left: float = inf
    standing: list[Standing] = field(default_factory=list)


class Pair:
    """Both sides, each in a thread of its own, which does one thing after the other in the order asked for.

    Whoever waits for answers lets others have their turn, so that both sides have something to do while
    answers are looked at, and neither waits for the other after each case.
    """

    def __init__(self, reference: Lane, candidate: Lane) -> None:
        self.reference, self.candidate = reference, candidate
        self.turns = Turns()
        self.asked = 0
        """Calls that the reference was sent for who uses this, because they were asked for."""
        self._shared = Shared()
        self._first = ThreadPoolExecutor(max_workers=1, thread_name_prefix="likewise-reference")
        self._second = ThreadPoolExecutor(max_workers=1, thread_name_prefix="likewise-candidate")

    def beside(self) -> Pair:
        """The same sides for somebody else, whose calls are counted apart."""
        other = copy(self)
        other.asked = 0
        return other

    @property
    def cases(self) -> int:
        """Cases that were run: an age that does not depend on any clock."""
        return self._shared.cases

    @property
    def left(self) -> float:
        """Calls that the reference may still be asked, after the last answers that somebody has.

        What is just being asked does not count yet: that would be a matter of chance.
        """
        return self._shared.left

    def remaining(self) -> float:
        """Calls that the reference may still be asked, once everything that was asked for is done."""
        meter = self.reference.meter
        self._shared.left = self._first.submit(lambda: inf if meter is None else meter.free).result()
        return self._shared.left

    def do(self, case: Case, *, anew: bool = True) -> list[tuple[Seen, Seen]]:
        """Both sides' answers, probe by probe, as far as both got; `anew` from scratch on fresh names."""
        self._shared.cases += 1
        ours, theirs = self._both(
            partial(self.reference.do, case, anew=anew), partial(self.candidate.do, case, anew=anew)
        )
        both = list(zip(ours, theirs, strict=False))
        if any(left.answers[0].success != right.answers[0].success for left, right in both):
            self._first.submit(self.reference.drop, both[-1][0].prefix)
            self._second.submit(self.candidate.drop, both[-1][1].prefix)
        return both

    def begin(self, case: Case, pause: float = 0.0) -> Standing:
        """The set-up and the only probe of a case, if any, left standing; Exhausted where the budget ends.

        The reads after it are asked before anybody else has a turn, after a `pause`.
        """
        first, second = self._submit(
            partial(self.reference.begin, case, pause), partial(self.candidate.begin, case, pause)
        )
        try:
            ours = self._taken(first)
        except BaseException:
            self._second.submit(self.candidate.end, second.result()).result()
            raise
        standing = Standing(reference=ours, candidate=second.result())
        self._shared.standing.append(standing)
        return standing

    def again(self, call: Call, standing: Standing) -> tuple[Answer, Answer]:
        """Both sides' answers to one more call."""
        return self._both(
            partial(self.reference.again, call, standing.reference),
            partial(self.candidate.again, call, standing.candidate),
        )

    def hold(self) -> None:
        """Set calls aside for one more question to a standing context."""
        self._first.submit(self.reference.hold)
        self._second.submit(self.candidate.hold)

    def release(self) -> None:
        """What was set aside for one standing context may be used now."""
        self._first.submit(self.reference.release)
        self._second.submit(self.candidate.release)

    def end(self, standing: Standing) -> None:
        """Nothing more is asked of a standing context."""
        self._shared.standing.remove(standing)
        self._both(
            partial(self.reference.end, standing.reference), partial(self.candidate.end, standing.candidate)
        )

    def close(self) -> None:
        """End the threads, after whatever still stands."""
        self.turns.stop()
        for standing in tuple(self._shared.standing):
            self.release()
            self.end(standing)
        self._first.shutdown(wait=True)
        self._second.shutdown(wait=True)

    def _both(self, ours: Callable[[], Result], theirs: Callable[[], Other]) -> tuple[Result, Other]:
        first, second = self._submit(ours, theirs)
        try:
            result = self._taken(first)
        finally:
            other = second.result()
        return result, other

    def _submit(
        self, ours: Callable[[], Result], theirs: Callable[[], Other]
    ) -> tuple[Future[Counted[Result]], Future[Other]]:
        """Something for each side to do; back when everybody else has had a turn."""
        self.turns.check()
        both = self._first.submit(self._counted, ours), self._second.submit(theirs)
        self.turns.pass_on()
        return both

    def _counted(self, work: Callable[[], Result]) -> Counted[Result]:
        before, meter = self.reference.asked, self.reference.meter
        result = work()
        return result, self.reference.asked - before, inf if meter is None else meter.free

    def _taken(self, future: Future[Counted[Result]]) -> Result:
        try:
            result, asked, self._shared.left = future.result()
        except Exhausted:
            self._shared.left = 0
            raise
        self.asked += asked
        return result
