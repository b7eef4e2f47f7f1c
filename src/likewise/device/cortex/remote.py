"""The GDB remote serial protocol: packets, acknowledgements, pipelining."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

from likewise.device.cortex.core import CoreLost, CoreTimedOut
from likewise.device.links import Deadline, Link
from likewise.device.testee import LimitReached, LinkLost

RETRIES = 3
"""How often a damaged packet is asked for again."""
MOST_DAMAGED = 1000
INTERRUPT = b"\x03"
PIECE = 256
PLAIN = re.compile(rb"\+*\$([^$#*}]*)#([0-9a-fA-F]{2})")
"""A packet behind acknowledgements, without escapes and repetitions."""
SPECIAL = re.compile(rb"[$#}*]")
"""Bytes that mean something in a packet."""


class RemoteError(Exception):
    """The server answered `E…`."""


def frame(payload: bytes) -> bytes:
    """A payload as a packet."""
    return b"$%s#%02x" % (payload, checksum(payload))


def checksum(payload: bytes) -> int:
    """The sum of all bytes, modulo 256: of few of them, the lower half of Adler's is one more than that."""
    if len(payload) <= PIECE:
        return (zlib.adler32(payload) - 1) & 0xFF
    pieces = [payload[at : at + PIECE] for at in range(0, len(payload), PIECE)]
    return sum([zlib.adler32(piece) - 1 for piece in pieces]) & 0xFF


def escape(data: bytes) -> bytes:
    """Bytes as they may stand in a packet."""
    return SPECIAL.sub(lambda found: b"}%c" % (found[0][0] ^ 0x20), data)


class Remote:
    """A connection to a GDB server. Bytes that are no packet are skipped and counted."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._data = bytearray()
        self._acknowledge = True
        self._pending = 0
        """Packets received and not yet acknowledged."""
        self._last = b""
        """The one packet that is out, where it is one: sent again where the server asks for it."""
        self.reads_on = True
        """Whether the server answers packets that come before the one before was answered."""
        self.garbage = 0
        self.damaged = 0

    @property
    def description(self) -> str:
        """Where it leads to."""
        return self._link.description

    def close(self) -> None:
        """Let go."""
        self._link.close()

    def stop_acknowledging(self, deadline: Deadline) -> None:
        """Agree on doing without acknowledgements, where the server can."""
        if self.ask(b"QStartNoAckMode", deadline) == b"OK":
            self._acknowledge = False

    def ask(self, payload: bytes, deadline: Deadline) -> bytes:
        """One request, one answer."""
        return self.ask_all([payload], deadline)[0]

    def ask_all(self, payloads: Sequence[bytes], deadline: Deadline) -> list[bytes]:
        """Several requests, in one write where the server reads on; their answers in order."""
        if not self.reads_on:
            return [self._ask_alone(payload, deadline) for payload in payloads]
        self.send(payloads, deadline)
        return [self.receive(deadline) for _ in payloads]

    def _ask_alone(self, payload: bytes, deadline: Deadline) -> bytes:
        self.send([payload], deadline)
        return self.receive(deadline)

    def send(self, payloads: Sequence[bytes], deadline: Deadline, *, stopping: bool = False) -> None:
        """Requests, with the acknowledgements of what was received before; a running one is stopped first."""
        packets = b"".join(map(frame, payloads))
        self._last = packets if len(payloads) == 1 else b""
        self._write(self._acknowledgements() + (INTERRUPT if stopping else b"") + packets, deadline)

    def interrupt(self, deadline: Deadline) -> None:
        """Ask a running processor to stop; the answer is a stop packet."""
        self._write(self._acknowledgements() + INTERRUPT, deadline)

    def receive(self, deadline: Deadline) -> bytes:
        """The next packet's payload. Raises CoreTimedOut and CoreLost."""
        retries = 0
        while True:
            if not self._data.rstrip(b"+"):
                self._fetch(deadline)
            payload = self._take_plain()
            if payload is None:
                payload = self._take(self._whole(deadline))
            if payload is not None:
                if self._acknowledge:
                    self._pending += 1
                return payload
            self.damaged += 1
            retries += 1
            if retries > RETRIES:
                raise CoreLost(f"{self.description}: packets arrive damaged ({self.damaged} so far)")
            self._write(self._acknowledgements() + b"-", deadline)

    def _acknowledgements(self) -> bytes:
        pending, self._pending = self._pending, 0
        return b"+" * pending

    def _take_plain(self) -> bytes | None:
        """A packet that is here and whole, with nothing odd about it: what most of them are."""
        found = PLAIN.match(self._data)
        if found is None:
            return None
        (payload, said), end = found.groups(), found.end()
        if checksum(payload) != int(said, 16):
            return None
        del found  # it holds on to the data
        del self._data[:end]
        return payload

    def _whole(self, deadline: Deadline) -> int:
        """Wait until a packet is here, from the first byte on; where its payload ends."""
        data = self._data
        while True:
            start = data.find(b"$")
            if start:
                self._skip(start if start > 0 else len(data), deadline)
            if start >= 0:
                end = data.find(b"#")
                if end > 0 and len(data) >= end + 3:
                    return end
            self._fetch(deadline)

    def _fetch(self, deadline: Deadline) -> None:
        try:
            self._data += self._link.read(deadline)
        except LimitReached as error:
            raise CoreTimedOut from error
        except LinkLost as error:
            raise CoreLost(str(error)) from error

    def _take(self, end: int) -> bytes | None:
        data = self._data
        payload, said = bytes(data[1:end]), bytes(data[end + 1 : end + 3])
        inner = payload.rfind(b"$")
        if inner >= 0:  # a cut packet, with a whole one after it
            self.garbage += inner + 1
            payload = payload[inner + 1 :]
        del data[: end + 3]
        if b"%02x" % checksum(payload) != said.lower():
            return None
        return _expand(payload)

    def _skip(self, count: int, deadline: Deadline) -> None:
        """Drop what is before a packet; acknowledgements are expected there, all else is garbage."""
        skipped = bytes(self._data[:count])
        del self._data[:count]
        if skipped.strip(b"+"):
            self.garbage += sum(byte not in b"+-" for byte in skipped)
            if self._acknowledge and b"-" in skipped and self._last:
                self.damaged += 1
                if self.damaged > MOST_DAMAGED:
                    raise CoreLost(f"{self.description}: packets arrive damaged ({self.damaged} so far)")
                self._write(self._last, deadline)

    def _write(self, data: bytes, deadline: Deadline) -> None:
        try:
            self._link.write(data, deadline)
        except LimitReached as error:
            raise CoreTimedOut from error
        except LinkLost as error:
            raise CoreLost(str(error)) from error


def _expand(payload: bytes) -> bytes:
    """Undo run-length encoding and escapes."""
    if b"*" not in payload and b"}" not in payload:
        return payload
    out = bytearray()
    at = 0
    while at < len(payload):
        byte = payload[at]
        if byte == ord("*") and out and at + 1 < len(payload):
            out += bytes([out[-1]]) * (payload[at + 1] - 29)
            at += 2
        elif byte == ord("}") and at + 1 < len(payload):
            out.append(payload[at + 1] ^ 0x20)
            at += 2
        else:
            out.append(byte)
            at += 1
    return bytes(out)


def check(answer: bytes, what: str) -> bytes:
    """An answer that says yes."""
    if answer != b"OK":
        said = f"error {answer[1:].decode(errors='replace')}" if answer else "the server does not do this"
        raise RemoteError(f"{what}: {said}")
    return answer
