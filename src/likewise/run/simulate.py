"""Replay recorded runs in order and count what each policy would have saved.

In a simulation the recorded answers serve as the reference's.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from likewise.canonical import Cursors, Familiarity, key_world, masked_sequence, no_cursors, sketch
from likewise.decide.published import Discrepant, judge_combined, judge_operations, judge_sequence
from likewise.decide.slices import close_slice
from likewise.model import Fingerprint, Keyed, Recording, Sketch, Spot, Trace, Trust
from likewise.run.foundations import built_on, code_upon

POLICIES = ("context", "api", "sequence", "combined")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCount:
    """What one run would have cost and saved."""

    run: str
    tests: int
    calls: int
    saved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Calls and calls saved, summed."""

    calls: int
    saved: int

    @property
    def share(self) -> float:
        """The saved share of the calls."""
        return self.saved / self.calls if self.calls else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyCount:
    """What a policy would have saved over a history. Totals leave out the first run; `cold` does not."""

    runs: tuple[RunCount, ...]
    tests_only: Total | None = None
    unrepeated: Total | None = None
    """As `cold`, if nothing were repeated on the candidate to learn what varies."""

    @property
    def warm(self) -> Total:
        """The sums without the first run, which only fills the ledger."""
        return _total(self.runs[1:])

    @property
    def cold(self) -> Total:
        """The sums with the first run in."""
        return _total(self.runs)


def _total(runs: Sequence[RunCount]) -> Total:
    return Total(calls=sum(run.calls for run in runs), saved=sum(run.saved for run in runs))


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """A run of which only fingerprints and operations are known."""

    run: str
    sequences: Mapping[str, Sequence[Fingerprint]]
    operations: Mapping[str, Sequence[str]]


def opaque(recording: Recording) -> Opaque:
    """Reduce a recording to what the published policies look at."""
    sequences: dict[str, list[Fingerprint]] = {}
    operations: dict[str, list[str]] = {}
    for trace in recording.traces:
        sequences.setdefault(trace.test, []).extend(masked_sequence(trace))
        operations.setdefault(trace.test, []).extend(str(call.operation) for call in trace.interactions)
    return Opaque(run=recording.provenance.run, sequences=sequences, operations=operations)


def count_published(policy: str, runs: Iterable[Opaque], discrepant: Discrepant) -> PolicyCount:
    """Count as published: a saved test saves all its calls; `sequence` looks at the run before only."""
    counts: list[RunCount] = []
    before: Opaque | None = None
    for run in runs:
        saved = 0
        for test, sequence in run.sequences.items():
            validated = before.sequences.get(test) if before else None
            operations = run.operations.get(test)
            if before is not None and _saves(policy, operations, discrepant, sequence, validated):
                saved += len(sequence)
        calls = sum(map(len, run.sequences.values()))
        counts.append(RunCount(run=run.run, tests=len(run.sequences), calls=calls, saved=saved))
        before = run
    return PolicyCount(runs=tuple(counts))


def _saves(
    policy: str,
    operations: Sequence[str] | None,
    discrepant: Discrepant,
    sequence: Sequence[Fingerprint],
    validated: Sequence[Fingerprint] | None,
) -> bool:
    if policy == "sequence":
        return isinstance(judge_sequence(sequence, validated), Trust)
    if operations is None:  # what the test calls is unknown: it may call anything
        return policy == "combined" and isinstance(judge_sequence(sequence, validated), Trust)
    if policy == "api":
        return isinstance(judge_operations(operations, discrepant), Trust)
    return isinstance(judge_combined(operations, discrepant, sequence, validated), Trust)


@dataclass(slots=True)
class _Past:
    """A run that is over: its traces, what of it the reference was asked, and its calls keyed."""

    worlds: list[list[Trace]]
    proved: set[tuple[int, Spot]] = field(default_factory=set)


