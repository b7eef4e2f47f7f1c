"""Replies of WARDuino: lines among other output, cut anywhere, and JSON that is not always quite that."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from likewise.device.values import KINDS, Kind, Number
from likewise.model import LikewiseError

_ECHO = re.compile(r"Interrupt: ?([0-9a-fA-F]+)\s*$")
_AT = re.compile(r"AT (\d+)!")
_KEYS = "stack|pc|breakpoints|callstack|globals|table|memory|br_table|callbacks|events|count"
_OBJECT = re.compile(rf'\{{\s*("({_KEYS})"|$)')
_WORD = re.compile(r"(GO|STOP|PAUSE|STEP|DONE)!")
_BREAKPOINT = re.compile(r"BP (\d+)!")
_LOCAL = re.compile(r"Local (\d+) changed to (\S+)")


class NotAReply(LikewiseError):
    """WARDuino said something that cannot be understood."""

    slug = "not-a-reply"


@dataclass(frozen=True, slots=True)
class Echo:
    """A message was accepted."""

    code: int


@dataclass(frozen=True, slots=True)
class At:
    """The program stopped at a breakpoint, or behind a call that was stepped over."""

    pc: int


@dataclass(frozen=True, slots=True)
class Word:
    """A short acknowledgement: GO, PAUSE, STEP, DONE, STOP, reset, module, event."""

    text: str


@dataclass(frozen=True, slots=True)
class BreakpointSet:
    """A breakpoint was added or removed."""

    address: int


@dataclass(frozen=True, slots=True)
class LocalSet:
    """A local variable was changed; the number is what the machine says it is now."""

    index: int
    value: str


@dataclass(frozen=True, slots=True)
class Structure:
    """A JSON object."""

    value: dict[str, object]


@dataclass(frozen=True, slots=True)
class Text:
    """Anything else: output of the program, the wording of a trap."""

    text: str


Reply = Echo | At | Word | BreakpointSet | LocalSet | Structure | Text

_WORDS = (
    ("Reset WARDuino", "RESET"),
    ("CHANGE Module", "MODULE"),
    ("new pushed event", "EVENT"),
    ("COULD not parse", "REFUSED"),
)


class Lines:
    """Makes lines of bytes, however they were cut; an object that goes over several lines is one."""

    def __init__(self) -> None:
        self._rest = b""
        self._open = ""

    def feed(self, data: bytes) -> list[str]:
        """The lines that are complete now."""
        *whole, self._rest = (self._rest + data).split(b"\n")
        lines = []
        for raw in whole:
            text = self._open + raw.decode("utf-8", "replace").rstrip("\r")
            if is_cut(text):
                self._open = text + "\n"
            else:
                self._open = ""
                lines.append(text)
        return lines

    @property
    def rest(self) -> str:
        """What has come of a line that is not complete."""
        return self._open + self._rest.decode("utf-8", "replace")

    def clear(self) -> None:
        """Forget what has not become a line."""
        self._rest, self._open = b"", ""


def is_cut(text: str) -> bool:
    """Whether an object begins in this line and does not end in it."""
    start = _object(text)
    if start < 0 or (text.endswith("}") and text.count("{") == text.count("}")):
        return False
    depth, quoted, escaped = 0, False, False
    for character in text[start:]:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = quoted
        elif character == '"':
            quoted = not quoted
        elif not quoted:
            depth += (character == "{") - (character == "}")
            if depth == 0:
                return False
    return True


def _object(text: str) -> int:
    """Where an object begins that WARDuino may have written: its first key follows at once."""
    found = _OBJECT.search(text)
    return found.start() if found else -1


def read(line: str) -> Reply | None:
    """What a line says; None for an empty one. Output of the program may stand before it."""
    text = line.strip()
    if not text:
        return None
    if found := _ECHO.search(text):
        return Echo(int(found[1], 16))
    start = _object(text)
    if start >= 0 and text[start + 1 :].strip():
        return Structure(parse(text[start:]))
    if text.endswith("{}"):
        return Structure({})
    if found := _BREAKPOINT.search(text):
        return BreakpointSet(int(found[1]))
    if found := _AT.search(text):
        return At(int(found[1]))
    if found := _LOCAL.search(text):
        return LocalSet(int(found[1]), found[2])
    for phrase, word in _WORDS:
        if phrase in text:
            return Word(word)
    if found := _WORD.search(text):
        return Word(found[1])
    return Text(text)


def parse(text: str) -> dict[str, object]:
    """An object, though a comma or a bracket may be missing and numbers may be `nan` or `0x1f`."""
    try:
        value = json.loads(text)
    except ValueError:
        value = _Lenient(text).value()
    if not isinstance(value, dict):
        raise NotAReply("an object was awaited", why=text[:200])
    return value


class _Lenient:
    """Reads what was meant to be JSON."""

    _ATOM = re.compile(r"[^\s,\]\[{}\":]+")

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def value(self) -> object:
        """The value that begins here."""
        following = self._peek()
        if following == "{":
            return self._mapping()
        if following == "[":
            return self._sequence()
        if following == '"':
            return self._string()
        found = self._ATOM.match(self._text, self._at)
        if found is None:
            raise NotAReply("not JSON, nor nearly", why=self._text[self._at : self._at + 80])
        self._at = found.end()
        return _atom(found[0])

    def _peek(self) -> str:
        while self._at < len(self._text) and self._text[self._at] in " \t\r\n,":
            self._at += 1
        return self._text[self._at] if self._at < len(self._text) else ""

    def _mapping(self) -> dict[str, object]:
        self._at += 1
        found: dict[str, object] = {}
        while (following := self._peek()) not in ("}", ""):
            if following != '"':
                # A bracket too many, left over from a list that was closed for it.
                self._at += 1
                continue
            key = self._string()
            if self._peek() == ":":
                self._at += 1
                found[key] = self.value()
            else:
                found[key] = None
        self._at += 1
        return found

    def _sequence(self) -> list[object]:
        self._at += 1
        found: list[object] = []
        while (following := self._peek()) not in ("]", "}", ""):
            if following == '"' and self._is_key():
                return found
            found.append(self.value())
        if following == "]":
            self._at += 1
        return found

    def _is_key(self) -> bool:
        return re.compile(r'"(?:\\.|[^"\\])*"\s*:').match(self._text, self._at) is not None

    def _string(self) -> str:
        found = re.compile(r'"((?:\\.|[^"\\])*)"?', re.DOTALL).match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        try:
            return str(json.loads(f'"{found[1]}"', strict=False))
        except ValueError:
            return found[1]


def _atom(text: str) -> object:
    words: dict[str, object] = {"true": True, "false": False, "null": None}
    if text in words:
        return words[text]
    for convert in (int, lambda text: int(text, 16), float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def typed(entry: dict[str, object], *, floats: int) -> Number:
    """A value with its type. `floats` is the base in which patterns of floats are written."""
    name, raw = str(entry.get("type", "")).lower(), entry.get("value")
    kind = KINDS.get(name)
    if kind is None:
        raise NotAReply(f"a value of type {name!r}", why=str(entry))
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise NotAReply("a value that is no number", why=str(entry))
    try:
        if isinstance(raw, str):
            return kind.of(_pattern(raw, kind, floats))
        if isinstance(raw, float) and not kind.is_float:
            raise NotAReply("a fraction where a whole number was awaited", why=str(entry))
        return kind(raw) if kind.is_float else kind.of(int(raw) & ((1 << kind.width) - 1))
    except (ValueError, LikewiseError) as error:
        raise NotAReply("a value that does not fit its type", why=f"{entry}: {error}") from error


def _pattern(text: str, kind: Kind, base: int) -> int:
    if not kind.is_float:
        return int(text, 0) & ((1 << kind.width) - 1)
    if re.search(r"[.]|nan|inf", text, re.IGNORECASE):
        return kind(float(text)).bits
    return int(text, 16 if text.lower().startswith("0x") else base)
