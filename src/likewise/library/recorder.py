"""Collects the crossings of the test that is running and makes a trace of them when it ends."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable, Container, Iterator
from hashlib import blake2b
from threading import get_ident
from typing import Any

from likewise.library import crossing, observing
from likewise.library.crossing import Kind
from likewise.library.lanes import Lane, Lanes, is_looping, named
from likewise.library.targets import NOTHING
from likewise.library.texts import plain_text
from likewise.library.values import LONG, Values, is_changed, message_of, unnumbered
from likewise.model import (
    Lost,
    Mapping,
    Operation,
    Outcome,
    Raised,
    Result,
    Returned,
    Role,
    Trace,
    Value,
)
from likewise.model.rows import Row, Rows

KEEP = 40
"""Crossings at one place of the client that a test's trace holds whole."""
KEEP_BESIDE = 400
"""The same for all threads, or all tasks, of one family together: none of them knows how many it will get."""
FOLD = 1_000
"""Further crossings at that place that its digest covers; after these they are only counted."""
SHORT = 100
"""Bytes of a crossing that are kept until the end of the test rather than a digest of them."""
UNSEEN = Lost(reason="its end was not seen")
_MUTABLE = frozenset({list, dict, set, bytearray})
_UNTOLD = frozenset({Kind.CALLBACK, Kind.YIELD})
"""The library's own doing: what it hands the client is not watched for changes."""


class Token:
    """A crossing that has begun; most keep what stands here."""

    lane: Lane | None = None
    """None is the main thread."""
    turn = 0
    receiver = ""
    watched: Any = NOTHING
    changing: list[tuple[str, Any]] | None = None
    outcome: Outcome | None = None
    after: Mapping | None = None
    state: Value = None
    is_kept = True
    makes = False
    """Whether a class was called."""
    until = 0
    is_plain = True
    """Whether JSON can say all its values as they stand."""

    def __init__(self, running: Running, at: str, kind: Kind, operation: Operation, order: int) -> None:
        self.running, self.at, self.kind, self.operation, self.order = running, at, kind, operation, order
        self.arguments: Mapping = {}

    def row(self, lane: str) -> Row:
        """The crossing as it is written."""
        return crossing.row(
            self.at,
            self.kind,
            operation=self.operation,
            receiver=self.receiver,
            arguments=self.arguments,
            outcome=self.outcome or UNSEEN,
            order=self.order,
            lane=lane,
            after=self.after,
            state=self.state,
            until=self.until,
            turn=self.turn,
        )


class Folded:
    """A crossing that has begun, with plain values, and of which a digest is all that will be left."""

    __slots__ = ("args", "at", "kind", "lane", "makes", "operation", "order", "running")

    def __init__(
        self,
        running: Running,
        at: str,
        kind: Kind,
        operation: Operation,
        order: int,
        lane: Lane | None,
        args: tuple[Any, ...],
    ) -> None:
        self.running, self.at, self.kind, self.operation, self.order = running, at, kind, operation, order
        self.lane, self.args, self.makes = lane, args, False

    def whole(self) -> Token:
        """The same, with room for whatever comes back."""
        token = Token(self.running, self.at, self.kind, self.operation, self.order)
        token.is_kept, token.makes, token.lane = False, self.makes, self.lane
        token.arguments = dict(zip(POSITIONS, self.args, strict=False))
        return token


def short_digest(content: bytes) -> bytes:
    """What is kept of a crossing that would take too long to write."""
    return blake2b(content, digest_size=12).digest()


class _Rest:
    """What came after the crossings that are kept at one place. Several threads may add at once."""

    __slots__ = ("counted", "order", "texts")

    def __init__(self, order: int) -> None:
        self.order = order
        self.texts: list[bytes] = []
        """One for each, or a digest of it."""
        self.counted = itertools.count()
        """Goes on for each of which no more is noted."""

    def add(self, token: Token) -> None:
        """Take in one more."""
        outcome = token.outcome
        # Which attributes an object was made with is the library's business.
        state = None if token.makes else observing.public(token.state)
        said = outcome.value if isinstance(outcome, Returned) else outcome
        self.take(repr((token.arguments, said, token.after, state)))

    def take(self, text: str) -> None:
        """Take in one more, as text."""
        made = plain_text(unnumbered(text)).encode("utf-8", "surrogatepass")
        self.texts.append(made if len(made) <= SHORT else short_digest(made))

    def digest(self, *, is_ordered: bool) -> str:
        """Over all that were taken in, in their order or in any."""
        texts = self.texts if is_ordered else sorted(self.texts)
        return blake2b(b"\0".join(texts), digest_size=12).hexdigest()


