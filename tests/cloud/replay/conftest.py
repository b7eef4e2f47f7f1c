"""Two servers of a kind, a recorder in front of one, and a replayer on the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from likewise.cloud.recorder import Recorder
from likewise.cloud.replay import HttpReplayer
from likewise.cloud.targets import Running, default_cache, find, install_command, locate, start
from likewise.cloud.targets.running import AWS_IDENTITY, aws_environment
from likewise.model import Interaction, Result, Role, Target, Trace
from likewise.run import Meter, Slice


@dataclass
class Log:
    """A created-log in memory that keeps the order of everything it is told."""

    notes: list[tuple[str, str]] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)

    def remember_created(self, run: str, target: str, resource: str, hint: str = "") -> None:
        self.notes.append(("remember", resource))
        self.left[resource] = hint

    def forget_created(self, target: str, resource: str) -> None:
        self.notes.append(("forget", resource))
        del self.left[resource]


def record(act: Callable[[], object]) -> tuple[Interaction, ...]:
    """What the SDKs sent and received while `act` ran."""
    traces: list[Trace] = []
    recorder = Recorder(role=Role.CANDIDATE, world="here", on_trace=traces.append)
    recorder.install()
    try:
        recorder.begin("test")
        act()
        recorder.end(result=Result.PASSED)
        recorder.drain()
    finally:
        recorder.uninstall()
    (trace,) = traces
    assert not trace.unclear
    return trace.interactions


def replayer(
    running: Running, *, log: Log | None = None, meter: Meter | None = None, **more: Any
) -> HttpReplayer:
    services = ("s3", "dynamodb", "blob", "queue", "table")
    return HttpReplayer(
        running=dict.fromkeys(services, running),
        meter=meter or Meter(),
        created=log or Log(),
        run="run-1",
        **more,
    )


def piece(calls: tuple[Interaction, ...]) -> Slice:
    return Slice(test="test", calls=calls)


class Fixed(Running):
    """A running target that says it cannot be reset, and perhaps that it is a real cloud."""

    def __init__(self, inner: Running, *, real: bool, environment: dict[str, str] | None = None) -> None:
        self.inner, self.target, self.real = inner, inner.target, real
        self._environment = environment or {}

    def endpoint(self, service: str) -> str | None:
        return self.inner.endpoint(service)

    def environment(self) -> dict[str, str]:
        return self.inner.environment() | self._environment

    def cleared(self) -> frozenset[str]:
        return self.inner.cleared()

    def is_alive(self) -> bool:
        return self.inner.is_alive()


class Pool:
    """Servers by name and role, started when first asked for."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._running: dict[tuple[str, Role], Running] = {}

    def get(self, name: str, role: Role) -> Running:
        if (name, role) not in self._running:
            spec = find(name)
            if locate(spec, cache=default_cache()) is None:
                pytest.skip(f"{name} is not installed: {install_command(spec)}")
            self._running[name, role] = self._stack.enter_context(start(spec, role=role))
        running = self._running[name, role]
        running.reset()
        return running


@pytest.fixture(scope="session")
def pool() -> Iterator[Pool]:
    with ExitStack() as stack:
        yield Pool(stack)


@pytest.fixture
def candidate(pool: Pool) -> Running:
    return pool.get("moto", Role.CANDIDATE)


@pytest.fixture
def reference(pool: Pool) -> Running:
    return pool.get("moto", Role.REFERENCE)


class Scripted(Running):
    """A reference that gives prepared answers, in their order, and keeps what it was sent."""

    def __init__(self, *, real: bool = False, resettable: bool = True) -> None:
        self.target = Target(name="scripted", role=Role.REFERENCE)
        self.real, self._resettable = real, resettable
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        self.sent: list[tuple[str, str, dict[str, str], bytes]] = []
        self.resets = 0
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline or not self.parse_request():
                    self.close_connection = True
                    return
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): text for name, text in self.headers.items()}
                scripted.sent.append((self.command, self.path, headers, body))
                status, more, content = scripted.answers.pop(0)
                self.send_response_only(status)
                for name, text in {**more, "content-length": str(len(content))}.items():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(content)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def say(self, status: int, body: str = "", **headers: str) -> Scripted:
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        self.answers.append((status, named, body.encode()))
        return self

    def endpoint(self, service: str) -> str | None:
        return f"http://127.0.0.1:{self._server.server_port}"

    def environment(self) -> dict[str, str]:
        url = str(self.endpoint("s3"))
        return aws_environment({"s3": url, "dynamodb": url}, access_key="theirs", secret_key="theirs")

    def cleared(self) -> frozenset[str]:
        return frozenset(AWS_IDENTITY)

    def reset(self) -> bool:
        self.resets += self._resettable
        return self._resettable

    def is_alive(self) -> bool:
        return True

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    with ExitStack() as stack:
        yield lambda **how: stack.enter_context(Scripted(**how))  # type: ignore[arg-type, return-value]
