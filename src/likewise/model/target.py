"""What stands behind a boundary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The two sides: the reference is what is true, the candidate stands in for it."""

    REFERENCE = "reference"
    CANDIDATE = "candidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing a test can run against, in one role."""

    name: str
    role: Role
    version: str = ""

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()