_Place = tuple[str, str]
"""A family of lanes, or nothing for the main thread, and a place of the client."""


class Running:
    """One trace in the making."""

    make_values: type[Values] = Values

    def __init__(self, test: str, attempt: int, files: Container[str] = ()) -> None:
        self.test, self.attempt, self.started = test, attempt, time.time()
        self.values = self.make_values()
        self.lanes = Lanes(files)
        self.tokens: list[Token] = []
        self.places: dict[str | _Place, Iterator[int]] = {}
        """Counts the crossings at each place."""
        self.rests: dict[tuple[_Place, Kind, Operation], _Rest] = {}
        self.orders = 0


class Recorder:
    """Where crossings are kept until their test ends. Any thread may call it."""

    make_running: type[Running] = Running

    def __init__(self, *, on_trace: Callable[[Trace], None]) -> None:
        self._on_trace = on_trace
        self._open: list[Running] = []
        self._process = os.getpid()
        self._main = threading.main_thread().ident
        self.missed: dict[str, int] = {}
        """What could not be recorded, and how often."""
        self.crossings = 0
        self.client_files: Container[str] = ()

    def open(self, test: str, *, attempt: int = 0) -> None:
        """Crossings from now on belong to this test, until it is closed."""
        self._open.append(self.make_running(test, attempt, self.client_files))

    def close(self, *, result: Result = Result.PASSED, failure: str = "") -> None:
        """Make the trace of what was opened last and hand it over."""
        running = self._open.pop()
        self.crossings += running.orders
        for text, count in running.values.trouble.items():
            self.miss(f"value of {text}", count)
        if os.getpid() == self._process:
            self._on_trace(_trace(running, result, failure))
        running.tokens.clear()
        running.values.release()

    def miss(self, what: str, count: int = 1) -> None:
        """Count something that could not be recorded."""
        self.missed[what] = self.missed.get(what, 0) + count

    def outside(self) -> None:
        """Count a crossing that nobody is there to note."""
        self.miss("crossings outside of any test")

    def begin(
        self,
        at: str,
        kind: Kind,
        operation: Operation,
        receiver: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None,
    ) -> Token | Folded | None:
        """A crossing begins; None where there is nobody to note it."""
        if not self._open:
            self.outside()
            return None
        running = self._open[-1]
        running.orders = order = running.orders + 1
        lane = running.lanes.current() if get_ident() != self._main or is_looping() else None
        place: str | _Place = at
        keep = KEEP
        if lane is not None:
            place, keep = (lane.family, at), KEEP_BESIDE
        seen = next(running.places.get(place) or running.places.setdefault(place, itertools.count(1)))
        if seen > keep + FOLD:
            next(_rest(running, lane, at, kind, operation, order).counted)
            return COUNTED
        if seen > keep and receiver is NOTHING and not kwargs and _are_plain(args):
            return Folded(running, at, kind, operation, order, lane, args)
        token = Token(running, at, kind, operation, order)
        if lane is not None:
            token.lane, token.turn = lane, lane.turn
        if seen > keep:
            token.is_kept = False
        else:
            running.tokens.append(token)
        values = running.values
        odd = values.odd
        if receiver is not NOTHING:
            token.receiver = receiver.__qualname__ if isinstance(receiver, type) else values.label(receiver)
            token.watched = receiver
        if args:
            self._note(token, values, zip(POSITIONS, args, strict=False))
        if kwargs:
            values.names(kwargs)
            self._note(token, values, kwargs.items())
        if values.odd != odd:
            token.is_plain = False
        return token

    def _note(self, token: Token, values: Values, given: Any) -> None:
        noted = token.arguments
        for name, each in given:
            noted[name] = values.data(each)
            if type(each) in _MUTABLE and token.kind not in _UNTOLD:
                if token.changing is None:
                    token.changing = []
                token.changing.append((name, each))

    def end(self, token: Token | Folded, value: object) -> None:
        """It came back with a value."""
        if token is COUNTED:
            return
        if type(token) is Folded:
            if _are_plain((value,)):
                # As `add` says it: which of several threads comes this way is chance.
                given = dict(zip(POSITIONS, token.args, strict=False))
                rest_of(token).take(repr((given, value, None, None)))
                return
            token = token.whole()
        assert isinstance(token, Token)
        values = token.running.values
        odd = values.odd
        token.outcome = Returned(value=values.data(value))
        if value is None and token.watched is not NOTHING and token.kind is Kind.CALL:
            token.state = observing.state(token.watched, values)
        elif token.makes:
            token.state = observing.outline(value)
        self._finish(token, values, odd)

    def fail(self, token: Token | Folded, error: BaseException) -> None:
        """It came back with an exception."""
        if token is COUNTED:
            return
        if isinstance(token, Folded):
            token = token.whole()
        values = token.running.values
        odd = values.odd
        value = values.data(error)
        message = value.get("message") if isinstance(value, dict) else None
        token.outcome = Raised(
            kind=type(error).__qualname__,
            message=message if isinstance(message, str) else message_of(error),
            value=value,
        )
        self._finish(token, values, odd)

    def drop(self, token: Token | Folded) -> None:
        """It was no crossing after all: the end of an iteration."""
        if (
            token is not COUNTED
            and not isinstance(token, Folded)
            and token.is_kept
            and token in token.running.tokens
        ):
            token.running.tokens.remove(token)

    def _finish(self, token: Token, values: Values, odd: int) -> None:
        token.watched = NOTHING
        token.until = token.running.orders
        if token.changing is not None:
            after: Mapping = {}
            for name, each in token.changing:
                now = values.data(each)
                if is_changed(token.arguments[name], now):
                    after[name] = now
            token.after, token.changing = after, None
        if values.odd != odd:
            token.is_plain = False
        if not token.is_kept:
            rest_of(token).add(token)


