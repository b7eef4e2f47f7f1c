"""Results that equal answers do not explain: something else tells the sides apart, or the test is flaky."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from likewise.decide import Rules
from likewise.model import Attempt, Role
from likewise.run.ports import Ledger


class Contradictions:
    """How tests ended on the reference where they ended otherwise on the candidate in the same run.

    Only the last run with both counts, and only one on this very candidate: another version may have come
    to agree. `recall` reads what is known of many tests at once.
    """

    def __init__(self, *, ledger: Ledger, rules: Rules, candidate: str) -> None:
        self._ledger, self._rules, self._candidate = ledger, rules, candidate
        self._found: Mapping[str, Attempt] = {}

    def recall(self, tests: Iterable[str]) -> None:
        """Read the ledger for these tests."""
        known = self._ledger.attempts_by_test(tests)
        self._found = {test: last for test, several in known.items() if (last := self._last(several))}

    def of(self, test: str, result: str) -> Attempt | None:
        """How a test ended on the reference, if that is not how it ends here and nothing has settled it."""
        found = self._found.get(test)
        return found if found is not None and found.result != result else None

    def _last(self, attempts: Iterable[Attempt]) -> Attempt | None:
        last: Attempt | None = None
        results: dict[str, set[str]] = {}
        for attempt in attempts:  # oldest first
            if attempt.role == Role.CANDIDATE and attempt.target == self._candidate:
                results.setdefault(attempt.run, set()).add(attempt.result)
            elif attempt.role == Role.REFERENCE and attempt.target == self._rules.reference:
                last = attempt
        if last is None or last.when < self._rules.not_before:
            return None
        on_candidate = results.get(last.run, set())
        return last if on_candidate and last.result not in on_candidate else None
