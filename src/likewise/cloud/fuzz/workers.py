"""Several workers: processes of this machine, or a Dask cluster through the standard executor interface."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

from likewise.cloud.fuzz.cluster import Cluster, Part
from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.session import Order, Status, addressed, divided, run_worker, start
from likewise.cloud.targets import SPECS
from likewise.model import LikewiseError, Role

TWICE = 1.0
"""Seconds within which two interruptions are one."""
Done = tuple[list[str], str]
"""The lines of a worker's log where it has no file of its own, and what went wrong."""


class Crew:
    """Runs an order with one worker or many; after `run`, the logs hold everything."""

    def __init__(
        self, order: Order, *, workers: int, executor: str | None, watch: Callable[[Status], None]
    ) -> None:
        self.order, self.workers, self.executor, self.watch = order, workers, executor, watch
        self.interrupted = False
        self.trouble: LikewiseError | None = None

    def run(self) -> None:
        """Do it all; what ends it early is kept in `interrupted` and `trouble`."""
        try:
            if self.workers == 1 and self.executor is None:
                run_worker(self.order, self.watch)
            else:
                self._share()
        except KeyboardInterrupt:
            self.interrupted = True
        except LikewiseError as error:
            self.trouble = error

    def _share(self) -> None:
        with ExitStack() as stack:
            # Processes of this machine start servers of their own: nothing that one worker does, not even
            # the end of a server, disturbs another. A cluster's workers have to be given an address.
            order = self.order if self.executor is None else self._with_servers(stack)
            orders = divided(order, self.workers)
            if self.executor is None:
                context = multiprocessing.get_context("spawn")
                pool = stack.enter_context(ProcessPoolExecutor(max_workers=self.workers, mp_context=context))
                futures = [pool.submit(_part, each) for each in orders]
                try:
                    self._follow(futures, [Path(each.log) for each in orders if each.log], {})
                except KeyboardInterrupt:
                    _interrupt(pool)
                    raise
                return
            cluster = stack.enter_context(Cluster(self.executor))
            parts = {number: Part(each.log) for number, each in enumerate(orders)}
            cluster.listen(lambda number, line: parts[number].take(line))
            futures = [cluster.submit(number, replace(each, log=None)) for number, each in enumerate(orders)]
            self._follow(futures, [part.path for part in parts.values() if part.path], parts)

    def _with_servers(self, stack: ExitStack) -> Order:
        """The order with servers that all workers share, started here and named by their addresses."""
        changes: dict[str, object] = {"ours": True}
        for role in (Role.REFERENCE, Role.CANDIDATE):
            name = getattr(self.order, role)
            if name not in SPECS or SPECS[name].recipe is None:
                changes["ours"] = False
                continue
            running = start(name, role, self.order.service)
            stack.callback(running.stop)
            changes[str(role)] = addressed(running, self.order.service)
            changes[f"{role}_name"] = str(running.target)
        return replace(self.order, **changes)  # type: ignore[arg-type]

    def _follow(self, futures: list[Future[Done]], logs: list[Path], parts: Mapping[int, Part]) -> None:
        started = time.monotonic()
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=2.0)
            for future in done:
                lines, trouble = _result(future)
                if trouble:
                    self.trouble = LikewiseError(trouble)
                if part := parts.get(futures.index(future)):
                    part.finish(lines)
            self._look(logs, started)

    def _look(self, logs: list[Path], started: float) -> None:
        found = read([path for path in logs if path.exists()])
        tallies = found.tallies.values()
        left = None if self.order.budget is None else max(0, self.order.budget - found.sent)
        last = max(found.first_seen.values(), default=0.0)
        seconds = time.monotonic() - started
        self.watch(
            Status(
                sent=found.sent,
                pairs=sum(each.pairs for each in tallies),
                called=sum(len(each.called) for each in tallies),
                succeeded=sum(len(each.succeeded) for each in tallies),
                findings=len(found.findings),
                last_new=max(0.0, seconds - (time.time() - last)) if last else 0.0,
                left=left,
                seconds=seconds,
            )
        )


def _interrupt(pool: ProcessPoolExecutor) -> None:
    """Pass an interruption on: a terminal tells every process of a command, others only the first."""
    for pid in [*(getattr(pool, "_processes", None) or {})]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)


def _result(future: Future[Done]) -> Done:
    try:
        return future.result()
    except LikewiseError as error:
        return [], error.what
    except BrokenExecutor as error:
        return [], f"a worker ended in the middle ({error}); its log is kept"
    except Exception as error:
        # Whatever a machine of somebody's cluster lacks: the others' findings are kept.
        return [], f"a worker failed: {type(error).__name__}: {error}"


def _part(order: Order) -> Done:
    """One worker, in a process of its own; what went wrong comes back as text."""
    _interruptible()
    try:
        return run_worker(order), ""
    except KeyboardInterrupt:
        return [], ""
    except LikewiseError as error:
        return [], error.what


def _interruptible() -> None:
    """Take an interruption that comes twice at once, from the terminal and from the first process, for one.

    The second would end the clean-up after the first.
    """
    last = float("-inf")

    def heard(*_: object) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before > TWICE:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, heard)
