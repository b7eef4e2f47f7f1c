"""One crossing of a boundary: what was called, on what, with what, and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from likewise.model.values import Mapping, Value

Resource = tuple[str, ...]
"""A place in the tree of things behind a boundary, root first: ("s3", "bucket", "key")."""


@dataclass(frozen=True, slots=True, order=True)
class Operation:
    """The named thing called: `s3.PutObject`, `dateutil.parser.parse`, `invoke mul`."""

    service: str
    name: str

    def __str__(self) -> str:
        return f"{self.service}.{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The call came back with a value."""

    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """The call was refused: a typed error, its text, and whatever else it carried."""

    kind: str
    message: str = ""
    value: Value = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut:
    """Nothing came back within the limit."""

    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The link broke before an answer: whether the call took effect is unknown."""

    reason: str


Outcome = Returned | Raised | TimedOut | Lost


class Effect(StrEnum):
    """What a call does to a resource."""

    READ = "read"
    WRITE = "write"
    ABSORB = "absorb"
    """Writes, and makes every earlier write to the resource irrelevant (overwrite, delete)."""
    REMOVE = "remove"
    """Absorbs, and leaves nothing behind: to who looks at everything around, removed things are all alike."""


class Scope(StrEnum):
    """How far a touch reaches."""

    SELF = "self"
    SUBTREE = "subtree"
    """The resource and everything below it: lists, queries, recursive deletes."""


FOREVER = 1e9
"""What lasts for so many seconds never ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """One resource that a call reads or changes.

    `timed` marks state that changes by itself as time passes (leases, visibility, time-to-live); `lasts`
    says after how many seconds, where that is known (`FOREVER`: this stays, though the call left other things
    that do not). `attempted` marks a read that would have been a write,
    had it not been refused, or may be taken for one: nothing should have changed, which only those who look
    later can tell.
    """

    resource: Resource
    effect: Effect
    scope: Scope = Scope.SELF
    timed: bool = False
    lasts: float | None = None
    attempted: bool = False

    def depends_on(self, write: Touch) -> bool:
        """Whether a write matters to it: on the same resource, above it or, for lists, below it."""
        short, long = sorted((self.resource, write.resource), key=len)
        if long[: len(short)] != short:
            return False
        return write.resource == short or self.scope is Scope.SUBTREE


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One crossing. `order` counts within the trace; `lane` is the thread or task it happened in.

    `touches` says what the call did, given its outcome: a refused write is a read.
    `wire` is what its boundary needs to repeat the call; it is never compared.
    `seen` names the parts of the answer that the client looked at, as its boundary calls them; None
    means that this is not known, so all of it may have been.
    """

    operation: Operation
    arguments: Mapping
    outcome: Outcome
    touches: tuple[Touch, ...] = ()
    receiver: str = ""
    order: int = 0
    lane: str = "main"
    started: float = 0.0
    ended: float = 0.0
    wire: Mapping = field(default_factory=dict)
    seen: tuple[str, ...] | None = None

    @property
    def is_write(self) -> bool:
        """Whether the call changed anything."""
        return any(touch.effect is not Effect.READ for touch in self.touches)
