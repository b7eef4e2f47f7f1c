"""Records what a suite's cloud SDKs send and receive, test by test."""

from __future__ import annotations

import mmap
import os
import time
import weakref
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

from likewise.cloud.recorder.builder import Builder, Interprets
from likewise.cloud.recorder.call import Call
from likewise.cloud.recorder.endpoints import Endpoints
from likewise.cloud.recorder.guests import SIGNING, Guests
from likewise.cloud.recorder.handlers import follow_handlers
from likewise.cloud.recorder.looking import SERVICES, Look, follow_yaml, observe
from likewise.cloud.recorder.mock import MODULE, follow_mock_aws
from likewise.cloud.recorder.neighbours import STARTING, Neighbours
from likewise.cloud.recorder.outside import Outside
from likewise.cloud.recorder.patches import ImportWatch, Patches
from likewise.cloud.recorder.placement import Placement, Running
from likewise.cloud.recorder.readers import Readers
from likewise.cloud.recorder.resources import follow_resources
from likewise.cloud.recorder.routes import Routes
from likewise.cloud.recorder.seams import SEAMS
from likewise.cloud.recorder.strangers import Strangers
from likewise.cloud.regions import default_region
from likewise.model import Borrowed, Ending, Result, Role, Trace

_NOBODY_THERE = ("EndpointConnectionError", "ConnectTimeoutError", "ServiceRequestError")
"""How the SDKs call a connection that was never made."""
_NEIGHBOUR = "another process was connected to the target"
_FORKED = "a forked child process made calls that are not in this trace"


