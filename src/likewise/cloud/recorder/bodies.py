"""Request and response bodies, captured without disturbing whoever sends or reads them."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from hashlib import blake2b
from typing import Any

from likewise.cloud.sums import Sums

LIMIT = 32 * 1024 * 1024
"""A body longer than this is known by its length and digest alone."""

_BLOCK = 1024 * 1024


class Sink:
    """What has gone through a stream so far; chunks are kept by reference, hashed only beyond `LIMIT`.

    Of what is `sent` the checksums are kept then, too: a request states them beside it.
    """

    __slots__ = ("_chunks", "_digest", "complete", "sent", "size", "sums")

    def __init__(self, *, sent: bool = False) -> None:
        self._chunks: list[bytes] = []
        self._digest: Any = None
        self.sent = sent
        self.sums: Sums | None = None
        self.size = 0
        self.complete = False

    def feed(self, chunk: bytes) -> None:
        """Take one chunk."""
        self.size += len(chunk)
        if self._digest is not None:
            self._hash(chunk)
            return
        self._chunks.append(chunk)
        if self.size > LIMIT:
            self._digest = blake2b(digest_size=16)
            self.sums = Sums() if self.sent else None
            for kept in self._chunks:
                self._hash(kept)
            self._chunks.clear()

    def _hash(self, chunk: bytes) -> None:
        self._digest.update(chunk)
        if self.sums is not None:
            self.sums.feed(chunk)

    def restart(self) -> None:
        """Forget everything: the stream was rewound."""
        self.__init__(sent=self.sent)  # type: ignore[misc]

    @property
    def is_whole(self) -> bool:
        """Whether `content` is what went through, not a description of it."""
        return self._digest is None

    @property
    def content(self) -> bytes:
        """The bytes, or for a long stream one line that tells it from every other."""
        if self._digest is None:
            return b"".join(self._chunks)
        return b"%d bytes, blake2b %s" % (self.size, self._digest.hexdigest().encode())


class NotCaptured:
    """A body that could not be looked at without disturbing it."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = why


Kept = bytes | str | None | Sink | NotCaptured


def capture(body: Any, put_back: Callable[[Any], None]) -> Kept:
    """Keep what is about to be sent.

    Bytes are kept by reference, anything that can be rewound is read and rewound, and anything that
    can be read only once is replaced, through `put_back`, by an equivalent that is followed as it goes.
    """
    if body is None or type(body) is bytes or type(body) is str:
        return body
    if isinstance(body, bytearray | memoryview | bytes):
        return bytes(body)
    if isinstance(body, str):
        return str(body)
    if isinstance(body, list | tuple) and all(isinstance(part, bytes) for part in body):
        return b"".join(body)
    if hasattr(body, "__aiter__") and not hasattr(body, "read"):
        sink = Sink(sent=True)
        put_back(_follow_async(body, sink))
        return sink
    read = getattr(body, "read", None)
    if read is not None:
        return _capture_reader(body, put_back)
    if hasattr(body, "__next__"):
        sink = Sink(sent=True)
        put_back(_follow(body, sink))
        return sink
    return NotCaptured(f"a body of type {type(body).__name__}")


def payload_of(body: Any) -> Any:
    """What an `aws-chunked` wrapper wraps; any other body is its own payload."""
    return getattr(body, "_raw", body) if type(body).__name__.endswith("AwsChunkedWrapper") else body


def _capture_reader(body: Any, put_back: Callable[[Any], None]) -> Kept:
    payload = payload_of(body)
    if inspect.iscoroutinefunction(payload.read):
        return NotCaptured(f"an asynchronous body of type {type(payload).__name__}")
    if _is_seekable(payload):
        return _read_and_rewind(payload)
    if payload is not body:
        return NotCaptured(f"a wrapped body of type {type(payload).__name__} that cannot be rewound")
    sink = Sink(sent=True)
    put_back(_SizedReader(body, sink) if hasattr(body, "__len__") else _Reader(body, sink))
    return sink


def _is_seekable(body: Any) -> bool:
    if not hasattr(body, "seek") or not hasattr(body, "tell"):
        return False
    seekable = getattr(body, "seekable", None)
    return seekable is None or bool(seekable())


def _read_and_rewind(body: Any) -> Kept:
    """Read to the end and go back. A transfer's own progress reports are held meanwhile."""
    hush, resume = getattr(body, "signal_not_transferring", None), getattr(body, "signal_transferring", None)
    if hush is not None:
        hush()
    try:
        place = body.tell()
        sink = Sink(sent=True)
        try:
            while chunk := body.read(_BLOCK):
                sink.feed(chunk.encode() if isinstance(chunk, str) else chunk)
        finally:
            body.seek(place)
    finally:
        if resume is not None:
            resume()
    return sink.content if sink.is_whole else sink


