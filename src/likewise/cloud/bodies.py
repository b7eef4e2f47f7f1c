"""Bodies as plain data: JSON, XML, forms and multipart are taken apart, everything else stays opaque."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from urllib.parse import parse_qsl
from xml.parsers import expat

from likewise.model import Opaque, Value
from likewise.store.encoding import decode_json
from likewise.store.values import Undecodable

TEXT_LIMIT = 256
"""Printable text up to this many characters is kept as it is; anything longer is known by its hash."""

WRITTEN = "⟨written⟩"
"""The key under which a body that is handed out as text says how that is written."""
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"(?P<key>\s*:)?|-?\d[\d.eE+-]*')
"""A string, or a number, and whether it is a key."""

Mask = Callable[[str], str]
"""Turns a value that belongs to the environment into one that does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a service says about its XML: which elements repeat, and which hold environment-bound text.

    `lists` holds elements that become lists even when there is only one of them, by their name or as
    "Parent/Element".
    `masks` is keyed by (parent, element) or (element, "@attribute").
    """

    lists: Collection[str] = frozenset()
    masks: Mapping[tuple[str, str], Mask] = field(default_factory=dict)


PLAIN = Shape()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a multipart body, headers in lower case; `start` is an inner request or status line."""

    start: str
    headers: dict[str, str]
    body: bytes


def opaque(body: bytes) -> Value:
    """A body nobody parses: short printable text as itself, anything else by length and hash."""
    if len(body) <= TEXT_LIMIT:
        try:
            text = body.decode()
        except UnicodeDecodeError:
            pass
        else:
            if text.isprintable() or all(char.isprintable() or char in "\r\n\t" for char in text):
                return text
    return Opaque(length=len(body), digest=blake2b(body, digest_size=16).hexdigest())


def parse(body: bytes, content_type: str = "", *, shape: Shape = PLAIN) -> Value:
    """A protocol body as data. What does not parse as what it claims to be stays opaque."""
    if not body:
        return None
    first = body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if first in (b"{", b"["):
        return parse_json(body)
    if first == b"<":
        return parse_xml(body, shape=shape)
    if content_type.startswith("application/x-www-form-urlencoded"):
        return parse_form(body)
    if "json" in content_type:
        return parse_json(body)
    return opaque(body)


def parse_json(body: bytes) -> Value:
    """JSON as data, or the opaque body."""
    try:
        value: Value = decode_json(body)
    except Undecodable:
        return opaque(body)
    return value


def layout(body: bytes) -> Value:
    """How a JSON text is written, whatever its values: the order of its keys, blanks and line breaks."""
    return opaque(_VALUE.sub(lambda found: found[0] if found["key"] else b"_", body))


def parse_form(body: bytes) -> Value:
    """A URL-encoded form as data; a name that repeats holds a list."""
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=1000)
    except (UnicodeDecodeError, ValueError):
        return opaque(body)
    form: dict[str, Value] = {}
    for name, text in pairs:
        _add(form, name, text)
    return form


def parse_xml(body: bytes, *, shape: Shape = PLAIN) -> Value:
    """XML as data: {root: value}; an element is its text, or a dict of children and "@attributes".

    Some recorders squeeze the blanks out of the XML declaration; the rest is read all the same.
    """
    document = _document(body, shape)
    if document is None and (bare := _DECLARATION.sub(b"", body, count=1)) != body:
        document = _document(bare, shape)
    return opaque(body) if document is None else document


def _document(body: bytes, shape: Shape) -> dict[str, Value] | None:
    reader = _Reader(shape)
    try:
        reader.parser.Parse(body, True)
    except (expat.ExpatError, _EntityDeclared, UnicodeError, RecursionError):
        return None
    return reader.root


_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")


class _EntityDeclared(ValueError):
    """A document type that declares entities: nothing a service sends, and a known way to do harm."""


