"""A campaign: tasks in their order, differences looked into, everything written down as it happens."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace

from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.experience import Experience
from likewise.cloud.fuzz.findings import Finding, Tally
from likewise.cloud.fuzz.hands import Hands
from likewise.cloud.fuzz.inquiry.inquiry import Inquiry, Pending, Unstable
from likewise.cloud.fuzz.inquiry.minimising import LONG
from likewise.cloud.fuzz.inquiry.shrinking import apart
from likewise.cloud.fuzz.line import LAST, Line
from likewise.cloud.fuzz.names import KINDS
from likewise.cloud.fuzz.planning.plans import is_read
from likewise.cloud.fuzz.planning.variants import AND
from likewise.cloud.fuzz.sides.execution import Case, Exhausted, Probe, Seen
from likewise.cloud.fuzz.sides.pairing import Pair
from likewise.cloud.fuzz.sides.standing import in_full
from likewise.cloud.fuzz.tasks.cases import Cases, Task
from likewise.cloud.fuzz.tasks.following import companions, is_doubtful_limit, is_taken
from likewise.cloud.fuzz.tasks.gains import Gains
from likewise.cloud.fuzz.tasks.keys import (
    key_of,
    own_signatures,
)
from likewise.cloud.fuzz.tasks.looks import UNSET, looked, looks_of, recalled
from likewise.cloud.fuzz.tasks.schedule import Schedule
from likewise.model import Implication, TargetUnavailable

PATIENCE = 320
"""Cases after which it is asked whether a difference has gone away: three seconds on fast servers."""
SILENT = 12
"""Calls without an answer in a row after which a side counts as gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A task was run."""

    task: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delayed:
    """A finding that is not certain yet, the task that showed it, and how old the campaign was then."""

    task: Task
    pending: Pending
    since: int


Event = Finding | Unstable | Done


@dataclass(slots=True, kw_only=True)
class Progress:
    """Where a campaign stands."""

    started: float = field(default_factory=time.monotonic)
    findings: int = 0
    last_new: float = 0.0
    """Seconds into the campaign at which the last new finding was made."""
    last_new_pair: int = 0


class Campaign:
    """Runs tasks until they, the budget or the user's patience end."""

    def __init__(
        self,
        *,
        cases: Cases,
        pair: Pair,
        inquiry: Inquiry,
        known: set[tuple[str, ...]] | None = None,
        done: frozenset[str] = frozenset(),
        walks: int | None = None,
        on_progress: Callable[[Campaign], None] = lambda _: None,
    ) -> None:
        self.cases, self.pair, self.inquiry = cases, pair, inquiry
        tally = Tally(authorisations=inquiry.known.authorisations)
        self.experience = Experience(
            cases.planner, known if known is not None else set(), tally, inquiry.gaps
        )
        self.hashes: set[str] = set()
        self.done, self.walks, self.on_progress = done, walks, on_progress
        self.gains, self.progress = Gains(), Progress()
        self._pending: deque[Delayed] = deque()
        self._parked: list[tuple[Task, set[str]]] = []
        """Probes that say something only if certain operations do what they should."""
        self._cut: set[str] = set()
        """The tasks that the budget ended with, perhaps in the middle: who resumes does them again."""
        self._line = Line(pair)
        self._hands: Hands[Event] | None = None
        self._new_ones = 0
        """What this hand has found, or may have."""
        self._lengths: dict[str, int] = {}
        """The calls of the shortest sequence that shows each finding."""
        self._expected: set[str] = set()
        """What was found or may be, by hash."""
        self._limited: set[tuple[str, str]] = set()
        """Parameters of operations whose limits were looked for."""

    @property
    def tally(self) -> Tally:
        """What it covered."""
        return self.experience.tally

    @property
    def hopeless(self) -> set[str]:
        """Operations whose typical call only one side knows."""
        return self.experience.hopeless

    def run(self, tasks: Iterator[Task] | None = None) -> Iterator[Event]:
        """Do the work; what is yielded is meant to be written down at once."""
        self._line.tasks = tasks if tasks is not None else self._schedule().tasks()
        while not self._line.is_over:
            self._hands = Hands(self.pair.turns, [self._hand()._work() for _ in range(self._line.width)])
            yield from self._hands.run()
            with suppress(Exhausted):
                yield from self._due(everything=True)
                yield from self._unpark()
            # What was set aside for questions that nobody had to ask is enough for some more tasks.
            self._line.is_over = not self._line.is_cut or self.pair.remaining() < LAST
            self._line.is_cut = False
        yield from self.finish()

    def _hand(self) -> Campaign:
        """The same campaign with an investigation of its own: what one hand comes to know, all know."""
        hand = copy(self)
        hand.pair = self.pair.beside()
        hand.inquiry = self.inquiry.beside(hand.pair)
        return hand

    def _work(self) -> Iterator[Event]:
        """One task after the other, while others do the same."""
        while (task := self._line.next(self.done)) is not None:
            try:
                yield from self._due()
                yield from self._run(task)
                if not self.pair.left:
                    raise Exhausted
                yield from self._over(task)
                self.on_progress(self)
            except Exhausted:
                self._line.is_cut = True
                self._cut.add(task.name)
            finally:
                self._line.over(task)

    def finish(self) -> Iterator[Event]:
        """What is not certain yet, after one wait for all of it; nothing where that was done.

        It is called for however a campaign ends. What is parked is left for the campaign that resumes.
        """
        if self._hands is not None:
            yield from self._hands.stop()
        if (meter := self.pair.reference.meter) is not None:
            meter.until = None  # what was set aside for this may be asked
        yield from self._due(everything=True)

    def _due(self, *, everything: bool = False) -> Iterator[Event]:
        """Findings of which it is time to know what they are, in the order in which they were made.

        Time is counted in cases, so that the same seed makes the same campaign on any machine.
        """
        while self._pending and (everything or self.pair.cases - self._pending[0].since >= PATIENCE):
            delayed = self._pending.popleft()
            finding = self.inquiry.resolve(delayed.pending)
            if finding is not None:
                self.experience.known |= own_signatures([delayed.pending.shown.gap], finding)
                yield from self._take(finding)
            if not everything:
                yield from self._unpark()
            yield from self._over(delayed.task)

    def _unpark(self) -> Iterator[Event]:
        """Run again what said nothing as long as it was not certain whether an operation does anything."""
        known = self.inquiry.known
        doubtful = {name for name, _ in known.doubts}
        ready = [each for each in self._parked if not each[1] & doubtful]
        self._parked[:] = [each for each in self._parked if each[1] & doubtful]
        for task, doubts in ready:
            if not doubts <= known.ineffective.keys():
                yield from self._run(task, again=True)
            yield from self._over(task)

    def _over(self, task: Task) -> Iterator[Event]:
        """A task is done once nothing of it is open any more; else a resumed campaign does it again."""
        waiting = [each.task.name for each in self._pending] + [each.name for each, _ in self._parked]
        if task.name not in (*waiting, *self._cut):
            yield Done(task=task.name)

    def _schedule(self) -> Schedule:
        return Schedule(
            self.cases,
            self.gains,
            hopeless=self.hopeless,
            failed=self.experience.failed,
            absent=self.experience.absent,
            walks=self.walks,
            busy=self._line.busy,
            settle=self._line.settle,
        )

    def _run(self, task: Task, *, again: bool = False) -> Iterator[Event]:
        found, before = self._new_ones, self.pair.asked
        self.inquiry.minimiser.forget()
        task = self.experience.effective(task, self.inquiry.known.ineffective, again=again)
        if not task.case.probes:
            self.gains.note(task.keys, 0, 0)
            return
        # A list of what everybody has may end with what was made last: that has to be ours.
        results = self.pair.do(task.case, anew=self.inquiry.is_of_all(task.case))
        if not results and (self.pair.reference.meter is None or not self.pair.left):
            raise Exhausted
        self._foresee(task, results)
        yield from self._looked(task, results)
        for probe, (ours, theirs) in zip(task.case.probes, results, strict=False):
            self.experience.count(task.case, probe, ours, theirs)
            yield from self._parts(task, probe, ours, theirs)
            yield from self._judge(task, probe, ours, theirs)
            if probe.size and not ours.answers[0].success and not theirs.answers[0].success:
                yield from self._close_in(task, probe)  # the limits may be two
            more = companions(probe, self.cases.planner, (ours.answers[0], theirs.answers[0]))
            yield from self._ask(task, [each for each in more if self.experience.is_open(each)])
            if probe.state == UNSET and not probe.parameter and is_taken(ours, theirs):
                yield from self._besides(task, probe)
        self.gains.note(task.keys, self.pair.asked - before, self._new_ones - found)
        self._check()

    def _looked(self, task: Task, results: Sequence[tuple[Seen, Seen]]) -> Iterator[Event]:
        """What a set-up looked at before anything was put there: the state that such a read needs anyway."""
        for place, case in looks_of(task.case, self.cases.planner) if results else ():
            (probe,), operation = case.probes, case.probes[0].call.operation
            if operation in self.cases.operations and operation not in self.experience.looked:
                self.experience.looked.add(operation)
                ours, theirs = (looked(each, place, case) for each in results[0])
                self.experience.count(case, probe, ours, theirs)
                yield from self._judge(replace(task, case=case), probe, ours, theirs)

    def _ask(self, task: Task, probes: Sequence[Probe], whole: Probe | None = None) -> Iterator[Event]:
        """Some more probes after the set-up of a task, perhaps with what a `whole` was given, one by one."""
        if not probes:
            return
        task = replace(task, case=replace(task.case, probes=tuple(probes)))
        results = self.pair.do(task.case, anew=False)
        self._foresee(task, results)
        for each, (left, right) in zip(probes, results, strict=False):
            self.experience.count(task.case, each, left, right)
            yield from self._parts(task, each, left, right)
            if whole is None:
                yield from self._judge(task, each, left, right)
            else:
                gaps, _ = self.inquiry.gaps(task.case, each, left, right)
                self.inquiry.minimiser.see_apart(each, gaps)
                yield from self._judge(task, each, left, right)
                self.experience.known |= {key_of(gap, whole) for gap in gaps}

    def _besides(self, task: Task, probe: Probe) -> Iterator[Event]:
        """What else a call may be given that is taken where there is nothing, several at once first."""
        those = self.cases.besides(task.case.setup, probe)
        for is_alone in (False, True):
            asked = [each for each in those if (AND not in each.parameter) == is_alone]
            yield from self._ask(task, [each for each in asked if self.experience.is_open(each)])

    def _close_in(self, task: Task, probe: Probe) -> Iterator[Event]:
        """Smaller values of the same parameter, until one side takes what the other refuses, or both do."""
        place = (probe.call.operation, probe.parameter)
        if place in self._limited or task.phase != "sweep":
            return
        self._limited.add(place)
        for those in self.cases.sized(*place):
            yield from self._ask(task, [each for each in those if self.experience.bounds.is_open(each)])

    def _foresee(self, task: Task, results: Sequence[tuple[Seen, Seen]]) -> None:
        """Confirm for the first time, all in one go, whatever several probes of a task show anew."""
        those = []
        for probe, (ours, theirs) in zip(task.case.probes, results, strict=False):
            gaps, _ = self.inquiry.gaps(task.case, probe, ours, theirs)
            if AND not in probe.parameter and (new := self.experience.new(probe, gaps)):
                those.append((self._watched(task, probe, new), new))
        if len(those) > 1:
            self.inquiry.minimiser.foresee(task.case.setup, those)

    def _watched(self, task: Task, probe: Probe, gaps: Sequence[Gap]) -> Probe:
        """A probe with the reads that are needed to look into what it shows."""
        if all(gap.index == 0 for gap in gaps):
            return replace(probe, observers=())  # the reads after it agreed
        return self.cases.thorough(task.case.setup, probe)

    def _parts(self, task: Task, probe: Probe, ours: Seen, theirs: Seen) -> Iterator[Event]:
        """Parameters given together, each by itself, where something differs: most often one accounts for it.

        Each of them would get a call of its own in any case.
        """
        if AND not in probe.parameter:
            return
        parts = [
            each for each in apart(probe, self.cases.planner, bare=False) if self.experience.is_open(each)
        ]
        gaps = self.inquiry.gaps(task.case, probe, ours, theirs)[0]
        # What one of them is refused for hides what the others would be.
        if not parts or not self.experience.new(probe, gaps, hiding=False):
            return
        yield from self._ask(task, parts, probe)

    def _judge(self, task: Task, probe: Probe, ours: Seen, theirs: Seen) -> Iterator[Event]:
        gaps, doubts = self.inquiry.gaps(task.case, probe, ours, theirs)
        if doubts:
            self._parked.append((replace(task, case=replace(task.case, probes=(probe,))), doubts))
        probe, new = self._in_full(task, probe, self.experience.new(probe, gaps))
        if not new:
            return
        self.experience.take_up(probe, new)
        with self.inquiry.lateness.doubting(new, (ours, theirs)):
            found = self.inquiry.investigate(
                task.case, self._watched(task, probe, new), new, recalled(task.case, (ours, theirs))
            )
        wavering = [*self.inquiry.wavering]
        is_lost = bool(wavering) and not found
        if is_lost and (case := self._in_context(task, probe, new)):
            found = self.inquiry.investigate(case, case.probes[0], new)
            wavering = [*self.inquiry.wavering] if found else wavering
        if not found and (doubts := self.inquiry.gaps(task.case, probe, ours, theirs)[1]):
            # Meanwhile it came into doubt whether a write before it does anything: then nothing shows.
            self.experience.let_go(probe, new)
            self._parked.append((replace(task, case=replace(task.case, probes=(probe,))), doubts))
            return
        yield from wavering
        self.experience.reopen(probe, new, {each.signature for each in wavering})
        for each in found:
            said = each if isinstance(each, Finding) else each.finding
            self._try_again(probe, new, said)
            if isinstance(each, Finding):
                self.experience.known |= own_signatures(new, said)
                yield from self._take(each)
            else:
                self._pending.append(Delayed(task=task, pending=each, since=self.pair.cases))
                self._note(each.finding)
        if is_doubtful_limit(probe, new):
            yield from self._close_in(task, probe)

    def _in_context(self, task: Task, probe: Probe, gaps: Sequence[Gap]) -> Case | None:
        """A probe after one of the writes before it in its context, where that makes it show what it did."""
        probes = [each.call for each in task.case.probes]
        number = probes.index(probe.call) if probe.call in probes else 0
        before = [call for call in probes[:number] if not is_read(call.operation)]
        top = KINDS.get(self.cases.planner.service, "")
        for write in reversed(before):
            setup = in_full(task.case.setup, write, probe.call, top)
            if setup and len(setup) + 1 < LONG:  # what takes more to show, a way of its own shows better
                case = Case(setup=setup, probes=(self.cases.thorough(setup, probe),))
                look = self.inquiry.look(case)
                if any(look.find(gap) is not None for gap in gaps):
                    return case
        return None

    def _try_again(self, probe: Probe, gaps: Sequence[Gap], finding: Finding) -> None:
        """What takes long to show is looked into again where it turns up elsewhere: that may be shorter."""
        if len(finding.sequence) > LONG:
            those = [gap for gap in gaps if gap.operation == finding.shown_by and gap.place == finding.place]
            self.experience.reopen(probe, those, {gap.signature for gap in those})

    def _in_full(self, task: Task, probe: Probe, gaps: list[Gap]) -> tuple[Probe, list[Gap]]:
        """A write whose answer says something else, with all reads, where one that was not asked differs."""
        is_said = any(gap.index == 0 and gap.implication is Implication.WRONG_RESULT for gap in gaps)
        whole = self.cases.thorough(task.case.setup, probe)
        if not gaps or not is_said or len(whole.observers) <= len(probe.observers):
            return probe, gaps
        look = self.inquiry.look(Case(setup=task.case.setup, probes=(whole,)))
        more = [gap for gap in self.experience.new(whole, look.gaps) if gap.index]
        return (whole, [*gaps, *more]) if more else (probe, gaps)

    def _take(self, finding: Finding) -> Iterator[Event]:
        self._note(finding)
        if finding.hash not in self.hashes:
            self.hashes.add(finding.hash)
            self.progress.findings += 1
            self.progress.last_new = time.monotonic() - self.progress.started
            self.progress.last_new_pair = self.pair.reference.side.sent
            yield finding
        elif len(finding.sequence) < self._lengths.get(finding.hash, 0):
            yield finding  # the same in fewer calls
        else:
            return
        self._lengths[finding.hash] = len(finding.sequence)

    def _note(self, finding: Finding) -> None:
        """What is found, or may be, needs not be looked into again."""
        is_first = finding.hash not in self.hashes | self._expected
        self.experience.find(finding, is_certain=not (is_first and len(finding.sequence) > LONG))
        if is_first:
            self._expected.add(finding.hash)
            self._new_ones += 1

    def _check(self) -> None:
        """Stop where a side is gone for good."""
        for lane in (self.pair.reference, self.pair.candidate):
            if lane.silences >= SILENT:
                raise TargetUnavailable(
                    f"{lane.side.target} no longer answers",
                    why=f"{lane.silences} calls in a row got no answer",
                    todo="What was found until now is kept. Start it again and continue with --resume.",
                )
            if lane.denials >= SILENT:
                raise TargetUnavailable(
                    f"{lane.side.target} does not accept these credentials",
                    why=f"{lane.denials} calls in a row were refused for want of valid ones",
                    todo="Correct them; in a URL they are written http://KEY:SECRET@HOST:PORT.",
                )