def _follow(body: Iterator[Any], sink: Sink) -> Iterator[Any]:
    for chunk in body:
        sink.feed(chunk.encode() if isinstance(chunk, str) else bytes(chunk))
        yield chunk
    sink.complete = True


async def _follow_async(body: Any, sink: Sink) -> AsyncIterator[Any]:
    async for chunk in body:
        sink.feed(chunk.encode() if isinstance(chunk, str) else bytes(chunk))
        yield chunk
    sink.complete = True


class _Reader:
    """A readable that can be read once, followed as it is read."""

    def __init__(self, body: Any, sink: Sink) -> None:
        self._body, self._sink = body, sink

    def read(self, *args: Any) -> Any:
        chunk = self._body.read(*args)
        if chunk:
            self._sink.feed(chunk.encode() if isinstance(chunk, str) else bytes(chunk))
        return chunk

    def __iter__(self) -> Iterator[Any]:
        while chunk := self.read(_BLOCK):
            yield chunk

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._body, name)


class _SizedReader(_Reader):
    def __len__(self) -> int:
        return len(self._body)


class Tee:
    """The raw stream behind a response: everything that is read from it also goes to a sink."""

    def __init__(self, raw: Any, sink: Sink) -> None:
        self._raw, self._sink = raw, sink

    def _saw(self, chunk: Any, asked: int | None) -> Any:
        if chunk:
            self._sink.feed(bytes(chunk))
        if asked is None or asked < 0 or (not chunk and asked):
            self._sink.complete = True
        return chunk

    def read(self, amt: int | None = None, *args: Any, **kwargs: Any) -> Any:
        chunk = self._raw.read(amt, *args, **kwargs) if amt is not None else self._raw.read(*args, **kwargs)
        return self._saw(chunk, amt)

    def read1(self, amt: int | None = None, **kwargs: Any) -> Any:
        chunk = self._raw.read1(**kwargs) if amt is None else self._raw.read1(amt, **kwargs)
        return self._saw(chunk, 1)

    def readinto(self, buffer: Any) -> int:
        count: int = self._raw.readinto(buffer)
        self._saw(bytes(memoryview(buffer)[:count]), len(buffer))
        return count

    def readline(self, limit: int = -1) -> Any:
        return self._saw(self._raw.readline(limit), 1)

    def readlines(self, hint: int = -1) -> list[Any]:
        lines = self._raw.readlines(hint)
        self._saw(b"".join(lines), None)
        return lines  # type: ignore[no-any-return]

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        for chunk in self._raw.stream(*args, **kwargs):
            self._sink.feed(bytes(chunk))
            yield chunk
        self._sink.complete = True

    async def aiter_raw(self, *args: Any) -> AsyncIterator[bytes]:
        async for chunk in self._raw.aiter_raw(*args):
            self._sink.feed(chunk)
            yield chunk
        self._sink.complete = True

    def __iter__(self) -> Iterator[Any]:
        for chunk in self._raw:
            self._sink.feed(bytes(chunk))
            yield chunk
        self._sink.complete = True

    def __next__(self) -> Any:
        return self._saw(next(self._raw), 1)

    def __getattr__(self, name: str) -> Any:
        if name in ("_raw", "_sink"):
            raise AttributeError(name)
        return getattr(self._raw, name)


class AsyncTee:
    """The same for the `content` of an aiohttp response."""

    def __init__(self, content: Any, sink: Sink) -> None:
        self._content, self._sink = content, sink

    def _saw(self, chunk: bytes, asked: int) -> bytes:
        if chunk:
            self._sink.feed(chunk)
        if asked < 0 or (not chunk and asked):
            self._sink.complete = True
        return chunk

    async def read(self, n: int = -1) -> bytes:
        return self._saw(await self._content.read(n), n)

    async def readany(self) -> bytes:
        return self._saw(await self._content.readany(), 1)

    async def readexactly(self, n: int) -> bytes:
        return self._saw(await self._content.readexactly(n), n)

    async def readline(self, **kwargs: Any) -> bytes:
        return self._saw(await self._content.readline(**kwargs), 1)

    async def readchunk(self) -> tuple[bytes, bool]:
        chunk, end = await self._content.readchunk()
        return self._saw(chunk, 1), end

    async def _iterate(self, size: int) -> AsyncIterator[bytes]:
        while chunk := await (self.read(size) if size > 0 else self.readany()):
            yield chunk

    def iter_chunked(self, n: int) -> AsyncIterator[bytes]:
        return self._iterate(n)

    def iter_any(self) -> AsyncIterator[bytes]:
        return self._iterate(0)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while line := await self.readline():
            yield line

    def __getattr__(self, name: str) -> Any:
        if name in ("_content", "_sink"):
            raise AttributeError(name)
        return getattr(self._content, name)
