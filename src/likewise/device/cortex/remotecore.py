"""A Cortex-M behind a GDB server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from likewise.device.cortex.core import PC, CoreLost, CoreTimedOut, Stopped
from likewise.device.cortex.remote import Remote, RemoteError, check
from likewise.device.links import Deadline

QUICK = 5.0
"""Seconds that a server may take for what needs no running."""
CHUNK = 0x700
"""Bytes of memory in one packet where the server does not say how much it takes."""
REGISTERS = 17


class RemoteCore:
    """Reads and writes registers and memory, runs, stops; every wait has a limit."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self.is_running = False
        self._chunk = CHUNK
        self._stops: set[int] = set()
        self._xpsr = 16

    def open(self, deadline: Deadline) -> None:
        """Agree on how to talk, and make sure that the processor stands still."""
        said = self._remote.ask(b"qSupported:swbreak+;hwbreak+;multiprocess-", deadline)
        size = re.search(rb"PacketSize=([0-9a-fA-F]+)", said)
        if size:
            self._chunk = max(64, (int(size[1], 16) - 32) // 2)
        if b"QStartNoAckMode+" in said:
            self._remote.stop_acknowledging(deadline)
        if b"qXfer:features:read+" in said:
            self._read_features(deadline)
        answer = self._remote.ask(b"?", deadline)
        if answer[:1] not in (b"T", b"S"):
            raise CoreLost(f"{self._remote.description}: not a GDB server (it answered {answer[:40]!r})")

    def _read_features(self, deadline: Deadline) -> None:
        """Read the description of the registers: some servers give single registers only afterwards."""
        text = self._read_document(b"target.xml", deadline)
        for name in re.findall(rb'<xi:include href="([^"]+)"', text):
            text += self._read_document(name, deadline)
        number = -1
        for tag in re.findall(rb"<reg [^>]*>", text):
            given = re.search(rb'regnum="(\d+)"', tag)
            number = int(given[1]) if given else number + 1
            if b'name="xpsr"' in tag:
                self._xpsr = number
                return

    def _read_document(self, name: bytes, deadline: Deadline) -> bytes:
        text = b""
        while True:
            request = b"qXfer:features:read:%s:%x,%x" % (name, len(text), self._chunk)
            answer = self._remote.ask(request, deadline)
            text += answer[1:]
            if answer[:1] != b"m":
                return text if answer[:1] == b"l" else b""

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
            said += bytes.fromhex(answer.removeprefix(b"O").decode()).decode(errors="replace")

    def registers(self) -> list[int]:
        """r0 to r15 and xPSR, in one write."""
        numbers = [*range(16), self._xpsr]
        answers = self._quick([b"p%x" % number for number in numbers])
        return [_word(answer) for answer in answers]

    def set_registers(self, values: Mapping[int, int]) -> None:
        """Change registers, in one write."""
        for answer in self._quick(self.writes(values)):
            check(answer, "writing a register")

    def writes(self, values: Mapping[int, int]) -> list[bytes]:
        """The packets that change registers."""
        return [
            b"P%x=%s" % (number if number < 16 else self._xpsr, value.to_bytes(4, "little").hex().encode())
            for number, value in values.items()
        ]

    def read(self, address: int, length: int) -> bytes | None:
        """Memory, as many packets as it takes in one write."""
        pieces = [
            (address + at, min(self._chunk, length - at)) for at in range(0, max(length, 1), self._chunk)
        ]
        answers = self._quick([b"m%x,%x" % piece for piece in pieces])
        if any(
            answer[:1] == b"E" or len(answer) != 2 * size
            for answer, (_, size) in zip(answers, pieces, strict=True)
        ):
            return None
        return bytes.fromhex(b"".join(answers).decode())

    def write(self, address: int, data: bytes) -> bool:
        """Change memory, as many packets as it takes in one write."""
        return all(answer == b"OK" for answer in self._quick(self.memory_writes(address, data)))

    def memory_writes(self, address: int, data: bytes) -> list[bytes]:
        """The packets that change memory."""
        return [
            b"M%x,%x:%s" % (address + at, len(piece), piece.hex().encode())
            for at in range(0, len(data), self._chunk)
            if (piece := data[at : at + self._chunk])
        ]

    def memory_reads(self, address: int, length: int) -> list[bytes]:
        """The packets that read memory."""
        return [
            b"m%x,%x" % (address + at, min(self._chunk, length - at)) for at in range(0, length, self._chunk)
        ]

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

    def forget_stops(self) -> None:
        """A new processor has none."""
        self._stops.clear()

    def _change_stop(self, letter: bytes, address: int) -> None:
        for sort in (b"0", b"1"):  # in memory, or in hardware where memory cannot be changed
            if self._quick([b"%s%s,%x,2" % (letter, sort, address)])[0] == b"OK":
                return
        raise CoreLost(f"{self._remote.description}: the server takes no breakpoint at 0x{address:x}")

    def step(self, limit: float) -> Stopped:
        """One instruction."""
        deadline = Deadline(limit)
        self._remote.send([b"vCont;s"], deadline)
        self._stop_reply(deadline)
        return Stopped(self.registers_pc())

    def registers_pc(self) -> int:
        """Where it is."""
        return _word(self._quick([b"p%x" % PC])[0])

    def go(self) -> None:
        """Let it run."""
        self._remote.send([b"vCont;c"], Deadline(QUICK))
        self.is_running = True

    def start(
        self, memory: Sequence[tuple[int, bytes]], registers: Mapping[int, int], deadline: Deadline
    ) -> None:
        """Change memory and registers and let it run, all in one write."""
        packets = [packet for at, data in memory for packet in self.memory_writes(at, data)]
        packets += self.writes(registers)
        self._remote.send([*packets, b"vCont;c"], deadline)
        for _ in packets:
            check(self._remote.receive(deadline), "preparing a call")
        self.is_running = True

    def collect(self, memory: Sequence[tuple[int, int]]) -> tuple[int, int, int, list[bytes]]:
        """r0, r1, pc and some memory, in one write."""
        reads = [self.memory_reads(at, length) for at, length in memory]
        answers = self._quick([b"p0", b"p1", b"pf", *(packet for each in reads for packet in each)])
        r0, r1, pc = (_word(answer) for answer in answers[:3])
        found: list[bytes] = []
        at = 3
        for each in reads:
            found.append(bytes.fromhex(b"".join(answers[at : at + len(each)]).decode()))
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

    def ask(self, packets: Sequence[bytes]) -> list[bytes]:
        """Some packets in one write, and their answers."""
        return self._quick(packets)

    def _stop_reply(self, deadline: Deadline) -> None:
        while True:
            answer = self._remote.receive(deadline)
            if answer[:1] in (b"T", b"S"):
                return
            if answer[:1] in (b"W", b"X"):
                raise CoreLost(f"{self._remote.description}: the server says that the program ended")

    def _quick(self, packets: Sequence[bytes]) -> list[bytes]:
        try:
            deadline = Deadline(QUICK)
            self._remote.send(packets, deadline)
            return [self._answer(deadline) for _ in packets]
        except CoreTimedOut:
            raise CoreLost(
                f"{self._remote.description}: the server did not answer within {QUICK:g} s"
            ) from None

    def _answer(self, deadline: Deadline) -> bytes:
        """An answer to a question; a stop that came late is none."""
        while (answer := self._remote.receive(deadline))[:1] in (b"T", b"S"):
            pass
        return answer


def _word(answer: bytes) -> int:
    if len(answer) < 8:
        raise CoreLost(f"a register could not be read ({answer[:20]!r})")
    return int.from_bytes(bytes.fromhex(answer[:8].decode()), "little")
