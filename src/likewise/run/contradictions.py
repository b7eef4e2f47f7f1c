"""Results that equal answers do not explain: something else tells the sides apart, or the test is flaky."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from likewise.canonical import fingerprint, masked_sequence
from likewise.decide import Rules
from likewise.model import Attempt, Fingerprint, Role, Trace
from likewise.run.ports import Ledger

_DEEDS = "\x1f"
"""Begins what a test is known by that is known by what it does: no test is called that. By itself it says
that there are such."""


def shape_of(trace: Trace) -> Fingerprint:
    """The fingerprint of a trace's whole masked sequence."""
    return fingerprint(masked_sequence(trace))


def by_deeds(attempt: Attempt, trace: Trace | None = None) -> Attempt:
    """An attempt under what the test did; its name, which may be another one some day, is in its code.

    Without the trace it stands for all that are known so.
    """
    shape = (attempt.shape or shape_of(trace)) if trace else ""
    return Attempt(
        test=_DEEDS + shape,
        run=attempt.run,
        target=attempt.target,
        role=attempt.role,
        attempt=attempt.attempt,
        result=attempt.result,
        shape=shape,
        code=attempt.test,
        when=attempt.when,
    )


class Contradictions:
    """How tests ended on the reference where they ended otherwise on the candidate in the same run.

    Only the last run with both counts, and only one on this very candidate: another version may have come
    to agree. `recall` reads what is known of many tests at once. A test that is new may have had another
    name: what is known of one that did the same and is not there any more counts for it.
    """

    def __init__(self, *, ledger: Ledger, rules: Rules, candidate: str) -> None:
        self._ledger, self._rules, self._candidate = ledger, rules, candidate
        self._found: dict[str, Attempt] = {}
        self._present: set[str] = set()
        self._new: set[str] = set()
        """The tests that are new and that nobody has asked for."""

    def recall(self, tests: Iterable[str]) -> None:
        """Read the ledger for these tests."""
        self._present = set(tests)
        known = self._ledger.attempts_by_test({*self._present, _DEEDS})
        # Where no test was ever known by what it did, none needs to be looked up by it.
        self._new = self._present.difference(known) if known.pop(_DEEDS, None) else set()
        self._found = self._all(known)

    def of(self, trace: Trace) -> Attempt | None:
        """How a test ended on the reference, if that is not how it ends here and nothing has settled it."""
        test = trace.test
        if test in self._new:
            self._new.remove(test)
            if renamed := self._under_another_name(trace):
                self._found[test] = renamed
        found = self._found.get(test)
        return found if found is not None and found.result != trace.result else None

    def _under_another_name(self, trace: Trace) -> Attempt | None:
        alike = self._ledger.attempts(_DEEDS + shape_of(trace))
        gone = {attempt.code for attempt in alike} - self._present
        return next(iter(self._all(self._ledger.attempts_by_test(gone)).values()), None) if gone else None

    def _all(self, known: Mapping[str, Iterable[Attempt]]) -> dict[str, Attempt]:
        return {test: last for test, several in known.items() if (last := self._last(several))}

    def _last(self, attempts: Iterable[Attempt]) -> Attempt | None:
        there: list[Attempt] = []
        results: dict[str, set[str]] = {}
        for attempt in attempts:  # oldest first
            if attempt.role == Role.CANDIDATE and attempt.target == self._candidate:
                results.setdefault(attempt.run, set()).add(attempt.result)
            elif attempt.role == Role.REFERENCE and attempt.target == self._rules.reference:
                there = [*(each for each in there if each.run == attempt.run), attempt]
        if not there or there[-1].when < self._rules.not_before:
            return None
        on_candidate = results.get(there[-1].run, set())
        otherwise = (attempt for attempt in there if on_candidate and attempt.result not in on_candidate)
        return next(otherwise, None)
