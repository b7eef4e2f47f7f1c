"""A small GDB server for tests, strict about what it was not asked to know; its processor is Unicorn."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from dataclasses import dataclass, field

from likewise.device.cortex.core import CoreTimedOut
from likewise.device.cortex.layout import Layout
from likewise.device.testees.unicorn import UnicornCore

XML = (
    b"<?xml version='1.0'?><target><architecture>arm</architecture><feature name='org.gnu.gdb.arm.m-profile'>"
    + b"".join(b'<reg name="r%d" bitsize="32" type="uint32"/>' % number for number in range(13))
    + b'<reg name="sp" bitsize="32"/><reg name="lr" bitsize="32"/><reg name="pc" bitsize="32"/>'
    + b'<reg name="xpsr" bitsize="32" regnum="25"/></feature></target>'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knows:
    """What a server can do beyond the least that every one can."""

    features: bytes = b""
    """Its answer to qSupported; empty where it does not know the question."""
    vcont: bool = False
    binary: bool = False
    all_registers: bool = True
    one_register: bool = False
    breakpoints: bool = True
    reads_on: bool = True
    """Whether packets behind the one that it works on are not lost."""
    old_registers: bool = False
    """Whether all registers are those of the first ARM servers, with floats between."""
    reset: bytes = b"reset halt"
    packet: int = 400


@dataclass(slots=True)
class Stub:
    """Serves one client after the other. `complaints` are the packets that a strict server does not take."""

    knows: Knows
    layout: Layout = field(default_factory=Layout)
    complaints: list[str] = field(default_factory=list)
    resets: int = 0
    connections: list[socket.socket] = field(default_factory=list)
    _listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    _acknowledges: bool = True
    _data: bytearray = field(default_factory=bytearray)

    @property
    def address(self) -> str:
        host, port = self._listener.getsockname()
        return f"{host}:{port}"

    def start(self) -> Stub:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()

    def hang_up(self) -> None:
        for each in self.connections:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections.append(connection)
                self._acknowledges, self._data = True, bytearray()
                core = UnicornCore(self.layout)
                with connection, contextlib.suppress(OSError):
                    self._talk(connection, core)
                core.close()

    def _talk(self, connection: socket.socket, core: UnicornCore) -> None:
        while True:
            packet = self._packet(connection)
            if packet is None:
                return
            if len(packet) > self.knows.packet:
                self.complaints.append(f"{len(packet)} bytes in a packet: {packet[:40]!r}")
            if self._acknowledges:
                connection.sendall(b"+")
            if packet in (b"c", b"s") or (self.knows.vcont and packet in (b"vCont;c", b"vCont;s")):
                self._run(connection, core, steps=packet.endswith(b"s"))
                answer = b"S05"
            else:
                answer = self._answer(core, packet)
            if packet == b"QStartNoAckMode" and answer == b"OK":
                self._acknowledges = False
            connection.sendall(b"$%s#%02x" % (answer, sum(answer) & 0xFF))
            if not self.knows.reads_on:
                self._data.clear()

    def _packet(self, connection: socket.socket) -> bytes | None:
        while True:
            found = re.search(rb"\$([^#]*)#(..)", bytes(self._data), re.S)
            if found is not None:
                del self._data[: found.end()]
                if int(found[2], 16) != sum(found[1]) & 0xFF:
                    self.complaints.append(f"wrong checksum: {found[0][:40]!r}")
                return bytes(found[1])
            data = connection.recv(1 << 16)
            if not data:
                return None
            self._data += data

    def _run(self, connection: socket.socket, core: UnicornCore, *, steps: bool) -> None:
        if steps:
            core.step(1)
            return
        core.go()
        connection.setblocking(False)
        try:
            while True:
                with contextlib.suppress(CoreTimedOut):
                    core.wait(0.005)
                    return
                with contextlib.suppress(BlockingIOError):
                    data = connection.recv(1000)
                    if not data:
                        raise ConnectionResetError
                    if b"\x03" not in data:
                        self.complaints.append(f"heard while it ran: {data[:40]!r}")
                    core.is_running = False
                    return
        finally:
            connection.setblocking(True)

    def _answer(self, core: UnicornCore, packet: bytes) -> bytes:
        knows = self.knows
        letter, rest = packet[:1], packet[1:]
        if packet.startswith(b"qSupported"):
            return knows.features
        if packet == b"?":
            return b"S05"
        if packet == b"vCont?" and knows.vcont:
            return b"vCont;c;C;s;S"
        if packet == b"QStartNoAckMode" and b"QStartNoAckMode+" in knows.features:
            return b"OK"
        if packet.startswith(b"qXfer:features:read:target.xml:") and b"features" in knows.features:
            at, size = (int(each, 16) for each in packet.rpartition(b":")[2].split(b","))
            piece = XML[at : at + size]
            return (b"l" if at + size >= len(XML) else b"m") + piece
        if packet.startswith(b"qRcmd,") and knows.reset:
            return self._monitor(core, bytes.fromhex(rest.partition(b",")[2].decode()))
        if letter in b"gGpP":
            return self._registers(core, letter, rest)
        if letter in b"mMX":
            return self._memory(core, letter, rest)
        if letter in b"Zz" and knows.breakpoints and rest[:2] == b"0,":
            address = int(rest.split(b",")[1], 16)
            (core.set_stop if letter == b"Z" else core.clear_stop)(address)
            return b"OK"
        return b""

    def _registers(self, core: UnicornCore, letter: bytes, rest: bytes) -> bytes:
        knows = self.knows
        gap = bytes(8 * 12 + 4).hex().encode() if knows.old_registers else b""
        if letter == b"g" and knows.all_registers:
            words = [value.to_bytes(4, "little").hex().encode() for value in core.registers()]
            return b"".join([*words[:16], gap, words[16]])
        if letter == b"G" and knows.all_registers:
            data = rest[:128] + rest[128 + len(gap) :]
            values = [
                int.from_bytes(bytes.fromhex(data[at : at + 8].decode()), "little") for at in range(0, 136, 8)
            ]
            core.set_registers(dict(enumerate(values)))
            return b"OK"
        if letter in b"pP" and knows.one_register:
            number, _, value = rest.partition(b"=")
            register = min(int(number, 16), 16)
            if letter == b"p":
                return core.registers()[register].to_bytes(4, "little").hex().encode()
            core.set_registers({register: int.from_bytes(bytes.fromhex(value.decode()), "little")})
            return b"OK"
        return b""

    def _memory(self, core: UnicornCore, letter: bytes, rest: bytes) -> bytes:
        head, _, data = rest.partition(b":")
        address, size = (int(each, 16) for each in head.split(b","))
        if letter == b"m":
            found = core.read(address, size)
            return b"E01" if found is None else found.hex().encode()
        if letter == b"X" and not self.knows.binary:
            return b""
        if letter == b"X":
            data = re.sub(rb"}(.)", lambda each: bytes([each[1][0] ^ 0x20]), data, flags=re.S)
        else:
            data = bytes.fromhex(data.decode())
        if len(data) != size:
            self.complaints.append(f"{size} bytes announced, {len(data)} sent")
        return b"OK" if not data or core.write(address, data) else b"E01"

    def _monitor(self, core: UnicornCore, command: bytes) -> bytes:
        if command != self.knows.reset:
            return b"E01"
        self.resets += 1
        core.set_registers({15: 0x100})
        return b"OK"
