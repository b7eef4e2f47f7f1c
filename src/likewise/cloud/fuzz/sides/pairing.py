"""Both sides at once: a case in two threads, and contexts that are left standing for a while."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.sides.execution import Case, Context, Lane, Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The contexts of both sides, left as they are so that more can be asked of them later."""

    reference: Context
    candidate: Context


class Pair:
    """Both sides, each in a thread of its own while a case runs."""

    def __init__(self, reference: Lane, candidate: Lane) -> None:
        self.reference, self.candidate = reference, candidate
        self.cases = 0
        """Cases that were run: an age that does not depend on any clock."""
        self._standing: list[Standing] = []
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="likewise-candidate")

    def do(self, case: Case, *, anew: bool = True) -> list[tuple[Seen, Seen]]:
        """Both sides' answers, probe by probe, as far as both got; `anew` from scratch on fresh names."""
        self.cases += 1
        theirs: Future[list[Seen]] = self._pool.submit(self.candidate.do, case, anew=anew)
        try:
            ours = self.reference.do(case, anew=anew)
        finally:
            candidate = theirs.result()
        both = list(zip(ours, candidate, strict=False))
        if any(left.answers[0].success != right.answers[0].success for left, right in both):
            self.reference.drop(case.setup)
            self.candidate.drop(case.setup)
        return both

    def begin(self, case: Case) -> Standing:
        """The set-up and the only probe of a case, if any, left standing; Exhausted where the budget ends."""
        theirs = self._pool.submit(self.candidate.begin, case)
        try:
            ours = self.reference.begin(case)
        except BaseException:
            self._pool.submit(self.candidate.end, theirs.result()).result()
            raise
        standing = Standing(reference=ours, candidate=theirs.result())
        self._standing.append(standing)
        return standing

    def again(self, call: Call, standing: Standing) -> tuple[Answer, Answer]:
        """Both sides' answers to one more call."""
        theirs = self._pool.submit(self.candidate.again, call, standing.candidate)
        try:
            ours = self.reference.again(call, standing.reference)
        finally:
            candidate = theirs.result()
        return ours, candidate

    def release(self) -> None:
        """What was set aside for one standing context may be used now."""
        self.reference.release()
        self.candidate.release()

    def end(self, standing: Standing) -> None:
        """Nothing more is asked of a standing context."""
        self._standing.remove(standing)
        theirs = self._pool.submit(self.candidate.end, standing.candidate)
        self.reference.end(standing.reference)
        theirs.result()

    def close(self) -> None:
        """End the thread, after whatever still stands."""
        for standing in tuple(self._standing):
            self.release()
            self.end(standing)
        self._pool.shutdown(wait=True)
