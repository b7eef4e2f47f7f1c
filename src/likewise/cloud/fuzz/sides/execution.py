"""Running cases on one side: fresh names, shared set-up, a budget that holds."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from likewise.cloud.fuzz.calls import Answer, Call, Side, Unresolved, resolve
from likewise.cloud.fuzz.names import KINDS
from likewise.cloud.fuzz.planning.plans import is_read
from likewise.cloud.fuzz.sides.contexts import INSIDE, Context, Names, Stage, Stages
from likewise.cloud.fuzz.sides.readiness import Readiness
from likewise.cloud.fuzz.sides.removal import made, remove
from likewise.cloud.fuzz.sides.sharing import Shared
from likewise.cloud.fuzz.sides.standing import is_replaced, kept_calls

DENIED = re.compile(
    r"InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignature|UnrecognizedClient|InvalidClientTokenId|"
    r"ExpiredToken|AuthenticationFailed|MissingAuthenticationToken"
)
"""Codes that say that nobody is known by these credentials."""
EXPIRED = "ExpiredToken"
PAUSES = (0.2, 0.5, 1.0, 2.0)
"""Seconds between attempts at a call that came too fast."""
SLOW = 1.0
"""Seconds from which on it is noted how long a call took."""
AGAIN, REMOVAL = 2, 8
"""Calls set aside for a context that is left standing: questions to it, and removing what it made."""


class Exhausted(Exception):
    """The budget is used up, or the user said stop."""


class Broken(Exception):
    """The server ended and was started again: what the context had made is gone."""


class Meter:
    """Counts the calls that one side may still get; shared by everybody who uses that side."""

    def __init__(self, limit: int | None = None, until: float | None = None, reserve: int = 0) -> None:
        self.limit, self.until, self.used, self.reserve = limit, until, 0, reserve
        self._lock = threading.Lock()
        self.stopped = False

    def take(self) -> None:
        """One more call; Exhausted where there is none left."""
        with self._lock:
            if self.is_over:
                raise Exhausted
            self.used += 1

    def add(self, calls: int) -> None:
        """Calls that were made beyond the one that was asked for."""
        with self._lock:
            self.used += calls

    def hold(self, calls: int) -> None:
        """Set calls aside for what is still to be asked; a negative number gives them free again."""
        with self._lock:
            self.reserve += calls

    @property
    def is_over(self) -> bool:
        """Whether nothing more may be asked."""
        return not self.free

    @property
    def free(self) -> float:
        """Calls that may still be asked for, without those that were set aside."""
        if self.stopped or (self.until is not None and time.monotonic() > self.until):
            return 0
        return inf if self.limit is None else max(0, self.limit - self.reserve - self.used)

    @property
    def left(self) -> int | None:
        """Calls that may still be made; None where nobody counts."""
        return None if self.limit is None else max(0, self.limit - self.used)


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A call whose answers are compared, and the reads that show what it did."""

    call: Call
    observers: tuple[Call, ...] = ()
    parameter: str = ""
    value_class: str = ""
    state: str = "present"
    note: str = ""
    size: int = 0
    """How long or how many, where that is what is varied."""
    is_watched: bool = False
    """Whether the first read is asked even where the call is refused: it may have left something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Calls that make a state, and probes that each see that state."""

    setup: tuple[Call, ...] = ()
    probes: tuple[Probe, ...] = ()


@dataclass(slots=True, kw_only=True)
class Seen:
    """What one side did for one probe: the set-up's answers, the probe's, and the observers'."""

    setup: list[Answer]
    answers: list[Answer] = field(default_factory=list)
    prefix: str = ""
    fresh: bool = True
    """Whether nothing but the set-up was written before the probe: what reads show is what these wrote."""
    recent: bool = True
    """Whether the set-up was made just before: what is late has not yet come."""
    shared: Mapping[str, str] = field(default_factory=dict)
    """What everybody on the server shares, as it was then."""


