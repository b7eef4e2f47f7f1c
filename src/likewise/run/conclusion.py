"""The loop: decide with the ledger, prove on the reference what has to be, say where every test stands."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from likewise.canonical import fingerprint, masked_sequence
from likewise.decide import Discrepant, Rules, judge, judge_combined, judge_operations, place
from likewise.decide.context import Standing as CallStanding
from likewise.model import (
    AnswersDiffer,
    Attempt,
    Audit,
    AuditBound,
    BudgetReached,
    CredentialsMissing,
    Decided,
    Discrepancy,
    Flaky,
    Interaction,
    LikewiseError,
    Notice,
    Operation,
    Origin,
    Progress,
    Recording,
    ReferenceResultKnown,
    ReplayImpossible,
    Rerun,
    Result,
    Role,
    RunFinished,
    SequenceSeen,
    Settled,
    Spending,
    Spot,
    Standing,
    Target,
    TargetUnavailable,
    TestReport,
    Trust,
    UnseenSequence,
    Verdict,
    Wavers,
    Withdrawal,
)
from likewise.run.findings import compare_evidence, compare_replay, compare_whole
from likewise.run.memory import Known, Memory
from likewise.run.meter import Meter
from likewise.run.ports import Emit, Ledger, Replayer, Rerunner, Slice
from likewise.run.reading import Reading
from likewise.run.wavering import calls_waver, results_waver


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to decide. Times are seconds since the epoch; `price` gives a call's list price in dollars."""

    policy: str
    reference: Target
    now: float
    not_before: float
    discrepant: Discrepant
    price: Callable[[Operation], float]
    both: bool = False
    audit_share: float = 0.0
    audit_budget: int = 0
    seed: int = 0


@dataclass(slots=True)
class _Case:
    """A test on its way to its standing."""

    test: str
    reading: Reading
    verdict: Verdict
    standing: Standing | None = None
    reference: Result | None = None
    reference_calls: int = 0
    discrepancies: list[Discrepancy] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.standing is None and isinstance(self.verdict, Rerun)


