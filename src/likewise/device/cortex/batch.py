"""Many calls in one trip: a loop in the target's RAM over descriptors of calls."""

from __future__ import annotations

import struct

STUB = struct.pack(
    "<18HI",
    0x42AC,  # loop: cmp r4, r5
    0xD00B,  # beq done
    0x6826,  # ldr r6, [r4, #0]      the function
    0x6860,  # ldr r0, [r4, #4]
    0x68A1,  # ldr r1, [r4, #8]
    0x68E2,  # ldr r2, [r4, #12]
    0x6923,  # ldr r3, [r4, #16]
    0x47B0,  # blx r6
    0x6060,  # str r0, [r4, #4]      the result over the arguments
    0x60A1,  # str r1, [r4, #8]
    0x2000,  # movs r0, #0
    0x6020,  # str r0, [r4, #0]      done
    0x3414,  # adds r4, #20
    0xE7F1,  # b loop
    0xA201,  # done: adr r2, bell    a breakpoint stands here, or
    0x6012,  # str r2, [r2]          the processor is stopped before it writes there
    0xE7FC,  # b done
    0xBF00,  # nop
    0,  # bell
)
RETURNED = 16
"""Where a call comes back to; its result is still in the registers."""
DONE = 28
"""Where in the stub the loop ends."""
RUNG = 30
"""Where the processor is when it was stopped by the bell."""
BELL = 36
"""What is watched there: only the stub writes to it."""
SIZE = 20
"""Bytes of one descriptor: function, four words."""
FIRST, LAST = 4, 5
"""The registers that say where descriptors begin and end."""
