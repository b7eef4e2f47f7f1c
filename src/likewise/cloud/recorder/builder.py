"""Makes traces from kept calls, away from the tests' own path."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import Context
from dataclasses import replace
from queue import SimpleQueue
from time import sleep  # by itself: a test may put something else into `time`, and count
from typing import Protocol
from weakref import WeakSet

from likewise.cloud.exchange import Exchange
from likewise.cloud.recorder.bodies import NotCaptured
from likewise.cloud.recorder.call import Call
from likewise.cloud.recorder.guests import Guests
from likewise.cloud.recorder.looking import Look
from likewise.cloud.recorder.placement import Running
from likewise.cloud.recorder.readers import Readers
from likewise.cloud.recorder.strangers import Strangers
from likewise.cloud.secrets import sensitive_names
from likewise.model import Interaction, Lost, Operation, Role, Trace

_WORLDS = 64
"""How many worlds may be going at once before the oldest one's interpreter is dropped."""


PAUSE = 5e-5
"""Seconds in which a test may have the interpreter: where nobody lets go, it waits for it a hundred times
as long, at every step of every call of its own."""
AT_A_STRETCH = 8
"""So many calls are interpreted between two such pauses: each costs processor time, too."""


class Interprets(Protocol):
    """What makes an interaction of an exchange; one for each world, fed in the order of its calls."""

    def interpret(self, exchange: Exchange, *, order: int) -> Interaction: ...


class Builder:
    """A thread that turns ended tests into traces, in the order in which they ended.

    An error of the consumer is kept and raised by `drain`: nobody else could be told.
    """

    def __init__(
        self,
        *,
        role: Role,
        on_trace: Callable[[Trace], None],
        interpreter: Callable[[], Interprets],
        strangers: Strangers,
        guests: Guests,
        readers: Readers,
    ) -> None:
        self._strangers, self._guests, self._readers = strangers, guests, readers
        self._closed: WeakSet[Look] = WeakSet()
        """Looks that were closed, at answers that somebody still has."""
        self._role, self._on_trace, self._interpreter = role, on_trace, interpreter
        self._queue: SimpleQueue[Running | threading.Event] = SimpleQueue()
        self._interpreters: dict[str, Interprets] = {}
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._models: set[str] = set()
        self.sensitive: frozenset[str] = frozenset()
        self._error: BaseException | None = None
        self._awaited = 0

    def submit(self, test: Running) -> None:
        """Build the trace of a test, or build it again, and hand it over; returns at once."""
        self._queue.put(test)
        if self._thread is None:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="likewise-recorder", daemon=True)
                    # In a context of its own, or the thread would belong to a test for ever.
                    Context().run(self._thread.start)

    def drain(self) -> None:
        """Wait until everything submitted so far has been handed over."""
        self._wait()
        if self._is_read_unasked():
            self._wait()
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _wait(self) -> None:
        if self._thread is not None:
            done = threading.Event()
            self._queue.put(done)
            self._awaited += 1
            try:
                done.wait()
            finally:
                self._awaited -= 1

    def _is_read_unasked(self) -> bool:
        """Whether somebody may read answers without asking; if so, also those that tests have kept."""
        if not self._readers.find():
            return False
        while True:
            try:
                look = self._closed.pop()
            except KeyError:  # empty; to look first would not do, for answers go away at any moment
                return True
            look.doubt()

    def _work(self) -> None:
        while True:
            job = self._queue.get()
            if isinstance(job, threading.Event):
                job.set()
                continue
            try:
                test, job = job, None  # type: ignore[assignment]
                trace = test.trace = self._build(test)
                del test
                self._on_trace(trace)
            except BaseException as error:
                self._error = self._error or error

    def _build(self, test: Running) -> Trace:
        # In the order in which answers came: of two calls that overlap, the first answered is the likelier
        # to have been served first.
        calls = sorted(test.calls, key=lambda call: call.ended or float("inf"))
        interactions: list[Interaction] = []
        is_read_unasked = self._is_read_unasked()
        for order, call in enumerate(calls):
            if order % AT_A_STRETCH == 0 and not self._awaited:
                sleep(PAUSE)
            if call.look is not None:
                call.seen = call.look.close()
                self._closed.add(call.look)
                call.look = None  # it now lives as long as its answer
            done = call.done or self._interpret(call, order, test)
            if done.order != order:
                done = replace(done, order=order)
            if call.ended and call.done is None:
                call.done = done
                call.release()
            seen = None if is_read_unasked or call.is_looked_at_late else call.seen
            if done.seen != seen:
                done = replace(done, seen=seen)
            interactions.append(done)
        worlds = {call.world: None for call in calls} or {test.world: None}
        if len(worlds) > 1:
            test.doubt("the state behind the boundary was replaced in the middle of the test")
        return Trace(
            test=test.test,
            role=self._role,
            interactions=tuple(interactions),
            result=test.result,
            attempt=test.attempt,
            world=next(iter(worlds)),
            unclear=tuple(test.unclear),
            unseen=tuple(test.unseen),
            unseen_writes=any(test.unseen.values()),
            failure=test.failure,
            started=test.started,
            ended=test.ended,
            borrowed=test.borrowed,
            endings=tuple(test.endings),
        )

    def _interpret(self, call: Call, order: int, test: Running) -> Interaction:
        if not call.ended:
            test.doubt(f"a call was still running when the test ended: {call.name}")
        elif call.is_late:
            test.doubt(f"a call arrived after the test had ended: {call.name}")
        if isinstance(call.body, NotCaptured):
            test.doubt(f"the body of {call.name} was not recorded: {call.body.why}")
        try:
            self._learn(call)
            exchange = call.exchange()
            if signer := self._strangers.of(exchange.headers) or self._guests.of(
                exchange.headers, exchange.url
            ):
                exchange = replace(exchange, signer=signer)
            interaction = self._of_world(call.world).interpret(exchange, order=order)
        except Exception as error:
            # Whatever is wrong with us, the user's test run goes on; the trace says what is missing.
            test.doubt(f"{call.name} could not be interpreted: {type(error).__name__}: {error}")
            return _stand_in(call, order, error)
        return _annotate(interaction, call)

    def _learn(self, call: Call) -> None:
        """Take from the SDK's model what it calls sensitive, once for each service."""
        if call.operation is None:
            return
        model = call.operation.service_model
        if model.service_name not in self._models:
            self._models.add(model.service_name)
            self.sensitive |= sensitive_names(model)

    def _of_world(self, world: str) -> Interprets:
        interpreter = self._interpreters.get(world)
        if interpreter is None:
            if len(self._interpreters) >= _WORLDS:
                del self._interpreters[next(iter(self._interpreters))]
            interpreter = self._interpreters[world] = self._interpreter()
        return interpreter


def _annotate(interaction: Interaction, call: Call) -> Interaction:
    """Say in `wire` what the exchange cannot: a stream not read to its end, a request not kept whole."""
    answer = call.answer
    unread = answer.unread() if answer is not None else ""
    if not unread and call.is_repeatable:
        return interaction
    wire = dict(interaction.wire)
    if unread:
        wire["unread"] = unread
    if not call.is_repeatable:
        wire.pop("body", None)
        wire["redacted"] = True
    return replace(interaction, wire=wire)


def _stand_in(call: Call, order: int, error: Exception) -> Interaction:
    service, name = call.hints()
    return Interaction(
        operation=Operation(service or "unknown", name or call.method),
        arguments={},
        outcome=Lost(reason=f"not interpreted: {type(error).__name__}"),
        order=order,
        lane=call.lane,
        started=call.started,
        ended=call.ended,
    )
