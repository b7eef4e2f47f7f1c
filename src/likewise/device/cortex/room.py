"""Where calls keep what they need."""

from __future__ import annotations

from likewise.device.cortex import batch
from likewise.device.cortex.core import LR, PC, SP, THUMB, XPSR
from likewise.device.cortex.image import Image
from likewise.device.cortex.layout import Layout

MOST = 512
"""Calls in one trip at most."""
TRIPS = 4
"""Trips that are worth making before their answers are told."""


class Room:
    """Where in the RAM calls keep what they need: between the program's variables and its stack."""

    def __init__(self, image: Image, layout: Layout) -> None:
        stack, start = image.vectors
        self.stack = (stack or layout.top) & ~7
        self.registers = {SP: self.stack, LR: 0xFFFFFFFF, PC: start & ~1, XPSR: THUMB}
        """What the registers hold before the program's first instruction."""
        self.before = [self.registers.get(number, 0) for number in range(17)]
        """All of them then."""
        used = [
            each.address + each.size for each in image.segments if layout.ram <= each.address < layout.top
        ]
        free = (max(used, default=layout.ram) + 7) & ~7
        size = max(0, self.stack - free)
        self.stub = (free + size // 3) & ~7
        """Calls have their stack below it, so that one that never ends leaves what is above as it was."""
        self.pieces = (self.stub + len(batch.STUB) + 7) & ~7
        self.back = self.stub + batch.DONE
        """Where calls come back to."""
        self.bell = self.stub + batch.BELL
        """The word that is written to then."""
        self.ringer = self.stub + batch.RUNG
        """The instruction that does it."""
        self.ends = (self.back, self.ringer)
        """Where the processor stands when everything is done."""
        self.calls = max(
            1, min(MOST, (size // 3 - len(batch.STUB) - batch.PROGRESS) // (batch.SIZE + batch.RESULT))
        )
