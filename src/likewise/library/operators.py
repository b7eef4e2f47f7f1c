"""Operators by the numbers that rewritten code passes (as in native.c), and by their methods' names."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

ARITHMETIC = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"),
    *("lshift", "rshift", "or", "xor", "and", "matmul"),
)
BINARY: tuple[Callable[[Any, Any], Any], ...] = tuple(getattr(operator, f"__{name}__") for name in ARITHMETIC)
INPLACE: tuple[Callable[[Any, Any], Any], ...] = tuple(
    getattr(operator, f"__i{name}__") for name in ARITHMETIC
)
UNARY: tuple[Callable[[Any], Any], ...] = (operator.neg, operator.pos, operator.invert)
COMPARE: tuple[Callable[[Any, Any], Any], ...] = (
    operator.lt,
    operator.le,
    operator.eq,
    operator.ne,
    operator.gt,
    operator.ge,
)
MIRRORED = {
    **{f"__{name}__": f"__r{name}__" for name in ARITHMETIC},
    **{f"__i{name}__": f"__r{name}__" for name in ARITHMETIC},
    "__lt__": "__gt__",
    "__le__": "__ge__",
    "__gt__": "__lt__",
    "__ge__": "__le__",
}
"""What the operand on the right is asked for."""
