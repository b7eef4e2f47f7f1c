"""LEB128: whole numbers in groups of seven bits, least significant first."""

from __future__ import annotations

from likewise.model import LikewiseError


class NotLeb128(LikewiseError):
    """Bytes are not a number in LEB128, or a number has no such form."""

    slug = "not-leb128"


def unsigned(value: int) -> bytes:
    """A number from 0 on, in as few bytes as possible."""
    if value < 0:
        raise NotLeb128(f"{value} is negative", todo="Encode it as a signed number.")
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value: int) -> bytes:
    """Any whole number, of any width, in as few bytes as possible."""
    out = bytearray()
    while not -0x40 <= value < 0x40:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value & 0x7F)
    return bytes(out)


def read_unsigned(data: bytes, at: int) -> tuple[int, int]:
    """The number at an offset, and the offset behind it."""
    value, _, behind = _read(data, at)
    return value, behind


def read_signed(data: bytes, at: int) -> tuple[int, int]:
    """The signed number at an offset, and the offset behind it."""
    value, width, behind = _read(data, at)
    return value - (1 << width) if value >> (width - 1) else value, behind


def _read(data: bytes, at: int) -> tuple[int, int, int]:
    """The bits at an offset, how many they are, and the offset behind them."""
    value = width = 0
    while True:
        byte = _byte(data, at)
        at += 1
        value |= (byte & 0x7F) << width
        width += 7
        if not byte & 0x80:
            return value, width, at


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise NotLeb128("the number is cut off", where=f"offset {at}")
    return data[at]
