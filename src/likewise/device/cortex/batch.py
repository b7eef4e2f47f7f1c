"""Many calls in one trip: a loop in the target's RAM over descriptors of calls, with their results behind."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

STUB = struct.pack(
    "<16HI",
    0x42AC,  # loop: cmp r4, r5
    0xD00A,  # beq done
    0x6826,  # ldr r6, [r4, #0]      the function
    0x6860,  # ldr r0, [r4, #4]
    0x68A1,  # ldr r1, [r4, #8]
    0x68E2,  # ldr r2, [r4, #12]
    0x6923,  # ldr r3, [r4, #16]
    0x47B0,  # blx r6
    0xC703,  # stm r7!, {r0, r1}     the result
    0x2000,  # movs r0, #0
    0x6020,  # str r0, [r4, #0]      done
    0x3414,  # adds r4, #20
    0xE7F2,  # b loop
    0xA201,  # done: adr r2, bell    a breakpoint stands here, or
    0x6012,  # str r2, [r2]          the processor is stopped before it writes there
    0xE7FC,  # b done
    0,  # bell
)
RETURNED = 16
"""Where a call comes back to; its result is still in the registers."""
DONE = 26
"""Where in the stub the loop ends."""
RUNG = 28
"""Where the processor is when it was stopped by the bell."""
BELL = 32
"""What is watched there: only the stub writes to it."""
ARGUMENTS = 4
SIZE = 20
"""Bytes of one descriptor: function, four words. The function is 0 when the call is done."""
RESULT = 8
"""Bytes of one result: r0 and r1."""
FIRST, LAST, RESULTS = 4, 5, 7
"""The registers that say where descriptors begin and end, and where the first result goes."""
_WORDS = struct.Struct("<5I")


def descriptor(function: int, words: Sequence[int]) -> bytes:
    """A call of a function with up to four words."""
    return _WORDS.pack(function, *words, *(0, 0, 0, 0)[len(words) :])


def words(call: bytes) -> tuple[int, ...]:
    """The function and the words of a descriptor."""
    return _WORDS.unpack(call)


def arguments(data: bytes) -> list[tuple[bytes]]:
    """What each descriptor holds beside its function."""
    return list(struct.iter_unpack("<4x16s", data))


def results(data: bytes) -> Iterator[tuple[int, int]]:
    """r0 and r1 of each call."""
    return struct.iter_unpack("<II", data)


def done(data: bytes) -> int:
    """How many calls are done, by their descriptors: those before the first that is not."""
    marks = (mark for (mark,) in struct.iter_unpack("<I16x", data))
    return next((place for place, mark in enumerate(marks) if mark), len(data) // SIZE)
