"""Which test a call belongs to: contexts, threads and tasks."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextvars import Context, ContextVar
from itertools import count
from types import ModuleType
from typing import Any
from weakref import ref

from likewise.cloud.recorder.call import Call
from likewise.cloud.recorder.patches import Patches
from likewise.model import Borrowed, Ending, Result, Trace


class _Thread(threading.local):
    """Numbers threads: a number is faster to come by than the thread, and is never given again."""

    _count = count()

    def __init__(self) -> None:
        self.number = next(self._count)


_THREAD = _Thread()
_modules = sys.modules


class Running:
    """One attempt at one test while calls may still arrive for it.

    Contexts refer to it, so it lives exactly as long as some thread or task could still make a call
    on its behalf, and with it what a corrected trace needs.
    """

    __slots__ = (
        "__weakref__",
        "_lanes",
        "_task_lanes",
        "_tasks",
        "_threads",
        "attempt",
        "borrowed",
        "calls",
        "closed",
        "ended",
        "endings",
        "failure",
        "outer",
        "result",
        "started",
        "test",
        "trace",
        "unclear",
        "unseen",
        "world",
    )

    def __init__(self, test: str, attempt: int, world: str) -> None:
        self.test, self.attempt, self.world = test, attempt, world
        self.calls: list[Call] = []
        self.borrowed: tuple[Borrowed, ...] = ()
        self.endings: list[Ending] = []
        self.unclear: dict[str, None] = {}
        self.unseen: dict[str, bool] = {}
        self.closed = False
        self.outer: Running | None = None
        self.trace: Trace | None = None
        self.result, self.failure = Result.UNFINISHED, ""
        self.started, self.ended = time.time(), 0.0
        self._threads, self._tasks = count(1), count(1)
        self._lanes = {_THREAD.number: "main"}
        # By id, for speed; the reference tells a task from a later one with the same id.
        self._task_lanes: dict[int, tuple[ref[Any], str]] = {}

    def lane(self) -> str:
        """The name, within this test, of the thread or task that is running now."""
        asyncio: Any = _modules.get("asyncio")
        if asyncio is not None and (task := _current_task(asyncio)) is not None:
            return self._lane_of_task(task)
        number = _THREAD.number
        return self._lanes.get(number) or self._lanes.setdefault(number, f"thread-{next(self._threads)}")

    def _lane_of_task(self, task: Any) -> str:
        found = self._task_lanes.get(id(task))
        if found is None or found[0]() is not task:
            found = self._task_lanes[id(task)] = (ref(task), f"task-{next(self._tasks)}")
        return found[1]

    def doubt(self, why: str) -> None:
        """Say why the trace may not be the whole truth."""
        self.unclear[why] = None

    def miss(self, what: str, *, writes: bool = True) -> None:
        """Say which call is not in the trace, and whether it may have changed anything."""
        self.unseen[what] = writes


def _current_task(asyncio: Any) -> Any:
    """The asyncio task that is running in this thread; asyncio is not imported for the question."""
    try:
        return asyncio.current_task() if asyncio._get_running_loop() is not None else None
    except AttributeError:
        return None  # it is being imported right now: no task can be running


class Placement:
    """The running test of each context, carried into threads, pools and tasks.

    `late` is told of a call whose test has ended.
    """

    def __init__(self, *, world: str, late: Callable[[Call], None]) -> None:
        self.current: ContextVar[Running | None] = ContextVar("likewise.test", default=None)
        self.running: list[Running] = []
        self.world = world
        self.outside = Running("", 0, world)
        self._late = late

    def place(self, call: Call) -> None:
        """Give a call that starts now to its test."""
        test = self.current.get()
        if test is None or test.closed:
            test = self._misplaced(test, call)
        call.test, call.lane, call.world = test, test.lane(), self.world
        test.calls.append(call)

    def finish(self, call: Call) -> None:
        """Note that a call came to its end."""
        call.ended = time.time()
        if call.test.closed and call.test is not self.outside:
            self._late(call)

    def _misplaced(self, test: Running | None, call: Call) -> Running:
        """Where to put a call whose test has ended, or that has none.

        Whatever runs meanwhile can no longer be sure of the state it sees.
        """
        if test is not None:
            call.is_late = True
            for running in tuple(self.running):
                running.doubt(f"a call of {test.test or 'no test'} arrived during this test: {call.name}")
            return test
        if not self.running:
            return self.outside
        for running in tuple(self.running):
            # Whose it is remains unknown, but what it did is in a trace, where later tests find it.
            running.miss(
                f"a call came from a thread or task that belongs to no test: {call.name}", writes=False
            )
        return self.running[-1]

    def miss(self, what: str, *, writes: bool = True) -> None:
        """A call of this context's test is in no trace; without a test, it may be of any that runs now.

        `writes` says whether it may have changed anything.
        """
        test = self.current.get()
        for each in tuple(self.running) if test is None or test.closed else (test,):
            each.miss(what, writes=writes)

    def doubt_running(self, why: str) -> None:
        """Every test that runs now may be affected."""
        for running in tuple(self.running):
            running.doubt(why)

    def propagate(self, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Carry the running test into threads; pools and event loops follow when they are imported."""
        current = self.current

        def make_start(start: Any) -> Any:
            def start_in_test(thread: threading.Thread) -> None:
                test = current.get()
                if test is not None and is_active():
                    run = thread.run

                    def run_in_test() -> None:
                        # The instance attribute goes first, or thread and closure keep each other alive.
                        vars(thread).pop("run", None)
                        current.set(test)
                        run()

                    thread.run = run_in_test  # type: ignore[method-assign]
                start(thread)

            return start_in_test

        patches.replace(threading.Thread, "start", make_start)

    def propagate_pools(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Carry the running test into work handed to a thread pool, whichever test started the pool."""
        current = self.current

        def make_submit(submit: Any) -> Any:
            def submit_in_test(pool: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
                if not is_active():
                    return submit(pool, fn, *args, **kwargs)
                test = current.get()

                def in_test(*inner: Any, **named: Any) -> Any:
                    token = current.set(test)
                    try:
                        return fn(*inner, **named)
                    finally:
                        current.reset(token)

                return submit(pool, in_test, *args, **kwargs)

            return submit_in_test

        patches.replace(module.ThreadPoolExecutor, "submit", make_submit)

    def propagate_loops(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Give a task that plain code starts in a kept context to the test of that code.

        A fixture that outlives its first test is finished in the context it was set up in; what it
        does then belongs to the test that runs now, not to the one that has ended.
        """
        current = self.current
        get_running_loop = sys.modules["asyncio.events"]._get_running_loop

        def make_create_task(create_task: Any) -> Any:
            def create_task_in_test(loop: Any, coro: Any, **kwargs: Any) -> Any:
                context = kwargs.get("context")
                if isinstance(context, Context) and get_running_loop() is None and is_active():
                    test = current.get()
                    if context.get(current) is not test:
                        context.run(current.set, test)
                return create_task(loop, coro, **kwargs)

            return create_task_in_test

        patches.replace(module.BaseEventLoop, "create_task", make_create_task)
