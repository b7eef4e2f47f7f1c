"""An HTTP/1.1 server that stands in front of a real one and injects differences by rules.

For tests: it shows what a suite would meet on a cloud that differs from the emulator. Bodies are
held whole, every request goes to the server below on a connection of its own, and what no rule
touches passes unchanged, Host and signature included.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterable
from types import TracebackType
from urllib.parse import urlsplit

from likewise.cloud.rewriting.messages import Headers, Request, Response, get, put
from likewise.cloud.rewriting.rules import Drop, Hang, Raw, Rule, Twice
from likewise.cloud.rewriting.shared_key import is_signed_by_owner
from likewise.cloud.targets.empty import account_sas
from likewise.cloud.targets.running import AZURITE_ACCOUNT
from likewise.model import TargetUnavailable

HEAD_LIMIT = 1 << 20
PER_HOP = ("connection", "keep-alive", "transfer-encoding", "proxy-connection")


class _Closed(Exception):
    """The other side closed the connection where a message should begin."""


class RewritingServer:
    """A server in a thread of its own: `url` is where it answers, `count` how many requests came.

    `hits` counts, by the rule's name, how often a rule changed something. `service` says which service
    the server below is, where requests alone do not tell (Azure's three, on ports of their own).
    """

    def __init__(self, upstream_url: str, rules: Iterable[Rule] = (), *, service: str = "") -> None:
        parts = urlsplit(upstream_url)
        assert parts.hostname is not None
        self._upstream = (parts.hostname, parts.port or 80)
        self._path = parts.path.rstrip("/")
        self._service = service
        self.rules: list[Rule] = list(rules)
        self.hits: Counter[str] = Counter()
        self.count = 0
        self.requests: list[str] = []
        self.losses: list[str] = []
        """Requests that the server below did not answer."""
        self.failures: list[Exception] = []
        """What went wrong in the rules themselves; leaving the context raises the first."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True, name="likewise-rewriting")
        self._ready = threading.Event()
        self._failure: OSError | None = None
        self._port = 0
        self._stop = asyncio.Event()

    @property
    def url(self) -> str:
        """Where it answers, with the path that the server below has."""
        return f"http://127.0.0.1:{self._port}{self._path}"

    def start(self) -> RewritingServer:
        """Listen on a free port."""
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise TargetUnavailable("the rewriting server could not start", why=str(self._failure))
        return self

    def stop(self) -> None:
        """Close every connection and end the thread; nothing the second time."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(timeout=10)

    def __enter__(self) -> RewritingServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self.failures and error is None:
            raise self.failures[0]

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._listen())
        finally:
            self._loop.close()

    async def _listen(self) -> None:
        try:
            server = await asyncio.start_server(self._client, "127.0.0.1", 0, limit=HEAD_LIMIT, backlog=256)
        except OSError as error:
            self._failure = error
            self._ready.set()
            return
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        current = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not current]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (_Closed, ConnectionError, asyncio.IncompleteReadError):
            pass  # the client went away, as clients do
        except asyncio.CancelledError:
            pass  # the server is being stopped
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; False when the connection is to be closed."""
        start, headers = await read_head(reader)
        method, target, version = start.split(" ", 2)
        if get(headers, "Expect").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            headers = put(headers, "Expect", None)
        body = await read_body(reader, headers, until_end=False)
        request = Request(
            method=method, target=target, headers=headers, body=body, service_hint=self._service
        )
        self.count += 1
        self.requests.append(request.operation)
        try:
            result = await self._answer(request)
        except (
            Exception
        ) as error:  # a mistake in a rule: the client sees a closed connection, the test the error
            self.failures.append(error)
            result = Drop()
        match result:
            case Hang(seconds=seconds):
                await asyncio.sleep(seconds)
                return False
            case Raw(data=data):
                writer.write(data)
                await writer.drain()
                return False
            case Drop():
                writer.transport.abort()
                return False
        keep = version != "HTTP/1.0" and get(headers, "Connection").lower() != "close"
        writer.write(_response_bytes(result, is_head=method == "HEAD", keep=keep))
        await writer.drain()
        return keep

    async def _answer(self, request: Request) -> Response | Drop | Hang | Raw:
        original = request
        active = [rule for rule in self.rules if rule.matches(request)]
        twice = lose = False
        response: Response | None = None
        for rule in active:
            if rule.on_request is None:
                continue
            action = rule.on_request(request)
            if action is request:
                continue
            self.hits[rule.name] += 1
            match action:
                case Request():
                    request = action
                case Twice():
                    twice = True
                case Drop(forward=True):
                    lose = True
                case Drop() | Hang() | Raw():
                    return action
                case Response():
                    response = action
                    break
        if response is None:
            try:
                sent = request if request is original else self._signed_anew(request, original)
                response = await self._forward(sent)
                if twice:
                    response = await self._forward(sent)
            except (OSError, _Closed, asyncio.IncompleteReadError) as error:
                self.losses.append(repr(error))
                return Drop()
        if lose:
            return Drop()
        return self._rewritten(active, original, response)

    def _rewritten(self, active: list[Rule], request: Request, response: Response) -> Response:
        for rule in active:
            if rule.on_response is not None:
                changed = rule.on_response(request, response)
                if changed is not response:
                    self.hits[rule.name] += 1
                    response = changed
        return response

    def _signed_anew(self, request: Request, original: Request) -> Request:
        """A changed request would not fit its signature any more: Azurite gets one for the whole account.

        A signature that did not fit before, either, is left as it is: whoever gave it is to be refused.
        """
        if AZURITE_ACCOUNT not in request.path or not request.header("Authorization"):
            return request
        if self._service and not is_signed_by_owner(original, self._service):
            return request
        mark = "&" if "?" in request.target else "?"
        target = f"{request.target}{mark}{account_sas()}"
        unsigned = request.with_header("Authorization", None)
        return Request(
            method=request.method,
            target=target,
            headers=unsigned.headers,
            body=request.body,
            service_hint=self._service,
        )

    async def _forward(self, request: Request) -> Response:
        reader, writer = await asyncio.open_connection(*self._upstream, limit=HEAD_LIMIT)
        try:
            writer.write(_request_bytes(request))
            await writer.drain()
            while True:
                start, headers = await read_head(reader)
                status = int(start.split(" ", 2)[1])
                if status >= 200:
                    break
            bare = request.method == "HEAD" or status in (204, 304)
            body = b"" if bare else await read_body(reader, headers, until_end=True)
            reason = start.split(" ", 2)[2] if start.count(" ") > 1 else ""
            return Response(status=status, reason=reason, headers=headers, body=body)
        finally:
            writer.close()


async def read_head(reader: asyncio.StreamReader) -> tuple[str, Headers]:
    """The first line and the headers of a message."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        raise _Closed from error
    start, *lines = raw[:-4].decode("latin-1").lstrip("\r\n").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return start, tuple((name, value.strip()) for name, _, value in pairs)


async def read_body(reader: asyncio.StreamReader, headers: Headers, *, until_end: bool) -> bytes:
    """The whole body of a message: in chunks, by its length, or (for responses) until the end."""
    if "chunked" in get(headers, "Transfer-Encoding").lower():
        pieces = []
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            pieces.append(await reader.readexactly(size))
            await reader.readexactly(2)
        while await reader.readuntil(b"\r\n") != b"\r\n":
            pass  # trailers carry nothing that is needed here
        return b"".join(pieces)
    length = get(headers, "Content-Length")
    if length and not length.isdecimal():
        raise _Closed  # nobody knows where such a message ends
    if length:
        return await reader.readexactly(int(length))
    return await reader.read() if until_end else b""


def _request_bytes(request: Request) -> bytes:
    head = f"{request.method} {request.target} HTTP/1.1\r\n" + _lines(request.headers)
    if "chunked" in request.header("Transfer-Encoding").lower():
        chunk = b"%x\r\n%b\r\n" % (len(request.body), request.body) if request.body else b""
        return head.encode("latin-1") + b"\r\n" + chunk + b"0\r\n\r\n"
    return head.encode("latin-1") + b"\r\n" + request.body


def _response_bytes(response: Response, *, is_head: bool, keep: bool) -> bytes:
    headers = tuple((name, value) for name, value in response.headers if name.lower() not in PER_HOP)
    has_none = response.status in (204, 304) or response.status < 200
    if not is_head and not has_none:
        headers = put(headers, "Content-Length", str(len(response.body)))
    headers = (*headers, ("Connection", "keep-alive" if keep else "close"))
    head = f"HTTP/1.1 {response.status} {response.reason}\r\n{_lines(headers)}\r\n".encode("latin-1")
    return head if is_head or has_none else head + response.body


def _lines(headers: Headers) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in headers)
