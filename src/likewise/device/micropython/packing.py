"""How calls travel to the agent and results come back."""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from likewise.device.testee import Answered, Data, Refused
from likewise.model import LikewiseError

MODULUS = 1048573
"""A prime below 2**20: five hexadecimal digits."""
LONGEST = 47 * 47 - 1
"""Bytes in a frame."""
ITEM, ITEM_END = 0x1E, 0x1F
CHECK, CHECK_END = 0x1C, 0x1D
TAKEN, REPEAT, MORE = 0x06, 0x15, 0x11
NO_ROOM = b"m"
"""The result of an expression that the device has no room to read; it was not executed."""


class NotAResult(LikewiseError):
    """The device said something that is no result."""

    slug = "not-a-result"


def checksum(data: bytes) -> bytes:
    """Five digits that depend on every byte and its place."""
    return b"%05x" % (int.from_bytes(data, "little") % MODULUS)


def packed(number: int) -> bytes:
    """A whole number in printable characters, the small ones in one: base 47, least significant first."""
    folded = number << 1 if number >= 0 else ((-number) << 1) - 1
    out = bytearray()
    while folded > 46:
        folded, digit = divmod(folded, 47)
        out.append(80 + digit)
    out.append(33 + folded)
    return bytes(out)


def frame(number: int, payload: bytes) -> bytes:
    """One frame. `number` distinguishes it from those before it; it is taken modulo 90."""
    if not 0 < len(payload) <= LONGEST:
        raise ValueError(f"a payload of {len(payload)} bytes")
    head = bytes([33 + number % 90, 33 + len(payload) // 47, 33 + len(payload) % 47])
    return b"~" + head + checksum(head + payload) + payload


@dataclass(frozen=True, slots=True)
class Called:
    """A call with small whole numbers only."""

    function: str
    arguments: tuple[int, ...]

    @property
    def data(self) -> bytes:
        """The arguments; a call without any still needs a character."""
        return b"".join(packed(each) for each in self.arguments) or b"!"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Anything else: an expression on one line."""

    source: str


Item = Called | Evaluated


def payloads(items: Sequence[Item], *, most: int, longest: int) -> list[tuple[int, bytes]]:
    """The items in as many payloads as are needed: how many items each holds, and its bytes."""
    found: list[tuple[int, bytes]] = []
    lines: list[bytes] = []
    count, group = 0, ("", -1)
    for item in items:
        if isinstance(item, Called):
            head = b"%s %d " % (item.function.encode(), len(item.arguments))
            same = group == (item.function, len(item.arguments))
            text = item.data if same and lines else head + item.data
        else:
            head, same, text = b"", False, b":" + item.source.encode()
        size = sum(map(len, lines)) + len(lines)
        if count and (count >= most or size + len(text) > longest):
            found.append((count, b"\n".join(lines)))
            lines, count, same = [], 0, False
            text = head + item.data if isinstance(item, Called) else text
        if same and lines:
            lines[-1] += text
        else:
            lines.append(text)
        group = (item.function, len(item.arguments)) if isinstance(item, Called) else ("", -1)
        count += 1
    if count:
        found.append((count, b"\n".join(lines)))
    return found


def literal(value: object) -> str:
    """A value as source text."""
    if isinstance(value, float):
        if value != value:
            return 'float("nan")'
        if value in (float("inf"), float("-inf")):
            return f'float("{value}")'
    return repr(value)


def result(text: bytes) -> Answered | Refused:
    """What a result's text means."""
    first, rest = text[:1], text[1:]
    try:
        if text == NO_ROOM:
            return Refused(kind="MemoryError", message="the device has no room to read the expression")
        if first == b"!":
            return _raised(rest.decode("utf-8", "replace"))
        if first == b"f":
            return Answered(data=struct.unpack(">d", bytes.fromhex(rest.decode("ascii")))[0])
        if first == b"r":
            return Answered(data=_read(rest.decode("utf-8")))
        return Answered(data=int(text) if text else None)
    except (ValueError, struct.error) as error:
        raise NotAResult("a result that cannot be read", why=repr(text[:80])) from error


def _raised(text: str) -> Refused:
    """An exception, as MicroPython shows it: `ValueError('wrong',)`."""
    found = re.fullmatch(r"(\w+)\((.*?),?\)", text, re.DOTALL)
    if found is None:
        return Refused(kind="exception", message=text)
    try:
        message = str(ast.literal_eval(found[2])) if found[2] else ""
    except (ValueError, SyntaxError):
        message = found[2]
    return Refused(kind=found[1], message=message)


def _read(text: str) -> Data:
    try:
        return _plain(ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        # An object that Python cannot make of its text: the text is what is known of it.
        return text


def _plain(value: object) -> Data:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, bytes | str | bool | int | float) or value is None:
        return value
    return repr(value)
