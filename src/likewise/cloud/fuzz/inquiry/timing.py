"""Whether a difference is a matter of time: one side shows later what the other shows at once.

Nobody waits for the answer. The context is left standing, the campaign goes on, and the question is asked
again when the campaign is so many cases older, at its end at the latest.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.differences.bonds import Bonds
from likewise.cloud.fuzz.differences.crowds import goes_on, listed
from likewise.cloud.fuzz.differences.explaining import EXISTENCE, is_empty
from likewise.cloud.fuzz.differences.judging import Gap, Judge
from likewise.cloud.fuzz.inquiry.minimising import Shown
from likewise.cloud.fuzz.planning.plans import ENDS, is_read
from likewise.cloud.fuzz.sides.execution import AGAIN, Case, Exhausted, Probe, Seen
from likewise.cloud.fuzz.sides.pairing import Pair, Standing
from likewise.model import Difference

LATE = re.compile(r"NotFound|NoSuch|InUse|Conflict|Pending|Busy|BeingDeleted|Aborted|NotReady|InProgress")
"""Errors of a server that may just not be ready yet."""
_OURS = re.compile(r"<[a-z]{2}>")
"""The name of something that the context at hand has made."""
_BETWEEN = re.compile(r"[A-Z]{3,}ING$")
"""The state of a thing that is about to be in another: CREATING, UPDATING, ENABLING."""
_SPAN = re.compile(r"time|duration|period|seconds|delay", re.IGNORECASE)
"""Parameters that say for how long."""
LAG = 3.0
"""Seconds that a server may be late."""
BRIEF, PART = 0.3, 0.1
"""Seconds, and the part of a campaign's time until then, that are enough where nothing was late."""
ENOUGH, MANY = 8, 32
"""Differences that stayed, or ways on which both sides were prompt, to know that by."""
AT_ONCE = 2
"""Questions that are asked again without any delay: some servers are late by reads, not by time."""

NOTHING = Answer(success=False, silence="not asked")

Kind = tuple[str, str, Difference]
Way = tuple[tuple[str, ...], str]
"""What was written, operation by operation, and the operation that was asked then."""


def may_be_early(gap: Gap, answers: Sequence[Answer], late: Container[str]) -> bool:
    """Whether one side may just not have what the other already shows.

    `late` are operations that were seen to show something only later.
    """
    if gap.difference is Difference.SUCCESS:
        failed = [each for each in answers if not each.success]
        return any(map(_is_unready, failed)) or gap.operation in late
    if gap.difference in (Difference.CODE, Difference.STATUS, Difference.MESSAGE):
        return gap.operation in late and is_read(gap.operation)
    if not is_read(gap.operation):
        # What takes things out gives nothing where they are not seen yet.
        return is_empty(gap)
    if gap.difference is Difference.VALUE:
        return gap.index > 0 or bool(_BETWEEN.match(gap.reference)) != bool(_BETWEEN.match(gap.candidate))
    if gap.difference in (Difference.MISSING, Difference.EXTRA):
        return gap.index > 0 or "[{" in gap.reference + gap.candidate or not all(a.fields for a in answers)
    if gap.difference is Difference.TYPE:
        return not gap.reference or not gap.candidate or "[{" in gap.reference + gap.candidate
    return gap.difference is Difference.LENGTH


def _is_unready(answer: Answer) -> bool:
    """Whether a refusal may be that of a server which is not ready yet."""
    return not answer.success and (answer.status in (404, 409) or bool(LATE.search(answer.code)))


def _is_gone(setup: Sequence[Call], answers: Sequence[Answer]) -> bool:
    """Whether one side may just not know yet that something was removed: it takes what the other misses.

    Who asks it again would remove it twice.
    """
    is_missed = any(each.status == 404 for each in answers) and any(each.success for each in answers)
    return is_missed and any(ENDS.search(call.operation) for call in setup)


@dataclass(slots=True, kw_only=True, eq=False)
class Question:
    """A call in a context that stands, to be made once more when it is due.

    A write is made again only where a side that was not ready refused it. Else it is made then for the first
    time: what it took or changed would be taken or changed twice.
    """

    call: Call
    standing: Standing
    since: float
    is_first: bool
    """Whether the call was not made yet."""
    shared: bool
    """Whether the read gives what everybody on the server has."""
    at_once: tuple[Answer, Answer] = (NOTHING, NOTHING)
    """The last answers without any delay."""
    users: int = 0
    """Differences that later answers have still to say something about."""
    later: list[tuple[Answer, Answer]] = field(default_factory=list)
    released: bool = False
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A difference that may go away, and the question that tells."""

    gap: Gap
    beside: tuple[Gap, ...]
    """What else differs in the same answers."""
    kind: Kind
    way: Way
    first: tuple[Answer, ...]
    question: Question
    span: float = math.inf
    """Seconds after which it would be gone by itself, for that is what was asked for."""


def _span(probe: Probe) -> float:
    """How long what a probe does is to last, where the parameter that it is about says so."""
    value = probe.call.params.get(probe.parameter)
    if isinstance(value, bool) or not isinstance(value, int) or not _SPAN.search(probe.parameter):
        return math.inf
    return value if value > 0 else math.inf


def _way(setup: Sequence[Call], probe: Probe, index: int) -> Way:
    """The way that led to one of the answers of a probe."""
    *before, asked = (
        (*setup, probe.call, *probe.observers[index - 1 : index]) if index else (*setup, probe.call)
    )
    return tuple(each.operation for each in before if not is_read(each.operation)), asked.operation


def _answers(shown: Shown) -> tuple[Answer, ...]:
    """Both sides' answers to the call that shows a difference."""
    index = shown.gap.index
    return tuple(seen.answers[index] for seen in shown.look.seen or () if index < len(seen.answers))


