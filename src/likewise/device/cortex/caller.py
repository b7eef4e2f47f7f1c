"""Call functions on a processor: one by one, or many in one trip."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from likewise.device.cortex import batch
from likewise.device.cortex.calling import Prepared, place, read_result
from likewise.device.cortex.core import LR, PC, SP, XPSR, Core, CoreTimedOut
from likewise.device.cortex.image import Image
from likewise.device.cortex.room import Room
from likewise.device.cortex.trip import Packer, Trip
from likewise.device.links import Deadline
from likewise.device.nearness import Near
from likewise.device.testee import Answer, Answered, Call, Crashed, Refused, TimedOut

SPELL = 0.02
"""Seconds after which no further trip begins before the answers so far are told."""
SAMPLE = 0.002
"""Seconds after which a trip that is not back is looked at: which call is it in?"""
GLANCE, EACH = 0.0003, 2e-6
"""Seconds after which a trip is looked at for the first time: sooner if its calls are few."""
FASTER = 8
"""How many times longer the next trip may be after one that went quickly."""
IT_BITS = 0x0600FC00
"""The bits of xPSR by which the next instructions are conditional."""
HALT = 2.0
"""Seconds that a processor may take to stop when it is told to."""
RED_ZONE = 64


class CallableCore(Core, Protocol):
    """A processor that does what belongs to a call in few trips."""

    @property
    def near(self) -> Near:
        """Single calls are visits, several at once are tours."""
        ...

    def start(
        self, memory: Sequence[tuple[int, bytes]], registers: Mapping[int, int], deadline: Deadline
    ) -> None:
        """Change memory and registers and let it run; what other registers hold does not matter."""
        ...

    def wait_for_stop(self, deadline: Deadline) -> None:
        """Wait until it stops, and do not ask where. Raises CoreTimedOut, and it runs on."""
        ...

    def collect(self, memory: Sequence[tuple[int, int]]) -> tuple[int, int, int, list[bytes]]:
        """r0, r1, pc and some memory; one that runs is stopped first."""
        ...

    def halt(self, limit: float) -> None:
        """Make it stop, and do not ask where."""
        ...


class Bell(Protocol):
    """What makes the processor stop where calls come back."""

    @property
    def watches(self) -> bool:
        """Whether it is a word that only calls that come back write to."""
        ...

    def arm(self) -> None:
        """From now on."""
        ...

    def silence(self) -> bool:
        """After a stop elsewhere: whether a call wrote to that word itself; it no longer stops there."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A trip as it stands: how many calls are done (None: that was written over), results, the processor."""

    done: int | None
    results: bytes
    r0: int
    r1: int
    pc: int


