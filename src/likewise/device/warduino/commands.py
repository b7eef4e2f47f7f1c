"""Commands that only WARDuino has: events, a look at any part of its state, a number of instructions."""

from __future__ import annotations

from dataclasses import dataclass

from likewise.device.commands import Command


@dataclass(frozen=True, slots=True)
class Inspect(Command):
    """Parts of the virtual machine's state by name: pc, breakpoints, callstack, globals, table, memory, …"""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContinueFor(Command):
    """Execute this many instructions, then pause."""

    count: int


@dataclass(frozen=True, slots=True)
class DumpAll(Command):
    """Everything that the machine shows at once: pc, breakpoints, call stack, locals, as it writes them."""


@dataclass(frozen=True, slots=True)
class DumpEvents(Command):
    """The events that wait to be handled."""


@dataclass(frozen=True, slots=True)
class PopEvent(Command):
    """Let the first waiting event be handled."""


@dataclass(frozen=True, slots=True)
class PushEvent(Command):
    """Add an event, as if it had come from outside."""

    topic: str
    payload: str = ""


@dataclass(frozen=True, slots=True)
class Halt(Command):
    """End the virtual machine."""
