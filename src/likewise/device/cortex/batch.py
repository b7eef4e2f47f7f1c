"""Many calls in one trip: a loop in the target's RAM over descriptors of calls, with their results behind."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

STUB = struct.pack(
    "<16HI",
    0x602C,  # loop: str r4, [r5]    how far it is
    0x42AC,  # cmp r4, r5
    0xD008,  # beq done
    0x6826,  # ldr r6, [r4, #0]      the function
    0x6860,  # ldr r0, [r4, #4]
    0x68A1,  # ldr r1, [r4, #8]
    0x68E2,  # ldr r2, [r4, #12]
    0x6923,  # ldr r3, [r4, #16]
    0x47B0,  # blx r6
    0xC703,  # stm r7!, {r0, r1}     the result
    0x3414,  # adds r4, #20
    0xE7F3,  # b loop
    0xA201,  # done: adr r2, bell    a breakpoint stands here, or
    0x6012,  # str r2, [r2]          the processor is stopped before it writes there
    0xE7FC,  # b done
    0xBF00,  # nop
    0,  # bell
)
RETURNED = 18
"""Where a call comes back to; its result is still in the registers."""
LEAVE = struct.pack("<H", 0xE001)
"""`b done`, for that place: the call that comes back there is the last one."""
DONE = 24
"""Where in the stub the loop ends."""
RUNG = 26
"""Where the processor is when it was stopped by the bell."""
BELL = 32
"""What is watched there: only the stub writes to it."""
ARGUMENTS = 4
SIZE = 20
"""Bytes of one descriptor: function, four words."""
PROGRESS = 4
"""Bytes of the word behind the descriptors: the address of the one at work, its own at the end."""
RESULT = 8
"""Bytes of one result: r0 and r1. They are behind the word."""
FIRST, LAST, RESULTS = 4, 5, 7
"""The registers that say where descriptors begin and end, and where the first result goes."""
_WORDS = struct.Struct("<5I")


def descriptor(function: int, words: Sequence[int]) -> bytes:
    """A call of a function with up to four words."""
    return _WORDS.pack(function, *words, *(0, 0, 0, 0)[len(words) :])


def words(call: bytes) -> tuple[int, ...]:
    """The function and the words of a descriptor."""
    return _WORDS.unpack(call)


def results(data: bytes) -> Iterator[tuple[int, int]]:
    """r0 and r1 of each call."""
    return struct.iter_unpack("<II", data)
