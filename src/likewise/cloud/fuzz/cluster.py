"""Workers on a Dask cluster: their parts of a campaign go out, each line of their logs comes back at once."""

from __future__ import annotations

import importlib.util
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any

from likewise.cloud.fuzz.session import Order, run_worker
from likewise.model import ConfigurationError, LikewiseError, TargetUnavailable

SCHEME = "dask://"


class Part:
    """What one worker has written, kept in a file here as it comes."""

    def __init__(self, path: str | None) -> None:
        self.path = Path(path) if path else None
        self._taken, self._is_finished, self._lock = 0, False, threading.Lock()

    def take(self, line: str) -> None:
        """A line that came while the worker runs."""
        with self._lock:
            if not self._is_finished:
                self._taken += 1
                self._keep([line])

    def finish(self, lines: list[str]) -> None:
        """All lines, once the worker has ended: those that did not come before are kept now."""
        with self._lock:
            self._is_finished = True
            self._keep(lines[self._taken :])

    def _keep(self, lines: list[str]) -> None:
        if self.path is not None and lines:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines)


def check_executor(address: str | None) -> None:
    """Find out before anything is started whether there can be such an executor."""
    if address is None:
        return
    if not address.startswith(SCHEME):
        raise ConfigurationError(f"unknown executor {address!r}", todo="Write dask://HOST:PORT.")
    if importlib.util.find_spec("distributed") is None:
        raise ConfigurationError("Dask is not installed", todo="Install it: pip install 'likewise[dask]'")


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, address: str, *, patience: float = 20.0) -> None:
        check_executor(address)
        from distributed import Client

        try:
            self._client: Any = Client(address.replace(SCHEME, "tcp://", 1), timeout=patience)
        except (OSError, TimeoutError) as error:
            raise TargetUnavailable(
                f"no Dask scheduler answers at {address}",
                why=str(error),
                todo="Start one: dask scheduler; and workers: dask worker HOST:PORT.",
            ) from error
        if not self._client.scheduler_info().get("workers"):
            self._wait_for_workers(address, patience)
        self._executor: Any = self._client.get_executor(pure=False, retries=0)
        self._topic = f"likewise-{uuid.uuid4().hex}"

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._executor.shutdown(wait=kind is None)
        self._client.close()

    def _wait_for_workers(self, address: str, patience: float) -> None:
        """Workers may come a little later than the scheduler; without any, nothing would ever happen."""
        try:
            self._client.wait_for_workers(1, timeout=patience)
        except TimeoutError as error:
            self._client.close()
            raise TargetUnavailable(
                f"the Dask scheduler at {address} has no workers",
                why=f"none came within {patience:.0f} s",
                todo=f"Start one: dask worker {address.removeprefix(SCHEME)}",
            ) from error

    def listen(self, take: Callable[[int, str], None]) -> None:
        """Have every line of every worker's log handed over as soon as it comes."""

        def heard(event: Any) -> None:
            _, (number, line) = event
            take(number, line)

        self._client.subscribe_topic(self._topic, heard)

    def submit(self, number: int, order: Order) -> Future[tuple[list[str], str]]:
        """Hand one worker's part to the cluster."""
        future: Future[tuple[list[str], str]] = self._executor.submit(distant, order, number, self._topic)
        return future


def distant(order: Order, number: int, topic: str) -> tuple[list[str], str]:
    """One worker's part, on a machine of the cluster."""
    from distributed import get_worker

    worker = get_worker()
    try:
        return run_worker(order, sink=lambda line: worker.log_event(topic, (number, line))), ""
    except LikewiseError as error:
        return [], error.what
