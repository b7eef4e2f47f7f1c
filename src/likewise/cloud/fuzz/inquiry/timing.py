"""Whether a difference is a matter of time: one side shows later what the other shows at once.

Nobody waits for the answer. The context is left standing, the campaign goes on, and the question is asked
again when the campaign is so many cases older, at its end at the latest.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.differences.bonds import Bonds
from likewise.cloud.fuzz.differences.crowds import goes_on, listed
from likewise.cloud.fuzz.differences.judging import Gap, Judge
from likewise.cloud.fuzz.differences.likeness import EXISTENCE, is_empty
from likewise.cloud.fuzz.inquiry.minimising import Shown
from likewise.cloud.fuzz.inquiry.places import holds
from likewise.cloud.fuzz.inquiry.questions import Question, Questions
from likewise.cloud.fuzz.planning.plans import ENDS, is_read
from likewise.cloud.fuzz.sides.execution import AGAIN, Case, Exhausted, Probe, Seen
from likewise.cloud.fuzz.sides.pairing import Pair
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A difference that may go away, and the question that tells."""

    gap: Gap
    beside: tuple[Gap, ...]
    """What else differs in the same answers."""
    kind: Kind
    way: Way
    first: tuple[Answer, ...]
    shown: Shown
    question: Question | None
    """Nothing where another difference of the kind is waited for, which tells as well."""
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


def _beside(shown: Shown) -> tuple[Gap, ...]:
    """What else differs in the same answers."""
    return tuple(each for each in shown.look.gaps if each.index == shown.gap.index)


def _poorer(gap: Gap) -> int:
    """The side that gave less."""
    texts = (gap.reference, gap.candidate)
    sizes = [int(text) if text.isdecimal() else len(text) for text in texts]
    return sizes.index(min(sizes))