class Recorder:
    """Follows botocore, aiobotocore and azure-core in this process and hands over one trace a test.

    `on_trace` is called in another thread, in the order in which tests ended. A call that comes after
    its test's end has the trace handed over again, whole and marked unclear: a trace replaces an
    earlier one of the same test and attempt. After `drain` nothing is pending.
    Calls outside any test make a trace of their own with an empty test name, handed over before the
    test that follows them, and kept in `unplaced`.
    `routes` sends clients elsewhere than they say. `expected_endpoints` holds URLs or host:port; a
    request to anywhere else marks its test unclear.
    `calls` counts the requests seen so far, wherever they belong.
    """

    def __init__(
        self,
        *,
        role: Role,
        world: str,
        on_trace: Callable[[Trace], None],
        expected_endpoints: frozenset[str] = frozenset(),
        routes: Routes | None = None,
        interpreter: Callable[[], Interprets] | None = None,
    ) -> None:
        self.unplaced: list[Trace] = []
        self.is_active = False
        self.calls = 0
        self._on_trace = on_trace
        self._strangers, self._guests = Strangers(), Guests()
        self._readers = Readers()
        self._builder = Builder(
            role=role,
            on_trace=self._hand_over,
            interpreter=interpreter or partial(_interpreter, default_region()),
            strangers=self._strangers,
            guests=self._guests,
            readers=self._readers,
        )
        self._placement = Placement(world=world, late=self._late)
        self._endpoints = Endpoints(expected_endpoints)
        self._neighbours = Neighbours(expected_endpoints)
        self._outside = Outside(self._endpoints, self._neighbours, self._placement.miss)
        self._enter_sdk = self._outside.in_sdk.set
        self._late_look = self._looked_late  # bound once, and not for each answer
        self._routes = routes
        self._patches = Patches()
        self._watch: ImportWatch | None = None
        self._base, self._mocks, self._mocked = world, 0, ""
        self._last: Running | None = None
        self._is_child = False
        self._forked = mmap.mmap(-1, 1)

    def install(self) -> None:
        """Follow the SDKs that are imported, and those that will be."""
        if self.is_active:
            return
        self.is_active = True
        placement, patches = self._placement, self._patches
        placement.propagate(patches, self._is_active)

        def seam(patch: Callable[..., None]) -> Callable[[ModuleType], None]:
            return lambda module: patch(module, patches, self)

        def carried(patch: Callable[..., None]) -> Callable[[ModuleType], None]:
            return lambda module: patch(module, patches, self._is_active)

        watched = {name: seam(patch) for name, patch in SEAMS.items()}
        watched["concurrent.futures.thread"] = carried(placement.propagate_pools)
        watched["botocore.auth"] = carried(self._strangers.follow)
        watched |= dict.fromkeys(SIGNING, carried(self._guests.follow))
        watched["botocore.hooks"] = carried(follow_handlers)
        watched["boto3.dynamodb.transform"] = carried(follow_resources)
        watched["http.client"] = carried(self._outside.follow_http)
        watched["responses"] = carried(self._outside.follow_responses)
        watched["socket"] = carried(self._outside.follow_sockets)
        watched |= dict.fromkeys(STARTING, carried(self._outside.follow_processes))
        watched["yaml.representer"] = carried(follow_yaml)
        watched["asyncio.base_events"] = carried(placement.propagate_loops)
        watched[MODULE] = lambda module: follow_mock_aws(module, patches, self._mock_entered, self._mock_left)
        self._watch = ImportWatch(watched)
        self._watch.start()
        self._readers.watch_own()
        os.register_at_fork(after_in_child=_fork_handler(self))

    def uninstall(self) -> None:
        """Put everything back as it was."""
        self.is_active = False
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        self._patches.undo()
        self._readers.unwatch()

    def begin(self, test: str, *, attempt: int = 0) -> None:
        """From now on this context, and every thread and task started from it, belongs to the test."""
        if self._is_child:
            return
        placement = self._placement
        self._close_outside()
        running = Running(test, attempt, placement.world)
        running.outer = placement.current.get()
        placement.running.append(running)
        placement.current.set(running)

    def end(self, *, result: Result, failure: str = "") -> None:
        """The test of this context is over; its trace is built later."""
        if self._is_child:
            return
        placement = self._placement
        running = placement.current.get()
        if running is None or running.closed:
            placement.current.set(None)
            return
        placement.current.set(running.outer)
        self._close(running, result, failure)

    def borrow(self, *borrowed: Borrowed) -> None:
        """The test of this context has a fixture from an earlier one."""
        running = self._placement.current.get()
        if running is not None and not self._is_child:
            running.borrowed = tuple(dict.fromkeys((*running.borrowed, *borrowed)))

    def note_ending(self, ending: Ending) -> None:
        """A fixture of several tests was torn down in the test of this context."""
        running = self._placement.current.get()
        if running is not None and not self._is_child:
            running.endings.append(ending)

    def _close(self, running: Running, result: Result, failure: str) -> None:
        placement = self._placement
        if self._forked[0]:
            self._forked[0] = 0
            placement.doubt_running(_FORKED)
        if self._neighbours.called():
            for each in placement.running:
                each.miss(_NEIGHBOUR)
        running.result, running.failure, running.ended = result, failure, time.time()
        running.closed, running.outer = True, None
        placement.running.remove(running)
        self._last = running
        self._builder.submit(running)

    def new_world(self, world: str) -> None:
        """The state behind the boundary was reset."""
        self._base = world
        if not self._mocked or not self._endpoints.is_mocked:
            self._placement.world = world

    def drain(self) -> None:
        """Wait for every pending trace; raises what the consumer raised.

        A test that has begun and not ended is handed over as unfinished.
        """
        if self._is_child:
            return
        for running in reversed(self._placement.running.copy()):
            self._close(running, Result.UNFINISHED, "")
        self._close_outside()
        if self._forked[0] and self._last is not None:
            self._forked[0] = 0
            self._last.doubt(_FORKED)
            self._builder.submit(self._last)
        self._last = None
        self._builder.drain()

    @property
    def sensitive(self) -> frozenset[str]:
        """The fields that the models of the services called so far name as sensitive; whole after `drain`."""
        return self._builder.sensitive

    def opened(self, make: Callable[[Any, Any], Call], request: Any, operation: Any) -> Call | None:
        """A request is about to be sent; None where nobody follows it."""
        if not self.is_active:
            return None
        if self._is_child:
            self._forked[0] = 1
            return None
        self.calls += 1
        try:
            call = make(request, operation)
            self._placement.place(call)
            if objection := self._endpoints.objection(call.url):
                call.objection = objection
        except Exception as error:
            self._excuse(error)
            return None
        self._enter_sdk(True)
        return call

    def answered(self, call: Call, hear: Callable[[Call, Any], None], response: Any) -> None:
        """An answer came."""
        self._enter_sdk(False)
        try:
            if call.objection:
                call.test.doubt(call.objection)
            hear(call, response)
            call.ended = time.time()
            if call.test.closed:
                self._placement.finish(call)
        except Exception as error:
            self._excuse(error)

    def observed(self, call: Call, parsed: Any) -> Any:
        """An answer for the client, which remembers what it is asked for."""
        if type(parsed) is not dict or call.operation.service_model.service_name not in SERVICES:
            return parsed
        call.look = look = Look(self._late_look, call)
        return observe(parsed, look)

    def _looked_late(self, call: Call) -> None:
        call.is_looked_at_late = True
        self._builder.submit(call.test)

    def routed(self, url: str, service: str) -> str:
        """Where a request goes; elsewhere than to `url` only if the configuration says so."""
        return self._routes.route(url, service) if self._routes and self.is_active else url

    def failed(self, call: Call, failure: BaseException | str) -> None:
        """No answer came."""
        self._enter_sdk(False)
        try:
            # The text only: an exception would keep the frames of the test, and all they hold, alive.
            call.failure = failure if isinstance(failure, str) else f"{type(failure).__name__}: {failure}"
            if call.objection and call.failure.startswith(_NOBODY_THERE):
                # Nobody was there to answer, on this side or the other: nothing crossed the boundary.
                call.test.calls.remove(call)
                return
            if call.objection:
                call.test.doubt(call.objection)
            self._placement.finish(call)
        except Exception as error:
            self._excuse(error)

    def _excuse(self, error: Exception) -> None:
        """A fault of ours: the user's call goes on, and the tests that run now cannot be trusted."""
        why = f"a call was not recorded: {type(error).__name__}: {error}"
        running = self._placement.current.get()
        if running is not None:
            running.doubt(why)
            if running.closed:
                self._builder.submit(running)
        self._placement.doubt_running(why)

    def _late(self, call: Call) -> None:
        if not call.is_late:
            call.test.doubt(f"a call was still running when the test ended: {call.name}")
            self._placement.doubt_running(
                f"a call of {call.test.test or 'no test'} arrived during this test: {call.name}"
            )
        self._builder.submit(call.test)

    def _close_outside(self) -> None:
        """Hand over what happened outside any test, so that what follows can build on it."""
        placement = self._placement
        outside = placement.outside
        if outside.calls and not placement.running:
            placement.outside = Running("", outside.attempt + 1, placement.world)
            outside.result, outside.ended, outside.closed = Result.PASSED, time.time(), True
            self._builder.submit(outside)

    def _hand_over(self, trace: Trace) -> None:
        if not trace.test:
            self.unplaced = [each for each in self.unplaced if each.attempt != trace.attempt] + [trace]
        self._on_trace(trace)

    def _mock_entered(self, reset: bool) -> None:
        """moto's mock has a state of its own; a reset makes it a new one."""
        if reset or not self._mocked:
            self._mocks += 1
            self._mocked = f"{self._base}/mock-{self._mocks}"
        self._placement.world = self._mocked
        self._endpoints.is_mocked = True

    def _mock_left(self) -> None:
        self._placement.world = self._base
        self._endpoints.is_mocked = False

    def _is_active(self) -> bool:
        return self.is_active


def _interpreter(region: str) -> Interprets:
    from likewise.cloud.interpret import Interpreter  # heavy, and only the builder's thread needs it

    return Interpreter(home=region)


def _fork_handler(recorder: Recorder) -> Callable[[], None]:
    """What a forked child does: record nothing, and leave a sign in shared memory if it makes a call."""
    weak = weakref.ref(recorder)

    def after_in_child() -> None:
        there = weak()
        if there is not None and there.is_active:
            there._is_child = True

    return after_in_child
