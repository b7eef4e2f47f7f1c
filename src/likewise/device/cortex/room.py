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
PAGE, PAGES = 1024, 12
"""Whatever shares such a piece of memory with a watched word is slow in QEMU; kept apart where there is
room for that many of them."""


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
        self.free = (max(used, default=layout.ram) + 7) & ~7
        """Behind the program's variables."""
        self.top = self.stack if self.stack > self.free else layout.top & ~7
        """The end of what is free; some programs have their stack among their variables, or below them."""
        size = max(0, self.top - self.free)
        page = PAGE if size >= PAGES * PAGE else 8
        self.stub = (self.free + size // 2) & -page
        """Calls have their stack below it, so that one that never ends leaves what is above as it was."""
        self.pieces = (self.stub + len(batch.STUB) + page - 1) & -page
        self.returned = self.stub + batch.RETURNED
        """Where each call of a trip comes back to."""
        self.back = self.stub + batch.DONE
        """Where calls come back to."""
        self.bell = self.stub + batch.BELL
        """The word that is written to then."""
        self.ringer = self.stub + batch.RUNG
        """The instruction that does it."""
        self.ends = (self.back, self.ringer)
        """Where the processor stands when everything is done."""
        self.calls = min(MOST, self.fitting(self.stub + size // 3))

    def fitting(self, end: int) -> int:
        """How many calls a trip may have whose memory ends there; one needs none."""
        return max(1, (end - self.pieces - batch.PROGRESS) // (batch.SIZE + batch.RESULT))
