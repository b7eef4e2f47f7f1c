"""Messages to WARDuino: a code and its operands, as hexadecimal digits, ended by a newline."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from enum import IntEnum

from likewise.device.values import Number
from likewise.device.wasm.leb128 import signed, unsigned


class Code(IntEnum):
    """The first byte of a message, which is echoed."""

    RUN = 0x01
    HALT = 0x02
    PAUSE = 0x03
    STEP = 0x04
    STEP_OVER = 0x05
    ADD_BREAKPOINT = 0x06
    REMOVE_BREAKPOINT = 0x07
    CONTINUE_FOR = 0x08
    INSPECT = 0x09
    DUMP = 0x10
    DUMP_LOCALS = 0x11
    DUMP_ALL = 0x12
    RESET = 0x13
    SET_LOCAL = 0x21
    UPDATE_MODULE = 0x22
    INVOKE = 0x40
    DUMP_EVENTS = 0x71
    POP_EVENT = 0x72
    PUSH_EVENT = 0x73
    DUMP_CALLBACKS = 0x74


PARTS = {
    "pc": 0x01,
    "breakpoints": 0x02,
    "callstack": 0x03,
    "globals": 0x04,
    "table": 0x05,
    "memory": 0x06,
    "br_table": 0x07,
    "stack": 0x08,
    "callbacks": 0x09,
    "events": 0x0A,
}
"""What can be inspected."""


def message(code: Code, operands: bytes = b"") -> bytes:
    """One message, ready to be sent."""
    return (bytes([code]) + operands).hex().encode("ascii") + b"\n"


def number(value: Number) -> bytes:
    """A number as an operand: whole numbers as signed LEB128, floats as they lie in memory."""
    if value.kind.is_float:
        return value.data
    width = value.kind.width
    return signed(value.bits - (1 << width) if value.bits >> (width - 1) else value.bits)


def invoke(function: int, arguments: Iterable[Number]) -> bytes:
    """Call a function by its index."""
    return message(Code.INVOKE, unsigned(function) + b"".join(number(each) for each in arguments))


def breakpoint_at(address: int, *, is_added: bool) -> bytes:
    """Add or remove a breakpoint."""
    code = Code.ADD_BREAKPOINT if is_added else Code.REMOVE_BREAKPOINT
    return message(code, struct.pack(">I", address))


def continue_for(count: int) -> bytes:
    """Execute a number of instructions."""
    return message(Code.CONTINUE_FOR, struct.pack(">I", count))


def inspect(parts: Sequence[str]) -> bytes:
    """Ask for parts of the state."""
    return message(Code.INSPECT, struct.pack(">H", len(parts)) + bytes(PARTS[part] for part in parts))


def set_local(index: int, value: Number) -> bytes:
    """Change a local variable."""
    return message(Code.SET_LOCAL, unsigned(index) + number(value))


def update_module(data: bytes) -> bytes:
    """Replace the program."""
    return message(Code.UPDATE_MODULE, unsigned(len(data)) + data)


def push_event(topic: str, payload: str) -> bytes:
    """Add an event."""
    event = json.dumps({"topic": topic, "payload": payload}).encode()
    # What is received is taken for a C string, so it needs its end.
    return message(Code.PUSH_EVENT, event + b"\0")
