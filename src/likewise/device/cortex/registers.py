"""Where a server keeps the registers of a Cortex-M: their numbers, and their places in one packet of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from likewise.device.cortex.core import XPSR, CoreLost

WORD = 4
OLD_LENGTH = 168
"""Bytes of all registers of the first ARM servers: sixteen words, eight floats, two status words."""
OLD_XPSR, OLD_XPSR_AT = 25, 164
ALIASES = {b"sp": 13, b"lr": 14, b"pc": 15, b"xpsr": XPSR, b"xPSR": XPSR, b"cpsr": XPSR}


class Registers:
    """Numbers and places of r0 to r15 and xPSR; `document` is the server's description, where it has one."""

    def __init__(self, document: bytes = b"") -> None:
        self.numbers = {number: number for number in range(17)}
        self.has_document = False
        self._places = {number: number * WORD for number in range(16)}
        described = dict(_described(document))
        if {*range(16)} <= described.keys():
            self.has_document = True
            self.numbers |= {known: number for known, (number, _) in described.items()}
            self._places = {known: at for known, (_, at) in described.items()}

    def fit(self, answer: bytes) -> bool:
        """Learn from the answer to `g` where a server says no more; whether all registers are in it."""
        if not self.has_document:
            if len(answer) == 2 * OLD_LENGTH:
                self.numbers[XPSR], self._places[XPSR] = OLD_XPSR, OLD_XPSR_AT
            elif len(answer) == 2 * 17 * WORD:
                self._places[XPSR] = 16 * WORD
        return self._is_whole(answer)

    def _is_whole(self, answer: bytes) -> bool:
        """Whether each of the seventeen is there: a server writes `x` for one that it cannot read."""
        return len(self._places) == 17 and all(
            len(word := answer[2 * at : 2 * at + 8]) == 8 and b"x" not in word for at in self._places.values()
        )

    def read(self, answer: bytes) -> list[int]:
        """r0 to r15 and xPSR out of the answer to `g`."""
        return [self.one(answer, number) for number in range(17)]

    def one(self, answer: bytes, number: int) -> int:
        """One register out of the answer to `g`."""
        at = 2 * self._places[number]
        return word(answer[at : at + 8])

    def write(self, answer: bytes, values: Mapping[int, int]) -> bytes:
        """The packet that changes registers and leaves the others as they were in an answer to `g`."""
        out = bytearray(answer)
        for number, value in values.items():
            at = 2 * self._places[number]
            out[at : at + 8] = value.to_bytes(4, "little").hex().encode()
        return b"G%s" % out


def _described(document: bytes) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each register that counts, with its number and its place in the packet of all."""
    found: dict[int, tuple[bytes, int]] = {}
    number = -1
    for tag in re.findall(rb"<reg\s[^>]*>", document):
        given = re.search(rb'\sregnum="(\w+)"', tag)
        name, size = re.search(rb'\sname="([^"]+)"', tag), re.search(rb'\sbitsize="(\d+)"', tag)
        number = int(given[1], 0) if given else number + 1
        if name is not None and size is not None:
            found[number] = (name[1], int(size[1]) // 8)
    at = 0
    for number, (label, size_) in sorted(found.items()):
        known = ALIASES.get(label, int(label[1:]) if re.fullmatch(rb"r(\d|1[0-5])", label) else None)
        if known is not None:
            yield known, (number, at)
        at += size_


def word(answer: bytes) -> int:
    """A register's value."""
    try:
        data = bytes.fromhex(answer[:8].decode())
    except ValueError:
        data = b""
    if len(data) < WORD:
        raise CoreLost(f"a register could not be read ({answer[:20]!r})")
    return int.from_bytes(data, "little")
