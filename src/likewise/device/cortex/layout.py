"""Where the memory of a board is."""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A board's processor and memory; what a program is compiled and linked for."""

    cpu: str = "cortex-m3"
    flash: int = 0
    flash_size: int = 256 * KIB
    ram: int = 0x20000000
    ram_size: int = 64 * KIB

    @property
    def top(self) -> int:
        """The first address after the RAM: where stacks begin."""
        return self.ram + self.ram_size


MACHINES: dict[str, Layout] = {
    "lm3s6965evb": Layout(),
    "lm3s811evb": Layout(flash_size=64 * KIB, ram_size=8 * KIB),
    "mps2-an385": Layout(flash_size=4096 * KIB, ram_size=4096 * KIB),
    "mps2-an386": Layout(cpu="cortex-m4", flash_size=4096 * KIB, ram_size=4096 * KIB),
    "stm32vldiscovery": Layout(flash=0x08000000, flash_size=128 * KIB, ram_size=8 * KIB),
    "netduino2": Layout(flash=0x08000000, flash_size=1024 * KIB, ram_size=128 * KIB),
    "netduinoplus2": Layout(cpu="cortex-m4", flash=0x08000000, flash_size=1024 * KIB, ram_size=128 * KIB),
    "microbit": Layout(cpu="cortex-m0", flash_size=256 * KIB, ram_size=16 * KIB),
}
"""QEMU's boards."""
