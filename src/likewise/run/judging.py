"""The first verdict on a test, by the policy that the user chose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from likewise.decide import Rules, judge, judge_operations
from likewise.model import (
    Attempt,
    Discrepancy,
    Flaky,
    ReferenceResultKnown,
    Rerun,
    Result,
    ResultsDiffered,
    Role,
    SequenceSeen,
    Trust,
    Unclear,
    UnseenSequence,
    Verdict,
)
from likewise.run.borrowing import doubt, lent_calls
from likewise.run.cases import Settings
from likewise.run.contradictions import Contradictions, shape_of
from likewise.run.differences import Differences
from likewise.run.foundations import code_upon, foundation
from likewise.run.memory import Known
from likewise.run.ports import Ledger
from likewise.run.reading import Reading
from likewise.run.wavering import results_waver


def _doubts(reading: Reading) -> tuple[str, ...]:
    """Why what a test did, or what it built on, is not fully known."""
    if reading.trace.doubts:
        return reading.trace.doubts
    before = next((trace.test for trace in reading.so_far if trace.blurs), None)
    if before is None:
        return ()
    return (f"{before or 'what came before all tests'} made calls to the same state that are in no trace",)


class Judge:
    """Gives verdicts from the ledger alone."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        settings: Settings,
        rules: Rules,
        code_of: Callable[[str], str],
        contradictions: Contradictions,
    ) -> None:
        self._ledger = ledger
        self._contradictions = contradictions
        self._differences = Differences(ledger=ledger, rules=rules, overlooks=settings.overlooks)
        self._settings = settings
        self._rules = rules
        self._code_of = code_of

    def verdict(self, reading: Reading, results: Sequence[Result], known: Known) -> Verdict:
        """Decide on a test, given how its attempts on this code ended."""
        if wavers := results_waver(results):
            return Flaky(reason=wavers)
        verdict = self.by_policy(reading, known)
        is_open = isinstance(verdict, Rerun) and not isinstance(verdict.reason, ResultsDiffered)
        if is_open and not self._settings.both:
            return self._remembered(reading) or verdict
        return verdict

    def differences(self, reading: Reading, known: Known) -> dict[int, list[Discrepancy]]:
        """What the ledger already knows the reference to answer differently, call by call.

        A call that raced with another says nothing: what its answer should have been is not certain. Nor
        do calls among which others are missing.
        """
        if reading.trace.unseen:
            return {}
        found = self._differences.of(reading, known)
        return {position: each for position, each in found.items() if not reading.calls[position].racy}

    def by_policy(self, reading: Reading, known: Known) -> Trust | Rerun:
        """What the policy says, whatever the attempts did, unless the reference has shown otherwise."""
        verdict = self._by_policy(reading, known)
        if isinstance(verdict, Rerun) or isinstance(verdict.reason, SequenceSeen):
            return verdict
        there = self._contradictions.of(reading.trace)
        if there is None:
            return verdict
        return Rerun(reason=ResultsDiffered(result=Result(there.result), when=there.when), whole=True)

    def _by_policy(self, reading: Reading, known: Known) -> Trust | Rerun:
        if why := _doubts(reading):
            return Rerun(reason=Unclear(why=why), whole=True)
        if self._settings.policy == "context":
            return self._by_context(reading, known)
        if self._settings.policy == "sequence":
            return self._by_sequence(reading, known)
        discrepant = self._settings.discrepant
        operations = {
            str(call.operation)
            for call in (*reading.trace.interactions, *lent_calls(reading, known))
            if not discrepant.excuses(call)
        }
        verdict = judge_operations(operations, self._settings.discrepant)
        if isinstance(verdict, Trust) or self._settings.policy == "api":
            return verdict
        return self._by_sequence(reading, known)

    def _by_context(self, reading: Reading, known: Known) -> Trust | Rerun:
        """Whether every answer is known and equal, or differs only where the test never looked."""
        verdict = judge(reading.trace, reading.calls, known.answers, self._rules)
        if isinstance(verdict, Rerun):
            overlooked = self._differences.overlooked(reading, known)
            verdict = judge(reading.trace, reading.calls, known.answers, self._rules, overlooked=overlooked)
        if isinstance(verdict, Rerun) or not reading.trace.borrowed:
            return verdict
        doubted = doubt(reading, known, rules=self._rules)
        return verdict if doubted is None else Rerun(reason=doubted, whole=doubted.differs)

    def _by_sequence(self, reading: Reading, known: Known) -> Trust | Rerun:
        """Whether an earlier run did exactly this and ended on the reference as this one did here.

        Other code may ask more of the same answers, and the same code may build on something else: then it is
        these that count.
        """
        shape, code = shape_of(reading.trace), self._code_upon(reading)
        attempts = self._ledger.attempts(reading.trace.test)
        runs = self._validated(attempts, reading.trace.result)
        same = [
            attempt
            for attempt in attempts
            if attempt.role == Role.CANDIDATE
            and attempt.run in runs
            and attempt.shape == shape
            and attempt.result == reading.trace.result
        ]
        if not same:
            return Rerun(reason=UnseenSequence(first_new=0), whole=True)
        alike = {each.run for each in attempts if each.role == Role.REFERENCE and each.code == code}
        if any(attempt.run in alike for attempt in same):
            return Trust(reason=SequenceSeen(sequence=shape))
        return self._by_context(reading, known)

    def _code_upon(self, reading: Reading) -> str:
        code = self._code_of(reading.trace.test)
        return code_upon(code, reading.world, foundation(reading)) if code else code

    def _validated(self, attempts: Sequence[Attempt], result: Result) -> set[str]:
        """The runs in which every attempt on the reference ended so, while that still counts."""
        on_reference = [
            attempt
            for attempt in attempts
            if attempt.role == Role.REFERENCE
            and attempt.target == self._rules.reference
            and attempt.when >= self._rules.not_before
        ]
        otherwise = {attempt.run for attempt in on_reference if attempt.result != result}
        return {attempt.run for attempt in on_reference} - otherwise

    def _remembered(self, reading: Reading) -> Trust | None:
        """The reference's own result for this very code, where it is known, fresh and always the same.

        And where the test built on the same of earlier ones: by itself it may end otherwise.
        What it was before an audit contradicted an answer that the test builds on says nothing any more.
        """
        test = reading.trace.test
        code = self._code_upon(reading)
        if not code or reading.trace.unclear:
            return None
        known = [
            attempt
            for attempt in self._ledger.attempts(test)
            if attempt.role == Role.REFERENCE
            and attempt.target == self._rules.reference
            and attempt.code == code
            and attempt.when >= self._rules.not_before
        ]
        if known:  # on most new code nothing is, and the ledger need not be asked for more
            ends = self._ledger.withdrawals([call.key for call in reading.calls]).values()
            known = [attempt for attempt in known if all(attempt.when > end.when for end in ends)]
        if not known or len({attempt.result for attempt in known}) > 1:
            return None
        newest = max(known, key=lambda attempt: attempt.when)
        return Trust(
            reason=ReferenceResultKnown(
                result=Result(newest.result), when=newest.when, failure=newest.failure
            )
        )
