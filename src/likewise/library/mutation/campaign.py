"""One mutant after another: what the client's tests notice, and what the boundary shows."""

from __future__ import annotations

import hashlib
import json
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from likewise.library.comparison import Side, compare
from likewise.library.mutation.equivalence import default_for, why_equivalent
from likewise.library.mutation.hook import SELECTION, TOO_LATE, VARIABLE
from likewise.library.mutation.operators import EXTREME, NOTHING, Function, Mutation, extreme, mutations
from likewise.library.mutation.reach import Reached, locate, probe, sources
from likewise.library.mutation.witness import VARIABLE as WITNESS
from likewise.library.runs import Finished, Runner, read_run
from likewise.model import LikewiseError, Recording, Result

Say = Callable[[str], None]
Found = tuple[Reached, Function, Mutation]
"""A change that fits a function that is reached."""
HOOK = "likewise.library.mutation.hook"
WATCH = "likewise.library.mutation.witness"
UNSEEN = "the client's own run is the same with it, line by line and value by value"


class CampaignUnusable(LikewiseError):
    """Nothing could be concluded from the mutants of this suite."""

    slug = "campaign-unusable"


class Fate(StrEnum):
    """What became of a mutant."""

    TESTS = "tests"
    """Noticed by the tests; and by the snapshots, or else it says so."""
    SNAPSHOTS = "snapshots"
    """Noticed at the boundary only."""
    MISSED = "missed"
    EQUIVALENT = "equivalent"
    UNUSABLE = "unusable"
    """Could not be put in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change to one function of the library."""

    reached: Reached
    mutation: Mutation
    equivalent: str = ""

    @property
    def name(self) -> str:
        """The mutant for a person."""
        change = self.mutation
        return f"{self.reached.operation} line {change.line}: {change.operator}: {change.about}"

    @property
    def is_extreme(self) -> bool:
        """Whether the whole body is gone."""
        return self.mutation.operator == EXTREME


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What was noticed of a mutant."""

    mutant: Mutant
    by_tests: bool = False
    by_snapshots: bool = False
    is_late: bool = False
    unusable: str = ""

    @property
    def fate(self) -> Fate:
        """The judgement in a word."""
        if self.mutant.equivalent:
            return Fate.EQUIVALENT
        if self.unusable:
            return Fate.UNUSABLE
        if self.by_tests:
            return Fate.TESTS
        return Fate.SNAPSHOTS if self.by_snapshots else Fate.MISSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many mutants of one sort were noticed by whom."""

    mutants: int
    equivalent: int
    unusable: int
    by_tests: int
    by_snapshots: int
    by_tests_only: int

    @property
    def counted(self) -> int:
        """Those that could have been noticed."""
        return self.mutants - self.equivalent - self.unusable


