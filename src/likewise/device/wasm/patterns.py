"""Adapter modules that hand floats over as whole numbers, so that no bit of a NaN is lost on the way.

Python's floats are f64: a signalling NaN or an f32's payload does not survive the passage. An adapter
imports a function or global and exports it with i32 in place of f32 and i64 in place of f64.
"""

from __future__ import annotations

from likewise.device.wasm.leb128 import unsigned
from likewise.device.wasm.module import MAGIC, TYPES, Signature

CODES = {name: code for code, name in TYPES.items()}
_AS_INTEGER = {"f32": "i32", "f64": "i64"}
_TO_FLOAT = {"f32": 0xBE, "f64": 0xBF}
_TO_INTEGER = {"f32": 0xBC, "f64": 0xBD}
_CONSTANTS = {"f32": 0x43, "f64": 0x44}


def needs_adapter(signature: Signature) -> bool:
    """Whether floats cross."""
    return any(kind in _AS_INTEGER for kind in (*signature.parameters, *signature.results))


def integers(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The types with whole numbers in place of floats."""
    return tuple(_AS_INTEGER.get(kind, kind) for kind in kinds)


def function_adapter(signature: Signature) -> bytes:
    """A module that imports "" "f" and exports "f" for whole numbers. At most one result is a float."""
    code = bytearray()
    for place, kind in enumerate(signature.parameters):
        code += b"\x20" + unsigned(place)
        if kind in _TO_FLOAT:
            code.append(_TO_FLOAT[kind])
    code += b"\x10\x00"
    results = signature.results
    own_locals = b"\x00"
    if len(results) == 1 and results[0] in _TO_INTEGER:
        code.append(_TO_INTEGER[results[0]])
    elif any(kind in _TO_INTEGER for kind in results):
        own_locals, unpack = _unpacked(len(signature.parameters), results)
        code += unpack
    outer = Signature(parameters=integers(signature.parameters), results=integers(results))
    return _module(signature, outer, own_locals + bytes(code) + b"\x0b")


def _unpacked(first: int, results: tuple[str, ...]) -> tuple[bytes, bytes]:
    """Several results are parked in locals and taken up one by one."""
    locals_ = unsigned(len(results)) + b"".join(b"\x01" + bytes([CODES[kind]]) for kind in results)
    code = bytearray()
    for place in reversed(range(len(results))):
        code += b"\x21" + unsigned(first + place)
    for place, kind in enumerate(results):
        code += b"\x20" + unsigned(first + place)
        if kind in _TO_INTEGER:
            code.append(_TO_INTEGER[kind])
    return locals_, bytes(code)


def global_adapter(kind: str, *, is_mutable: bool) -> bytes:
    """A module that imports the global "" "g" and exports "f", which gives it as a whole number."""
    imported = b"\x01" + _name("") + _name("g") + b"\x03" + bytes([CODES[kind], is_mutable])
    code = b"\x00\x23\x00" + (bytes([_TO_INTEGER[kind]]) if kind in _TO_INTEGER else b"") + b"\x0b"
    outer = Signature(results=integers((kind,)))
    return _sections(
        (1, b"\x01" + _type(outer)),
        (2, imported),
        (3, b"\x01\x00"),
        (7, b"\x01" + _name("f") + b"\x00\x00"),
        (10, b"\x01" + unsigned(len(code)) + code),
    )


def _module(inner: Signature, outer: Signature, code: bytes) -> bytes:
    return _sections(
        (1, b"\x02" + _type(inner) + _type(outer)),
        (2, b"\x01" + _name("") + _name("f") + b"\x00\x00"),
        (3, b"\x01\x01"),
        (7, b"\x01" + _name("f") + b"\x00\x01"),
        (10, b"\x01" + unsigned(len(code)) + code),
    )


def constant_module(kind: str, pattern: bytes) -> bytes:
    """A module with an empty "main", function 0, and "f", function 1, which gives one float."""
    code = b"\x00" + bytes([_CONSTANTS[kind]]) + pattern + b"\x0b"
    return _sections(
        (1, b"\x02" + _type(Signature()) + _type(Signature(results=(kind,)))),
        (3, b"\x02\x00\x01"),
        (7, b"\x02" + _name("main") + b"\x00\x00" + _name("f") + b"\x00\x01"),
        (10, b"\x02\x02\x00\x0b" + unsigned(len(code)) + code),
    )


def _sections(*sections: tuple[int, bytes]) -> bytes:
    body = b"".join(bytes([number]) + unsigned(len(content)) + content for number, content in sections)
    return MAGIC + b"\x01\0\0\0" + body


def _type(signature: Signature) -> bytes:
    kinds = (signature.parameters, signature.results)
    return b"\x60" + b"".join(unsigned(len(each)) + bytes(CODES[kind] for kind in each) for each in kinds)


def _name(text: str) -> bytes:
    data = text.encode()
    return unsigned(len(data)) + data
