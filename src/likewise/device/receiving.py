"""How much of what has arrived was asked for."""

from __future__ import annotations

from likewise.device.commands import Receive


def wanted_of(command: Receive, data: bytes | bytearray) -> int | None:
    """The number of bytes; None while there are not enough."""
    if command.count:
        return command.count if len(data) >= command.count else None
    found = data.find(command.until)
    return None if found < 0 else found + len(command.until)