class Caller:
    """Calls functions of one program. `stopped_in_call` says what a stop elsewhere means."""

    def __init__(
        self,
        core: CallableCore,
        image: Image,
        room: Room,
        stopped_in_call: Callable[[int], Answer],
        bell: Bell | None = None,
    ) -> None:
        """Without a bell the processor stops at `room.back` by itself."""
        self._core, self._room, self._bell = core, room, bell
        self._stopped_in_call = stopped_in_call
        self.is_started = False
        """Whether the program itself has run: before that, its registers are known without asking."""
        self._packer = Packer(image)
        self._before: list[int] | None = None
        """The program's registers, which are put back when something else than a call wants them."""
        self._waits_alone = False
        """Whether the last trip was to end with the call it was in, so that it still stops there."""
        self._most = room.calls
        """How many calls the next trip may have: one while they are slow, so that each is timed exactly."""
        self._ceiling = room.top
        """What is below it and above the stub is not the program's."""
        self._has_stopped = self._is_open = False
        """Whether a call has stopped on the way, and whether one of a trip: the stub is left to it then."""
        self._has_own_stack = True
        """Whether the last call had its stack below the stub, and not below that of the program."""

    def settle(self) -> None:
        """Put back what calls changed of the program's state."""
        before, self._before = self._before, None
        if before is not None:
            self._core.set_registers(dict(enumerate(before)))

    def execute(self, calls: Sequence[Call], answers: list[Answer]) -> None:
        """A run of calls, as many as go together, with their answers as they come.

        Raises CoreLost and CoreTimedOut; these concern the first call that has no answer then.
        """
        trip = self._packer.pack(calls[: self._most])
        if isinstance(trip, Refused):
            answers.append(trip)
            return
        if self._core.is_running:
            self._core.halt(HALT)
        if self._is_crowded():
            why = "the program's own stack reaches down to where calls keep what they need"
            answers.append(Refused(kind="no room", message=why))
        elif isinstance(trip, Prepared):
            answers.append(self._single(trip, calls[0].limit))
        elif len(trip) == 1 or self._fitting() == 1:
            answers.append(self._one(trip))
        else:
            with self._core.near.tour():
                self._many(trip.first(self._fitting()), calls, answers)

    def _know(self) -> list[int]:
        """The program's registers, and with them which memory is its own."""
        if self._before is None:
            self._before = self._core.registers() if self.is_started else self._room.before
            if self._before[SP] > self._room.pieces:
                self._ceiling = self._before[SP]
            if self.is_started and not self._is_open and not self._is_crowded():
                self._restore_stub()
        return self._before

    def _restore_stub(self) -> None:
        """The program may have used that memory while it ran."""
        if self._bell is not None:
            self._core.clear_stop(self._room.back)  # where it is an instruction in that memory
        self._core.write(self._room.stub, batch.STUB)

    def _is_crowded(self) -> bool:
        """Whether the program uses the memory in which calls are made."""
        used_from = self._know()[SP] - RED_ZONE
        return self.is_started and not self._has_stopped and self._room.free <= used_from < self._room.pieces

    def _fitting(self) -> int:
        """How many calls a trip may have so that it leaves the program's own stack alone."""
        self._know()
        return min(self._room.calls, self._room.fitting(self._ceiling - RED_ZONE))

    def _enter(self) -> tuple[int, dict[int, int]]:
        """The stack to use, and what else has to be set where the program itself has run."""
        if self._waits_alone:
            self._waits_alone = False
            self._core.clear_stop(self._room.returned)
        if self._bell is not None:
            self._bell.arm()
        before = self._know()
        if not self.is_started:
            return self._room.stub, {}
        self._has_own_stack = not self._room.free <= before[SP] <= self._room.stub
        stack = self._room.stub if self._has_own_stack else (before[SP] - RED_ZONE) & ~7
        return stack, {XPSR: before[XPSR] & ~IT_BITS}

    def _single(self, prepared: Prepared, limit: float) -> Answer:
        """A call with memory or many arguments: everything before it in one write, and after it."""
        core, deadline = self._core, Deadline(limit)
        if core.is_running:
            core.halt(HALT)
        stack, registers = self._enter()
        words, placed, end = place(prepared, self._room.pieces)
        if placed and end > self._ceiling - RED_ZONE:
            return Refused(
                kind="no memory", message=f"{end - self._room.pieces} bytes of arguments do not fit"
            )
        start, size = self._room.pieces, end - self._room.pieces if placed else 0
        data = bytearray(size)
        for at, piece in placed:
            data[at - start : at - start + len(piece.data)] = piece.data
        memory = [(start, bytes(data))] if size else []
        if over := words[4:]:
            stack = (stack - 4 * len(over)) & ~7
            memory.append((stack, b"".join(word.to_bytes(4, "little") for word in over)))
        registers |= dict(enumerate(words[:4]))
        registers |= {SP: stack, LR: self._room.back | 1, PC: prepared.function.address}
        with core.near:
            core.start(memory, registers, deadline)
            core.wait_for_stop(deadline)
            r0, r1, pc, read = self._collect([(start, size)] if size else [], deadline)
        if pc not in self._room.ends:
            return self._elsewhere(pc)
        pieces = {piece.argument: read[0][at - start :][: len(piece.data)] for at, piece in placed if size}
        return Answered(data=read_result(prepared, r0, r1, pieces))

    def _one(self, trip: Trip) -> Answer:
        """One plain call, without a detour through the stub."""
        core, deadline = self._core, Deadline(trip.limits[0])
        function, *words = batch.words(trip.descriptors[0])
        stack, registers = self._enter()
        registers |= dict(enumerate(words))
        registers |= {SP: stack, LR: self._room.back | 1, PC: function & ~1}
        with core.near:
            core.start([], registers, deadline)
            started = time.monotonic()
            core.wait_for_stop(deadline)
            if time.monotonic() - started < SAMPLE:
                self._quicken()
            r0, r1, pc, _ = self._collect([], deadline)
        return trip.answer(0, r0, r1) if pc in self._room.ends else self._elsewhere(pc)

    def _collect(
        self, memory: Sequence[tuple[int, int]], deadline: Deadline
    ) -> tuple[int, int, int, list[bytes]]:
        """What a call that stopped has left; one that only wrote to the bell's word goes on first."""
        found = self._core.collect(memory)
        if found[2] in self._room.ends or self._bell is None or not self._bell.silence():
            return found
        self._core.go()
        self._core.wait_for_stop(deadline)
        return self._core.collect(memory)

    def _elsewhere(self, pc: int) -> Answer:
        self.is_started = self._has_stopped = True
        self._before = None
        answer = self._stopped_in_call(pc)
        if (
            isinstance(answer, Crashed)
            and self._has_own_stack
            and self._core.registers()[SP] < self._room.free
        ):
            had = f"it used more than the {self._room.stub - self._room.free} bytes of stack that there are"
            return Crashed(kind=answer.kind, message=f"{answer.message}; {had}")
        return answer

    def _many(self, trip: Trip, calls: Sequence[Call], answers: list[Answer]) -> None:
        """Trip after trip: while one is under way, the next is packed and the last one's results are read."""
        begun = self._depart(trip)
        is_late = begun + SPELL
        while True:
            following = self._following(calls[len(answers) + len(trip) :])
            look, hung = self._watch(trip, begun)
            if hung or look.done != len(trip):
                answers += self._broken_off(trip, look, hung)
                return
            if time.monotonic() > is_late:
                following = None
            try:
                if following is not None:
                    begun = self._depart(following)
            finally:
                answers += trip.answers(look.results)
            if following is None:
                return
            trip = following

    def _following(self, calls: Sequence[Call]) -> Trip | None:
        """The next trip, where there is one of several calls."""
        found = self._packer.pack(calls[: min(self._most, self._fitting())])
        return found if isinstance(found, Trip) and len(found) > 1 else None

    def _depart(self, trip: Trip) -> float:
        """All calls of a trip, in one write; when that was."""
        room = self._room
        stack, registers = self._enter()
        data = b"".join(trip.descriptors)
        end = room.pieces + len(data)
        registers |= {
            batch.FIRST: room.pieces,
            batch.LAST: end,
            batch.RESULTS: end + batch.PROGRESS,
            SP: stack,
            PC: room.stub,
        }
        memory = [(room.pieces, data + room.pieces.to_bytes(batch.PROGRESS, "little"))]
        if self._bell is not None and not self._bell.watches:
            memory.append((room.stub, batch.STUB))  # whatever calls have written there
        self._core.start(memory, registers, Deadline(max(trip.limits[0], HALT)))
        return time.monotonic()

    def _broken_off(self, trip: Trip, look: Look, hung: bool) -> list[Answer]:
        """A hang or fault belongs to the first call that is not done."""
        if look.done is None:
            why = f"one of {len(trip)} calls wrote over what is known of them: which, is not known"
            return [Crashed(kind="no room", message=why)]
        call = min(look.done, len(trip) - 1)
        end = TimedOut(after=trip.limits[call]) if hung else self._stopped(trip, look, call)
        return [*trip.answers(look.results[: call * batch.RESULT]), end]

    def _stopped(self, trip: Trip, look: Look, call: int) -> Answer:
        """What became of the first call of a trip that is not done."""
        if look.pc in self._room.ends:
            return Crashed(kind="lost", message="the program left the call in an unknown way")
        if look.pc == self._room.returned:
            return trip.answer(call, look.r0, look.r1)
        if self._bell is not None and self._bell.silence():
            why = "it wrote to memory that calls need, in the midst of the RAM"
            return Crashed(kind="no room", message=why)
        self._leave_open()
        return self._elsewhere(look.pc)

    def _leave_open(self) -> None:
        """A call that stopped on the way may be let go on: the rest of its trip is not to follow it then."""
        self._core.clear_stop(self._room.returned)
        self._waits_alone = False
        self._core.write(self._room.returned, batch.LEAVE)
        self._is_open, self._most = True, 1

    def _watch(self, trip: Trip, begun: float) -> tuple[Look, bool]:
        """Wait for a trip; how it ended, and whether by a hang."""
        first = begun + min(SAMPLE, *trip.limits, GLANCE + EACH * len(trip))
        try:
            self._core.wait_for_stop(Deadline(max(first - time.monotonic(), GLANCE)))
        except CoreTimedOut:
            return self._follow(trip)
        self._quicken()
        return self._look(trip), False

    def _follow(self, trip: Trip) -> tuple[Look, bool]:
        """Look now and then which call a trip is in, until it ends.

        A call that is still the same at the second look is waited for alone: the trip ends with it.
        One that hangs is left under way, since it may take long to stop it.
        """
        core, limits, last = self._core, trip.limits, len(trip) - 1
        pause = min(SAMPLE, *limits)
        core.near.attend()
        look, call, seen = self._look(trip), -1, 0.0
        core.near.part()
        while look.done is not None and look.pc not in self._room.ends:
            if look.done != call:
                call, seen = min(look.done, last), time.monotonic()
            elif time.monotonic() - seen >= limits[call]:
                return look, True
            else:
                self._wait_alone()
            core.go()
            until = seen + limits[call] if self._waits_alone or call == last else time.monotonic() + pause
            try:
                core.wait_for_stop(Deadline(until - time.monotonic()))
            except CoreTimedOut:
                if self._waits_alone or call == last:
                    return look, True
                look = self._look(trip)
            else:
                return self._look(trip), False
        return look, False

    def _wait_alone(self) -> None:
        """The trip is to end with the call that it is in, and the next is to have one call only."""
        self._waits_alone, self._most = True, 1
        self._core.set_stop(self._room.returned)

    def _quicken(self) -> None:
        if not self._is_open:
            self._most = min(self._room.calls, self._most * FASTER)

    def _look(self, trip: Trip) -> Look:
        """How a trip stands; one that is under way is stopped."""
        start, end = self._room.pieces, self._room.pieces + len(trip) * batch.SIZE
        known = batch.SIZE + batch.PROGRESS
        size = known + len(trip) * batch.RESULT
        r0, r1, pc, (read,) = self._core.collect([(end - batch.SIZE, size)])
        progress = int.from_bytes(read[batch.SIZE : known], "little")
        done, rest = divmod(progress - start, batch.SIZE)
        is_intact = read.startswith(trip.descriptors[-1]) and rest == 0 and 0 <= done <= len(trip)
        return Look(done=done if is_intact else None, results=read[known:], r0=r0, r1=r1, pc=pc)