class ContextSimulation:
    """Counts what the `context` policy saves, with sliced replay or by whole tests only."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        *,
        sliced: bool,
        repeats: bool,
        cursors: Cursors = no_cursors,
    ) -> None:
        self._cursors = cursors
        self._recordings = recordings
        self._sliced = sliced
        self._repeats = repeats
        self._past: list[_Past] = []
        self._sketches: dict[str, dict[str, Sketch]] = {}
        self._familiarity: dict[str, Familiarity] = {}
        self._is_stale = False
        """Whether something was learned since the evidence was keyed."""
        self._ambiguous: set[Fingerprint] = set()
        self._index: dict[Fingerprint, set[Fingerprint]] = {}
        self._doubled: set[Fingerprint] = set()
        """Keys that got a second answer from the test at hand."""
        self._results: set[tuple[str, str]] = set()
        """Tests that ran on the reference as a whole, each with its code and what it built on there."""

    def runs(self) -> tuple[RunCount, ...]:
        """Count all runs, one after the other."""
        return tuple(self._run(number) for number in range(len(self._recordings)))

    def _run(self, number: int) -> RunCount:
        recording = self._recordings[number]
        code_of = recording.provenance.code_of
        worlds = _worlds(recording)
        self._learn(number)
        keyed = self._key(worlds)
        if self._repeats and self._repeat(number, self._undecided(worlds, keyed)):
            keyed = self._key(worlds)
        past = _Past(worlds=worlds)
        self._past.append(past)
        saved = 0
        for world, traces in enumerate(worlds):
            for place in range(len(traces)):
                saved += self._test(past, world, place, keyed[world], code_of(traces[place].test))
                if self._doubts([keyed[world][place + 1 :], *keyed[world + 1 :]]):
                    keyed = self._key(worlds)
        tests = len({trace.test for trace in recording.traces})
        return RunCount(run=recording.provenance.run, tests=tests, calls=recording.calls, saved=saved)

    def _key(self, worlds: list[list[Trace]]) -> list[list[list[Keyed]]]:
        """Key the evidence, and the calls of a run, under what is known to vary by now."""
        if self._is_stale:
            self._is_stale = False
            self._familiarity = {
                test: Familiarity(known.values(), cursors=self._cursors)
                for test, known in self._sketches.items()
            }
            self._ambiguous = set()
            self._index = self._keyed_anew()
        while found := self._double() - self._ambiguous:
            # Widen until no key is ambiguous that need be.
            self._ambiguous |= found
            self._index = self._keyed_anew()
        return [self._keyed(traces) for traces in worlds]

    def _keyed(self, traces: list[Trace]) -> list[list[Keyed]]:
        return key_world(traces, self._familiarity, ambiguous=self._ambiguous)

    def _double(self) -> set[Fingerprint]:
        return {key for key, answers in self._index.items() if len(answers) > 1}

    def _doubts(self, coming: list[list[list[Keyed]]]) -> bool:
        """Whether the calls to come include one whose key has just got a second answer."""
        doubtful, self._doubled = self._doubled - self._ambiguous, set()
        return bool(doubtful) and any(
            call.key in doubtful for keyed in coming for calls in keyed for call in calls
        )

    def _undecided(self, worlds: list[list[Trace]], keyed: list[list[list[Keyed]]]) -> set[str]:
        return {
            trace.test
            for traces, world in zip(worlds, keyed, strict=True)
            for trace, calls in zip(traces, world, strict=True)
            if self._unknown(calls)
        }

    def _unknown(self, calls: Iterable[Keyed]) -> list[Keyed]:
        return [call for call in calls if self._index.get(call.key, set()) != {call.answer}]

    def _repeat(self, number: int, tests: set[str]) -> bool:
        """Learn what varies as a repetition on the candidate tells it; whether there is anything new.

        A run repeats each undecided test that it sees for the first time on its code. That takes no
        reference call, and the next recorded run of the same code stands for it here.
        """
        code_of = self._recordings[number].provenance.code_of
        wanted = {
            test
            for test in tests
            if sum(known.code == code_of(test) for known in self._sketches[test].values()) < 2
        }
        before = len(wanted)
        for later in range(number + 1, len(self._recordings)):
            recording = self._recordings[later]
            again = {
                trace.test
                for trace in recording.traces
                if trace.test in wanted and recording.provenance.code_of(trace.test) == code_of(trace.test)
            }
            self._learn(later, again)
            wanted -= again
        return len(wanted) < before

    def _test(self, past: _Past, world: int, place: int, keyed: list[list[Keyed]], code: str) -> int:
        calls = keyed[place]
        unknown = self._unknown(calls)
        if not unknown:
            return len(calls)
        traces = past.worlds[world]
        code = code and code_upon(code, traces, built_on(calls, traces, place))
        if (traces[place].test, code) in self._results:
            return len(calls)
        whole = [(place, call.position) for call in calls]
        asked: Sequence[Spot] = whole
        if self._sliced and not any(call.timed or call.racy for call in unknown):
            # What repeats, in the same context with the same answer, need be asked only once.
            once = {(call.key, call.answer): (place, call.position) for call in reversed(unknown)}
            asked = close_slice(keyed, once.values())
        # One replay serves all tests of a world: what an earlier one needed has been repeated already.
        fresh = [spot for spot in asked if (world, spot) not in past.proved]
        if len(fresh) >= len(calls):
            asked = fresh = whole
        if asked is whole and code:
            self._results.add((traces[place].test, code))
        for spot in fresh:
            past.proved.add((world, spot))
            call = keyed[spot[0]][spot[1]]
            answers = self._index.setdefault(call.key, set())
            answers.add(call.answer)
            if len(answers) > 1:
                self._doubled.add(call.key)
        return len(calls) - len(fresh)

    def _learn(self, number: int, tests: Container[str] | None = None) -> None:
        """Remember what the traces of a run look like; who learns from it twice knows no more."""
        origin = self._recordings[number].provenance
        for trace in self._recordings[number].traces:
            if tests is None or trace.test in tests:
                # Names of runs may repeat: two files of the same name, say.
                run, code = f"{number}#{trace.attempt}", origin.code_of(trace.test)
                known = self._sketches.setdefault(trace.test, {})
                if run not in known:
                    known[run] = sketch(trace, run=run, code=code, when=trace.started)
                    self._is_stale = True

    def _keyed_anew(self) -> dict[Fingerprint, set[Fingerprint]]:
        """The evidence by its keys under what is known now."""
        index: dict[Fingerprint, set[Fingerprint]] = {}
        for past in self._past:
            keyed = [self._keyed(traces) for traces in past.worlds]
            for world, (place, position) in past.proved:
                call = keyed[world][place][position]
                index.setdefault(call.key, set()).add(call.answer)
        return index


def _worlds(recording: Recording) -> list[list[Trace]]:
    worlds: dict[str, list[Trace]] = {}
    for trace in recording.traces:
        worlds.setdefault(trace.world, []).append(trace)
    return list(worlds.values())


def count_context(
    recordings: Sequence[Recording], *, cursors: Cursors = no_cursors, unrepeated: bool = True
) -> PolicyCount:
    """What the `context` policy would have saved, with sliced replay and by whole tests alone.

    What it would have saved with nothing repeated on the candidate takes a third of the time: only who
    shows it asks for it (`unrepeated`).
    """
    simulation = partial(ContextSimulation, recordings, cursors=cursors)
    runs = simulation(sliced=True, repeats=True).runs()
    tests = simulation(sliced=False, repeats=True).runs()
    plain = _total(simulation(sliced=True, repeats=False).runs()) if unrepeated else None
    return PolicyCount(runs=runs, tests_only=_total(tests[1:]), unrepeated=plain)