def _kind(shown: Shown) -> Kind:
    return shown.probe.call.operation, shown.gap.operation, shown.gap.difference


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
        self._waiting: Counter[Kind] = Counter()
        """Kinds of difference of which it is being waited for whether they stay."""
        self._doubted: dict[int, set[str]] = {}
        """Operations that may turn out so by an investigation under way, by who makes it."""
        self._questions = Questions(pair, time.monotonic)

    def beside(self, pair: Pair) -> Lateness:
        """The same knowledge for another investigation at the same time."""
        other = copy(self)
        other._pair, other._questions = pair, Questions(pair, time.monotonic)
        return other

    def begin(self) -> None:
        """A new investigation: nothing is asked of the contexts of others."""
        self._questions.clear()

    def stand(self, those: Sequence[Shown]) -> tuple[Seen, Seen] | None:
        """Both sides' answers to a case whose differences will be asked about, run from scratch once more.

        None where none will be, or the question is not one to a probe that was made; and where one is about
        what everybody has, which others may change between two reads.
        """
        (probe,), setup = those[0].case.probes, those[0].case.setup
        if any(self._is_shared(each.gap.operation) for each in those):
            return None
        if not any(self._is_open(each) and self._asked_of(each).probes for each in those):
            return None
        try:
            return self._questions.stand(Case(setup=setup, probes=(probe,)))
        except Exhausted:
            return None

    def _is_open(self, shown: Shown) -> bool:
        """Whether it has to be seen if a difference goes away."""
        gap = shown.gap
        is_after = bool(gap.index or shown.case.setup or gap.operation in self._account)
        # What is late is late in every part of an answer.
        is_early = any(may_be_early(each, _answers(shown), self._suspects) for each in (gap, *_beside(shown)))
        return is_after and _kind(shown) not in self._steady and is_early

    def check(self, shown: Shown) -> Check | bool:
        """Whether a difference goes away; a check where that has to be seen."""
        if not self._is_open(shown):
            return False
        return self._check(shown, None) if self._waiting[_kind(shown)] else self._asked(shown)

    def _asked(self, shown: Shown) -> Check | bool:
        """Ask at once whether a difference goes away, and be ready to ask later."""
        gap, question = shown.gap, self._ask(shown)
        if question is None:
            return False
        if self._agree(gap, question, *question.at_once):
            self._late.add(gap.operation)
            return True
        # What was removed is on no page of a list.
        is_removed = ENDS.match(shown.probe.call.operation) is not None
        if question.shared and not is_removed and self._is_elsewhere(shown, question):
            self._steady.add(_kind(shown))
            return False
        question.users += 1
        self._waiting[_kind(shown)] += 1
        return self._check(shown, question)

    def _check(self, shown: Shown, question: Question | None) -> Check:
        gap = shown.gap
        self._open.append(gap.operation)
        return Check(
            gap=gap,
            beside=_beside(shown),
            kind=_kind(shown),
            way=_way(shown.case.setup, shown.probe, gap.index),
            first=_answers(shown),
            shown=shown,
            question=question,
            span=_span(shown.probe) if gap.index else math.inf,
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
        is_early = check.kind not in self._steady and any(
            may_be_early(each, check.first, self._late) for each in (gap, *check.beside)
        )
        if question is None:
            return is_early and self._is_alike(check)
        self._waiting[check.kind] -= 1
        question.users -= 1
        is_late = is_early and self._agrees_later(check, question)
        if is_late:
            self._late.add(gap.operation)
        elif is_early:
            self._steady.add(check.kind)
        self._questions.end(question)
        return is_late

    def _ask(self, shown: Shown) -> Question | None:
        """The question about a difference, asked a few times at once; None where the budget is used up."""
        gap, probe = shown.gap, shown.probe
        call = probe.observers[gap.index - 1] if gap.index else probe.call
        case, shared = self._asked_of(shown), self._is_shared(gap.operation)
        if (question := self._questions.find(case, call)) is not None:
            return question
        # What others make in between might be why a list that everybody shares has no longer the same gap.
        is_account = gap.operation in self._account and bool(case.probes)
        at_once = 1 if is_account else AT_ONCE if shared and case.probes else 0
        pause = LAG if is_account else 0.0  # what everybody may write to is asked again before anybody does
        try:
            question = self._questions.put(case, call, shared=shared, at_once=at_once, pause=pause)
        except Exhausted:
            return None
        if is_account:
            question.later += question.ready
            return question
        if question.is_first:
            for look in [*self._looks(case.setup, call)[:1]] * AT_ONCE:
                self._questions.again(question, look)
            return question
        ready = question.ready
        for number in range(AT_ONCE):
            is_ready = number < len(ready)
            question.at_once = ready[number] if is_ready else self._questions.again(question, call)
            if self._agree(gap, question, *question.at_once):
                break
        return question

    def _asked_of(self, shown: Shown) -> Case:
        """What has to stand for a question: without the probe where it must not be made twice."""
        gap, setup, answers = shown.gap, shown.case.setup, _answers(shown)
        is_unready = any(map(_is_unready, answers)) and not _is_gone(setup, answers)
        is_first = not gap.index and not is_read(gap.operation) and not is_unready
        return Case(setup=setup, probes=() if is_first else (shown.probe,))

    def _is_elsewhere(self, shown: Shown, question: Question) -> bool:
        """Whether a list has what it lacked as soon as others have made something: its place decides."""
        try:
            probe = replace(shown.probe, observers=())
            others = self._pair.begin(Case(setup=shown.case.setup, probes=(probe,)))
        except Exhausted:
            return False
        found = self._agree(shown.gap, question, *self._questions.again(question, question.call))
        self._pair.release()
        self._pair.end(others)
        return found

    def _is_alike(self, check: Check) -> bool:
        """Whether a difference is gone where another one of its kind is, or was not asked to the end."""
        if not self._pair.remaining():  # nobody can be asked any more
            is_unready = any(may_be_early(each, check.first, ()) for each in (check.gap, *check.beside))
            return is_unready and check.gap.operation in self._late
        own = self._asked(check.shown)
        return own if isinstance(own, bool) else self.settle(own)

    def _agrees_later(self, check: Check, question: Question) -> bool:
        gap = check.gap
        self._questions.release(question)
        time.sleep(max(0.0, question.since + self._lag(check) - time.monotonic()))
        if (stood := time.monotonic() - question.since) >= LAG:
            self._stayed.append(stood)
        if stood >= check.span:
            return False  # whether it is gone says nothing any more
        is_once = question.is_first or gap.operation in self._account
        for number in range(1, 2 if is_once else AGAIN + 1):
            if len(question.later) < number:
                question.later.append(self._questions.again(question, question.call))
            if self._agree(gap, question, *question.later[number - 1]):
                return True
        return False

    def _agree(self, gap: Gap, question: Question, reference: Answer, candidate: Answer) -> bool:
        """Whether two later answers no longer differ as the first ones did, and both are there."""
        if reference.silence or candidate.silence:
            return False
        if not is_read(gap.operation) and not question.is_first:
            # What one side took at once must not be asked of it twice: only the other one counts.
            if gap.difference is not Difference.SUCCESS:
                return holds((reference, candidate)[_poorer(gap)].fields, gap.place)
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
        bonds = Bonds(calls=question.before)
        later = self._judge.gaps(gap.operation, gap.index, reference, candidate, bonds=bonds)
        # What both say then may sound different, for it is not known here what stands for what.
        return not any(
            (each.difference, each.place) == (gap.difference, gap.place)
            or each.difference is Difference.SUCCESS
            for each in later
        )
