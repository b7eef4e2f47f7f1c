"""Questions that are asked later once more, in contexts that are left standing for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.planning.plans import is_read
from likewise.cloud.fuzz.sides.execution import Case, Exhausted, Seen
from likewise.cloud.fuzz.sides.pairing import Pair, Standing

NOTHING = Answer(success=False, silence="not asked")
NEITHER = (NOTHING, NOTHING)


@dataclass(slots=True, kw_only=True, eq=False)
class Ground:
    """A context that stands on both sides."""

    standing: Standing
    since: float
    reads: tuple[Call, ...] = ()
    """What was asked right after its probe."""
    asked: int = 0
    """Questions that were put to it."""
    open: int = 0
    """Those that it must still stand for."""

    def answers_to(self, call: Call) -> list[tuple[Answer, Answer]]:
        """What both sides said to a read right after the probe."""
        said = zip(self.reads, self.standing.said, strict=False)
        return [answers for read, answers in said if read == call]


@dataclass(slots=True, kw_only=True, eq=False)
class Question:
    """A call in a context that stands, to be made once more when it is due.

    A write is made again only where a side that was not ready refused it. Else it is made then for the first
    time: what it took or changed would be taken or changed twice.
    """

    call: Call
    ground: Ground
    is_first: bool
    """Whether the call was not made yet."""
    shared: bool
    """Whether the read gives what everybody on the server has."""
    ready: list[tuple[Answer, Answer]]
    """Answers that were given before anybody else had a turn."""
    before: tuple[Call, ...] = ()
    """The calls that led to what it is about."""
    at_once: tuple[Answer, Answer] = NEITHER
    """The last answers without any delay."""
    users: int = 0
    """Differences that later answers have still to say something about."""
    later: list[tuple[Answer, Answer]] = field(default_factory=list)
    released: bool = False
    ended: bool = False

    @property
    def standing(self) -> Standing:
        """The contexts that it is put to."""
        return self.ground.standing

    @property
    def since(self) -> float:
        """When what it is about was written."""
        return self.ground.since


class Questions:
    """Those of one investigation; several may be put to one context."""

    def __init__(self, pair: Pair, now: Callable[[], float]) -> None:
        self._pair, self._now = pair, now
        self._grounds: dict[str, Ground] = {}
        self._all: list[Ground] = []
        self._there: dict[tuple[str, str], Question] = {}

    def clear(self) -> None:
        """A new investigation: nothing is asked of the contexts of others."""
        for question in self._there.values():
            self.end(question)
        for ground in self._all:
            if not ground.asked:
                self._pair.release()
                self._pair.end(ground.standing)
        self._there.clear()
        self._grounds.clear()
        self._all.clear()

    def find(self, case: Case, call: Call) -> Question | None:
        """The question that a call puts to a case, if it was put."""
        return self._there.get((_words(case), repr(call)))

    def stand(self, case: Case) -> tuple[Seen, Seen]:
        """Run a case with one probe from scratch and leave it standing; Exhausted where the budget ends."""
        ground = self._begun(case)
        if all(is_read(read.operation) for read in ground.reads):  # else one of them took something away
            self._grounds[_words(case)] = ground
        standing = ground.standing
        ours, theirs = (
            Seen(
                setup=each.answers[:-1],
                answers=[*each.answers[-1:], *each.said],
                prefix=each.names.prefix,
                shared=each.shared,
            )
            for each in (standing.reference, standing.candidate)
        )
        return ours, theirs

    def put(self, case: Case, call: Call, *, shared: bool, at_once: int = 0, pause: float = 0.0) -> Question:
        """Put a question about one of the answers of a case; Exhausted where the budget ends.

        Where it has no probe, the call is made for the first time later on, in a context of its own. So it
        is where nobody else may come in between: the call is then made `at_once`, that many times more,
        after a `pause`.
        """
        repeated = tuple(replace(each, observers=(call,) * at_once) for each in case.probes)
        # What takes something away must not be asked where others look.
        is_own = at_once or not case.probes or not is_read(call.operation)
        ground = self._begun(replace(case, probes=repeated), pause) if is_own else self._ground(case)
        if ground.asked:
            self._pair.hold()
        ground.asked += 1
        ground.open += 1
        question = Question(
            call=call,
            ground=ground,
            is_first=not case.probes,
            shared=shared,
            ready=ground.answers_to(call),
            before=(*case.setup, *(probe.call for probe in case.probes)),
        )
        self._there[_words(case), repr(call)] = question
        return question

    def again(self, question: Question, call: Call) -> tuple[Answer, Answer]:
        """Both sides' answers to one more call, as far as there is something to ask."""
        try:
            return self._pair.again(call, question.standing)
        except Exhausted:
            return NEITHER

    def release(self, question: Question) -> None:
        """What was set aside for a question may be used."""
        if not question.released:
            question.released = True
            self._pair.release()

    def end(self, question: Question) -> None:
        """Let go of a context that nobody asks any more."""
        if question.users or question.ended:
            return
        question.ended = True
        self.release(question)
        question.ground.open -= 1
        if not question.ground.open:
            self._pair.end(question.standing)

    def _ground(self, case: Case) -> Ground:
        """The context of a case, with or without the reads after it: others might have taken something."""
        if (found := self._grounds.get(_words(case))) is not None:
            return found
        bare = replace(case, probes=tuple(replace(each, observers=()) for each in case.probes))
        if (words := _words(bare)) not in self._grounds:
            self._grounds[words] = self._begun(bare)
        return self._grounds[words]

    def _begun(self, case: Case, pause: float = 0.0) -> Ground:
        since = self._now()
        reads = tuple(read for probe in case.probes for read in probe.observers)
        self._all.append(Ground(standing=self._pair.begin(case, pause), since=since, reads=reads))
        return self._all[-1]


def _words(case: Case) -> str:
    """The calls of a case, and the reads after them."""
    return f"{case.setup} {[(each.call, each.observers) for each in case.probes]}"
