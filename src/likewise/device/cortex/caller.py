"""Call functions on a processor: one by one, or many in one trip."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from likewise.device.commands import Invoke
from likewise.device.cortex import batch
from likewise.device.cortex.calling import Prepared, place, prepare, read_result
from likewise.device.cortex.core import LR, PC, SP, THUMB, XPSR, Core, CoreTimedOut
from likewise.device.cortex.image import Image
from likewise.device.cortex.layout import Layout
from likewise.device.cortex.quick import Quick, quick
from likewise.device.cortex.types import Unfit
from likewise.device.links import Deadline
from likewise.device.nearness import Near
from likewise.device.testee import Answer, Answered, Call, Crashed, Data, Refused, TimedOut
from likewise.device.values import NotRepresentable

MOST = 512
"""Calls in one trip at most."""
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
Decode = Callable[[int, int], Data]


class CallableCore(Core, Protocol):
    """A processor that does what belongs to a call in few trips."""

    @property
    def near(self) -> Near:
        """Within which single calls are made."""
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


class Room:
    """Where in the RAM calls keep what they need: between the program's variables and its stack."""

    def __init__(self, image: Image, layout: Layout) -> None:
        stack, start = image.vectors
        self.stack = (stack or layout.top) & ~7
        self.registers = {SP: self.stack, LR: 0xFFFFFFFF, PC: start & ~1, XPSR: THUMB}
        """What the registers hold before the program's first instruction."""
        self.before = [self.registers.get(number, 0) for number in range(17)]
        """All of them then."""
        used = [
            each.address + each.size for each in image.segments if layout.ram <= each.address < layout.top
        ]
        free = (max(used, default=layout.ram) + 7) & ~7
        size = max(0, self.stack - free)
        self.stub = (free + size // 3) & ~7
        """Calls have their stack below it, so that one that never ends leaves what is above as it was."""
        self.pieces = (self.stub + len(batch.STUB) + 7) & ~7
        self.back = self.stub + batch.DONE
        """Where calls come back to."""
        self.bell = self.stub + batch.BELL
        """The word that is written to then."""
        self.ringer = self.stub + batch.RUNG
        """The instruction that does it."""
        self.ends = (self.back, self.ringer)
        """Where the processor stands when everything is done."""
        self.calls = max(
            1, min(MOST, (size // 3 - len(batch.STUB) - batch.PROGRESS) // (batch.SIZE + batch.RESULT))
        )


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
        self._core, self._image, self._room, self._bell = core, image, room, bell
        self._stopped_in_call = stopped_in_call
        self.is_started = False
        """Whether the program itself has run: before that, its registers are known without asking."""
        self._quick: dict[str, Quick | None] = {}
        self._before: list[int] | None = None
        """The program's registers, which are put back when something else than a call wants them."""
        self._most = room.calls
        """How many calls the next trip may have: one while they are slow, so that each is timed exactly."""

    def settle(self) -> None:
        """Put back what calls changed of the program's state."""
        before, self._before = self._before, None
        if before is not None:
            self._core.set_registers(dict(enumerate(before)))

    def execute(self, calls: Sequence[Call]) -> list[Answer]:
        """A run of calls, as many as go together. Raises CoreLost and CoreTimedOut."""
        descriptors: list[bytes] = []
        decoders: list[Decode] = []
        limits: list[float] = []
        for command, limit in calls[: self._most]:
            if type(command) is not Invoke:
                break
            short = self._short(command.function)
            descriptor = None if short is None else short.encode(command.arguments)
            if descriptor is None or short is None:
                prepared = self._prepare(command)
                if isinstance(prepared, Refused):
                    if limits:
                        break
                    return [prepared]
                if not prepared.is_plain:
                    if limits:
                        break
                    return [self._single(prepared, limit)]
                words = [word for word in prepared.words if isinstance(word, int)]
                descriptors.append(batch.descriptor(prepared.function.address | 1, words))
                decoders.append(_decoder(prepared))
            else:
                descriptors.append(descriptor)
                decoders.append(short.decode)
            limits.append(limit)
        if self._core.is_running:
            self._core.halt(HALT)
        if len(limits) == 1:
            return [self._one(batch.words(descriptors[0]), decoders[0], limits[0])]
        return self._many(descriptors, decoders, limits)

    def _short(self, name: str) -> Quick | None:
        try:
            return self._quick[name]
        except KeyError:
            function = self._image.function(name)
            found = None if function is None or self._image.has_hard_floats else quick(function)
            self._quick[name] = found
            return found

    def _prepare(self, command: Invoke) -> Prepared | Refused:
        image = self._image
        try:
            function = image.function(command.function)
            if function is None:
                return Refused(kind="no such function", message=f"{command.function} is not in {image.where}")
            return prepare(image, function, command.arguments)
        except (Unfit, NotRepresentable) as error:
            return Refused(kind="wrong value", message=str(error))

    def _enter(self) -> tuple[int, dict[int, int]]:
        """The stack to use, and what else has to be set where the program itself has run."""
        if self._bell is not None:
            self._bell.arm()
        if not self.is_started:
            self._before = self._room.before
            return self._room.stub, {}
        if self._before is None:
            self._before = self._core.registers()
        return (self._before[SP] - RED_ZONE) & ~7, {XPSR: self._before[XPSR] & ~IT_BITS}

    def _single(self, prepared: Prepared, limit: float) -> Answer:
        """A call with memory or many arguments: everything before it in one write, and after it."""
        core, deadline = self._core, Deadline(limit)
        if core.is_running:
            core.halt(HALT)
        stack, registers = self._enter()
        words, placed, end = place(prepared, self._room.pieces)
        assert self._before is not None
        if placed and end > self._before[SP] - RED_ZONE:
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

    def _one(self, words: Sequence[int], decode: Decode, limit: float) -> Answer:
        """One plain call, without a detour through the stub."""
        core, deadline = self._core, Deadline(limit)
        stack, registers = self._enter()
        registers |= dict(enumerate(words[1:]))
        registers |= {SP: stack, LR: self._room.back | 1, PC: words[0] & ~1}
        with core.near:
            core.start([], registers, deadline)
            started = time.monotonic()
            core.wait_for_stop(deadline)
            if time.monotonic() - started < SAMPLE:
                self._quicken()
            r0, r1, pc, _ = self._collect([], deadline)
        return Answered(data=decode(r0, r1)) if pc in self._room.ends else self._elsewhere(pc)

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
        self.is_started = True
        self._before = None
        return self._stopped_in_call(pc)

    def _many(
        self, descriptors: Sequence[bytes], decoders: Sequence[Decode], limits: Sequence[float]
    ) -> list[Answer]:
        """All of them in one trip; a hang or fault belongs to the first that is not done."""
        core, room = self._core, self._room
        stack, registers = self._enter()
        data = b"".join(descriptors)
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
        core.start(memory, registers, Deadline(max(limits[0], HALT)))
        look, hung = self._watch(limits, descriptors[-1])
        if look.done is None:
            why = f"one of {len(limits)} calls wrote over what is known of them: which, is not known"
            return [Crashed(kind="no room", message=why)]
        answers: list[Answer] = [
            Answered(data=decode(r0, r1))
            for decode, (r0, r1) in zip(decoders[: look.done], batch.results(look.results), strict=False)
        ]
        if look.done < len(limits):
            answers.append(
                TimedOut(after=limits[look.done]) if hung else self._stopped(look, decoders[look.done])
            )
        return answers

    def _stopped(self, look: Look, decode: Decode) -> Answer:
        """What became of the first call of a trip that is not done."""
        if look.pc in self._room.ends:
            return Crashed(kind="lost", message="the program left the call in an unknown way")
        if look.pc == self._room.stub + batch.RETURNED:
            return Answered(data=decode(look.r0, look.r1))
        if self._bell is not None and self._bell.silence():
            why = "it wrote to memory that calls need, in the midst of the RAM"
            return Crashed(kind="no room", message=why)
        return self._elsewhere(look.pc)

    def _watch(self, limits: Sequence[float], last_call: bytes) -> tuple[Look, bool]:
        """Wait for a trip, looking now and then which call it is in; how it ended, and whether by a hang.

        A call that is still the same at the second look is waited for alone: the trip ends with it.
        """
        core, returned = self._core, self._room.stub + batch.RETURNED
        count, last, shortest = len(limits), len(limits) - 1, min(SAMPLE, *limits)
        pause = min(shortest, GLANCE + EACH * count)
        call, seen, alone, hung = -1, 0.0, False, False
        while True:
            now = time.monotonic()
            until = seen + limits[call] if alone or call == last else now + pause
            try:
                core.wait_for_stop(Deadline(until - now))
                look = self._look(count, last_call)
                break
            except CoreTimedOut:
                look = self._look(count, last_call, with_results=call >= 0)
            pause = shortest
            if look.pc in self._room.ends:
                look = self._look(count, last_call)
                break
            if look.done is None or (alone and look.pc == returned):
                break
            if look.done != call:
                call, seen = min(look.done, last), time.monotonic()
            elif time.monotonic() - seen >= limits[call]:
                hung = True
                break
            elif call < last:
                alone = True
                core.set_stop(returned)
            core.go()
        if alone:
            core.clear_stop(returned)
            self._most = 1
        elif call < 0:
            self._quicken()
        return look, hung

    def _quicken(self) -> None:
        self._most = min(self._room.calls, self._most * FASTER)

    def _look(self, count: int, last_call: bytes, *, with_results: bool = True) -> Look:
        """How a trip of so many calls stands; one that is under way is stopped."""
        start, end = self._room.pieces, self._room.pieces + count * batch.SIZE
        known = batch.SIZE + batch.PROGRESS
        size = known + (count * batch.RESULT if with_results else 0)
        r0, r1, pc, (read,) = self._core.collect([(end - batch.SIZE, size)])
        progress = int.from_bytes(read[batch.SIZE : known], "little")
        done, rest = divmod(progress - start, batch.SIZE)
        is_intact = read.startswith(last_call) and rest == 0 and 0 <= done <= count
        return Look(done=done if is_intact else None, results=read[known:], r0=r0, r1=r1, pc=pc)


def _decoder(prepared: Prepared) -> Decode:
    return lambda r0, r1: read_result(prepared, r0, r1, {})
