"""The short way for calls whose arguments all fit one register each: most calls of most suites."""

from __future__ import annotations

import struct
from collections.abc import Callable

from likewise.device.commands import Argument
from likewise.device.cortex import batch
from likewise.device.cortex.types import Function, Pointer, Scalar
from likewise.device.values import Kind, Number, i32, u32

WORDS = {i32: "i", u32: "I"}
"""How whole words are packed; the packing refuses what does not fit."""


class Quick:
    """Encodes and decodes calls of one function without looking at types again."""

    __slots__ = ("_address", "_bounds", "_kinds", "_pack", "decode")

    def __init__(self, function: Function, kinds: tuple[Kind, ...], result: Kind | None) -> None:
        self._address = function.address | 1
        self._kinds = kinds
        self.decode = _decoder(result)
        """What such a call returned, of r0 and r1."""
        self._bounds = tuple(
            (0, -1) if kind.is_float else (-(1 << (kind.width - 1)) if kind.is_signed else 0, kind.magnitude)
            for kind in kinds
        )
        codes = "".join(WORDS.get(kind, "") for kind in kinds)
        spare = batch.SIZE - 4 - 4 * len(kinds)
        self._pack = struct.Struct(f"<I{codes}{spare}x").pack if len(codes) == len(kinds) else None

    def encode(self, arguments: tuple[Argument, ...]) -> bytes | None:
        """The descriptor of a call; None where the long way has to decide."""
        if self._pack is not None:
            try:
                return self._pack(self._address, *arguments)
            except struct.error:
                pass  # typed numbers, patterns, and what is wrong
        words = self._words(arguments)
        return None if words is None else batch.descriptor(self._address, words)

    def _words(self, arguments: tuple[Argument, ...]) -> list[int] | None:
        kinds = self._kinds
        if len(arguments) != len(kinds):
            return None
        words = []
        for argument, kind, (low, high) in zip(arguments, kinds, self._bounds, strict=True):
            if type(argument) is int:
                if not low <= argument <= high:
                    return None
                words.append(argument & 0xFFFFFFFF)
            elif type(argument) is Number and argument.kind is kind and kind.size == 4:
                words.append(argument.bits)
            else:
                return None
        return words


def quick(function: Function) -> Quick | None:
    """The short way for a function; None where it needs the long one."""
    parameters = function.parameters
    if parameters is None or function.is_variadic or len(parameters) > batch.ARGUMENTS:
        return None
    kinds = [_register(kind) for _, kind in parameters]
    result = function.result
    if None in kinds or not (result is None or isinstance(result, Scalar | Pointer)):
        return None
    given = tuple(kind for kind in kinds if kind is not None)
    return Quick(
        function, given, None if result is None else u32 if isinstance(result, Pointer) else result.kind
    )


def _decoder(result: Kind | None) -> Callable[[int, int], Number | None]:
    if result is None:
        return lambda r0, r1: None
    if result.size == 8:
        return lambda r0, r1: Number(result, r0 | r1 << 32)
    mask = (1 << result.width) - 1
    return lambda r0, r1: Number(result, r0 & mask)


def _register(kind: object) -> Kind | None:
    if isinstance(kind, Pointer):
        return u32
    return kind.kind if isinstance(kind, Scalar) and kind.size <= 4 else None
