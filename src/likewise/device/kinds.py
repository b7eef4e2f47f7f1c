"""Which kinds of testees there are, and where; each is imported when a board of its kind is used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from likewise.device.testee import Testee
from likewise.model import ConfigurationError

KINDS: dict[str, str] = {
    "unicorn": "likewise.device.testees.unicorn:open_testee",
    "qemu": "likewise.device.testees.cortex:open_qemu",
    "gdb": "likewise.device.testees.cortex:open_server",
    "micropython": "likewise.device.testees.micropython:open_testee",
    "microbit": "likewise.device.testees.micropython:open_microbit",
    "warduino": "likewise.device.testees.warduino:open_testee",
    "wasm": "likewise.device.testees.wasmtime:open_testee",
    "wasm-debug": "likewise.device.testees.pywasm:open_testee",
}
"""Each leads to an `Opener`. Users name theirs in full: `kind = "package.module:function"`."""


EXTRAS = {"wasm": "wasm", "wasm-debug": "wasm"}
"""What brings a kind's packages, where it is not the extra `device`."""


def open_testee(name: str, kind: str, options: Mapping[str, object]) -> Testee:
    """A testee of this kind, not yet connected."""
    place = KINDS.get(kind, kind)
    module, _, attribute = place.partition(":")
    if not attribute:
        raise ConfigurationError(
            f"unknown kind {kind!r}",
            where=f"board {name!r}",
            todo=f"Known kinds: {', '.join(KINDS)}; or name yours as package.module:function.",
        )
    try:
        opener = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(
            f"kind {kind!r} cannot be loaded",
            where=f"board {name!r}",
            why=str(error),
            todo=f"Install what it needs: pip install 'likewise[{EXTRAS.get(kind, 'device')}]'."
            if kind in KINDS
            else "Check its name.",
        ) from error
    testee = opener(name, options)
    assert isinstance(testee, Testee)
    return testee
