"""Types of a C program, as its debug information tells them."""

from __future__ import annotations

import operator
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

from likewise.device.testee import Data
from likewise.device.values import Kind, Number, u32


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number."""

    kind: Kind
    name: str = ""

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.kind.size


@dataclass(frozen=True, slots=True)
class Pointer:
    """An address; `target` is None for `void *`."""

    target: Type | None = None
    size: int = 4


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a structure. `bits` is its width where it is a bit field, `shift` where that begins."""

    name: str
    offset: int
    type: Type
    bits: int = 0
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure or union."""

    name: str
    size: int
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """Elements one after the other."""

    element: Type
    count: int

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.element.size * self.count


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something the debug information does not tell in a way we read."""

    name: str
    size: int


_PATTERNS = {1: "B", 2: "H", 4: "I", 8: "Q"}
Type = Scalar | Pointer | Structure | Array | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function; without debug information `parameters` is None and everything is a 32-bit integer."""

    name: str
    address: int
    end: int
    parameters: tuple[tuple[str, Type], ...] | None = None
    result: Type | None = None
    is_variadic: bool = False


def read_value(kind: Type, data: bytes) -> Data:
    """A value in memory as data."""
    match kind:
        case Scalar():
            return kind.kind.from_bytes(data)
        case Pointer():
            return u32.from_bytes(data)
        case Structure():
            return {each.name: _read_member(each, data) for each in kind.members}
        case Array():
            if isinstance(kind.element, Scalar):
                return _read_numbers(kind.element.kind, data[: kind.size])
            size = kind.element.size
            return [read_value(kind.element, data[at * size : (at + 1) * size]) for at in range(kind.count)]
        case Unknown():
            return bytes(data[: kind.size])


def _read_numbers(kind: Kind, data: bytes) -> Data:
    """Many numbers at once: buffers may be long."""
    patterns = struct.unpack(f"<{len(data) // kind.size}{_PATTERNS[kind.size]}", data)
    return [Number(kind, bits) for bits in patterns]


def _write_numbers(kind: Kind, values: Sequence[object]) -> bytes | None:
    """Many whole numbers at once; None where one of them needs a closer look."""
    if kind.is_float or any(type(each) is not int for each in values):
        return None
    try:
        return struct.pack(f"<{len(values)}{kind.layout[-1]}", *values)
    except struct.error:
        return None


def _read_member(member: Member, data: bytes) -> Data:
    piece = data[member.offset : member.offset + member.type.size]
    if not member.bits:
        return read_value(member.type, piece)
    bits = int.from_bytes(piece, "little") >> member.shift & ((1 << member.bits) - 1)
    if isinstance(member.type, Scalar) and member.type.kind.is_signed and bits >> (member.bits - 1):
        bits -= 1 << member.bits
    return bits


class Unfit(Exception):
    """A value cannot be passed as this type; the message says why."""


def write_value(kind: Type, value: object) -> bytes:
    """A value as it stands in memory. Raises Unfit, or NotRepresentable where it does not fit."""
    match kind:
        case Scalar():
            return number_of(kind.kind, value).data
        case Pointer():
            return number_of(u32, value).data
        case Structure() if isinstance(value, dict):
            data = bytearray(kind.size)
            members = {each.name: each for each in kind.members}
            for name, given in value.items():
                if name not in members:
                    known = ", ".join(members)
                    raise Unfit(f"structure {kind.name or '(unnamed)'} has no member {name!r}, only {known}")
                _write_member(members[name], given, data)
            return bytes(data)
        case Array() if isinstance(value, list | tuple) and len(value) <= kind.count:
            at_once = _write_numbers(kind.element.kind, value) if isinstance(kind.element, Scalar) else None
            if at_once is None:
                at_once = b"".join(write_value(kind.element, each) for each in value)
            return at_once.ljust(kind.size, b"\0")
        case Array() | Unknown() if isinstance(value, bytes) and len(value) <= kind.size:
            return value.ljust(kind.size, b"\0")
        case _:
            raise Unfit(f"{value!r} cannot be written as {describe(kind)}")


def _write_member(member: Member, given: object, data: bytearray) -> None:
    place = slice(member.offset, member.offset + member.type.size)
    if not member.bits:
        data[place] = write_value(member.type, given)
        return
    if isinstance(given, bool) or not isinstance(given, int):
        raise Unfit(f"bit field {member.name!r} takes a whole number, not {given!r}")
    mask = ((1 << member.bits) - 1) << member.shift
    if given >> member.bits not in (0, -1):
        raise Unfit(f"{given} does not fit the {member.bits} bits of {member.name!r}")
    whole = int.from_bytes(data[place], "little") & ~mask | (given << member.shift) & mask
    data[place] = whole.to_bytes(member.type.size, "little")


def number_of(kind: Kind, value: object) -> Number:
    """A value as a number of this type; a typed one must be of the same width and sort."""
    if isinstance(value, Number):
        if value.kind.size != kind.size or value.kind.is_float != kind.is_float:
            raise Unfit(f"{value} was given where the program has {kind.name}")
        return Number(kind, value.bits)
    if isinstance(value, SupportsIndex):
        value = operator.index(value)  # a bool, or an integer of numpy's
    if isinstance(value, int) and not kind.is_float and kind.is_signed and value >= 1 << (kind.width - 1):
        return kind.of(value)  # a pattern such as 0xffffffff
    if isinstance(value, int | float):
        return kind(value)
    raise Unfit(f"{value!r} was given where the program has {kind.name}")


def describe(kind: Type | None) -> str:
    """A type in a message."""
    match kind:
        case None:
            return "void"
        case Scalar():
            return kind.name or kind.kind.name
        case Pointer():
            return f"{describe(kind.target)} *"
        case Structure():
            return f"struct {kind.name}" if kind.name else "a structure without a name"
        case Array():
            return f"{describe(kind.element)}[{kind.count}]"
        case Unknown():
            return kind.name