def tally(judgements: Sequence[Judgement]) -> Tally:
    """Count judgements."""
    counted = [each for each in judgements if each.fate not in (Fate.EQUIVALENT, Fate.UNUSABLE)]
    return Tally(
        mutants=len(judgements),
        equivalent=sum(each.fate is Fate.EQUIVALENT for each in judgements),
        unusable=sum(each.fate is Fate.UNUSABLE for each in judgements),
        by_tests=sum(each.by_tests for each in counted),
        by_snapshots=sum(each.by_snapshots for each in counted),
        by_tests_only=sum(each.by_tests and not each.by_snapshots for each in counted),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to change, and how long to wait."""

    extreme: bool = True
    fine: bool = True
    inner: bool = False
    """Functions that only the library itself calls, as well."""
    sample: int | None = None
    """At most so many of each sort, drawn with `seed`."""
    seed: int = 0
    jobs: int = 1
    limit: float | None = None
    """Seconds for a mutant; without it, ten times what the suite takes, and half a minute."""


@dataclass(slots=True)
class Campaign:
    """The mutants of one library for one suite."""

    runner: Runner
    libraries: tuple[str, ...]
    folder: Path
    plan: Plan
    say: Say = lambda line: None
    _baselines: dict[str, Side] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _steady: dict[str, str] | None = None
    """What the client's own code does without any change, where two runs agree on it."""
    _limit: float = 0.0

    def run(self) -> Iterator[Judgement]:
        """Judge every mutant, one after the other as they come in."""
        self.say("looking at what the tests reach")
        places = locate(self.runner.environment, self.libraries)
        started = time.monotonic()
        reached, _ = probe(self.runner, places, self.folder / "reach.json")
        spent = time.monotonic() - started
        self._limit = self.plan.limit or 30 + 10 * spent
        mutants = list(self._mutants(reached))
        self.say(f"{len(mutants)} mutants of {len({each.reached.operation for each in mutants})} functions")
        self.say("recording the suite as it is, twice")
        whole = self._record(None, "*")
        self._baselines["*"] = whole
        self._check(mutants)
        with ThreadPoolExecutor(max_workers=max(1, self.plan.jobs)) as pool:
            try:
                yield from pool.map(self._settle, mutants)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _check(self, mutants: list[Mutant]) -> None:
        """A library that is changed in nothing must not be noticed, or every mutant would be."""
        if live := [each for each in mutants if not each.equivalent]:
            unchanged = replace(live[0].mutation, operator=NOTHING, about="unchanged")
            control = self._judge(replace(live[0], mutation=unchanged))
            if control.unusable:
                raise CampaignUnusable(control.unusable, where=live[0].reached.module)
            if control.by_tests or control.by_snapshots:
                raise CampaignUnusable(
                    "the suite differs though nothing was changed",
                    where=live[0].reached.module,
                    why="it does not repeat itself, or notices how it is imported",
                    todo="Look for what varies with: likewise compare, on two recordings of one version.",
                )

    def _mutants(self, reached: list[Reached]) -> Iterator[Mutant]:
        chosen = [each for each in reached if each.boundary or self.plan.inner]
        parsed = sources(chosen)
        drawn = random.Random(self.plan.seed)
        wholes: list[Found] = []
        parts: list[Found] = []
        for each in sorted(chosen, key=lambda one: one.operation):
            function = parsed.get(each.file, {}).get(each.qualname)
            if function is None:
                continue
            if self.plan.extreme:
                whole = extreme(function, each.qualname, default_for(each, function))
                wholes.append((each, function, whole))
            if self.plan.fine:
                parts += [(each, function, part) for part in mutations(function, each.qualname)]
        for some in (wholes, parts):
            if self.plan.sample is not None:
                drawn.shuffle(some)
            yield from self._drawn(some)

    def _drawn(self, found: list[Found]) -> Iterator[Mutant]:
        """Mutants in this order, until there are enough that are not equivalent."""
        live = 0
        for reached, function, mutation in found:
            if live == self.plan.sample:
                return
            why = why_equivalent(mutation, reached, function)
            live += not why
            yield Mutant(reached=reached, mutation=mutation, equivalent=why)

    def _settle(self, mutant: Mutant) -> Judgement:
        """Judge a mutant; one that nobody noticed may be one that nobody can notice."""
        judged = self._judge(mutant)
        if judged.fate is Fate.MISSED and self._is_unseen(mutant):
            return Judgement(mutant=replace(mutant, equivalent=UNSEEN))
        return judged

    def _is_unseen(self, mutant: Mutant) -> bool:
        with self._lock:
            if self._steady is None:
                one, other = self._witness(None), self._witness(None)
                self._steady = {key: each for key, each in one.items() if other.get(key) == each}
        seen = self._witness(mutant)
        reached = {key.partition("\t")[0] for key in self._steady}
        return (
            bool(seen)
            and all(seen.get(key) == each for key, each in self._steady.items())
            and all("*" in test or test in reached for test in mutant.reached.tests)
        )

    def _witness(self, mutant: Mutant | None) -> dict[str, str]:
        with tempfile.TemporaryDirectory(prefix="likewise-mutant-") as folder:
            into = Path(folder) / "witness.json"
            wanted = json.dumps({"root": str(self.runner.suite.root), "into": str(into)})
            variables = {WITNESS: wanted, **_variables(mutant)}
            options = [
                *("-p", HOOK),
                *("-p", WATCH),
                *("-p", "no:cacheprovider"),
                f"--basetemp={folder}/base",
            ]
            self.runner.run(options, variables=variables, limit=4 * self._limit)
            if not into.is_file():
                return {}
            found: dict[str, str] = json.loads(into.read_text())
            return found

    def _judge(self, mutant: Mutant) -> Judgement:
        if mutant.equivalent:
            return Judgement(mutant=mutant)
        tests = mutant.reached.tests
        selection = "*" if "*" in tests else "\n".join(sorted(tests))
        path = self.folder / f"mutant-{_digest(mutant.name)}.recording"
        finished = self._run(selection, path, mutant)
        if finished.code == TOO_LATE:
            return Judgement(mutant=mutant, unusable="the library is imported before it can be changed")
        if finished.is_late:
            return Judgement(mutant=mutant, by_tests=True, by_snapshots=True, is_late=True)
        try:
            recording = read_run(path, finished, where=mutant.name)
        except LikewiseError:
            # The suite does not even start: whoever runs it notices.
            return Judgement(mutant=mutant, by_tests=True, by_snapshots=True)
        finally:
            path.unlink(missing_ok=True)
        baseline = self._baselines["*"]
        by_tests = _fails(recording, baseline.recording)
        seen = self._differs(baseline, recording)
        if seen and not by_tests and selection != "*":
            # Fewer tests than in the whole suite: what they share, such as a cache, may be another.
            seen = self._differs(self._baseline(selection), recording)
        return Judgement(mutant=mutant, by_tests=by_tests, by_snapshots=seen)

    def _differs(self, baseline: Side, recording: Recording) -> bool:
        found = compare(baseline, Side(recording=recording))
        return bool(found.groups or found.broken or found.only_candidate)

    def _baseline(self, selection: str) -> Side:
        with self._lock:
            if selection not in self._baselines:
                self._baselines[selection] = self._record(None, selection)
            return self._baselines[selection]

    def _record(self, mutant: Mutant | None, selection: str) -> Side:
        recordings = []
        for number in (1, 2):
            path = self.folder / f"baseline-{_digest(selection)}-{number}.recording"
            finished = self._run(selection, path, mutant)
            recordings.append(read_run(path, finished, where="the suite as it is"))
        return Side(recording=recordings[0], again=(recordings[1],))

    def _run(self, selection: str, path: Path, mutant: Mutant | None) -> Finished:
        variables = _variables(mutant)
        with tempfile.TemporaryDirectory(prefix="likewise-mutant-") as folder:
            chosen = Path(folder) / "tests.txt"
            chosen.write_text(selection)
            variables[SELECTION] = str(chosen)
            return self.runner.record(
                self.libraries,
                path,
                plugins=[HOOK],
                variables=variables,
                options=["-p", "no:cacheprovider", f"--basetemp={folder}/base"],
                limit=self._limit or None,
            )


def _variables(mutant: Mutant | None) -> dict[str, str]:
    """What tells the hook which change to make."""
    if mutant is None:
        return {}
    return {VARIABLE: json.dumps({"module": mutant.reached.module, **asdict(mutant.mutation)})}


def _fails(recording: Recording, baseline: Recording) -> bool:
    """Whether a test fails that passes without the change, or one that ran is gone."""
    before = {trace.test: trace.result for trace in baseline.traces}
    return any(
        trace.result is Result.FAILED and before.get(trace.test) is not Result.FAILED
        for trace in recording.traces
    )


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
