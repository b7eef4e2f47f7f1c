"""Look up and keep what is known: familiarity, answers, evidence, keyed anew where needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain as joined

from likewise.canonical import VERSION, Cursors, Familiarity, World, no_cursors, operations_in, sketch
from likewise.decide import Answers, Rules, known_since
from likewise.model import (
    Answer,
    Evidence,
    Fingerprint,
    Keyed,
    Origin,
    Provenance,
    Recording,
    Sketch,
    Target,
    Trace,
)
from likewise.run.familiarities import Familiarities
from likewise.run.findings import Answered, with_answers
from likewise.run.ports import Ledger
from likewise.run.reading import Chains, Reading, Readings, prune, read_world, worlds_of
from likewise.run.sharing import read_worlds

LOOK_BACK = 32
"""So many runs of a test are looked through for what it called before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A recording keyed, and the answers that the ledger has for its keys."""

    readings: Readings
    answers: Answers
    familiarity: Mapping[str, Familiarity]
    ambiguous: frozenset[Fingerprint]
    disputed: Mapping[Fingerprint, Fingerprint]
    """Keys that the reference answered otherwise than the candidate, with its answers."""

    def with_answers(self, more: Answers) -> Known:
        """The same, with what was learned meanwhile."""
        return replace(self, answers={**self.answers, **more})


class Memory:
    """The ledger as the loop uses it."""

    def __init__(
        self, ledger: Ledger, *, reference: Target, rules: Rules, cursors: Cursors = no_cursors
    ) -> None:
        self.ledger = ledger
        self._cursors = cursors
        self._reference = reference
        self._rules = rules
        self._own: dict[str, list[Sketch]] = {}
        self._unsketched: dict[str, list[tuple[Trace, Provenance]]] = {}
        self._unwritten: list[Sketch] = []

    def learn(self, recording: Recording, *, repeat: str = "") -> None:
        """Remember what this run's traces look like; `repeat` tells its repetitions apart."""
        origin = recording.provenance
        for trace in recording.traces:
            if trace.test:
                named = replace(origin, run=f"{origin.run}{repeat}#{trace.attempt}")
                self._unsketched.setdefault(trace.test, []).append((trace, named))

    def familiarity(self, tests: Iterable[str]) -> Familiarities:
        """What is known to vary in each test, this run included."""
        wanted = tuple(dict.fromkeys(tests))
        return Familiarities(wanted, self.ledger.sketches, self._sketched, cursors=self._cursors)

    def _sketched(self, test: str) -> list[Sketch]:
        """This run's sketches of a test, drawn when they are first needed."""
        own = self._own.setdefault(test, [])
        for trace, origin in self._unsketched.pop(test, ()):
            own.append(sketch(trace, run=origin.run, code=origin.code_of(test), when=origin.started))
            self._unwritten.append(own[-1])
        return own

    def _write_sketches(self) -> None:
        self.ledger.add_sketches(self._unwritten)
        self._unwritten = []

    def repeats(self, test: str, code: str, operations: AbstractSet[str]) -> int:
        """How many runs of this very code have been seen of a test that called these operations.

        In some orders of tests, one sets up what another has done so far.
        """
        seen = [*self._sketched(test), *self.ledger.sketches([test]).get(test, [])]
        return len(
            {
                (each.run, each.test)
                for each in seen
                if each.code == code and operations <= operations_in(each)
            }
        )

    def look_up(self, recording: Recording) -> Known:
        """Key a recording and find the answers, widening where the narrow key is ambiguous.

        Where calls are unknown, this run's own traces are learned from as well, and the evidence of
        their tests is keyed anew: what varies may be known better now than when it was kept.
        """
        worlds = worlds_of(recording.traces)
        familiarity = self.familiarity(trace.test for trace in recording.traces)
        ambiguous: frozenset[Fingerprint] = frozenset()
        disputed: dict[Fingerprint, Fingerprint] = {}
        ahead = _Ahead(self.ledger)
        found = read_worlds(worlds, familiarity, ahead.heed)
        readings, given = Readings(found), ahead.answers()
        refreshed: set[str] = set()
        while True:
            answers = {key: _without_repetition(several) for key, several in given.items()}
            stale = self._unsettled(readings, answers) - refreshed
            doubled = frozenset(key for key, several in answers.items() if self._is_ambiguous(several))
            doubtful = doubled - ambiguous
            news = {} if stale or doubtful else self._contested(readings, answers, disputed)
            if not (stale or doubtful or news):
                self._write_sketches()
                return Known(
                    readings=readings,
                    answers=answers,
                    familiarity=familiarity,
                    ambiguous=ambiguous,
                    disputed=disputed,
                )
            disputed |= news
            again = stale | readings.using(doubtful | news.keys())
            evidence = stale | {answer.test for key in doubtful | news.keys() for answer in answers[key]}
            familiarity.learn_from_this_run(stale)
            self._refresh(evidence, ambiguous | doubtful, disputed)
            ambiguous |= self._still_ambiguous(doubtful)
            refreshed |= stale
            found = [
                read_world(traces, familiarity, ambiguous=ambiguous, disputed=disputed)
                if any(trace.test in again for trace in traces)
                else before
                for traces, before in zip(worlds, found, strict=True)
            ]
            readings = Readings(found)
            given = self.ledger.answers(readings.keys())

    def keep(
        self,
        reading: Reading,
        known: Known,
        *,
        origin: Origin,
        run: str,
        when: float,
        answered: Answered | None = None,
    ) -> None:
        """Store a test's calls as evidence.

        `answered` gives the reference's interactions by where they stand in the test's world; without
        it the whole trace is the reference's own.
        """
        proved = _proved(reading, answered)
        if not proved:
            return
        traces = prune(replace(reading, world=with_answers(reading.so_far, answered or {})))
        evidence = Evidence(
            test=reading.trace.test,
            run=run,
            origin=origin,
            reference=self._reference,
            when=when,
            traces=traces,
            proved=proved,
            canonical_version=VERSION,
        )
        rows = index_rows(evidence, known.familiarity, known.ambiguous, known.disputed)
        self.ledger.add_evidence(evidence, rows)

    def _unsettled(self, readings: Readings, answers: Answers) -> set[str]:
        return {
            test
            for test in readings.by_test
            if known_since(calls := readings.last(test).calls, answers, self._rules) is None
            and any(self._is_open(call, answers) for call in calls)
        }

    def _is_open(self, call: Keyed, answers: Answers) -> bool:
        known = False
        for answer in answers.get(call.key, ()):
            if answer.reference == self._rules.reference:
                if answer.answer != call.answer:
                    return True
                known = True
        return not known

    def _is_ambiguous(self, given: Sequence[Answer]) -> bool:
        return (
            len(given) > 1
            and len({answer.answer for answer in given if answer.reference == self._rules.reference}) > 1
        )

    def _contested(
        self, readings: Readings, answers: Answers, disputed: Mapping[Fingerprint, Fingerprint]
    ) -> dict[Fingerprint, Fingerprint]:
        """Further keys that the reference gave one answer to, and this run got another one for."""
        found: dict[Fingerprint, Fingerprint] = {}
        for test in readings.by_test:
            calls = readings.last(test).calls
            if known_since(calls, answers, self._rules) is not None:
                continue
            for call in calls:
                given = answers.get(call.key, ())
                said = {each.answer for each in given if each.reference == self._rules.reference}
                if len(said) == 1 and call.answer not in said and call.key not in disputed:
                    (found[call.key],) = said
        return found

    def _still_ambiguous(self, keys: frozenset[Fingerprint]) -> frozenset[Fingerprint]:
        """Which of these keys have two answers under what is known to vary by now, and not only before."""
        given = self.ledger.answers(keys) if keys else {}
        return frozenset(key for key, several in given.items() if self._is_ambiguous(several))

    def _refresh(
        self,
        tests: Iterable[str],
        ambiguous: frozenset[Fingerprint],
        disputed: Mapping[Fingerprint, Fingerprint],
    ) -> None:
        found = list(self.ledger.evidence(list(tests)))
        familiarity = self.familiarity(trace.test for _, evidence in found for trace in evidence.traces)
        familiarity.learn_from_this_run(familiarity)
        called: dict[str, set[str]] = {}
        for trace in joined.from_iterable(evidence.traces for _, evidence in found):
            called.setdefault(trace.test, set()).update(str(call.operation) for call in trace.interactions)
        for test, operations in called.items():
            familiarity.look_back(test, operations, partial(self._past_of, test))
        for identity, evidence in found:
            rows = index_rows(evidence, familiarity, ambiguous, disputed)
            self.ledger.reindex(identity, rows, canonical_version=VERSION)

    def _past_of(self, test: str) -> list[Sketch]:
        return self.ledger.sketches([test], per_test=LOOK_BACK).get(test, [])


