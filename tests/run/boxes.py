"""A tiny service with two sides, suites of scripted tests on it, and the loop run over them.

A box holds texts under names. The candidate's is right; the reference's may be wrong about some names, in
several ways. Names and tags are new in every attempt, as in real suites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from likewise.decide import Discrepant
from likewise.model import (
    Borrowed,
    Effect,
    Event,
    Interaction,
    Operation,
    Outcome,
    Provenance,
    Raised,
    Recording,
    ReplayImpossible,
    Result,
    Returned,
    Role,
    RunFinished,
    Scope,
    Standing,
    Target,
    TestReport,
    Touch,
    Trace,
    Value,
)
from likewise.run import Conclusion, Meter, Replayed, Settings, Slice
from likewise.store import open_ledger

CLOUD = Target(name="cloud", role=Role.REFERENCE, version="1")
KINDS = ("refuses", "answers", "keeps", "adds", "forgets")
"""Ways to be wrong about a name: refuses what is put there, answers wrongly, silently keeps another text,
adds a field to its answer, forgets to list it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a test. `checks` says whether the test would fail on a wrong answer, `looks` whether
    it looks at the answer at all, `drawn` whether its name is like no other one of the test."""

    verb: str
    name: str = ""
    text: str = ""
    looks: bool = True
    checks: bool = True
    drawn: bool = False


Script = tuple[Step, ...]


def put(name: str, text: str = "text", **more: bool) -> Step:
    return Step(verb="put", name=name, text=text, **more)


def get(name: str, **more: bool) -> Step:
    return Step(verb="get", name=name, **more)


def measure() -> Step:
    """Asks for something that is never the same, and is not looked into."""
    return Step(verb="measure", checks=False)


def look_at_the_clock() -> Step:
    """Asks for the time, and how far it is off."""
    return Step(verb="clock")


def listed(**more: bool) -> Step:
    return Step(verb="list", **more)


def first() -> Step:
    """Asks for the first of all names."""
    return Step(verb="first")


class Box:
    """One side's state. `wrong` says which names it is wrong about, and how, or what it does instead."""

    def __init__(self, wrong: Mapping[str, str] | None = None) -> None:
        self._wrong = wrong or {}
        self._texts: dict[str, str] = {}

    def act(self, verb: str, name: str, text: str, tag: str) -> Outcome:
        how = self._wrong.get(name.rpartition("-")[0], "")
        if verb == "list":
            forgotten = [each for each, kind in self._wrong.items() if kind == "forgets"]
            names = [each for each in sorted(self._texts) if each.rpartition("-")[0] not in forgotten]
            return Returned(value={"names": list[Value](names)})
        if verb == "first":
            name = max(self._texts) if self._wrong.get("first") == "last" else min(self._texts)
            return Returned(value={"name": name, "text": self._texts[name]})
        if verb == "measure" and how == "refuses":
            return Raised(kind="Refused", message="no scales")
        if verb == "measure":
            return Returned(value={"weight": int(tag or "7", 16) % 1000})
        if verb == "clock":
            seconds = int(tag or "7", 16) % 86400
            return Returned(
                value={"at": f"{how and '≪ '}2026-05-04T{seconds // 3600:02}:{seconds // 60 % 60:02}:00Z"}
            )
        if verb == "put":
            if how == "refuses":
                return Raised(kind="Refused", message="no")
            self._texts[name] = "something else" if how == "keeps" else text
            return Returned(value={"tag": tag})
        if name not in self._texts:
            return Raised(kind="Missing", message="nothing there")
        answer: dict[str, Value] = {"text": "wrong" if how == "answers" else self._texts[name]}
        return Returned(value={**answer, "more": 1} if how == "adds" else answer)


def touches(verb: str, name: str, outcome: Outcome) -> tuple[Touch, ...]:
    if verb in ("list", "first", "measure", "clock"):
        return (Touch(resource=("box",), effect=Effect.READ, scope=Scope.SUBTREE),)
    changes = verb == "put" and isinstance(outcome, Returned)
    return (Touch(resource=("box", name), effect=Effect.ABSORB if changes else Effect.READ),)


