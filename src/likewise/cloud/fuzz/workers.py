"""Several workers: processes of this machine, or a Dask cluster through the standard executor interface."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from likewise.cloud.fuzz.log import read
from likewise.cloud.fuzz.session import Order, Status, addressed, divided, run_worker, start
from likewise.cloud.targets import SPECS
from likewise.model import ConfigurationError, LikewiseError, Role

SCHEME = "dask://"


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
            pool = stack.enter_context(self._pool())
            orders = divided(order, self.workers)
            if self.executor is not None:
                orders = [replace(each, log=None) for each in orders]
            futures = [pool.submit(_part, each) for each in orders]
            self._follow(futures, orders)

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

    def _pool(self) -> Executor:
        if self.executor is None:
            context = multiprocessing.get_context("spawn")
            return ProcessPoolExecutor(max_workers=self.workers, mp_context=context)
        if not self.executor.startswith(SCHEME):
            raise ConfigurationError(f"unknown executor {self.executor!r}", todo="Write dask://HOST:PORT.")
        try:
            from distributed import Client
        except ImportError as error:
            raise ConfigurationError(
                "Dask is not installed", todo="Install it: pip install 'likewise[dask]'"
            ) from error
        pool: Executor = Client(self.executor.replace(SCHEME, "tcp://", 1)).get_executor()
        return pool

    def _follow(self, futures: list[Future[tuple[list[str], str]]], orders: list[Order]) -> None:
        started = time.monotonic()
        logs = [Path(each.log) for each in orders if each.log]
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=2.0)
            for future in done:
                try:
                    lines, trouble = future.result()
                except BrokenExecutor as error:
                    lines, trouble = [], f"a worker ended in the middle ({error}); its log is kept"
                if trouble:
                    self.trouble = LikewiseError(trouble)
                self._keep(lines, futures.index(future))
            self._look(logs, started)

    def _keep(self, lines: list[str], number: int) -> None:
        """What a worker without a file of its own wrote goes into one here."""
        if lines and self.order.log:
            path = Path(self.order.log.removesuffix(".jsonl") + f"-w{number}.jsonl")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines)

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


def _part(order: Order) -> tuple[list[str], str]:
    """One worker, in a process of its own; what went wrong comes back as text."""
    try:
        return run_worker(order), ""
    except KeyboardInterrupt:
        return [], ""
    except LikewiseError as error:
        return [], error.what