def went_alike(setup: Sequence[Call], ours: Seen, theirs: Seen) -> bool:
    """Whether the writes of a set-up succeeded or failed on both sides alike; looking changes nothing."""
    writes = [number for number, call in enumerate(setup) if not is_read(call.operation)]
    first, second = (
        [seen.setup[number].success for number in writes if number < len(seen.setup)]
        for seen in (ours, theirs)
    )
    return first == second


def reads_after(probe: Probe, answer: Answer) -> tuple[Call, ...]:
    """The reads that are asked after a probe: all where it succeeded, the first where it is watched."""
    if answer.success:
        return probe.observers
    return probe.observers[:1] if probe.is_watched and not answer.refused else ()


class Keeper:
    """What one lane made and has not seen removed; `remember` and `forget` keep it on the disk."""

    def __init__(self, remember: Callable[[str], None], forget: Callable[[str], None]) -> None:
        self.names: dict[str, None] = {}
        self.left: dict[str, str] = {}
        """What could not be removed, and why."""
        self._remember, self._forget = remember, forget

    def hand_over(self) -> tuple[str, ...]:
        """What was made until now, for somebody else to remember that it has to be removed."""
        names = tuple(self.names)
        self.names.clear()
        return names

    def note(self, name: str) -> None:
        """Something is about to be made."""
        if name not in self.names:
            self._remember(name)
            self.names[name] = None

    def gone(self, name: str) -> None:
        """It is no longer there."""
        self.names.pop(name, None)
        self.left.pop(name, None)
        self._forget(name)

    def stays(self, name: str, why: str) -> None:
        """It could not be removed."""
        self.names.pop(name, None)
        self.left[name] = why


