"""One typed difference between what the two sides did, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from likewise.model.interaction import Operation
from likewise.model.values import Value


class Difference(StrEnum):
    """How two outcomes of the same call differ."""

    SUCCESS = "success"
    """One side accepted what the other refused."""
    STATUS = "status"
    CODE = "error code"
    MESSAGE = "message"
    TYPE = "type"
    VALUE = "value"
    LENGTH = "length"
    ORDER = "order"
    MISSING = "missing"
    """The candidate lacks a field that the reference has."""
    EXTRA = "extra"
    """The candidate has a field that the reference lacks."""
    IDENTITY = "identity"
    """Two values are the same on one side and distinct on the other."""
    SILENCE = "silence"
    """One side answered, the other did not."""
    CALL_MISSING = "call missing"
    CALL_EXTRA = "call extra"


class Implication(StrEnum):
    """What a discrepancy means for somebody who deploys."""

    UNSAFE = "unsafe"
    """Passes on the candidate, would fail on the reference."""
    FALSE_ALARM = "false alarm"
    """Fails on the candidate only."""
    MISLEADING = "misleading"
    """Fails on both sides, differently."""
    WRONG_RESULT = "wrong result"
    """Succeeds on both sides, differently."""

    @classmethod
    def between(cls, *, reference: bool, candidate: bool) -> Implication:
        """What a difference means, given which sides succeed."""
        match reference, candidate:
            case True, True:
                return cls.WRONG_RESULT
            case True, False:
                return cls.FALSE_ALARM
            case False, True:
                return cls.UNSAFE
            case _:
                return cls.MISLEADING


class Manifestation(StrEnum):
    """Where a discrepancy shows."""

    RESPONSE = "response"
    STATE = "state"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancy:
    """One difference at one place of one operation's answer."""

    operation: Operation
    difference: Difference
    place: str
    reference: Value
    candidate: Value
    implication: Implication
    manifestation: Manifestation = Manifestation.RESPONSE
    test: str = ""
    position: int = -1
    condition: str = ""
    """The argument without which a call cannot show it; nothing where any call can."""

    def explain(self) -> str:
        """One sentence for a person."""
        where = f" at {self.place}" if self.place else ""
        return (
            f"{self.operation}: {self.difference}{where}: "
            f"the reference says {_short(self.reference)}, the candidate {_short(self.candidate)} "
            f"({self.implication})"
        )


def _short(value: Value, limit: int = 120) -> str:
    text = "nothing" if value is None else value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