class _Ahead:
    """Asks the ledger for answers while calls are still being keyed, many at a time."""

    AT_ONCE = 2000

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._asked: set[Fingerprint] = set()
        self._waiting: dict[Fingerprint, None] = {}
        self._answers: dict[Fingerprint, tuple[Answer, ...]] = {}

    def heed(self, chains: Sequence[Chains]) -> None:
        """Ask for the keys of these calls, sooner or later."""
        self._waiting.update({call.key: None for chain in joined.from_iterable(chains) for call in chain})
        if len(self._waiting) >= self.AT_ONCE:
            self._ask()

    def answers(self) -> dict[Fingerprint, tuple[Answer, ...]]:
        """The answers to all that was asked."""
        self._ask()
        return self._answers

    def _ask(self) -> None:
        fresh = [key for key in self._waiting if key not in self._asked]
        self._answers.update(self._ledger.answers(fresh))
        self._asked.update(fresh)
        self._waiting = {}


def _without_repetition(given: Sequence[Answer]) -> Sequence[Answer]:
    """The newest answer, which is the first, may stand for all where they say the same."""
    first = given[0]
    if len(given) > 1 and all(
        answer.answer == first.answer and answer.reference == first.reference for answer in given
    ):
        return (first,)
    return given


def index_rows(
    evidence: Evidence,
    familiarity: Mapping[str, Familiarity],
    ambiguous: frozenset[Fingerprint],
    disputed: Iterable[Fingerprint] = (),
) -> list[Keyed]:
    """Every key under which a piece of evidence is to be found; disputed ones are never all."""
    world = World(familiarity, ambiguous=ambiguous, disputed=dict.fromkeys(disputed, ""))
    for trace in evidence.traces[:-1]:
        world.read(trace)
    proved = set(evidence.proved)
    chains = world.read(evidence.traces[-1])
    return [call for chain in chains for call in chain if call.position in proved]


def _proved(reading: Reading, answered: Answered | None) -> tuple[int, ...]:
    """The calls that evidence may rest on: those that raced with another prove nothing."""
    sound = {call.position for call in reading.calls if not call.racy}
    if answered is None:
        return tuple(sorted(sound))
    return tuple(
        sorted(position for place, position in answered if place == reading.place and position in sound)
    )
