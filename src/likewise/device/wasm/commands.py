"""Commands that only WebAssembly testees have: several modules, their globals, what is no module."""

from __future__ import annotations

from dataclasses import dataclass

from likewise.device.commands import Argument, Command
from likewise.device.program import Program


@dataclass(frozen=True, slots=True)
class Instantiate(Command):
    """Add a module beside those that are there; it becomes the one that is meant where none is named."""

    program: Program
    module: str = ""


@dataclass(frozen=True, slots=True)
class Register(Command):
    """Let later modules import from a module under this name."""

    name_for_imports: str
    module: str = ""


@dataclass(frozen=True, slots=True)
class InvokeIn(Command):
    """Call a function of a module that was given a name."""

    function: str
    arguments: tuple[Argument, ...] = ()
    module: str = ""


@dataclass(frozen=True, slots=True)
class ReadGlobal(Command):
    """The value of an exported global variable."""

    variable: str
    module: str = ""


@dataclass(frozen=True, slots=True)
class Validate(Command):
    """Say whether a program is a valid module, without running it."""

    program: Program


@dataclass(frozen=True, slots=True)
class ReadNothing(Command):
    """Nothing but that the program is there: for a module without assertions."""