class Conclusion:
    """Concludes one run. Without a replayer and a rerunner it decides from the ledger alone."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        settings: Settings,
        meter: Meter,
        emit: Emit,
        replayer: Replayer | None = None,
        rerunner: Rerunner | None = None,
    ) -> None:
        self._settings = settings
        self._rules = Rules(reference=str(settings.reference), not_before=settings.not_before)
        self._memory = Memory(ledger, reference=settings.reference, rules=self._rules)
        self._ledger = ledger
        self._meter = meter
        self._emit = emit
        self._replayer = replayer
        self._rerunner = rerunner
        self._cases: dict[str, _Case] = {}

    def conclude(self, recording: Recording) -> RunFinished:
        """Decide on every test of a recording; nothing established on the way is lost when it stops."""
        self._recording = recording
        self._run = recording.provenance.run
        self._ledger.add_run(recording.provenance)
        self._memory.learn(recording)
        self._note_attempts(recording, target="candidate")
        self._known = self._memory.look_up(recording)
        self._decide()
        if self._rerunner is not None:
            self._prove()
        if self._replayer is not None:
            self._audit()
        return self._finish()

    def _decide(self) -> None:
        for test, readings in self._known.readings.by_test.items():
            reading = readings[-1]
            verdict = self._verdict(reading, [attempt.trace.result for attempt in readings])
            self._cases[test] = _Case(test=test, reading=reading, verdict=verdict)
            self._emit(Decided(test=test, verdict=verdict, calls=len(reading.calls)))

    def _verdict(self, reading: Reading, results: Sequence[Result]) -> Verdict:
        if wavers := results_waver(results):
            return Flaky(reason=wavers)
        verdict = self._by_policy(reading)
        if isinstance(verdict, Rerun) and not self._settings.both:
            return self._remembered(reading) or verdict
        return verdict

    def _by_policy(self, reading: Reading) -> Verdict:
        if self._settings.policy == "context":
            return judge(reading.trace, reading.calls, self._known.answers, self._rules)
        operations = {str(call.operation) for call in reading.calls}
        if self._settings.policy == "api":
            return judge_operations(operations, self._settings.discrepant)
        sequence = self._sequence_verdict(reading)
        if self._settings.policy == "sequence":
            return sequence
        verdict = judge_combined(operations, self._settings.discrepant, (), None)
        return verdict if isinstance(verdict, Trust) else sequence

    def _sequence_verdict(self, reading: Reading) -> Verdict:
        shape = _shape(reading)
        attempts = self._ledger.attempts(reading.trace.test)
        proved = {attempt.run for attempt in attempts if attempt.role == Role.REFERENCE}
        for attempt in attempts:
            validated = attempt.role == Role.CANDIDATE and attempt.run in proved
            if validated and attempt.shape == shape and attempt.when >= self._rules.not_before:
                return Trust(reason=SequenceSeen(sequence=shape))
        return Rerun(reason=UnseenSequence(first_new=0), whole=True)

    def _remembered(self, reading: Reading) -> Trust | None:
        """The reference's own result for this very code, where it is known and fresh."""
        code = self._recording.provenance.code
        if not code or reading.trace.unclear:
            return None
        known = [
            attempt
            for attempt in self._ledger.attempts(reading.trace.test)
            if attempt.role == Role.REFERENCE
            and attempt.target == self._rules.reference
            and attempt.code == code
            and attempt.when >= self._rules.not_before
        ]
        if not known or len({attempt.result for attempt in known}) > 1:
            return None
        newest = max(known, key=lambda attempt: attempt.when)
        return Trust(reason=ReferenceResultKnown(result=Result(newest.result), when=newest.when))

    def _prove(self) -> None:
        try:
            self._repeat_on_candidate()
            self._replay_all()
            self._rerun_on_reference()
        except BudgetReached as error:
            self._emit(Notice(slug=error.slug, text=str(error)))
        except (TargetUnavailable, CredentialsMissing) as error:
            self._emit(Notice(slug=error.slug, text=str(error)))

    def _repeat_on_candidate(self) -> None:
        """Run once more what is undecided and seen once only, to tell what varies from what does not."""
        code = self._recording.provenance.code
        once = [case.test for case in self._open() if self._memory.repeats(case.test, code) < 2]
        if not once or self._settings.policy != "context":
            return
        self._emit(Progress(phase="repeat on the candidate", done=0, total=len(once)))
        assert self._rerunner is not None
        second = self._rerunner.rerun(once, role=Role.CANDIDATE)
        self._memory.learn(second)
        self._note_attempts(second, target="candidate")
        self._known = self._memory.look_up(self._recording)
        again = self._memory.look_up(second).readings.by_test
        for test in once:
            case = self._cases[test]
            case.reading = self._known.readings.last(test)
            if test not in again:
                case.notes.append("did not run when repeated on the candidate")
                continue
            case.verdict = self._verdict(
                case.reading, [case.reading.trace.result, again[test][-1].trace.result]
            )
            if wavers := calls_waver(case.reading, again[test][-1]):
                case.notes.append(f"wavers: {wavers.what}")

    def _replay_all(self) -> None:
        if self._replayer is None or self._settings.both:
            return
        waiting = [case for case in self._open() if _replayable(case.verdict)]
        for done, case in enumerate(waiting):
            self._emit(
                Progress(phase="replay on the reference", done=done, total=len(waiting), detail=case.test)
            )
            self._replay(case)

    def _replay(self, case: _Case) -> None:
        verdict = self._by_policy(case.reading)  # an earlier replay may have settled this test too
        if isinstance(verdict, Trust):
            case.standing = Standing.PROVED
            return
        assert isinstance(verdict, Rerun)
        try:
            answered = self._ask(case, verdict.replay)
        except ReplayImpossible as error:
            case.notes.append(f"not replayed call by call: {error.what}")
            return
        found = compare_replay(case.reading, self._known.familiarity, answered)
        if found:
            # What comes after the first difference may follow from it, so it proves nothing.
            first = found[0].position
            answered = {spot: call for spot, call in answered.items() if spot <= (case.reading.place, first)}
        self._keep(case.reading, Origin.SLICE, answered)
        case.discrepancies += found
        if not found:
            case.standing = Standing.PROVED
            self._refresh_answers(case.reading)

    def _ask(self, case: _Case, positions: Sequence[int]) -> dict[Spot, Interaction]:
        spots = case.reading.slice(positions)
        if len(spots) >= len(case.reading.calls) + 1 and not self._meter.affords(len(spots)):
            raise ReplayImpossible("the whole test is cheaper")
        calls = tuple(case.reading.world[number].interactions[position] for number, position in spots)
        assert self._replayer is not None
        before = self._meter.calls
        try:
            replayed = self._replayer.replay(Slice(test=case.test, calls=calls))
        finally:
            case.reference_calls += self._meter.calls - before
        return dict(zip(spots, replayed.calls, strict=True))

    def _rerun_on_reference(self) -> None:
        chosen = self._affordable()
        if not chosen:
            return
        self._emit(Progress(phase="rerun on the reference", done=0, total=len(chosen)))
        assert self._rerunner is not None
        recording = self._rerunner.rerun([case.test for case in chosen], role=Role.REFERENCE)
        self._note_attempts(recording, target=self._rules.reference)
        for trace in recording.traces:
            for call in trace.interactions:
                self._meter.count(call.operation)
                self._meter.seconds += call.ended - call.started
        readings = self._memory.look_up(recording).readings
        for case in chosen:
            if case.test in readings.by_test:
                self._settle_whole(case, readings.by_test[case.test])
            else:
                case.notes.append("did not run on the reference")

    def _affordable(self) -> list[_Case]:
        """The tests that still need a whole run, as far as the budget goes."""
        wanted = list(self._cases.values()) if self._settings.both else self._open()
        chosen: list[_Case] = []
        planned = 0
        for case in wanted:
            if not self._meter.affords(planned + len(case.reading.calls)):
                case.notes.append("the budget of reference calls is used up")
                continue
            planned += len(case.reading.calls)
            chosen.append(case)
        if len(chosen) < len(wanted):
            self._emit(
                Notice(
                    slug=BudgetReached.slug,
                    text=f"{len(wanted) - len(chosen)} tests were not run on the reference: the budget of "
                    f"{self._meter.budget} calls leaves {self._meter.left}. Raise it with budget = … or "
                    "--likewise-budget, or run again: what was proved is kept.",
                )
            )
        return chosen

    def _settle_whole(self, case: _Case, attempts: Sequence[Reading]) -> None:
        reading = attempts[-1]
        case.reference = reading.trace.result
        case.reference_calls += sum(len(attempt.calls) for attempt in attempts)
        if reading.trace.unclear:
            case.notes += reading.trace.unclear
            return
        self._keep(reading, Origin.WHOLE, None)
        found = compare_whole(case.reading, reading, self._known.familiarity)
        case.discrepancies += [new for new in found if new not in case.discrepancies]
        differs = case.reference is not case.reading.trace.result
        if differs and not case.discrepancies and _same_calls(case.reading, reading):
            case.verdict = Flaky(
                reason=Wavers(
                    what=f"every answer is equal on both sides, yet {case.reading.trace.result} on the "
                    f"candidate and {case.reference} on the reference"
                )
            )
            return
        case.standing = Standing.DISCREPANT if differs or case.discrepancies else Standing.PROVED

    def _keep(self, reading: Reading, origin: Origin, answered: dict[Spot, Interaction] | None) -> None:
        self._memory.keep(
            reading, self._known, origin=origin, run=self._run, when=self._settings.now, answered=answered
        )

    def _refresh_answers(self, reading: Reading) -> None:
        keys = {call.key for chain in reading.chains for call in chain}
        self._known = Known(
            readings=self._known.readings,
            answers={**self._known.answers, **self._ledger.answers(keys)},
            familiarity=self._known.familiarity,
            ambiguous=self._known.ambiguous,
        )

    def _audit(self) -> None:
        """Prove a seeded share of the skipped calls again."""
        skipped = [
            (case, call)
            for case in self._cases.values()
            if case.standing is None and isinstance(case.verdict, Trust)
            for call in case.reading.calls
            if place(call, self._known.answers, self._rules) is CallStanding.EQUAL and not call.timed
        ]
        wanted = min(self._settings.audit_budget, round(len(skipped) * self._settings.audit_share + 0.5))
        if not skipped or wanted <= 0:
            return
        chooser = random.Random(f"{self._settings.seed} {self._run}")
        for case, call in chooser.sample(skipped, min(wanted, len(skipped))):
            try:
                answered = self._ask(case, [call.position])
            except ReplayImpossible:
                continue
            except LikewiseError as error:
                self._emit(Notice(slug=error.slug, text=f"Audits stopped: {error}"))
                return
            self._judge_audit(case, call.key, str(call.operation), answered)

    def _judge_audit(self, case: _Case, key: str, operation: str, answered: dict[Spot, Interaction]) -> None:
        found = compare_replay(case.reading, self._known.familiarity, answered)
        when = self._settings.now
        self._ledger.add_audits(
            [Audit(key=key, operation=operation, clean=not found, run=self._run, when=when)]
        )
        if found:
            for call in case.reading.calls:
                if str(call.operation) == operation:
                    self._ledger.withdraw(
                        Withdrawal(key=call.key, reason=f"an audit of {operation} failed", when=when)
                    )
            case.discrepancies += found
            case.standing = Standing.DISCREPANT
            case.notes.append(f"an audit contradicted the ledger: {found[0].explain()}")

    def _finish(self) -> RunFinished:
        leftovers = self._replayer.clean_up() if self._replayer is not None else ()
        for case in self._cases.values():
            self._explain_known_differences(case)
        reports = tuple(self._report(case) for case in self._cases.values())
        for report in reports:
            self._emit(Settled(report=report))
        self._ledger.add_discrepancies(
            self._run, [found for report in reports for found in report.discrepancies]
        )
        spending = self._spending()
        self._ledger.add_spending(spending)
        clean, failed = self._ledger.audit_counts()
        finished = RunFinished(
            run=self._run,
            spending=spending,
            tests=reports,
            audits=AuditBound(clean=clean, failed=failed),
            leftovers=leftovers,
        )
        self._emit(finished)
        return finished

    def _explain_known_differences(self, case: _Case) -> None:
        """A difference that the ledger already knows is a finding without any call."""
        if case.discrepancies or not isinstance(case.verdict, Rerun):
            return
        if not isinstance(case.verdict.reason, AnswersDiffer):
            return
        call = case.reading.calls[case.verdict.reason.first]
        for answer in self._known.answers.get(call.key, ()):
            for identity, evidence in self._ledger.evidence([answer.test]):
                if identity == answer.evidence:
                    case.discrepancies += compare_evidence(
                        case.reading, call.position, evidence, answer.position, self._known.familiarity
                    )
                    return

    def _report(self, case: _Case) -> TestReport:
        standing = case.standing or _standing(case)
        reference = case.reference
        if reference is None and isinstance(case.verdict, Trust):
            reason = case.verdict.reason
            reference = reason.result if isinstance(reason, ReferenceResultKnown) else None
        return TestReport(
            test=case.test,
            standing=standing,
            verdict=case.verdict,
            candidate=case.reading.trace.result,
            reference=reference,
            calls=len(case.reading.calls),
            reference_calls=case.reference_calls,
            saved=max(0, len(case.reading.calls) - case.reference_calls),
            discrepancies=tuple(case.discrepancies),
            notes=tuple(case.notes),
        )

    def _spending(self) -> Spending:
        price = self._settings.price
        calls = [call for trace in self._recording.traces for call in trace.interactions]
        return Spending(
            run=self._run,
            when=self._settings.now,
            policy=self._settings.policy,
            tests=len(self._cases),
            calls=len(calls),
            reference_calls=self._meter.calls,
            seconds=sum(call.ended - call.started for call in calls),
            reference_seconds=self._meter.seconds,
            money=sum(price(call.operation) for call in calls),
            reference_money=sum(price(name) * count for name, count in self._meter.by_operation.items()),
            by_operation={str(name): count for name, count in self._meter.by_operation.items()},
        )

    def _note_attempts(self, recording: Recording, *, target: str) -> None:
        self._ledger.add_attempts(
            Attempt(
                test=trace.test,
                run=self._run,
                target=target,
                role=trace.role,
                attempt=trace.attempt,
                result=trace.result,
                shape=fingerprint(masked_sequence(trace)),
                code=self._recording.provenance.code,
                when=self._settings.now,
            )
            for trace in recording.traces
            if trace.test
        )

    def _open(self) -> list[_Case]:
        return [case for case in self._cases.values() if case.is_open]


def _replayable(verdict: Verdict) -> bool:
    return isinstance(verdict, Rerun) and bool(verdict.replay) and not verdict.whole


def _shape(reading: Reading) -> str:
    return fingerprint(masked_sequence(reading.trace))


def _same_calls(candidate: Reading, reference: Reading) -> bool:
    return {call.key for call in candidate.calls} == {call.key for call in reference.calls}


def _standing(case: _Case) -> Standing:
    match case.verdict:
        case Trust():
            return Standing.TRUSTED
        case Flaky():
            return Standing.FLAKY
        case Rerun(reason=AnswersDiffer()):
            return Standing.DISCREPANT
        case Rerun():
            return Standing.UNDECIDED
