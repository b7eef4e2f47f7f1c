"""The seam of the fuzzer: a call, its answer, and the side of a comparison that executes it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from likewise.cloud.fuzz.identities import OWNER, Identity
from likewise.cloud.targets import Running
from likewise.model import Target

LEAVES = frozenset({str, int, float, bool, bytes, type(None)})
"""Types of values that hold no others: whether something is a mapping takes long to find out, if it is no
dictionary."""


@dataclass(frozen=True, slots=True)
class Ref:
    """A value that an earlier answer of the same sequence gave: which call, and where in its fields."""

    call: int
    path: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Name:
    """A name that the client chooses, fresh in every execution: what kind of thing, and which of them."""

    kind: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """Text put together from constants, names and references: copy sources, ARNs, URLs."""

    parts: tuple[str | Name | Ref, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: `params` as the SDK takes them, with `Ref`, `Name` and `Text` where values are not known yet.

    The operations of Azure are those of the REST specification (`Container_Create`, `Messages_Enqueue`);
    their parameters are those of the generated request builders, plus `container`, `blob`, `queue` or
    `table` for what the URL names and `body` for what is sent.
    """

    service: str
    operation: str
    params: Mapping[str, Any] = field(default_factory=dict)
    identity: Identity = OWNER
    """Who makes it."""

    def __str__(self) -> str:
        return f"{self.service}.{self.operation}"

    @property
    def told(self) -> str:
        """The operation, and who calls it where that is not the account's owner."""
        return self.operation if self.identity.is_owner else f"{self.operation} ({self.identity.words})"


THROTTLED = re.compile(
    r"SlowDown|Throttl|TooManyRequests|ProvisionedThroughputExceeded|ServerBusy|RequestLimit"
)
LONGEST = 30.0
"""Seconds for which a server is left alone at most, whatever it asks for."""


def pause_of(text: str | None) -> float:
    """The seconds that a Retry-After header asks for; none where it names a date."""
    return min(LONGEST, float(text)) if text and text.strip().isdecimal() else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back.

    `fields` is plain data, times as ISO 8601 text. `refused` says why the SDK itself did not send the
    call; `silence` why no answer came; both are empty where one did.
    """

    success: bool
    status: int | None = None
    code: str = ""
    message: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""
    silence: str = ""
    pause: float = 0.0
    """Seconds for which the server asks to be left alone."""
    between: str = ""
    """The state in which a thing was for a while before this was said of it."""
    seconds: float = 0.0
    """How long it took."""

    @property
    def is_throttled(self) -> bool:
        """Whether the server says that the call came too fast."""
        return self.status == 429 or THROTTLED.search(self.code) is not None

    @property
    def was_sent(self) -> bool:
        """Whether the call left the SDK."""
        return not self.refused

    def summary(self) -> str:
        """The answer in a few words."""
        if self.refused:
            return f"refused by the SDK ({self.refused})"
        if self.silence:
            return f"no answer ({self.silence})"
        if self.success:
            return f"success ({self.status})"
        return f"{self.status} {self.code}".strip()


class Unresolved(LookupError):
    """A reference points to something that the earlier answer does not have."""


def resolve(value: Any, names: Mapping[Name, str], answers: Sequence[Answer | None]) -> Any:
    """A parameter with every name and reference replaced; `Unresolved` where one has nothing to give."""
    if type(value) in LEAVES:
        return value
    match value:
        case Name():
            return names[value]
        case Ref():
            return _follow(value, answers)
        case Text():
            return "".join(
                part if isinstance(part, str) else str(resolve(part, names, answers)) for part in value.parts
            )
        case dict() | Mapping():
            return {
                resolve(key, names, answers): resolve(inner, names, answers) for key, inner in value.items()
            }
        case list() | tuple():
            return [resolve(inner, names, answers) for inner in value]
    return value


def _follow(ref: Ref, answers: Sequence[Answer | None]) -> Any:
    answer = answers[ref.call] if 0 <= ref.call < len(answers) else None
    found: Any = answer.fields if answer is not None else None
    for step in ref.path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError) as error:
            raise Unresolved(f"call {ref.call} gave no {'.'.join(map(str, ref.path))}") from error
    if found is None:
        raise Unresolved(f"call {ref.call} gave no {'.'.join(map(str, ref.path))}")
    return found


def placeholders(value: Any) -> Iterator[Name | Ref]:
    """Every name and reference in a parameter."""
    return iter(_placeholders(value, []))


def _placeholders(value: Any, found: list[Name | Ref]) -> list[Name | Ref]:
    """What was found and what a value adds to it; a list, for a generator at each level takes long."""
    if type(value) in LEAVES:
        return found
    match value:
        case Name() | Ref():
            found.append(value)
        case Text():
            found += (part for part in value.parts if not isinstance(part, str))
        case dict() | Mapping():
            for key, inner in value.items():
                _placeholders(key, found)
                _placeholders(inner, found)
        case list() | tuple():
            for inner in value:
                _placeholders(inner, found)
    return found


class Side(ABC):
    """Executes calls of one service on one target through the SDK. Safe to use from one thread at a time."""

    def __init__(self, running: Running, service: str) -> None:
        self.running, self.service = running, service
        self.sent = 0
        """Requests that left for the target."""

    @property
    def target(self) -> Target:
        """What stands behind this side."""
        return self.running.target

    @abstractmethod
    def call(self, call: Call) -> Answer:
        """Execute a call whose parameters are all known."""