class _Reader:
    """Collects what the XML parser reports."""

    __slots__ = ("_masks", "_names", "_text", "_values", "lists", "parser", "root")

    def __init__(self, shape: Shape) -> None:
        self.root: dict[str, Value] = {}
        self.lists = shape.lists
        self._masks = shape.masks
        self._names: list[str] = [""]
        self._values: list[dict[str, Value]] = [self.root]
        self._text: list[str] = []
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        parser.EntityDeclHandler = self._refuse
        self.parser = parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        value: dict[str, Value] = {}
        for attribute, text in attributes.items():
            if not attribute.startswith("xmlns"):
                place = "@" + attribute.rpartition(":")[2]
                mask = self._masks.get((name, place))
                value[place] = mask(text) if mask else text
        self._names.append(name)
        self._values.append(value)
        self._text.clear()

    def _end(self, _: str) -> None:
        name, value = self._names.pop(), self._values.pop()
        text = "".join(self._text) if self._text else ""
        self._text.clear()
        found: Value = value
        if not value:
            mask = self._masks.get((self._names[-1], name))
            found = mask(text) if mask and text else text
        elif text and not text.isspace():
            value["text"] = text
        lists, parent = self.lists, self._names[-1]
        repeats = bool(parent) and (name in lists or f"{parent}/{name}" in lists)
        _add(self._values[-1], name, found, repeats=repeats)

    def _refuse(self, *_: object) -> None:
        raise _EntityDeclared


def _add(into: dict[str, Value], name: str, value: Value, *, repeats: bool = False) -> None:
    """Put a named value beside those that are there: a second one of a name makes a list."""
    if name not in into:
        into[name] = [value] if repeats else value
        return
    there = into[name]
    if isinstance(there, list):
        there.append(value)
    else:
        into[name] = [there, value]


_BOUNDARY = re.compile(r'boundary="?([^";,]+)"?', re.IGNORECASE)


def split_multipart(body: bytes, content_type: str) -> list[Part] | None:
    """The parts of a multipart body, nested ones (change sets) in place, or None where it is not one.

    Parts of type application/http lose their outer headers: what remains is the inner message.
    """
    match = _BOUNDARY.search(content_type)
    if match is None:
        return None
    pieces = body.split(b"--" + match[1].strip().encode())
    if len(pieces) < 3 or not pieces[-1].startswith(b"--"):
        return None
    parts: list[Part] = []
    for piece in pieces[1:-1]:
        headers, content = _headed(piece)
        inner = headers.get("content-type", "")
        if inner.startswith("multipart/"):
            parts.extend(split_multipart(content, inner) or ())
        elif inner.startswith("application/http"):
            start, _, rest = content.lstrip().partition(b"\n")
            headers, content = _headed(rest, lines_only=True)
            parts.append(Part(start=start.decode("latin-1").strip(), headers=headers, body=content))
        else:
            parts.append(Part(start="", headers=headers, body=content))
    return parts


def _headed(piece: bytes, *, lines_only: bool = False) -> tuple[dict[str, str], bytes]:
    """Header lines and what follows the empty line after them."""
    if not lines_only:
        piece = piece.lstrip(b"\r\n")
    if piece.startswith((b"\r\n", b"\n")):
        head, content = b"", piece.partition(b"\n")[2]
    elif b"\r\n\r\n" in piece:
        head, _, content = piece.partition(b"\r\n\r\n")
    else:
        head, _, content = piece.partition(b"\n\n")
    headers: dict[str, str] = {}
    for line in head.decode("latin-1").splitlines():
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    return headers, content.removesuffix(b"\n").removesuffix(b"\r")


def unchunk(body: bytes) -> bytes:
    """The payload of an aws-chunked body; a body that is not one comes back as it is."""
    payload: list[bytes] = []
    place = 0
    while True:
        end = body.find(b"\r\n", place)
        if end < 0:
            return body
        try:
            size = int(body[place:end].partition(b";")[0], 16)
        except ValueError:
            return body
        if size == 0:
            return b"".join(payload)
        place = end + 2
        if size < 0 or place + size > len(body):
            return body
        payload.append(body[place : place + size])
        place += size + 2
