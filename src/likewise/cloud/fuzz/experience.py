"""What a campaign has learned of the operations: what was asked, what is known, what is in vain."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.differences.causes import NOT_IMPLEMENTED, is_absent
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.findings import ENOUGH, Finding, Tally
from likewise.cloud.fuzz.inquiry.shortening import leaned, refers, without
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.variants import AND
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen, went_alike
from likewise.cloud.fuzz.tasks.bounds import Bounds
from likewise.cloud.fuzz.tasks.cases import Task
from likewise.cloud.fuzz.tasks.keys import asked_by, key_of, key_of_finding, keys_of, targets_of, values_of
from likewise.cloud.fuzz.tasks.looks import UNSET
from likewise.cloud.fuzz.tasks.usual import Usual
from likewise.model import Difference

Gaps = tuple[list[Gap], set[str]]
"""Differences, and the operations that more of them may follow from."""
WAY = "way "
"""What the state of a probe begins with that makes a call in another way."""
WAVERING = 2
"""How often what did not show again is looked into once more where it turns up elsewhere."""


class Experience:
    """Learns from every answer; all hands of a campaign share it."""

    def __init__(
        self, planner: Planner, known: set[tuple[str, ...]], tally: Tally, gaps: Callable[..., Gaps]
    ) -> None:
        self._planner, self.known, self.tally, self._gaps = planner, known, tally, gaps
        self.hopeless: set[str] = set()
        """Operations whose typical call only one side knows: their parameters tell nothing more."""
        self.agreed: set[tuple[str, str, str]] = set()
        """Values of parameters that both sides took along with others: they need no call of their own."""
        self.bounds = Bounds()
        self.absent: set[str] = set()
        """Operations that by the answers to their typical call neither side has."""
        self.failed: dict[str, Answer] = {}
        """Operations whose typical call fails, and the answer that may say why."""
        self.looked: set[str] = set()
        """Reads that were compared where nothing was set yet, since a set-up made them."""
        self._missed: dict[str, int] = {}
        """How often neither side had an operation; a negative number where one once had."""
        self._asked: set[tuple[str, str, str]] = set()
        """Values of parameters that had a call of their own."""
        self._wavered: dict[tuple[str, ...], int] = {}
        """How often a difference was looked into and did not show again."""
        self._usual = Usual()
        self._several: set[tuple[str, str]] = set()
        """Operations of which it is known that the sides name different ones of several mistakes, and how."""

    def effective(self, task: Task, ineffective: Container[str], *, again: bool) -> Task:
        """A task without what is known to differ: set-up that does nothing on one side, unknown calls.

        What was asked needs not be asked again, unless its answers said nothing then.
        """
        setup = task.case.setup
        probes = tuple(each for each in task.case.probes if self._is_wanted(each, again=again))
        for number in range(len(setup) - 1, -1, -1):
            # What one side alone refuses makes no state in which the two could be compared, either.
            if setup[number].operation not in ineffective and setup[number].operation not in self.hopeless:
                continue
            shorter = without(setup, number)
            if shorter is None or any(refers(probe.call, number) for probe in probes):
                continue
            probes = tuple(leaned(probe, setup, shorter) for probe in probes)
            setup = shorter
        return replace(task, case=Case(setup=setup, probes=probes))

    def _is_wanted(self, probe: Probe, *, again: bool) -> bool:
        operation = probe.call.operation
        if operation in self.hopeless and not self._is_other_way(probe):
            return False
        if not probe.call.identity.is_owner and (operation in self.failed or operation in self.absent):
            return False  # it fails for the owner as well
        if probe.state == UNSET and not probe.parameter and operation in self.looked:
            return again
        return again or (self.bounds.is_open(probe) if probe.size else self.is_open(probe))

    def is_open(self, probe: Probe) -> bool:
        """Whether a value was not asked for yet, alone or along with others that both sides took."""
        is_asked = bool(probe.parameter) and asked_by(probe) in self._asked
        return not is_asked and not values_of(probe) <= self.agreed

    def new(self, probe: Probe, gaps: Sequence[Gap], *, hiding: bool = True) -> list[Gap]:
        """Those differences of a probe that were not looked into yet, if `hiding` for a part of it."""
        return [
            gap
            for gap in gaps
            if not keys_of(gap, probe.parameter.split(AND) if hiding else [], probe) & self.known
            and not (AND in probe.parameter and (gap.operation, str(gap.difference)) in self._several)
        ]

    def take_up(self, probe: Probe, gaps: Sequence[Gap]) -> None:
        """Differences are about to be looked into: that is done once."""
        for gap in gaps:
            self.known.add(key_of(gap, probe))
            if probe.state == "present" and not probe.parameter:
                if not gap.index:
                    self.known.add(gap.signature)
                if gap.difference is Difference.SUCCESS and gap.index == 0:
                    self.hopeless.add(gap.operation)

    def let_go(self, probe: Probe, gaps: Sequence[Gap]) -> None:
        """Differences could not be looked into for now."""
        self.known -= {key for gap in gaps for key in (gap.signature, key_of(gap, probe))}

    def reopen(self, probe: Probe, gaps: Sequence[Gap], wavering: set[tuple[str, ...]]) -> None:
        """What did not show again may have had to do with calls before it: elsewhere it may be real."""
        for gap in gaps:
            if gap.signature in wavering and self._wavered.get(gap.signature, 0) < WAVERING:
                self._wavered[gap.signature] = self._wavered.get(gap.signature, 0) + 1
                self.let_go(probe, [gap])

    def find(self, finding: Finding, *, is_certain: bool) -> None:
        """What is found, or may be, needs not be looked into again, unless it could be shown better."""
        if is_certain:
            self.known.add(key_of_finding(finding))
        if AND in finding.parameter and finding.kind in (Difference.CODE, Difference.MESSAGE):
            self._several.add((finding.operation, finding.kind))
        if finding.cause == NOT_IMPLEMENTED and not finding.condition:
            self.hopeless.add(finding.operation)

    def count(self, case: Case, probe: Probe, ours: Seen, theirs: Seen) -> None:
        """Take in the answers to a probe."""
        operation = probe.call.operation
        first, second = ours.answers[0], theirs.answers[0]
        is_typical = probe.state == "present" and not probe.parameter
        if is_typical:
            self._typical(operation, first, second)
        if first.refused or second.refused:
            self.tally.refused += 1
            return
        if operation in self.hopeless and probe.state.startswith(WAY) and first.success and second.success:
            self._adopt(operation, probe.state.removeprefix(WAY))
        self._asked.add(asked_by(probe))
        self.tally.called.add(operation)
        self.tally.pairs += len(ours.answers)
        if first.success or second.success:
            self.tally.succeeded.add(operation)
        for answer, role in ((first, "reference"), (second, "candidate")):
            if answer.success or (is_typical and not is_absent(answer)):
                self.tally.known.add(operation)
            if not answer.success:
                self.tally.fail(operation, f"{role} {answer.summary()}")
        self._miss(operation, first, second)
        if went_alike(case.setup, ours, theirs):
            self.tally.compared.add(operation)
        self.tally.targets.update(targets_of(probe))
        self.bounds.note(probe, first, second)
        is_taken = AND in probe.parameter and first.success and second.success
        is_whole = is_taken and self._usual.is_all_in(operation, first)
        if is_whole and not self._gaps(case, probe, ours, theirs)[0]:
            self.agreed |= values_of(probe)

    def _is_other_way(self, probe: Probe) -> bool:
        """Whether a call may be taken by both sides, and leaves nothing that everybody shares where not."""
        return probe.state.startswith(WAY) and probe.call.operation not in self._planner.hints.account

    def _adopt(self, operation: str, way: str) -> None:
        """Call an operation from now on as both sides take it, though one of them refuses its usual call."""
        planner = self._planner
        planner.learn(operation, (planner.typical(way), planner.needs(way)))
        self.hopeless.discard(operation)

    def _miss(self, operation: str, ours: Answer, theirs: Answer) -> None:
        """Note that neither side has an operation, however it is called: nothing more is asked of it."""
        if not (is_absent(ours) and is_absent(theirs)):
            self._missed[operation] = -1
        elif self._missed.get(operation, 0) >= 0:
            self._missed[operation] = self._missed.get(operation, 0) + 1
            if self._missed[operation] >= ENOUGH:
                self.hopeless.add(operation)

    def _typical(self, operation: str, ours: Answer, theirs: Answer) -> None:
        """Note how a typical call went: a side that knows the operation may say what is wrong."""
        failures = [each for each in (ours, theirs) if not each.success and not is_absent(each)]
        self.failed.pop(operation, None)
        self.absent.discard(operation)
        self._usual.note(operation, ours)
        if is_absent(ours) and is_absent(theirs):
            self.absent.add(operation)
        if failures:
            self.failed[operation] = failures[0]
