"""The loop: decide with the ledger, prove on the reference what has to be, say where every test stands."""

from __future__ import annotations

from likewise.decide import Rules
from likewise.model import (
    AuditBound,
    BudgetReached,
    Decided,
    Discrepancy,
    Notice,
    Recording,
    RunFinished,
    Settled,
    Standing,
)
from likewise.model.heap import growing_heap
from likewise.run.accounts import Accounts, candidate_of
from likewise.run.auditing import audit
from likewise.run.cases import Case, Settings
from likewise.run.contradictions import Contradictions
from likewise.run.docket import Docket
from likewise.run.findings import split
from likewise.run.judging import Judge
from likewise.run.memory import Known, Memory
from likewise.run.meter import Meter
from likewise.run.ports import Emit, Ledger, Replayer, Rerunner
from likewise.run.proving import Prover


class Conclusion:
    """Concludes one run. Without a rerunner and a replayer it decides from the ledger alone.

    Where the reference must not be asked, a rerunner still tells what wavers on the candidate.
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        settings: Settings,
        meter: Meter,
        emit: Emit,
        replayer: Replayer | None = None,
        rerunner: Rerunner | None = None,
        asks: bool = True,
    ) -> None:
        self._ledger = ledger
        self._settings = settings
        self._meter = meter
        self._emit = emit
        self._replayer = replayer
        self._rerunner = rerunner
        self._asks = asks
        self._rules = Rules(reference=str(settings.reference), not_before=settings.not_before)

    def conclude(self, recording: Recording) -> RunFinished:
        """Decide on every test of a recording; whatever is established on the way is kept at once."""
        self._ledger.add_run(recording.provenance)
        accounts = Accounts(ledger=self._ledger, recording=recording, settings=self._settings)
        memory = Memory(
            self._ledger,
            reference=self._settings.reference,
            rules=self._rules,
            cursors=self._settings.cursors,
        )
        judge = Judge(
            ledger=self._ledger,
            settings=self._settings,
            rules=self._rules,
            code_of=recording.provenance.code_of,
            contradictions=self._contradictions(recording),
        )
        with growing_heap():
            memory.learn(recording)
            accounts.note_attempts(recording)
            known = memory.look_up(recording)
            cases = self._decide(known, judge)
        leftovers: tuple[str, ...] = ()
        if self._rerunner is not None:
            docket = Docket(
                recording=recording,
                cases=cases,
                memory=memory,
                judge=judge,
                settings=self._settings,
                meter=self._meter,
                accounts=accounts,
                emit=self._emit,
                rerunner=self._rerunner,
                replayer=self._replayer,
            )
            prover = Prover(docket, known)
            try:
                if self._asks:
                    leftovers = self._prove(prover, cases, run=recording.provenance.run)
                else:
                    prover.doubt_differences()
            except BaseException:  # an interrupt too: what was spent goes on the books
                accounts.close(self._meter, [case.report() for case in cases.values()])
                raise
            known = prover.known
        for case in cases.values():
            self._add_known_differences(case, judge.differences(case.reading, known))
        return self._finish(cases, accounts, leftovers, run=recording.provenance.run)

    def _contradictions(self, recording: Recording) -> Contradictions:
        """What of these tests' results no answer has explained; read before this run's own are noted."""
        candidate = candidate_of(recording.provenance)
        found = Contradictions(ledger=self._ledger, rules=self._rules, candidate=candidate)
        found.recall({trace.test for trace in recording.traces if trace.test})
        return found

    def _decide(self, known: Known, judge: Judge) -> dict[str, Case]:
        cases: dict[str, Case] = {}
        for test, attempts in known.readings.by_test.items():
            reading = attempts[-1]
            results = [attempt.trace.result for attempt in attempts]
            verdict = judge.verdict(reading, results, known)
            cases[test] = Case(test=test, reading=reading, verdict=verdict)
            self._emit(Decided(test=test, verdict=verdict, calls=len(reading.calls)))
        return cases

    def _prove(self, prover: Prover, cases: dict[str, Case], *, run: str) -> tuple[str, ...]:
        try:
            prover.prove()
            if self._replayer is not None:
                audit(
                    cases.values(),
                    prover=prover,
                    ledger=self._ledger,
                    rules=self._rules,
                    settings=self._settings,
                    run=run,
                    emit=self._emit,
                )
        finally:
            leftovers = self._replayer.clean_up() if self._replayer is not None else ()
            self._mention_excess()
        return leftovers

    def _mention_excess(self) -> None:
        meter = self._meter
        if meter.excess and meter.cleaning:
            text = (
                f"Cleaning up on the reference took {meter.cleaning} of {meter.calls} calls, so that "
                f"{meter.excess} more were made than the budget of {meter.budget} allows: what was created "
                "there is deleted whatever the budget says."
            )
            self._emit(Notice(slug=BudgetReached.slug, text=text))

    def _add_known_differences(self, case: Case, known: dict[int, list[Discrepancy]]) -> None:
        """A difference that the ledger already knows is a finding without any call.

        Unless the test was proved meanwhile: then the reference said otherwise just now.
        """
        for position, found in known.items():
            call = case.reading.trace.interactions[position]
            seen, hidden = split(found, call, self._settings.overlooks)
            if case.standing is not Standing.PROVED:
                case.find(seen)
            case.overlook(hidden)

    def _finish(
        self, cases: dict[str, Case], accounts: Accounts, leftovers: tuple[str, ...], *, run: str
    ) -> RunFinished:
        reports = tuple(case.report() for case in cases.values())
        for report in reports:
            self._emit(Settled(report=report))
        self._ledger.add_discrepancies(run, [each for report in reports for each in report.discrepancies])
        clean, failed = self._ledger.audit_counts()
        finished = RunFinished(
            run=run,
            spending=accounts.close(self._meter, reports),
            tests=reports,
            audits=AuditBound(clean=clean, failed=failed),
            leftovers=leftovers,
        )
        self._emit(finished)
        return finished
