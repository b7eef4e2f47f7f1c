"""A recorder with a plain interpreter, and servers to talk to."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from likewise.cloud.exchange import Exchange
from likewise.cloud.recorder import Recorder
from likewise.model import Interaction, Lost, Operation, Raised, Result, Returned, Role, Trace


class PlainInterpreter:
    """Keeps an exchange as it came, so that a test can look at what was captured."""

    def interpret(self, exchange: Exchange, *, order: int) -> Interaction:
        if exchange.status is None:
            outcome: Any = Lost(reason=exchange.failure)
        elif exchange.status >= 400:
            outcome = Raised(kind=str(exchange.status), value=exchange.response_body)
        else:
            outcome = Returned(value=exchange.response_body)
        return Interaction(
            operation=Operation(exchange.service_hint or "azure", exchange.operation_hint or exchange.method),
            arguments={"url": exchange.url, "body": exchange.body, "headers": dict(exchange.headers)},
            outcome=outcome,
            order=order,
            lane=exchange.lane,
            started=exchange.started,
            ended=exchange.ended,
        )


@dataclass
class Studio:
    """A recorder and everything it handed over, the last trace of each attempt standing."""

    recorder: Recorder
    handed: list[Trace] = field(default_factory=list)

    @property
    def traces(self) -> dict[str, Trace]:
        self.recorder.drain()
        return {trace.test: trace for trace in self.handed if trace.test}

    def record(self, test: str, body: Callable[[], object]) -> Trace:
        self.recorder.begin(test)
        body()
        self.recorder.end(result=Result.PASSED)
        return self.traces[test]


@pytest.fixture
def make_studio() -> Iterator[Callable[..., Studio]]:
    made: list[Recorder] = []

    def make(**options: Any) -> Studio:
        handed: list[Trace] = []
        options.setdefault("interpreter", PlainInterpreter)
        recorder = Recorder(role=Role.CANDIDATE, world="w", on_trace=handed.append, **options)
        recorder.install()
        made.append(recorder)
        return Studio(recorder, handed)

    yield make
    for recorder in made:
        recorder.uninstall()


@pytest.fixture
def studio(make_studio: Callable[..., Studio]) -> Studio:
    return make_studio()


@pytest.fixture(scope="session")
def moto_server() -> Iterator[str]:
    """A moto server in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ),
    )
    _await_port(port)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(10)


def _await_port(port: int) -> None:
    for _ in range(600):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on {port}")


@pytest.fixture
def aws_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def s3(moto_server: str, aws_keys: None) -> Any:
    import boto3

    return boto3.client("s3", endpoint_url=moto_server)


Respond = Callable[[str, str, Any, bytes], tuple[int, dict[str, str], bytes]]


class Answering(ThreadingHTTPServer):
    """A local server whose answers a test chooses."""

    daemon_threads = True

    def __init__(self, respond: Respond, *, hold: bool = False) -> None:
        self.entered, self.release = threading.Event(), threading.Event()
        self.bodies: list[bytes] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                body = _read_body(self)
                server.bodies.append(body)
                server.entered.set()
                if hold:
                    server.release.wait(10)
                status, headers, content = respond(self.command, self.path, self.headers, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_PUT = do_POST = do_DELETE = _serve

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *args: object) -> None:
        """A client that gives up is what some tests are about."""


def _read_body(handler: BaseHTTPRequestHandler) -> bytes:
    if "chunked" not in handler.headers.get("Transfer-Encoding", ""):
        return handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
    parts = []
    while size := int(handler.rfile.readline().strip() or b"0", 16):
        parts.append(handler.rfile.read(size))
        handler.rfile.readline()
    handler.rfile.readline()
    return b"".join(parts)


@pytest.fixture
def make_http(aws_keys: None) -> Iterator[Callable[..., Answering]]:
    made: list[Answering] = []

    def make(respond: Respond, **options: Any) -> Answering:
        server = Answering(respond, **options)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        made.append(server)
        return server

    yield make
    for server in made:
        server.release.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def make_server(make_http: Callable[..., Answering]) -> Callable[..., Answering]:
    """A server that answers by the number of the request alone."""

    def make(answer: Callable[[int, bytes], tuple[int, bytes]], **options: Any) -> Answering:
        count = itertools.count(1)

        def respond(_: str, __: str, ___: Any, body: bytes) -> tuple[int, dict[str, str], bytes]:
            status, content = answer(next(count), body)
            return status, {}, content

        return make_http(respond, **options)

    return make


_BUCKETS = b"<ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>"


@pytest.fixture
def slow_server(make_server: Callable[..., Answering]) -> Answering:
    """Answers only when released."""
    return make_server(lambda count, body: (200, _BUCKETS), hold=True)


@pytest.fixture
def throttling_server(make_server: Callable[..., Answering]) -> Answering:
    """Refuses the first request."""
    slow_down = b"<Error><Code>SlowDown</Code></Error>"
    return make_server(lambda count, body: (503, slow_down) if count == 1 else (200, _BUCKETS))
