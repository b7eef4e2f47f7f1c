"""A Cortex-M behind a GDB server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from likewise.device.cortex.core import PC, CoreLost, CoreTimedOut, Stopped
from likewise.device.cortex.manners import Manners, learn
from likewise.device.cortex.registers import word
from likewise.device.cortex.remote import Remote, RemoteError, check, escape
from likewise.device.links import Deadline
from likewise.device.nearness import Apart, Near

QUICK = 5.0
"""Seconds that a server may take for what needs no running."""
TURN = 0.0005
"""Seconds for which a processor that shares ours is waited for; what takes longer gets another one."""
STOPS = (b"T", b"S")
BREAKPOINT = b"\x00\xbe"


class RemoteCore:
    """Reads and writes registers and memory, runs, stops; every wait has a limit."""

    def __init__(self, remote: Remote, *, near: Near | None = None, reads_on_stopping: bool = False) -> None:
        """`reads_on_stopping`: told to stop and asked something in one write, the server does both."""
        self._remote, self._reads_on_stopping = remote, reads_on_stopping
        self.near = near or Apart()
        self.is_running = False
        self._manners = Manners()
        self._template = b""
        """The answer to `g` that the last one who asked for all registers got."""
        self._owed = 0
        """Answers to come before that of the processor that runs."""
        self._stops: set[int] = set()
        self._bell = self._ringer = -1
        self.is_rung = False
        """Whether the last stop was at a watched word."""
        self._patched: dict[int, bytes] = {}
        """What was in memory where breakpoints had to be written by hand."""

    def open(self, deadline: Deadline) -> None:
        """Agree on how to talk, and make sure that the processor stands still."""
        self._manners = learn(self._remote, deadline)
        self._template = self._manners.sample

    def command(self, text: str, limit: float) -> str:
        """What the server's own command line says (`monitor …`)."""
        deadline = Deadline(limit)
        self._remote.send([b"qRcmd," + text.encode().hex().encode()], deadline)
        said = ""
        while True:
            answer = self._remote.receive(deadline)
            if answer == b"OK" or not answer:
                return said
            if answer[:1] == b"E" and len(answer) == 3:
                raise RemoteError(f"monitor {text}: error {answer[1:].decode()}")
            said += _text(answer)

    def registers(self) -> list[int]:
        """r0 to r15 and xPSR, in one trip."""
        manners = self._manners
        if manners.sample:
            self._template = self._quick([b"g"])[0]
            return manners.registers.read(self._template)
        numbers = manners.registers.numbers
        return [word(answer) for answer in self._quick([b"p%x" % numbers[each] for each in range(17)])]

    def set_registers(self, values: Mapping[int, int]) -> None:
        """Change registers and no others, in one trip where the server can."""
        if len(values) < 17:
            self.registers()  # what is not to change has to be known where all are written
        for answer in self._quick(self.writes(values)):
            check(answer, "writing a register")

    def writes(self, values: Mapping[int, int]) -> list[bytes]:
        """The packets that change registers; where there are many, the rest become what they were last."""
        manners = self._manners
        numbers = manners.registers.numbers
        if manners.takes_all_registers and (len(values) > 2 or not manners.takes_one_register):
            return [manners.registers.write(self._template, values)]
        return [
            b"P%x=%s" % (numbers[number], value.to_bytes(4, "little").hex().encode())
            for number, value in values.items()
        ]

    def read(self, address: int, length: int) -> bytes | None:
        """Memory, as many packets as it takes in one write; None where some of it cannot be read."""
        try:
            return _memory(self._quick(self.memory_reads(address, length)), length)
        except RemoteError:
            return None

    def write(self, address: int, data: bytes) -> bool:
        """Change memory, as many packets as it takes in one write."""
        return all(answer == b"OK" for answer in self._quick(self.memory_writes(address, data)))

    def memory_writes(self, address: int, data: bytes) -> list[bytes]:
        """The packets that change memory."""
        size = self._manners.chunk
        pieces = [(address + at, data[at : at + size]) for at in range(0, len(data), size)]
        if self._manners.takes_binary:
            return [b"X%x,%x:%s" % (at, len(piece), escape(piece)) for at, piece in pieces]
        return [b"M%x,%x:%s" % (at, len(piece), piece.hex().encode()) for at, piece in pieces]

    def memory_reads(self, address: int, length: int) -> list[bytes]:
        """The packets that read memory."""
        size = self._manners.chunk
        return [b"m%x,%x" % (address + at, min(size, length - at)) for at in range(0, length, size)]

    def set_stop(self, address: int) -> None:
        """A breakpoint at an instruction."""
        if address not in self._stops:
            self._change_stop(b"Z", address)
            self._stops.add(address)

    def clear_stop(self, address: int) -> None:
        """No breakpoint there any more."""
        if address in self._stops:
            self._change_stop(b"z", address)
            self._stops.discard(address)

    def clear_stops(self) -> None:
        """No breakpoints at all."""
        for address in list(self._stops):
            self.clear_stop(address)

    def set_bell(self, address: int, ringer: int) -> bool:
        """Stop before the instruction at `ringer` writes to a word; False where the server cannot."""
        if self._bell != address and self._quick([b"Z2,%x,4" % address])[0] == b"OK":
            self._bell, self._ringer = address, ringer
        return self._bell == address

    def clear_bell(self) -> None:
        """No word is watched any more."""
        if self._bell >= 0:
            check(self._quick([b"z2,%x,4" % self._bell])[0], "no longer watching a word")
            self._bell = -1

    def _change_stop(self, letter: bytes, address: int) -> None:
        for sort in (b"0", b"1"):  # in memory, or in hardware where memory cannot be changed
            if self._quick([b"%s%s,%x,2" % (letter, sort, address)])[0] == b"OK":
                return
        if not self._patch_stop(letter, address):
            raise CoreLost(f"{self._remote.description}: the server takes no breakpoint at 0x{address:x}")

    def _patch_stop(self, letter: bytes, address: int) -> bool:
        """Write the instruction that stops, where a server knows no breakpoints; whether it is there."""
        if letter == b"z":
            before = self._patched.pop(address, None)
            return before is not None and self.write(address, before)
        before = self.read(address, len(BREAKPOINT))
        if before is None or not self.write(address, BREAKPOINT):
            return False
        self._patched[address] = before
        return self.read(address, len(BREAKPOINT)) == BREAKPOINT

    def step(self, limit: float) -> Stopped:
        """One instruction."""
        deadline = Deadline(limit)
        at = self.registers_pc() & ~1 if self._patched else -1
        hidden = self._patched.get(at)
        if hidden is not None:  # what we wrote there would stop it before the instruction
            self.write(at, hidden)
        self._remote.send([self._manners.step], deadline)
        self._stop_reply(deadline)
        if hidden is not None:
            self.write(at, BREAKPOINT)
        return Stopped(self.registers_pc())

    def registers_pc(self) -> int:
        """Where it is."""
        manners = self._manners
        if manners.sample:
            return manners.registers.one(self._quick([b"g"])[0], PC)
        return word(self._quick([b"p%x" % manners.registers.numbers[PC]])[0])

    def go(self) -> None:
        """Let it run."""
        self._part_unless_held()
        self._remote.send([self._manners.go], Deadline(QUICK))
        self.is_running = True

    def start(
        self, memory: Sequence[tuple[int, bytes]], registers: Mapping[int, int], deadline: Deadline
    ) -> None:
        """Change memory and registers and let it run, all in one write; other registers may change too."""
        self._part_unless_held()
        packets = [packet for at, data in memory for packet in self.memory_writes(at, data)]
        packets += self.writes(registers)
        if self._remote.reads_on:
            self._remote.send([*packets, self._manners.go], deadline)
            self._owed = len(packets)
        else:
            for answer in self._remote.ask_all(packets, deadline):
                check(answer, "preparing a call")
            self._remote.send([self._manners.go], deadline)
        self.is_running = True

    def collect(self, memory: Sequence[tuple[int, int]]) -> tuple[int, int, int, list[bytes]]:
        """r0, r1, pc and some memory, in one write; a processor that runs is stopped first."""
        stopping = self.is_running and self._reads_on_stopping
        if self.is_running and not stopping:
            self.halt(QUICK)
        manners = self._manners
        reads = [self.memory_reads(at, length) for at, length in memory]
        packets = (
            [b"g"] if manners.sample else [b"p%x" % manners.registers.numbers[each] for each in (0, 1, PC)]
        )
        answers = self._quick([*packets, *(packet for each in reads for packet in each)], stopping=stopping)
        if manners.sample:
            r0, r1, pc = (manners.registers.one(answers[0], number) for number in (0, 1, PC))
        else:
            r0, r1, pc = (word(answer) for answer in answers[:3])
        if stopping and self._may_have_rung(pc):
            self._ring(Deadline(QUICK))
            return self.collect(memory)
        found: list[bytes] = []
        at = len(packets)
        for each, (_, length) in zip(reads, memory, strict=True):
            found.append(_memory(answers[at : at + len(each)], length))
            at += len(each)
        return r0, r1, pc, found

    def wait(self, limit: float) -> Stopped:
        """Wait until it stops."""
        self.wait_for_stop(Deadline(limit))
        return Stopped(self.registers_pc())

    def wait_for_stop(self, deadline: Deadline) -> None:
        """Wait until it stops, and do not ask where."""
        self._stop_reply(deadline)
        self.is_running = False

    def interrupt(self, limit: float) -> Stopped:
        """Make it stop."""
        if self.is_running:
            self.halt(limit)
        return Stopped(self.registers_pc())

    def halt(self, limit: float) -> None:
        """Make it stop, and do not ask where."""
        deadline = Deadline(limit)
        self._remote.interrupt(deadline)
        self._stop_reply(deadline)
        self.is_running = False
        if self._bell >= 0 and self._may_have_rung(self.registers_pc()):
            self._ring(deadline)

    def _may_have_rung(self, pc: int) -> bool:
        """Whether it was stopped where it would have stopped by itself, perhaps at this very moment."""
        return self._bell >= 0 and not self.is_rung and pc == self._ringer

    def _ring(self, deadline: Deadline) -> None:
        """Let it stop by itself: QEMU would say only later that it had, in the midst of the next call."""
        self.go()
        self.wait_for_stop(deadline)

    def ask(self, packets: Sequence[bytes]) -> list[bytes]:
        """Some packets in one write, and their answers."""
        return self._quick(packets)

    def _part_unless_held(self) -> None:
        """Before it runs: what is neither a visit nor a tour may take any time."""
        if not self.near.is_held:
            self.near.part()

    def _stop_reply(self, deadline: Deadline) -> None:
        while self._owed:
            answer = self._remote.receive(deadline)
            self._owed -= 1
            check(answer, "preparing a call")
        if self.near.is_near:
            try:
                return self._next_stop_reply(Deadline(min(TURN, deadline.left)))
            except CoreTimedOut:
                self.near.part()
        return self._next_stop_reply(deadline)

    def _next_stop_reply(self, deadline: Deadline) -> None:
        while True:
            answer = self._remote.receive(deadline)
            if answer[:1] in STOPS:
                self.is_rung = b"watch:" in answer
                return
            if answer[:1] in (b"W", b"X"):
                raise CoreLost(f"{self._remote.description}: the server says that the program ended")
            if not answer or (answer[:1] == b"E" and len(answer) == 3):
                self.is_running = False
                raise RemoteError(f"the server does not let the processor run ({answer.decode() or 'no'})")

    def _quick(self, packets: Sequence[bytes], *, stopping: bool = False) -> list[bytes]:
        """Answers to some packets; of a processor that runs where it is to be stopped by them."""
        try:
            deadline = Deadline(QUICK)
            if not self._remote.reads_on:
                return [self._ask(packet, deadline) for packet in packets]
            self._remote.send(packets, deadline, stopping=stopping)
            if stopping:
                self.wait_for_stop(deadline)
            return [self._answer(deadline) for _ in packets]
        except CoreTimedOut:
            raise CoreLost(
                f"{self._remote.description}: the server did not answer within {QUICK:g} s"
            ) from None

    def _ask(self, packet: bytes, deadline: Deadline) -> bytes:
        self._remote.send([packet], deadline)
        return self._answer(deadline)

    def _answer(self, deadline: Deadline) -> bytes:
        """An answer to a question; a stop that came late is none, nor is what the program printed."""
        while True:
            answer = self._remote.receive(deadline)
            if answer[:1] not in STOPS and (answer[:1] != b"O" or answer == b"OK"):
                return answer


def _memory(answers: Sequence[bytes], length: int) -> bytes:
    try:
        data = bytes.fromhex(b"".join(answers).decode())
    except ValueError:
        data = b""
    if len(data) != length:
        raise RemoteError(f"memory could not be read ({answers[0][:20]!r})")
    return data


def _text(answer: bytes) -> str:
    """What a server's command line printed."""
    try:
        return bytes.fromhex(answer.removeprefix(b"O").decode()).decode(errors="replace")
    except ValueError:
        return answer.decode(errors="replace")
