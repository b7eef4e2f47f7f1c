"""The short way for calls whose arguments all fit one register each: most calls of most suites."""

from __future__ import annotations

from likewise.device.commands import Argument
from likewise.device.cortex.types import Function, Pointer, Scalar
from likewise.device.values import Kind, Number, u32

MOST = 4


class Quick:
    """Encodes and decodes calls of one function without looking at types again."""

    __slots__ = ("_bounds", "_kinds", "_mask", "_result", "address")

    def __init__(self, function: Function, kinds: tuple[Kind, ...], result: Kind | None) -> None:
        self.address = function.address | 1
        self._kinds, self._result = kinds, result
        self._bounds = tuple(
            (0, -1) if kind.is_float else (-(1 << (kind.width - 1)) if kind.is_signed else 0, kind.magnitude)
            for kind in kinds
        )
        self._mask = (1 << result.width) - 1 if result is not None else 0

    def encode(self, arguments: tuple[Argument, ...]) -> list[int] | None:
        """The words of a call; None where the long way has to decide."""
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

    def decode(self, r0: int, r1: int) -> Number | None:
        """What such a call returned."""
        result = self._result
        if result is None:
            return None
        if result.size == 8:
            return Number(result, r0 | r1 << 32)
        return Number(result, r0 & self._mask)


def quick(function: Function) -> Quick | None:
    """The short way for a function; None where it needs the long one."""
    parameters = function.parameters
    if parameters is None or function.is_variadic or len(parameters) > MOST:
        return None
    kinds = [_register(kind) for _, kind in parameters]
    result = function.result
    if None in kinds or not (result is None or isinstance(result, Scalar | Pointer)):
        return None
    given = tuple(kind for kind in kinds if kind is not None)
    return Quick(
        function, given, None if result is None else u32 if isinstance(result, Pointer) else result.kind
    )


def _register(kind: object) -> Kind | None:
    if isinstance(kind, Pointer):
        return u32
    return kind.kind if isinstance(kind, Scalar) and kind.size <= 4 else None