class Lane:
    """One side of a comparison, used by one thread at a time."""

    def __init__(self, side: Side, *, tag: str, run: str, meter: Meter | None = None) -> None:
        self.side, self.tag, self.run, self.meter = side, tag, run, meter
        self.serial = 0
        self.asked = 0
        """Calls that were sent because they were asked for, not to wait for something."""
        self.silences = 0
        self.denials = 0
        """Calls in a row that were refused for want of credentials."""
        self._is_accepted = False
        """Whether a call has succeeded: after that, such a refusal is for what a call was given."""
        self.is_new = False
        """Whether the server was started again since the context began."""
        self.generation = 0
        """How often it was."""
        self.keeper: Keeper | None = None
        """Notes what is made, where it has to be removed again."""
        self.revive: Callable[[], Side | None] = lambda: None
        """Starts the server again, where it is ours and has ended."""
        self._tables = Readiness(self._send)
        self._shared = Shared()
        self._stages = Stages()

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches every name that this lane ever gave."""
        return re.compile(f"(?:lw{self.run}[0-9a-z]{{4}}{self.tag}|{INSIDE}(?=[a-z]))([a-z][a-z]|)")

    @property
    def endpoint(self) -> str:
        """Where the server is; nothing where the SDK knows."""
        return self.side.running.endpoint(self.side.service) or ""

    def names(self) -> Names:
        """Names for a new context."""
        self.serial += 1
        prefix = f"lw{self.run}{_base36(self.serial, 4)}{self.tag}"
        return Names(prefix, self.endpoint, KINDS.get(self.side.service, ""))

    def do(self, case: Case, *, anew: bool = True) -> list[Seen]:
        """Every probe of a case; the set-up is repeated after a probe that changed something.

        Ends early, with what there is, where the budget or the server does. Where it need not be made `anew`,
        the set-up is gone on with where an earlier case began alike and has written nothing else.
        """
        done: list[Seen] = []
        stage: Stage | None = None
        try:
            for number, probe in enumerate(case.probes):
                is_recent = False
                if stage is None or not stage.is_clean:
                    stage, is_recent = self._staged(case.setup, stage, probe.call, anew=anew)
                seen = Seen(
                    setup=stage.answers,
                    prefix=stage.names.prefix,
                    fresh=stage.is_untouched,
                    recent=is_recent,
                )
                answer = self.one(probe.call, stage.names, stage.answers)
                seen.answers.append(answer)
                if self.is_new:
                    done.append(seen)
                self._check()
                is_write = not is_read(probe.call.operation)
                if is_write:
                    reads = reads_after(probe, answer)
                    seen.answers += self._calls(reads, stage.names, [*stage.answers, answer])
                if is_write and answer.success:
                    following = [each.call for each in case.probes[number + 1 : number + 2]]
                    stage.is_clean = is_replaced(probe.call, *following)
                    stage.kept = kept_calls(case.setup, probe.call, KINDS.get(self.side.service, ""))
                    stage.writes += 1
                    # What was asked before it would stand in the way of what refers to it.
                    stage.after = list(zip((probe.call, *probe.observers), seen.answers, strict=True))
                elif not is_write and not probe.parameter:
                    stage.after.append((probe.call, answer))
                seen.shared = self._shared.copy()
                done.append(seen)
                self._check()
            self._keep(stage)
        except (Exhausted, Broken):
            pass
        finally:
            self.tidy()
        return done

    def _staged(
        self, setup: tuple[Call, ...], before: Stage | None, following: Call, *, anew: bool
    ) -> tuple[Stage, bool]:
        """A context with a set-up, the one `before` as far as it stands; and whether something was called."""
        if before is not None and before.kept:
            stage = before.again()
        else:
            self._keep(before)
            self.tidy()
            self.is_new = False
            is_new = anew or self.keeper is not None
            there = None if is_new else self._stages.take(setup, self.generation, following)
            stage = there or Stage(names=self.names(), generation=self.generation, setup=setup, answers=[])
        rest = setup[len(stage.answers) :]
        stage.answers = stage.answers + self._calls(rest, stage.names, stage.answers)
        self._check()
        return stage, bool(rest)

    def _keep(self, stage: Stage | None) -> None:
        """Remember a context that somebody may go on with; where things must be removed, nobody can."""
        if stage is not None and self.keeper is None:
            self._stages.keep(stage)

    def drop(self, prefix: str) -> None:
        """Forget a context: what was done in it went otherwise than elsewhere."""
        self._stages.drop(prefix)

    def _check(self) -> None:
        if self.is_new:
            raise Broken

    def tidy(self) -> None:
        """Remove what the last context made, where that is for us to do."""
        if self.keeper is None:
            return
        for name in tuple(self.keeper.names):
            why = remove(self.side.service, name, self._ask)
            self.keeper.gone(name) if not why else self.keeper.stays(name, why)

    def _ask(self, operation: str, params: Mapping[str, Any]) -> Answer:
        """A call of the housekeeping."""
        call = Call(service=self.side.service, operation=operation, params=params)
        return _patiently(lambda: self._keep_house(call))

    def _keep_house(self, call: Call) -> Answer:
        """Send a call that is counted, and made from what was set aside for it."""
        if self.meter is not None:
            if self.meter.limit is not None and self.meter.used >= self.meter.limit:
                return Answer(success=False, silence="the budget is used up")
            self.meter.add(1)
        return self.side.call(call)

    def begin(self, case: Case, pause: float = 0.0) -> Context:
        """The set-up and the only probe, if any, left standing so that more can be asked of it.

        Nobody else comes between a probe and the reads after it, which may have to wait for a `pause`.
        """
        names = self.names()
        self.is_new = False
        try:
            answers = self._calls((*case.setup, *(probe.call for probe in case.probes)), names, [])
            time.sleep(pause)
            reads = [read for probe in case.probes for read in reads_after(probe, answers[-1])]
            said = self._calls(reads, names, answers)
        except Exhausted:
            self.tidy()
            raise
        self._hold(1)
        made = () if self.keeper is None else self.keeper.hand_over()
        return Context(
            names=names,
            answers=answers,
            made=made,
            generation=self.generation,
            said=tuple(said),
            shared=self._shared.copy(),
        )

    def _hold(self, sign: int) -> None:
        if self.meter is not None:
            self.meter.hold(sign * (AGAIN + (REMOVAL if self.keeper is not None else 0)))

    def again(self, call: Call, context: Context) -> Answer:
        """One more call in a context that stands; what is gone with its server gives no answer."""
        if self.generation != context.generation:
            return Answer(success=False, silence="the server was started again")
        return self.one(call, context.names, context.answers)

    def hold(self) -> None:
        """Set calls aside for one more question to a context that stands."""
        self._hold(1)

    def release(self) -> None:
        """What was set aside for a context that stands may be used."""
        self._hold(-1)

    def end(self, context: Context) -> None:
        """Remove what a context that stood has made."""
        if self.keeper is not None:
            self.keeper.names.update(dict.fromkeys(context.made))
        self.tidy()

    def _calls(self, calls: Sequence[Call], names: Names, before: Sequence[Answer]) -> list[Answer]:
        """The answers to some calls; those before them are there to be referred to."""
        answers: list[Answer] = list(before)
        for call in calls:
            answers.append(self.one(call, names, answers))
        return answers[len(before) :]

    def one(self, call: Call, names: Names, answers: Sequence[Answer]) -> Answer:
        """One call, repeated only where the side says that it came too fast."""
        try:
            params: Mapping[str, Any] = resolve(call.params, names, answers)
        except Unresolved as error:
            return Answer(success=False, refused=f"nothing to refer to: {error}")
        ready = replace(call, params=params)
        new = self._announced(ready)
        self._tables.leave(ready)
        began = time.monotonic()
        answer = _patiently(lambda: self._send(ready))
        if (took := time.monotonic() - began) > SLOW:
            answer = replace(answer, seconds=took)
        self.asked += answer.was_sent
        if 400 <= (answer.status or 0) < 500 and self.keeper is not None:
            for name in new:
                self.keeper.gone(name)  # it was never made
        if call.identity.is_owner:  # who else is refused says nothing about the user's own credentials
            self._is_accepted = self._is_accepted or answer.success
            denied = EXPIRED in answer.code if self._is_accepted else DENIED.search(answer.code) is not None
            self.denials = self.denials + 1 if denied else 0
        if answer.is_throttled:
            answer = Answer(success=False, silence="throttled")
        if self.side.service == "dynamodb":
            answer = self._tables.settled(ready, answer)
        self.silences = self.silences + 1 if answer.silence else 0
        if answer.success:
            self._shared.note(call)
        if answer.silence and (again := self.revive()) is not None:
            self.side, self.is_new = again, True
            self.generation += 1
            self.silences = 0
            self._shared = Shared()
        return answer

    def _announced(self, call: Call) -> list[str]:
        """What a call is about to make, noted before it is made; what is there already is not among it."""
        if self.keeper is None:
            return []
        new = [name for name in made(call) if name not in self.keeper.names]
        for name in new:
            self.keeper.note(name)
        return new

    def _send(self, call: Call) -> Answer:
        if self.meter is not None:
            if self.meter.stopped:
                raise Exhausted
            before = self.side.sent
            self.meter.take()
            answer = self.side.call(call)
            # None where the SDK refused it, two where it followed a redirection.
            self.meter.add(self.side.sent - before - 1)
            return answer
        return self.side.call(call)


def _patiently(send: Callable[[], Answer]) -> Answer:
    """The answer to a call, made again after a pause while the side says that it came too fast."""
    answer = send()
    for pause in PAUSES:
        if not answer.is_throttled:
            break
        time.sleep(max(pause, answer.pause))
        answer = send()
    return answer


def _base36(number: int, width: int) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while number:
        number, rest = divmod(number, 36)
        text = digits[rest] + text
    return text.rjust(width, "0")
