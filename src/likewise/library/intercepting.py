"""The helpers that rewritten clients call: those in C where they can be had, else those in Python."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from likewise.library.handing import SPECIAL, THROUGH, meet_asyncio, meet_executors
from likewise.library.hub import Hub
from likewise.library.operators import MIRRORED

NAMES = frozenset(
    """call method load store delete item store_item delete_item binary inplace unary compare contains truth
    text iterate wait async_iterate manage async_manage entry leave done hush unhush lambda_entry
    lambda_leave give imported builtin""".split()  # noqa: SIM905
)


def helpers(hub: Hub, native: Any) -> dict[str, Callable[..., Any]]:
    """The helpers by the names that rewritten code calls them by; `native` is the compiled ones, or None."""
    module = native
    if module is None:
        from likewise.library.helper import Helper

        module = Helper(hub)
    else:
        module.set_up(hub, tuple(SPECIAL), THROUGH, MIRRORED)

    def greet_asyncio() -> None:
        module.meet(tuple(meet_asyncio()), THROUGH, sys.modules["asyncio"]._get_running_loop)

    def greet_executors() -> None:
        module.meet(tuple(meet_executors()), THROUGH, None)

    _when_imported(hub, "asyncio", greet_asyncio)
    _when_imported(hub, "concurrent.futures.thread", greet_executors)
    hub.wrap, hub.hand, hub.items = module.wrap, module.hand, module.items
    hub.own = module.own
    _watch_draws(hub)
    return {name: getattr(module, name) for name in NAMES} | {"slice": slice, "made": hub.made}


def _watch_draws(hub: Hub) -> None:
    """Note what the client draws by chance: it is known to vary then, and not only to look like it."""

    def watch(module: str, *names: str) -> None:
        for thing in (getattr(sys.modules[module], name) for name in names):
            hub.targets.draw(module, thing)
            hub.own(thing)

    watch("os", "urandom")
    _when_imported(hub, "secrets", lambda: watch("secrets", "token_bytes", "token_hex", "token_urlsafe"))


def _when_imported(hub: Hub, name: str, then: Callable[[], None]) -> None:
    if name in sys.modules:
        then()
    else:
        hub.awaited[name] = then
