"""Collects the crossings of the test that is running and makes a trace of them when it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from likewise.library import crossing, lanes
from likewise.library.crossing import Crossing, Kind
from likewise.library.targets import Target
from likewise.library.values import Values, message_of
from likewise.model import (
    Interaction,
    Lost,
    Mapping,
    Operation,
    Outcome,
    Raised,
    Result,
    Returned,
    Role,
    Trace,
)

KEEP = 40
"""Crossings at one place of the client that a test's trace holds whole."""
FOLD = 2_000
"""Further crossings at that place that its digest covers; after these they are only counted."""
_MUTABLE = (list, dict, set, bytearray)


class Token:
    """A crossing that has begun."""

    __slots__ = (
        "arguments",
        "at",
        "changing",
        "is_kept",
        "kind",
        "lane",
        "order",
        "outcome",
        "receiver",
        "running",
        "target",
        "wire",
    )

    def __init__(self, running: Running, at: str, kind: Kind, target: Target, order: int) -> None:
        self.running, self.at, self.kind, self.target, self.order = running, at, kind, target, order
        self.lane = "main"
        self.receiver = ""
        self.arguments: Mapping = {}
        self.changing: tuple[tuple[str, Any], ...] = ()
        self.outcome: Outcome | None = None
        self.wire: Crossing | None = None
        self.is_kept = True


class _Rest:
    """What came after the crossings that are kept at one place."""

    __slots__ = ("count", "digest", "order")

    def __init__(self, order: int) -> None:
        self.order, self.count, self.digest = order, 0, blake2b(digest_size=12)


class Running:
    """One trace in the making."""

    def __init__(self, test: str, attempt: int) -> None:
        self.test, self.attempt, self.started = test, attempt, time.time()
        self.values = Values()
        self.lanes = lanes.Lanes()
        self.tokens: list[Token] = []
        self.places: dict[str, int] = {}
        self.rests: dict[tuple[str, Kind, str, str], _Rest] = {}
        self.orders = 0
        self.unclear: dict[str, int] = {}


class Recorder:
    """Where the helpers report to. Every method may be called from any thread."""

    def __init__(self, *, on_trace: Callable[[Trace], None]) -> None:
        self._on_trace = on_trace
        self._open: list[Running] = []
        self._lock = threading.Lock()
        self.missed: dict[str, int] = {}
        """What could not be recorded, and how often."""

    def open(self, test: str, *, attempt: int = 0) -> None:
        """Crossings from now on belong to this test, until it is closed."""
        self._open.append(Running(test, attempt))

    def close(self, *, result: Result = Result.PASSED, failure: str = "") -> None:
        """Make the trace of what was opened last and hand it over."""
        running = self._open.pop()
        for text, count in running.values.trouble.items():
            self.miss(f"value of {text}", count)
        self._on_trace(_trace(running, result, failure))

    @property
    def is_open(self) -> bool:
        """Whether a crossing would be recorded."""
        return bool(self._open)

    def miss(self, what: str, count: int = 1) -> None:
        """Count something that could not be recorded."""
        self.missed[what] = self.missed.get(what, 0) + count

    def begin(
        self, at: str, kind: Kind, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any] | None
    ) -> Token | None:
        """A crossing begins; None where nothing more is to be noted about it."""
        if not self._open:
            self.miss("crossings outside of any test")
            return None
        running = self._open[-1]
        running.orders = order = running.orders + 1
        token = Token(running, at, kind, target, order)
        token.lane = running.lanes.current()
        seen = running.places[at] = running.places.get(at, 0) + 1
        if seen > KEEP:
            token.is_kept = False
            if seen > KEEP + FOLD:
                self._rest(token).count += 1
                return None
        else:
            running.tokens.append(token)
        values = running.values
        if target.has_receiver:
            receiver = target.receiver
            token.receiver = receiver.__qualname__ if isinstance(receiver, type) else values.label(receiver)
        if args or kwargs:
            self._note_arguments(token, values, args, kwargs)
        return token

    def _note_arguments(
        self, token: Token, values: Values, args: tuple[Any, ...], kwargs: dict[str, Any] | None
    ) -> None:
        changing = []
        noted = token.arguments
        for position, each in enumerate(args):
            name = str(position)
            noted[name] = values.data(each)
            if isinstance(each, _MUTABLE) and token.kind is not Kind.CALLBACK:
                changing.append((name, each))
        for name, each in (kwargs or {}).items():
            noted[name] = values.data(each)
            if isinstance(each, _MUTABLE) and token.kind is not Kind.CALLBACK:
                changing.append((name, each))
        token.changing = tuple(changing)

    def end(self, token: Token, value: object) -> None:
        """It came back with a value."""
        token.outcome = Returned(value=token.running.values.data(value))
        self._finish(token)

    def fail(self, token: Token, error: BaseException) -> None:
        """It came back with an exception."""
        token.outcome = Raised(
            kind=type(error).__qualname__,
            message=message_of(error),
            value=token.running.values.data(error),
        )
        self._finish(token)

    def _finish(self, token: Token) -> None:
        values = token.running.values
        after: Mapping = {}
        for name, each in token.changing:
            now = values.data(each)
            if now != token.arguments[name]:
                after[name] = now
        token.changing = ()
        token.wire = Crossing(kind=token.kind, at=token.at, after=after)
        if not token.is_kept:
            rest = self._rest(token)
            rest.count += 1
            rest.digest.update(repr((token.arguments, token.outcome, after)).encode("utf-8", "surrogatepass"))

    def _rest(self, token: Token) -> _Rest:
        key = (token.at, token.kind, token.target.library, token.target.name)
        with self._lock:
            found = token.running.rests.get(key)
            if found is None:
                found = token.running.rests[key] = _Rest(token.order)
        return found


def _trace(running: Running, result: Result, failure: str) -> Trace:
    made = [_interaction(token) for token in running.tokens]
    made += [_rest_interaction(key, rest) for key, rest in running.rests.items()]
    made.sort(key=lambda each: each.order)
    return Trace(
        test=running.test,
        role=Role.REFERENCE,
        interactions=tuple(made),
        result=result,
        attempt=running.attempt,
        unclear=tuple(f"{what} ({count} times)" for what, count in running.unclear.items()),
        failure=failure,
        started=running.started,
        ended=time.time(),
    )


def _interaction(token: Token) -> Interaction:
    return crossing.interaction(
        token.wire or Crossing(kind=token.kind, at=token.at, after={}),
        operation=Operation(token.target.library, token.target.name),
        receiver=token.receiver,
        arguments=token.arguments,
        outcome=token.outcome or Lost(reason="its end was not seen"),
        order=token.order,
        lane=token.lane,
    )


def _rest_interaction(key: tuple[str, Kind, str, str], rest: _Rest) -> Interaction:
    at, kind, library, name = key
    return crossing.interaction(
        Crossing(kind=Kind.REST, at=at, after={}, count=rest.count, digest=rest.digest.hexdigest()),
        operation=Operation(library, name),
        receiver="",
        arguments={"kind": kind.value},
        outcome=Returned(value=None),
        order=rest.order,
        lane="main",
    )
