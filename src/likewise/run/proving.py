"""Ask the reference: repeat on the candidate first, then replay calls, then run whole tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from likewise.decide import close_slice
from likewise.model import (
    BudgetReached,
    CredentialsMissing,
    Difference,
    Discrepancy,
    Fingerprint,
    FixtureInDoubt,
    Flaky,
    Notice,
    Origin,
    Progress,
    Recording,
    ReplayImpossible,
    Rerun,
    Role,
    Spot,
    Standing,
    TargetUnavailable,
    Trust,
    Wavers,
)
from likewise.run.cases import Case, is_settled_by_replay
from likewise.run.docket import OVER_BUDGET, Docket, size_of
from likewise.run.findings import Answered, Pair, compare_replay, compare_wholes, split
from likewise.run.memory import Known
from likewise.run.outlay import Outlay
from likewise.run.ports import Slice
from likewise.run.reading import Reading
from likewise.run.wavering import answers_waver, calls_waver, refusals_waver, requests_waver


class Prover:
    """Settles the open cases of one run as cheaply as it can; `known` grows meanwhile."""

    def __init__(self, docket: Docket, known: Known) -> None:
        self.known = known
        self._docket = docket
        self._outlay = Outlay(plain=docket.recording.calls, meter=docket.meter)
        self._still = 0
        """What the tests that are open while worlds are replayed would take."""
        self._repeated = 0
        """How often tests were repeated on the candidate."""
        self._has_news = False
        """Whether the ledger got evidence since this run was keyed under all that is known."""

    def prove(self) -> None:
        """Settle what can be settled; what stops it is said, and nothing established is lost."""
        try:
            is_context = self._docket.settings.policy == "context"
            # By other policies, too, answers may count: then there are calls that are open, and not the test.
            self._repeat_on_candidate([case for case in self._open() if is_context or _unknown(case)])
            if is_context:
                self._replay_worlds(self._open())
            self._rerun_on_reference()
            if is_context:
                self._complete()
        except (BudgetReached, TargetUnavailable, CredentialsMissing) as error:
            self._docket.emit(Notice(slug=error.slug, text=str(error)))

    def _open(self) -> list[Case]:
        return [case for case in self._docket.cases.values() if case.is_open]

    def doubt_differences(self) -> None:
        """Before answers are said to differ, see whether the candidate itself gives others when repeated."""
        if self._docket.settings.policy == "context":
            self._repeat_on_candidate([case for case in self._open() if case.differs])

    def _repeat_on_candidate(self, cases: Sequence[Case]) -> None:
        """Run once more what is undecided and seen once only, to tell what varies from what does not.

        First those that set up a fixture which is in doubt, without those that have it from them: these
        would set it up in their stead.
        """
        doubts = {case.test: case.verdict.reason for case in cases if isinstance(case.verdict, Rerun)}
        fixtures = [doubt for doubt in doubts.values() if isinstance(doubt, FixtureInDoubt)]
        lenders = [each.test for each in fixtures if self._is_seen_once(each.test, set(each.operations))]
        if lenders:
            self._repeat([*dict.fromkeys(lenders)])
            for case in cases:
                results = [case.reading.trace.result]
                case.verdict = self._docket.judge.verdict(case.reading, results, self.known)
        once = [
            case.test
            for case in cases
            if case.is_open and self._is_seen_once(case.test, _unknown(case) or _called(case))
        ]
        if once:
            self._repeat(once)

    def _is_seen_once(self, test: str, operations: AbstractSet[str]) -> bool:
        """Whether fewer than two runs of a test's code have called these operations."""
        code = self._docket.recording.provenance.code_of(test)
        return test in self._docket.cases and self._docket.memory.repeats(test, code, operations) < 2

    def _repeat(self, tests: Sequence[str]) -> None:
        self._docket.emit(Progress(phase="repeat on the candidate", done=0, total=len(tests)))
        running = self._docket.with_founders(self._docket.cases[test] for test in tests)
        second = self._docket.rerunner.rerun([case.test for case in running], role=Role.CANDIDATE)
        self._docket.memory.learn(
            second, repeat=f" repeated {self._repeated}" if self._repeated else " repeated"
        )
        self._repeated += 1
        self._docket.accounts.note_attempts(second)
        self._has_news = True
        self._read_again()
        again = self._docket.memory.look_up(second).readings.by_test
        for test in tests:
            self._judge_again(self._docket.cases[test], again.get(test, []))

    def _judge_again(self, case: Case, repeated: Sequence[Reading]) -> None:
        if not repeated:
            case.notes.append("did not run when repeated on the candidate")
            return
        results = [case.reading.trace.result, *(each.trace.result for each in repeated)]
        case.verdict = self._docket.judge.verdict(case.reading, results, self.known)
        case.wavering = answers_waver(case.reading, repeated[-1])
        case.refusing = refusals_waver(case.reading, repeated[-1])
        case.unsteady = requests_waver(case.reading, repeated[-1])
        if _borrow(case.reading, repeated[-1]):
            return  # what one of them had from an earlier test the other set up by itself
        if wavers := calls_waver(case.reading, repeated[-1]):
            case.notes.append(f"wavers: {wavers.what}")

    def _replay_worlds(self, wanted: Iterable[Case]) -> None:
        if self._docket.replayer is None or self._docket.settings.both:
            return
        worlds: dict[int, list[Case]] = {}
        self._still = self._due()
        for case in wanted:
            if case.is_replayable:
                worlds.setdefault(id(case.reading.world), []).append(case)
        for done, cases in enumerate(worlds.values()):
            self._docket.emit(
                Progress(phase="replay on the reference", done=done, total=len(worlds), detail=cases[0].test)
            )
            self._replay_world(cases)

    def _replay_world(self, cases: list[Case]) -> None:
        """Replay what several tests of one world need together; in parts where that is too much at once."""
        spots = self._plan(cases)
        if not self._outlay.pays(len(spots), whole=size_of(cases), still=self._still):
            if half := len(cases) // 2:
                self._replay_world(cases[:half])
                self._replay_world(cases[half:])
            return
        try:
            if spots:
                self._settle_replayed(cases, self.ask(cases[0], spots))
        except ReplayImpossible as error:
            if len(cases) > 1:
                for case in cases:
                    self._replay_world([case])
            else:
                cases[0].notes.append(f"not replayed call by call: {error.what}")
            return
        self._close_known(cases)

    def _close_known(self, cases: Iterable[Case]) -> None:
        """Cases whose every answer is known by now, and equal, are proved."""
        for case in cases:
            is_known = isinstance(self._docket.judge.by_policy(case.reading, self.known), Trust)
            if is_known and case.standing is None:
                case.standing = Standing.PROVED
        self._still = self._due()

    def _due(self) -> int:
        """What the tests that are open would take as whole ones."""
        return size_of(self._docket.with_founders(self._open()))

    def _complete(self) -> None:
        """Replay what whole runs could not prove: the state they met there was not that of this run."""
        if self._docket.replayer is None or self._docket.settings.both:
            return
        self._read_again()
        worlds: dict[int, list[Case]] = {}
        for case in self._docket.cases.values():
            if case.standing is Standing.PROVED and is_settled_by_replay(
                self._docket.judge.by_policy(case.reading, self.known)
            ):
                worlds.setdefault(id(case.reading.world), []).append(case)
        for cases in worlds.values():
            self._replay_rest(cases)

    def _replay_rest(self, cases: list[Case]) -> None:
        spots = self._plan(cases)
        # More than these tests' own calls is too much for what may never be asked about again.
        is_dear = len(spots) > size_of(cases) or not self._outlay.leaves(len(spots))
        if not spots or is_dear or not self._docket.meter.affords(len(spots)):
            return
        try:
            self._settle_replayed(cases, self.ask(cases[0], spots))
        except ReplayImpossible:
            return  # the whole test is proved; it will be asked about again when its code changes
        for case in cases:
            if case.discrepancies:
                case.standing = Standing.DISCREPANT

    def _plan(self, cases: Iterable[Case]) -> tuple[Spot, ...]:
        """The calls to repeat: each unknown key once, and what it depends on."""
        planned: set[Spot] = set()
        keys: set[Fingerprint] = set()
        for case in cases:
            verdict = self._docket.judge.by_policy(case.reading, self.known)
            if not isinstance(verdict, Rerun):
                continue
            for position in verdict.replay:
                if case.reading.calls[position].key not in keys:
                    more = close_slice(case.reading.keyed, [(case.reading.place, position)])
                    planned.update(more)
                    keys.update(case.reading.keyed[place][at].key for place, at in more)
        return tuple(sorted(planned))

    def ask(self, case: Case, spots: Sequence[Spot]) -> Answered:
        """The reference's answers to some calls of a world."""
        assert self._docket.replayer is not None
        calls = tuple(case.reading.world[place].interactions[position] for place, position in spots)
        before = self._docket.meter.calls
        try:
            replayed = self._docket.replayer.replay(Slice(test=case.test, calls=calls))
        finally:
            case.reference_calls += self._docket.meter.calls - before
        return dict(zip(spots, replayed.calls, strict=True))

    def _settle_replayed(self, cases: list[Case], answered: Answered) -> None:
        last = max(cases, key=lambda case: case.reading.place).reading
        differing = compare_replay(
            last.so_far, last.keyed, self.known.familiarity, answered, self._docket.settings.overlooks
        )
        self._outlay.note_answers(differed=bool(differing.found))
        sound = {spot: call for spot, call in answered.items() if spot not in differing.tainted}
        for case in cases:
            case.find(differing.of(case.reading.place))
            case.overlook(
                each
                for spot, several in differing.overlooked.items()
                if spot[0] == case.reading.place
                for each in several
            )
            self._keep(case.reading, Origin.SLICE, _up_to(sound, case.reading.place))
        keys = {call.key for case in cases for chain in case.reading.chains for call in chain}
        self.known = self.known.with_answers(self._docket.memory.ledger.answers(keys))

    def _rerun_on_reference(self) -> None:
        """Run whole tests: first those that ask most, then the others if replaying the rest did not do."""
        if self._docket.settings.both:
            self._rerun(list(self._docket.cases.values()))
            return
        waiting = self._open()
        for is_replaying in (True, False):
            asking, waiting = self._spread(waiting, is_replaying=is_replaying)
            self._rerun(asking)
            if not waiting:
                return
            self._read_again()
            self._close_known(waiting)
            if is_replaying:
                self._replay_worlds([case for case in waiting if case.is_open])
            waiting = [case for case in waiting if case.is_open]
        self._rerun(waiting)

    def _spread(self, cases: Iterable[Case], *, is_replaying: bool) -> tuple[list[Case], list[Case]]:
        """Tests to run now, and those of which nothing, or little to replay, is left once these have run."""
        asking: list[Case] = []
        waiting: list[Case] = []
        asked: set[Fingerprint] = set()
        for case in cases:
            rest = self._rest(case, asked)
            is_little = rest is not None and (
                not rest
                or (is_replaying and self._outlay.is_cheaper(len(rest), whole=len(case.reading.calls)))
            )
            if is_little or self._waits_for_fixture(case):
                waiting.append(case)
                asked.update(case.reading.keyed[place][at].key for place, at in rest or ())
            else:
                asking.append(case)
                asked.update(call.key for call in case.reading.calls if not call.racy)
        return asking, waiting

    def _rest(self, case: Case, asked: AbstractSet[Fingerprint]) -> tuple[Spot, ...] | None:
        """What to replay of a test beside that which is `asked`; None where a replay would not do."""
        verdict = self._docket.judge.by_policy(case.reading, self.known)
        if not (isinstance(verdict, Rerun) and is_settled_by_replay(verdict) and case.is_replayable):
            return None
        calls = case.reading.calls
        return case.reading.slice(position for position in verdict.replay if calls[position].key not in asked)

    def _waits_for_fixture(self, case: Case) -> bool:
        """Whether all that is open about a test is what a fixture from an earlier one was answered."""
        if not case.reading.trace.borrowed:
            return False
        verdict = self._docket.judge.by_policy(case.reading, self.known)
        return isinstance(verdict, Rerun) and isinstance(verdict.reason, FixtureInDoubt) and not verdict.whole

    def _read_again(self) -> None:
        """Key this run under all that is known by now, where that is more than before."""
        if not self._has_news:
            return
        self._has_news = False
        self.known = self._docket.memory.look_up(self._docket.recording)
        for case in self._docket.cases.values():
            case.reading = self.known.readings.last(case.test)

    def _rerun(self, wanted: Sequence[Case]) -> None:
        chosen = self._docket.affordable(wanted)
        if chosen:
            self._run_whole(chosen)
            self._confirm([case for case in chosen if case.is_unexplained])

    def _confirm(self, unexplained: Iterable[Case]) -> None:
        """Run once more what ended otherwise though no answer differs: that may have been an accident."""
        first = [(case, case.reference) for case in self._docket.within_budget(unexplained)]
        if first:
            self._run_whole([case for case, _ in first])
        for case, before in first:
            if case.reference is not before:
                case.standing = None
                case.verdict = Flaky(reason=Wavers(what=f"{before}, then {case.reference} on the reference"))

    def _run_whole(self, chosen: Sequence[Case]) -> None:
        """Run tests on the reference after those that they build on.

        Where they did not find there what they found here, once more after all that these build on in turn.
        """
        running = self._docket.with_founders(chosen)
        short = self._run_after(chosen, running)
        if not short:
            return
        running = self._docket.with_founders(short, all_below=True)
        if self._docket.meter.affords(size_of(running)):
            self._run_after(short, running)
        else:
            for case in short:
                case.notes.append(OVER_BUDGET)

    def _run_after(self, chosen: Sequence[Case], running: Sequence[Case]) -> list[Case]:
        """Settle these tests, but for those that did not build there on what they build on here."""
        self._docket.emit(Progress(phase="rerun on the reference", done=0, total=len(running)))
        recording = self._docket.rerunner.rerun([case.test for case in running], role=Role.REFERENCE)
        for trace in recording.traces:
            for call in trace.interactions:
                self._docket.meter.count(call.operation)
                self._docket.meter.seconds += call.ended - call.started
        known = self._docket.memory.look_up(recording)
        attempts = {case.test: known.readings.by_test.get(case.test, []) for case in running}
        alike = self._note(recording, running, attempts)
        settled = [
            case
            for case in running
            if case.test in alike and (case in chosen or _ended_otherwise(case, attempts))
        ]
        found = compare_wholes(
            [
                Pair(candidate=case.reading, reference=attempts[case.test][-1])
                for case in settled
                if _are_whole(case.reading, attempts[case.test][-1])
            ],
            known.familiarity,
        )
        for case in settled:
            self._settle_whole(case, attempts[case.test], found.get(case.test, []))
        for case in chosen:
            if not attempts[case.test]:
                case.notes.append("did not run on the reference")
        return [case for case in chosen if attempts[case.test] and case.test not in alike]

    def _note(
        self, recording: Recording, running: Sequence[Case], attempts: Mapping[str, Sequence[Reading]]
    ) -> set[str]:
        """Keep what was seen on the reference; the tests that built there on what they build on here.

        So does whatever was run after all that it could build on.
        """
        ran = {case.test for case in running}
        found: dict[str, Reading] = {}
        for case in running:
            for reading in attempts[case.test][-1:]:
                below = {each.test for each in self._docket.with_founders([case], all_below=True)}
                found[case.test] = case.reading if below <= ran else reading
                if not reading.trace.doubts:
                    self._keep(reading, Origin.WHOLE, None)
        upon = self._docket.accounts.code_upon
        self._docket.accounts.note_attempts(recording, found)
        here = {case.test: upon(case.reading) for case in running}
        return {test for test, reading in found.items() if upon(reading) == here[test]}

    def _settle_whole(
        self, case: Case, attempts: Sequence[Reading], differences: Iterable[Discrepancy]
    ) -> None:
        reading = attempts[-1]
        case.reference = reading.trace.result
        case.reference_calls += sum(len(attempt.calls) for attempt in attempts)
        if reading.trace.unclear:
            case.notes += reading.trace.unclear
            return
        differs = case.reference is not case.reading.trace.result
        for found in differences:
            if not differs and self._may_vary(case.test, found):
                continue
            call = case.reading.trace.interactions[found.position]
            seen, hidden = split([found], call, self._docket.settings.overlooks)
            case.find(seen)
            case.overlook(hidden)
        self._find_untouched(case, reading)
        if differs:
            case.quote(reading.trace.failure)
            case.notes += case.reading.trace.unclear  # the reason may be there, and not the candidate's
        is_whole = _are_whole(case.reading, reading)
        is_explained = bool(case.discrepancies) or _borrow(case.reading, reading)
        if differs and is_whole and not is_explained and _same_calls(case.reading, reading):
            what = (
                f"every answer is equal on both sides, yet {case.reading.trace.result} on the candidate "
                f"and {case.reference} on the reference"
            )
            case.verdict = Flaky(reason=Wavers(what=what))
            return
        case.standing = Standing.DISCREPANT if differs or case.discrepancies else Standing.PROVED

    def _may_vary(self, test: str, found: Discrepancy) -> bool:
        """Whether a value differs of which nobody has seen what it is when the same is done again.

        Such as what a fixture is told that another test has set up so far. It is no difference as long as the
        test ends alike.
        """
        return found.difference is Difference.VALUE and self._is_seen_once(test, {str(found.operation)})

    def _find_untouched(self, case: Case, reference: Reading) -> None:
        """Known differences in calls that the whole run did not repeat: by itself it saw another world."""
        repeated = {call.key for call in reference.calls}
        for position, found in self._docket.judge.differences(case.reading, self.known).items():
            if case.reading.calls[position].key not in repeated:
                call = case.reading.trace.interactions[position]
                case.find(split(found, call, self._docket.settings.overlooks)[0])

    def _keep(self, reading: Reading, origin: Origin, answered: Answered | None) -> None:
        self._has_news = True
        self._docket.memory.keep(
            reading,
            self.known,
            origin=origin,
            run=self._docket.recording.provenance.run,
            when=self._docket.settings.now,
            answered=answered,
        )


def _unknown(case: Case) -> set[str]:
    """The operations of the calls of a test that are open."""
    positions = case.verdict.replay if isinstance(case.verdict, Rerun) else ()
    return {str(case.reading.calls[position].operation) for position in positions}


def _called(case: Case) -> set[str]:
    """The operations of all calls of a test: what one that is in doubt as a whole is compared by."""
    return {str(call.operation) for call in case.reading.calls}


def _borrow(*readings: Reading) -> bool:
    """Whether one of these has something from an earlier test, so that its own calls do not say all."""
    return any(reading.trace.borrowed for reading in readings)


def _ended_otherwise(case: Case, attempts: Mapping[str, Sequence[Reading]]) -> bool:
    return attempts[case.test][-1].trace.result is not case.reading.trace.result


def _up_to(answered: Answered, place: int) -> Answered:
    return {spot: call for spot, call in answered.items() if spot[0] <= place}


def _are_whole(candidate: Reading, reference: Reading) -> bool:
    """Calls among which others are missing, or that are another's, say nothing; the result does."""
    return not candidate.trace.unseen and not reference.trace.unseen


def _same_calls(candidate: Reading, reference: Reading) -> bool:
    return {call.key for call in candidate.calls} == {call.key for call in reference.calls}
