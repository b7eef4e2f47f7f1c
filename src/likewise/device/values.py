"""Numbers as a machine holds them: a type and its bits, compared bit for bit."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from enum import StrEnum

from likewise.model import LikewiseError


class NotRepresentable(LikewiseError):
    """A number does not fit its type."""

    slug = "not-representable"


@dataclass(frozen=True, slots=True)
class Number:
    """One number of a machine: `bits` is its pattern as an unsigned integer.

    Two numbers are equal where width, integer or float, and every bit agree: `i32(-1)` equals
    `u32(0xffffffff)`, −0 differs from +0, and a NaN equals itself.
    """

    kind: Kind
    bits: int

    @property
    def value(self) -> int | float:
        """The number as Python has it; a NaN's payload is lost here, `bits` keeps it."""
        kind = self.kind
        if kind.is_float:
            number: float = struct.unpack(kind.layout, self.bits.to_bytes(kind.size, "little"))[0]
            return number
        return (
            self.bits - (1 << kind.width) if kind.is_signed and self.bits >> (kind.width - 1) else self.bits
        )

    @property
    def data(self) -> bytes:
        """The bytes in memory, least significant first."""
        return self.bits.to_bytes(self.kind.size, "little")

    @property
    def is_nan(self) -> bool:
        """Whether this is a NaN, of whatever class."""
        return self.kind.is_float and (self.bits & self.kind.magnitude) > self.kind.infinity

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Number):
            return NotImplemented
        mine, theirs = self.kind, other.kind
        return self.bits == other.bits and mine.size == theirs.size and mine.is_float == theirs.is_float

    def __hash__(self) -> int:
        return hash((self.bits, self.kind.size, self.kind.is_float))

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        if not self.kind.is_float:
            return f"{self.kind.name} {self.value}"
        pattern = f"0x{self.bits:0{self.kind.size * 2}x}"
        if self.is_nan:
            return f"{self.kind.name} nan ({pattern})"
        return f"{self.kind.name} {self.value!r} ({pattern})"

    __repr__ = __str__


class NanClass(StrEnum):
    """Which NaNs an expectation takes."""

    ANY = "any"
    CANONICAL = "canonical"
    """Only the quiet bit of the payload is set; the sign is free."""
    ARITHMETIC = "arithmetic"
    """The quiet bit is set; the rest of the payload and the sign are free."""


@dataclass(frozen=True, slots=True)
class Nan:
    """A NaN of this type, by class."""

    kind: Kind
    which: NanClass = NanClass.ANY

    def accepts(self, number: Number) -> bool:
        """Whether a number is such a NaN."""
        kind = self.kind
        if not number.kind.is_float or number.kind.size != kind.size or not number.is_nan:
            return False
        match self.which:
            case NanClass.ANY:
                return True
            case NanClass.CANONICAL:
                return number.bits & kind.magnitude == kind.infinity | kind.quiet
            case NanClass.ARITHMETIC:
                return bool(number.bits & kind.quiet)

    def __str__(self) -> str:
        return f"{self.kind.name} nan ({self.which})"


class Kind:
    """A type of machine number. Calling it makes one: `i32(-7)`, `f32(0.1)`, `u64(2**64 - 1)`."""

    __slots__ = ("infinity", "is_float", "is_signed", "layout", "magnitude", "name", "quiet", "size", "width")

    def __init__(self, name: str, size: int, layout: str) -> None:
        self.name, self.size, self.layout = name, size, layout
        self.width = size * 8
        self.is_float = layout[-1] in "fd"
        self.is_signed = layout[-1].islower()
        fraction = {4: 23, 8: 52}.get(size, 0)
        self.magnitude = (1 << (self.width - 1)) - 1
        self.infinity = (self.magnitude >> fraction) << fraction
        self.quiet = 1 << (fraction - 1) if fraction else 0

    def __call__(self, value: float) -> Number:
        if self.is_float:
            return Number(self, int.from_bytes(self._pack(float(value)), "little"))
        if isinstance(value, float):
            if not value.is_integer():
                raise NotRepresentable(f"{value!r} is not a whole number", where=self.name)
            value = int(value)
        number = int(value)
        low, high = (
            (-(1 << (self.width - 1)), self.magnitude) if self.is_signed else (0, (1 << self.width) - 1)
        )
        if not low <= number <= high:
            raise NotRepresentable(
                f"{number} does not fit",
                where=self.name,
                why=f"it holds {low} to {high}",
                todo="Use a wider type, or give the pattern with .of(bits).",
            )
        return Number(self, number & ((1 << self.width) - 1))

    def _pack(self, value: float) -> bytes:
        try:
            return struct.pack(self.layout, value)
        except OverflowError:  # beyond the largest f32: what a conversion on the machine gives
            return struct.pack(self.layout, math.copysign(math.inf, value))

    def of(self, bits: int) -> Number:
        """The number with this pattern, NaN payloads included."""
        if not 0 <= bits < 1 << self.width:
            raise NotRepresentable(f"0x{bits:x} has more than {self.width} bits", where=self.name)
        return Number(self, bits)

    def from_bytes(self, data: bytes) -> Number:
        """The number in these bytes, least significant first."""
        return Number(self, int.from_bytes(data[: self.size], "little"))

    def nan(self, which: NanClass | str = NanClass.ANY) -> Nan:
        """An expectation: a NaN of this type, by class. A payload is expected with `.of(bits)`."""
        if not self.is_float:
            raise NotRepresentable("only f32 and f64 have NaNs", where=self.name)
        return Nan(self, NanClass(which))

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str:
        return self.name


i8, u8 = Kind("i8", 1, "<b"), Kind("u8", 1, "<B")
i16, u16 = Kind("i16", 2, "<h"), Kind("u16", 2, "<H")
i32, u32 = Kind("i32", 4, "<i"), Kind("u32", 4, "<I")
i64, u64 = Kind("i64", 8, "<q"), Kind("u64", 8, "<Q")
f32, f64 = Kind("f32", 4, "<f"), Kind("f64", 8, "<d")

KINDS = {kind.name: kind for kind in (i8, u8, i16, u16, i32, u32, i64, u64, f32, f64)}
