"""Likewise: which results from a stand-in to trust, which to prove on the real thing.

The nouns are here (`from likewise import Trace`); they are loaded when they are first asked for, so that
a plain `pytest` run in an environment with Likewise installed does not pay for them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likewise.model import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    model = import_module("likewise.model")
    if name in model.__all__:
        return getattr(model, name)
    raise AttributeError(f"module 'likewise' has no attribute {name!r}")


def __dir__() -> list[str]:
    model = import_module("likewise.model")
    return [*globals(), *model.__all__]