@dataclass(slots=True)
class Suite:
    """Scripts by test. `shared` tests build on each other's state; `gone` ones do not run when rerun."""

    scripts: dict[str, Script]
    shared: bool = False
    exact: bool = False
    """Whether tests give what they make the same names each time, though they share nothing."""
    wrong: dict[str, str] = field(default_factory=dict)
    broken: frozenset[str] = frozenset()
    """Tests that fail whatever the answers are."""
    unclear: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()
    unseen_writes: bool = True
    borrows: dict[str, str] = field(default_factory=dict)
    """Test → an earlier one all calls of which were made for a fixture of both."""
    gone: frozenset[str] = frozenset()
    wavering: dict[str, list[Result]] = field(default_factory=dict)
    """Results of tests, attempt by attempt, whatever the answers are; the last one stays."""
    accidents: dict[str, int] = field(default_factory=dict)
    """How often tests still break down on the reference before they make a call there."""
    attempts: int = 0

    def record(self, tests: Sequence[str], role: Role, *, run: str, code: str) -> Recording:
        """Run tests on one side."""
        traces = []
        wrong = self.wrong if role is Role.REFERENCE else {}
        sides = Box(wrong), Box()
        for test in tests:
            if not self.shared:
                sides = Box(wrong), Box()
            self.attempts += 1
            traces.append(self._attempt(test, role, *sides, seed=self.attempts))
        provenance = Provenance(run=run, code=code, started=float(self.attempts))
        return Recording(provenance=provenance, traces=tuple(traces))

    def _attempt(self, test: str, role: Role, side: Box, right: Box, *, seed: int) -> Trace:
        if role is Role.REFERENCE and self.accidents.get(test):
            self.accidents[test] -= 1
            return Trace(test=test, role=role, interactions=(), result=Result.FAILED, failure="port taken")
        random = Random(seed)
        suffix = "shared0" if self.shared or self.exact else f"{random.getrandbits(48):012x}"
        calls: list[Interaction] = []
        result = Result.FAILED if test in self.broken else Result.PASSED
        for order, step in enumerate(self.scripts[test]):
            own = f"{random.getrandbits(48):012x}" if step.drawn else suffix
            name = f"{step.name}-{own}" if step.name else ""
            tag = f"{random.getrandbits(48):012x}"
            outcome, expected = (box.act(step.verb, name, step.text, tag) for box in (side, right))
            if outcome != expected and step.looks and step.checks:
                result = Result.FAILED
            calls.append(
                Interaction(
                    operation=Operation("box", step.verb),
                    arguments={"name": name, "text": step.text},
                    outcome=outcome,
                    touches=touches(step.verb, name, outcome),
                    order=order,
                    seen=None if step.looks else (),
                )
            )
        if results := self.wavering.get(test):
            result = results.pop(0) if len(results) > 1 else results[0]
        return Trace(
            test=test,
            role=role,
            interactions=tuple(calls),
            result=result,
            world="all" if self.shared else f"{test} {seed}",
            unclear=("a call came late",) if test in self.unclear else (),
            unseen=("a link was fetched",) if test in self.unseen else (),
            unseen_writes=self.unseen_writes,
            borrowed=self._borrowed(test),
        )

    def _borrowed(self, test: str) -> tuple[Borrowed, ...]:
        lender = self.borrows.get(test)
        return () if lender is None else (Borrowed(fixture="shared", test=lender, since=0.0, until=0.0),)


