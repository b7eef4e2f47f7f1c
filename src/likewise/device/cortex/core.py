"""What a debugger needs of a processor; a simulator and a remote one look the same here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

SP, LR, PC, XPSR = 13, 14, 15, 16
THUMB = 1 << 24
"""The bit of xPSR without which a Cortex-M faults."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The processor stands still. `fault` says what it died of, where it did."""

    pc: int
    fault: str = ""


class CoreTimedOut(Exception):
    """It still runs."""


class CoreLost(Exception):
    """It is gone; the message says how."""


class Core(Protocol):
    """One Cortex-M processor. Every method may raise CoreLost, those with a limit CoreTimedOut."""

    @property
    def is_running(self) -> bool:
        """Whether it was let go and has not been seen to stop."""
        ...

    def registers(self) -> list[int]:
        """r0 to r15 and xPSR."""
        ...

    def set_registers(self, values: Mapping[int, int]) -> None:
        """Change some of them."""
        ...

    def read(self, address: int, length: int) -> bytes | None:
        """Memory; None where there is none."""
        ...

    def write(self, address: int, data: bytes) -> bool:
        """Change memory; False where there is none."""
        ...

    def step(self, limit: float) -> Stopped:
        """One instruction."""
        ...

    def go(self) -> None:
        """Let it run."""
        ...

    def wait(self, limit: float) -> Stopped:
        """Wait until it stops. Raises CoreTimedOut, and it runs on."""
        ...

    def interrupt(self, limit: float) -> Stopped:
        """Make it stop."""
        ...

    def set_stop(self, address: int) -> None:
        """Stop whenever it comes to an instruction."""
        ...

    def clear_stop(self, address: int) -> None:
        """No longer stop there."""
        ...
