"""What a WebAssembly binary says about itself: functions, types, exports, names, where code lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from likewise.device.wasm.leb128 import NotLeb128, read_unsigned
from likewise.model import LikewiseError

MAGIC = b"\0asm"
TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128", 0x70: "funcref", 0x6F: "externref"}
EXTERNAL = ("function", "table", "memory", "global")

T = TypeVar("T")


class NotAModule(LikewiseError):
    """Bytes are not a WebAssembly module that can be read."""

    slug = "not-a-module"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a function takes and gives, as `"i32"`, `"f64"`."""

    parameters: tuple[str, ...] = ()
    results: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """Something that the module gets from another one."""

    module: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function. `start` and `end` are offsets in the file of its first and last instruction.

    An imported function has no code: both are −1.
    """

    index: int
    name: str
    signature: Signature
    locals: tuple[str, ...] = ()
    """Parameters first."""
    local_names: tuple[str, ...] = ()
    start: int = -1
    end: int = -1

    def local(self, wanted: str | int) -> int | None:
        """The index of a local by its name, with or without `$`, or by its index, which may be text."""
        index = wanted
        if isinstance(index, str):
            names = {name: place for place, name in enumerate(self.local_names) if name}
            named = names.get(index.removeprefix("$"))
            index = named if named is not None else int(index) if index.isdigit() else -1
        return index if 0 <= index < len(self.locals) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A module's functions and exports; `exports` maps a kind and a name to an index."""

    functions: tuple[Function, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: dict[tuple[str, str], int] = field(default_factory=dict)

    def function(self, name: str) -> Function | None:
        """A function by the name it is exported under, its own name, or its index as text."""
        index = self.exports.get(("function", name))
        if index is not None and index < len(self.functions):
            return self.functions[index]
        bare = name.removeprefix("$")
        for each in self.functions:
            if each.name == bare:
                return each
        if bare.isdigit() and int(bare) < len(self.functions):
            return self.functions[int(bare)]
        return None

    def function_at(self, offset: int) -> Function | None:
        """The function whose code this offset lies in."""
        for each in self.functions:
            if each.start <= offset <= each.end and each.start >= 0:
                return each
        return None


@dataclass(slots=True)
class _Reader:
    """A place in the bytes of a module."""

    data: bytes
    at: int
    end: int

    def byte(self) -> int:
        value = self.data[self.at]
        self.at += 1
        return value

    def number(self) -> int:
        value, self.at = read_unsigned(self.data, self.at)
        return value

    def text(self) -> str:
        length = self.number()
        self.at += length
        if self.at > self.end:
            raise NotLeb128("a name is cut off", where=f"offset {self.at - length}")
        return self.data[self.at - length : self.at].decode("utf-8", "replace")

    def many(self, read: Callable[[], T]) -> list[T]:
        return [read() for _ in range(self.number())]

    def kind(self) -> str:
        byte = self.byte()
        return TYPES.get(byte, f"0x{byte:02x}")

    def limits(self) -> None:
        flags = self.byte()
        self.number()
        if flags & 1:
            self.number()


@dataclass(slots=True)
class _Draft:
    """What was read so far."""

    types: list[Signature] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    signatures: list[int] = field(default_factory=list)
    imported: int = 0
    exports: dict[tuple[str, str], int] = field(default_factory=dict)
    bodies: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    locals: dict[int, dict[int, str]] = field(default_factory=dict)


def read(data: bytes) -> Module:
    """Read a binary module. Sections that say nothing about functions are passed over."""
    if data[:4] != MAGIC:
        raise NotAModule("the file does not begin as a WebAssembly module does")
    draft, at = _Draft(), 8
    try:
        while at < len(data):
            section = data[at]
            length, start = read_unsigned(data, at + 1)
            at = start + length
            if at > len(data):
                raise NotAModule("a section reaches beyond the file", where=f"offset {start}")
            _section(draft, section, _Reader(data, start, at))
    except (IndexError, NotLeb128) as error:
        raise NotAModule("the module is cut off or damaged", why=str(error)) from error
    return _finish(draft)


def _section(draft: _Draft, section: int, reader: _Reader) -> None:
    match section:
        case 0 if reader.text() == "name":
            _names(draft, reader)
        case 1:
            draft.types = reader.many(lambda: _signature(reader))
        case 2:
            reader.many(lambda: _import(draft, reader))
        case 3:
            draft.signatures += reader.many(reader.number)
        case 7:
            for name, kind, index in reader.many(
                lambda: (reader.text(), EXTERNAL[reader.byte() & 3], reader.number())
            ):
                draft.exports[kind, name] = index
        case 10:
            draft.bodies = reader.many(lambda: _body(reader))
        case _:
            pass


def _signature(reader: _Reader) -> Signature:
    if reader.byte() != 0x60:
        raise NotAModule("a type is not a function's", where=f"offset {reader.at - 1}")
    return Signature(parameters=tuple(reader.many(reader.kind)), results=tuple(reader.many(reader.kind)))


def _import(draft: _Draft, reader: _Reader) -> None:
    module, name, kind = reader.text(), reader.text(), reader.byte()
    draft.imports.append(Import(module=module, name=name, kind=EXTERNAL[kind & 3]))
    match kind:
        case 0:
            draft.signatures.append(reader.number())
            draft.imported += 1
        case 1:
            reader.byte()
            reader.limits()
        case 2:
            reader.limits()
        case _:
            reader.byte()
            reader.byte()


def _body(reader: _Reader) -> tuple[int, int, tuple[str, ...]]:
    length = reader.number()
    end = reader.at + length
    groups = reader.many(lambda: (reader.number(), reader.kind()))
    locals_ = tuple(kind for count, kind in groups for _ in range(min(count, 50_000)))
    start, reader.at = reader.at, end
    return start, end - 1, locals_


def _names(draft: _Draft, reader: _Reader) -> None:
    while reader.at < reader.end:
        kind, length = reader.byte(), reader.number()
        part = _Reader(reader.data, reader.at, reader.at + length)
        reader.at += length
        if kind == 1:
            draft.names = dict(part.many(lambda part=part: (part.number(), part.text())))  # type: ignore[misc]
        elif kind == 2:
            for _ in range(part.number()):
                index = part.number()
                draft.locals[index] = dict(part.many(lambda part=part: (part.number(), part.text())))  # type: ignore[misc]


def _finish(draft: _Draft) -> Module:
    exported = {index: name for (kind, name), index in draft.exports.items() if kind == "function"}
    imported = [each for each in draft.imports if each.kind == "function"]
    functions = []
    for index, number in enumerate(draft.signatures):
        signature = draft.types[number] if number < len(draft.types) else Signature()
        body = index - draft.imported
        start, end, own = draft.bodies[body] if 0 <= body < len(draft.bodies) else (-1, -1, ())
        known = draft.locals.get(index, {})
        every = (*signature.parameters, *own)
        name = draft.names.get(index) or exported.get(index) or ""
        if not name and index < len(imported):
            name = imported[index].name
        functions.append(
            Function(
                index=index,
                name=name or str(index),
                signature=signature,
                locals=every,
                local_names=tuple(known.get(place, "") for place in range(len(every))),
                start=start,
                end=end,
            )
        )
    return Module(functions=tuple(functions), imports=tuple(draft.imports), exports=draft.exports)
