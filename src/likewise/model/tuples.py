"""Named tuples that are made for every call, without a frame of their own for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

T = TypeVar("T")


def maker(kind: type[T]) -> Callable[[tuple[Any, ...]], T]:
    """What makes a named tuple of all its fields, given in their order."""
    return cast(Callable[[tuple[Any, ...]], T], partial(tuple.__new__, kind))
