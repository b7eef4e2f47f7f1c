"""How an invocation of WARDuino ended: with a stack, or with the words of a trap."""

from __future__ import annotations

import re
from dataclasses import dataclass

from likewise.device.warduino.replies import Reply, Structure, Text
from likewise.device.wasm import traps

CHATTER = re.compile(r"received interrupt|DUMP!|=== |asked for|\s*$", re.IGNORECASE)
"""What versions built for developers say between replies."""


class Outcome:
    """How an invocation ended."""


@dataclass(frozen=True, slots=True)
class Trapped(Outcome):
    """With a trap."""

    text: str


@dataclass(frozen=True, slots=True)
class Returned(Outcome):
    """With a stack, whatever is on it."""

    value: dict[str, object]


def outcome_of(reply: Reply) -> Outcome | None:
    """What an invocation came to. Other texts are the program's own output."""
    if isinstance(reply, Structure) and "stack" in reply.value:
        return Returned(reply.value)
    if isinstance(reply, Text):
        name = traps.named(reply.text)
        if name:
            return Trapped(name)
        if reply.text.lower().startswith(("trap", "exception", "fatal", "unrecognized opcode")):
            return Trapped(reply.text)
    return None
