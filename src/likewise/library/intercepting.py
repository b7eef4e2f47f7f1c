"""The helpers that rewritten clients call: those in C where they can be had, else those in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from likewise.library import native
from likewise.library.handing import SPECIAL, THROUGH, meet_asyncio, meet_executors
from likewise.library.hub import Hub
from likewise.library.operators import MIRRORED

NAMES = frozenset(
    """call method load store delete item store_item delete_item binary inplace unary compare contains truth
    text iterate wait async_iterate manage async_manage entry leave done hush unhush lambda_entry
    lambda_leave give imported builtin""".split()  # noqa: SIM905
)


def helpers(hub: Hub) -> dict[str, Callable[..., Any]]:
    """The helpers by the names that rewritten code calls them by."""
    module: Any = native.load()
    if module is None:
        from likewise.library.helper import Helper

        module = Helper(hub)
    else:
        module.set_up(hub, tuple(SPECIAL), THROUGH, MIRRORED)

    def greet_asyncio() -> None:
        module.meet(tuple(meet_asyncio()), THROUGH, sys.modules["asyncio"]._get_running_loop)

    def greet_executors() -> None:
        module.meet(tuple(meet_executors()), THROUGH, None)

    for name, greet in (("asyncio", greet_asyncio), ("concurrent.futures.thread", greet_executors)):
        if name in sys.modules:
            greet()
        else:
            hub.awaited[name] = greet
    hub.wrap, hub.hand, hub.items = module.wrap, module.hand, module.items
    hub.own = module.own
    return {name: getattr(module, name) for name in NAMES} | {"slice": slice, "made": hub.made}