@dataclass(slots=True)
class Reference:
    """Replays and reruns on the reference, as told."""

    suite: Suite
    meter: Meter
    run: str
    code: str
    impossible: bool = False
    replays: list[Slice] = field(default_factory=list)
    reruns: list[tuple[Role, tuple[str, ...]]] = field(default_factory=list)
    cleaned: int = 0
    litter: int = 0

    def replay(self, piece: Slice) -> Replayed:
        self.replays.append(piece)
        if self.impossible:
            raise ReplayImpossible("it cannot be repeated")
        self.meter.require(len(piece.calls))
        box = Box(self.suite.wrong)
        return Replayed(calls=tuple(self._repeat(box, call) for call in piece.calls))

    def _repeat(self, box: Box, call: Interaction) -> Interaction:
        self.meter.count(call.operation)
        mine = call.outcome.value if isinstance(call.outcome, Returned) else None
        tag = mine.get("tag", "") if isinstance(mine, dict) else ""
        name, text = str(call.arguments["name"]), str(call.arguments["text"])
        return replace(call, outcome=box.act(call.operation.name, name, text, str(tag)))

    def clean_up(self) -> tuple[str, ...]:
        self.cleaned += 1
        self.meter.count(Operation("box", "delete"), self.litter, cleaning=True)
        return ()

    def rerun(self, tests: Sequence[str], *, role: Role) -> Recording:
        self.reruns.append((role, tuple(tests)))
        there = [test for test in tests if test not in self.suite.gone]
        return self.suite.record(there, role, run=self.run, code=self.code)


@dataclass(slots=True)
class Concluded:
    """What a run came to."""

    finished: RunFinished
    reference: Reference
    events: list[Event]

    @property
    def reports(self) -> dict[str, TestReport]:
        return {report.test: report for report in self.finished.tests}

    @property
    def standings(self) -> dict[str, Standing]:
        return {report.test: report.standing for report in self.finished.tests}

    @property
    def reference_calls(self) -> int:
        return self.finished.spending.reference_calls

    @property
    def whole(self) -> list[str]:
        """Tests that were run as a whole on the reference."""
        return [test for role, tests in self.reference.reruns if role is Role.REFERENCE for test in tests]


class Loop:
    """Runs of a suite, one after the other, with one ledger."""

    def __init__(self, suite: Suite, path: Path) -> None:
        self.suite = suite
        self._path = path
        self._runs = 0

    def run(
        self,
        *,
        code: str = "c1",
        policy: str = "context",
        budget: int | None = None,
        impossible: bool = False,
        verify: bool = True,
        now: float | None = None,
        keep: float = 1000.0,
        audit: int = 0,
        both: bool = False,
        discrepant: frozenset[str] | None = None,
        attempts: int = 1,
        litter: int = 0,
    ) -> Concluded:
        """Run the suite on the candidate and conclude. Time goes by ten seconds a run."""
        self._runs += 1
        when = 1000.0 + 10.0 * self._runs if now is None else now
        run = f"run {self._runs}"
        recording = self.suite.record(list(self.suite.scripts), Role.CANDIDATE, run=run, code=code)
        for number in range(1, attempts):
            again = self.suite.record(list(self.suite.scripts), Role.CANDIDATE, run=run, code=code)
            more = tuple(replace(trace, attempt=number) for trace in again.traces)
            recording = replace(recording, traces=recording.traces + more)
        meter = Meter(budget)
        reference = Reference(
            suite=self.suite, meter=meter, run=run, code=code, impossible=impossible, litter=litter
        )
        settings = Settings(
            policy=policy,
            reference=CLOUD,
            now=when,
            not_before=when - keep,
            discrepant=Discrepant(names=discrepant),
            price=lambda operation: 1e-6,
            overlooks=lambda call, found: call.seen == (),
            both=both,
            audit_share=1.0 if audit else 0.0,
            audit_budget=audit,
        )
        events: list[Event] = []
        ledger = open_ledger(self._path)
        try:
            conclusion = Conclusion(
                ledger=ledger,
                settings=settings,
                meter=meter,
                emit=events.append,
                replayer=reference if verify else None,
                rerunner=reference,
                asks=verify,
            )
            return Concluded(finished=conclusion.conclude(recording), reference=reference, events=events)
        finally:
            ledger.close()