class Lateness:
    """Finds out which differences go away by themselves, without waiting for any of them."""

    def __init__(
        self,
        pair: Pair,
        judge: Judge,
        *,
        is_shared: Callable[[str], bool],
        looks: Callable[[Sequence[Call], Call], Sequence[Call]],
        account: Container[str] = (),
    ) -> None:
        self._pair, self._judge, self._is_shared, self._looks = pair, judge, is_shared, looks
        self._account = account
        """Operations on what everybody shares: somebody may have written to it just before."""
        self._steady: set[Kind] = set()
        """Kinds of difference that were seen to stay, however long one waits."""
        self._prompt: set[Way] = set()
        """Ways on which both sides were seen to show at once what was written."""
        self._late: set[str] = set()
        """Operations that were seen to show only later what the other side shows at once."""
        self._began = time.monotonic()
        self._stayed: list[float] = []
        """For how many seconds each question had stood that was asked in full time."""
        self._open: list[str] = []
        """Operations that may turn out to be late."""
        self._doubted: dict[int, set[str]] = {}
        """Operations that may turn out so by an investigation under way, by who makes it."""
        self._asked: dict[tuple[str, int], Question] = {}
        """The questions of one investigation, by the calls before them."""

    def beside(self, pair: Pair) -> Lateness:
        """The same knowledge for another investigation at the same time."""
        other = copy(self)
        other._pair, other._asked = pair, {}
        return other

    def begin(self) -> None:
        """A new investigation: nothing is asked of the contexts of others."""
        for question in self._asked.values():
            self._end(question)
        self._asked.clear()

    def check(self, shown: Shown) -> Check | bool:
        """Whether a difference goes away; a check where that has to be seen."""
        gap, probe = shown.gap, shown.probe
        answers = _answers(shown)
        kind = (probe.call.operation, gap.operation, gap.difference)
        is_after = bool(gap.index or shown.case.setup or gap.operation in self._account)
        # What is late is late in every part of an answer.
        beside = tuple(each for each in shown.look.gaps if each.index == gap.index)
        is_early = any(may_be_early(each, answers, self._suspects) for each in (gap, *beside))
        if not is_after or kind in self._steady or not is_early:
            return False
        question = self._ask(shown)
        if question is None:
            return False
        if self._agree(gap, question, *question.at_once):
            self._late.add(gap.operation)
            return True
        # What was removed is on no page of a list.
        is_removed = ENDS.match(probe.call.operation) is not None
        if question.shared and not is_removed and self._is_elsewhere(shown, question):
            self._steady.add(kind)
            return False
        question.users += 1
        self._open.append(gap.operation)
        way = _way(shown.case.setup, probe, gap.index)
        return Check(
            gap=gap,
            beside=beside,
            kind=kind,
            way=way,
            first=answers,
            question=question,
            span=_span(probe) if gap.index else math.inf,
        )

    def see(
        self, case: Case, probe: Probe, index: int, answers: Sequence[Answer], gaps: Sequence[Gap]
    ) -> None:
        """Take in what both sides answered at once: they are prompt where neither may be early.

        A write of something else than usual need not show, nor does a read that asks for something else.
        """
        if probe.parameter or probe.state not in ("present", "walk"):
            return
        if all(each.success for each in answers) and not any(
            may_be_early(each, answers, self._suspects) for each in gaps
        ):
            self._prompt.add(_way(case.setup, probe, index))

    @property
    def _suspects(self) -> set[str]:
        others = [names for who, names in self._doubted.items() if who != id(self)]
        return self._late.union(self._open, *others)

    @contextmanager
    def doubting(self, gaps: Sequence[Gap], seen: tuple[Seen, Seen]) -> Iterator[None]:
        """While differences are looked into, what may be late by them is suspected by all others as well."""
        doubted = self._doubted[id(self)] = set[str]()
        for gap in gaps:
            answers = [each.answers[gap.index] for each in seen if gap.index < len(each.answers)]
            if may_be_early(gap, answers, ()):
                doubted.add(gap.operation)
        yield
        # Whoever is interrupted in the middle leaves the others their doubts.
        del self._doubted[id(self)]

    def _lag(self, check: Check) -> float:
        """Seconds after which it is time to ask.

        None where the same operations were prompt before, or differed otherwise for good; few in a short
        campaign in which nothing was late that might have been.
        """
        is_known = check.way in self._prompt or any(each[:2] == check.kind[:2] for each in self._steady)
        if is_known and check.gap.operation not in self._late:
            return 0.0
        is_sure = len(self._stayed) >= ENOUGH or len(self._prompt) >= MANY
        if self._late or not is_sure:
            return LAG
        return min(LAG, max(BRIEF, PART * (time.monotonic() - self._began)))

    def settle(self, check: Check) -> bool:
        """Whether the difference is gone by now; waits only where it is not yet time to ask."""
        gap, question = check.gap, check.question
        self._open.remove(gap.operation)
        question.users -= 1
        is_early = check.kind not in self._steady and any(
            may_be_early(each, check.first, self._late) for each in (gap, *check.beside)
        )
        is_late = is_early and self._agrees_later(check)
        if is_late:
            self._late.add(gap.operation)
        elif is_early:
            self._steady.add(check.kind)
        self._end(question)
        return is_late

    def _ask(self, shown: Shown) -> Question | None:
        """The question about a difference, asked a few times at once; None where the budget is used up."""
        gap, probe, setup = shown.gap, shown.probe, shown.case.setup
        place = (f"{setup} {probe.call!r}", gap.index)
        if place in self._asked:
            return self._asked[place]
        call = probe.observers[gap.index - 1] if gap.index else probe.call
        answers = _answers(shown)
        is_unready = any(map(_is_unready, answers)) and not _is_gone(setup, answers)
        is_first = not is_read(gap.operation) and not is_unready
        probes = () if is_first and not gap.index else (replace(probe, observers=()),)
        try:
            standing = self._pair.begin(Case(setup=setup, probes=probes))
        except Exhausted:
            return None
        question = Question(
            call=call,
            standing=standing,
            since=time.monotonic(),
            is_first=is_first,
            shared=self._is_shared(gap.operation),
        )
        self._asked[place] = question
        if is_first:
            for look in [*self._looks(setup, call)[:1]] * AT_ONCE:
                self._again(question, look)
            return question
        for _ in range(AT_ONCE):
            if self._agree(gap, question, *question.at_once):
                break
            question.at_once = self._again(question, call)
        return question

    def _is_elsewhere(self, shown: Shown, question: Question) -> bool:
        """Whether a list has what it lacked as soon as others have made something: its place decides."""
        try:
            probe = replace(shown.probe, observers=())
            others = self._pair.begin(Case(setup=shown.case.setup, probes=(probe,)))
        except Exhausted:
            return False
        found = self._agree(shown.gap, question, *self._again(question, question.call))
        self._pair.release()
        self._pair.end(others)
        return found

    def _end(self, question: Question) -> None:
        """Let go of a context that nobody asks any more."""
        if question.users or question.ended:
            return
        question.ended = True
        self._release(question)
        self._pair.end(question.standing)

    def _release(self, question: Question) -> None:
        if not question.released:
            question.released = True
            self._pair.release()

    def _agrees_later(self, check: Check) -> bool:
        gap, question = check.gap, check.question
        self._release(question)
        time.sleep(max(0.0, question.since + self._lag(check) - time.monotonic()))
        if (stood := time.monotonic() - question.since) >= LAG:
            self._stayed.append(stood)
        if stood >= check.span:
            return False  # whether it is gone says nothing any more
        for number in range(1, 2 if question.is_first else AGAIN + 1):
            if number > 1 and gap.operation in self._account:
                time.sleep(LAG)  # others may have written to it just now
            if len(question.later) < number:
                question.later.append(self._again(question, question.call))
            if self._agree(gap, question, *question.later[number - 1]):
                return True
        return False

    def _again(self, question: Question, call: Call) -> tuple[Answer, Answer]:
        try:
            return self._pair.again(call, question.standing)
        except Exhausted:
            return NOTHING, NOTHING

    def _agree(self, gap: Gap, question: Question, reference: Answer, candidate: Answer) -> bool:
        """Whether two later answers no longer differ as the first ones did, and both are there."""
        if reference.silence or candidate.silence:
            return False
        if not is_read(gap.operation) and not question.is_first:
            # What one side took at once must not be asked of it twice: only the other one counts.
            was_late = gap.reference.startswith("success")
            return (candidate if was_late else reference).success
        if question.shared:
            if gap.difference not in EXISTENCE and not _OURS.search(gap.reference + gap.candidate):
                return False
            # Others have made more in the meantime, and what is ours may be on another page of the list.
            names = (question.standing.reference.names, question.standing.candidate.names)
            counts = [
                listed(answer.fields, each.prefix)
                for answer, each in zip((reference, candidate), names, strict=True)
            ]
            is_page = any(goes_on(answer.fields) for answer in (reference, candidate))
            return counts[0] == counts[1] and (counts[0] > 0 or not is_page)
        later = self._judge.gaps(gap.operation, gap.index, reference, candidate, bonds=Bonds())
        # What both say then may sound different, for it is not known here what stands for what.
        return not any(
            (each.difference, each.place) == (gap.difference, gap.place)
            or each.difference is Difference.SUCCESS
            for each in later
        )