def rest_of(token: Token | Folded) -> _Rest:
    """Where a crossing belongs that is not kept whole."""
    return _rest(token.running, token.lane, token.at, token.kind, token.operation, token.order)


def _rest(
    running: Running, lane: Lane | None, at: str, kind: Kind, operation: Operation, order: int
) -> _Rest:
    key = (("" if lane is None else lane.family, at), kind, operation)
    return running.rests.get(key) or running.rests.setdefault(key, _Rest(order))


COUNTED = Token(Running("", 0), "", Kind.REST, Operation("", ""), 0)
"""A crossing of which no more is noted than that it happened."""
_BIG = 1 << 63
_PLAIN = frozenset({bool, type(None), float})


def _are_plain(things: tuple[Any, ...]) -> bool:
    """Whether some things are their own text, and not a long one."""
    for each in things:
        kind = type(each)
        if kind is str:
            if len(each) > LONG:
                return False
        elif kind is int:
            if not -_BIG < each < _BIG:
                return False
        elif kind not in _PLAIN:
            return False
    return True


POSITIONS = tuple(str(number) for number in range(256))


def _trace(running: Running, result: Result, failure: str) -> Trace:
    tokens = running.tokens
    if running.rests:
        tokens = _fold(running)
    names = named(token.lane for token in tokens if token.lane is not None) if running.lanes.sizes else {}
    rows = [token.row("main" if token.lane is None else names[token.lane]) for token in tokens]
    plain = [token.is_plain for token in tokens]
    if running.rests:
        rows += [_rest_row(running, *key, rest) for key, rest in running.rests.items()]
        plain += [True] * len(running.rests)
        orders = [row[4] for row in rows]
        places = sorted(range(len(rows)), key=orders.__getitem__)
        rows, plain = [rows[place] for place in places], [plain[place] for place in places]
    return Trace(
        test=running.test,
        role=Role.REFERENCE,
        interactions=Rows(rows=rows, plain=plain),
        result=result,
        attempt=running.attempt,
        failure=failure,
        started=running.started,
        ended=time.time(),
    )


def _fold(running: Running) -> list[Token]:
    """The crossings that are kept whole.

    Where several threads or tasks had more at a place than are kept, it was chance whose came first: there
    all of them are folded.
    """
    full = {key[0] for key in running.rests if running.lanes.are_several(key[0][0])}
    kept = []
    for token in running.tokens:
        if token.lane is not None and (token.lane.family, token.at) in full:
            rest_of(token).add(token)
        else:
            kept.append(token)
    return kept


def _rest_row(running: Running, place: _Place, kind: Kind, operation: Operation, rest: _Rest) -> Row:
    family, at = place
    unseen = next(rest.counted)
    are_several = running.lanes.are_several(family)
    return crossing.row(
        at,
        Kind.REST,
        count=len(rest.texts) + unseen,
        # Which of too many were looked at is chance where there are several.
        digest="" if are_several and unseen else rest.digest(is_ordered=not are_several),
        operation=operation,
        receiver="",
        arguments={"kind": kind.value},
        outcome=Returned(value=None),
        order=rest.order,
        lane=family or "main",
    )
