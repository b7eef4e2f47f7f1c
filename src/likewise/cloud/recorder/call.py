"""One call as it is kept until somebody has time to interpret it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from likewise.cloud.exchange import Exchange, header_name
from likewise.cloud.recorder.bodies import Kept, NotCaptured, Sink
from likewise.cloud.recorder.looking import Look
from likewise.model import Interaction

if TYPE_CHECKING:
    from likewise.cloud.recorder.placement import Running


class Call:
    """References to a request and its answer; everything that costs time is done by `exchange`."""

    __slots__ = (
        "answer_body",
        "answer_headers",
        "body",
        "chunked",
        "done",
        "ended",
        "failure",
        "headers",
        "is_late",
        "is_looked_at_late",
        "lane",
        "look",
        "method",
        "objection",
        "operation",
        "reason",
        "seen",
        "started",
        "status",
        "test",
        "url",
        "world",
    )

    test: Running
    lane: str
    world: str
    answer_headers: Any
    answer_body: bytes | Sink | None
    """Bytes, or a sink that a reader fills; None where it is unread."""

    def __init__(self, method: str, url: str, headers: Any, operation: Any, body: Kept = None) -> None:
        self.method, self.url, self.headers, self.operation = method, url, headers, operation
        self.body = body
        self.chunked = False
        self.status: int | None = None
        self.reason = ""
        self.failure: BaseException | str = ""
        self.is_late = self.is_looked_at_late = False
        self.objection = ""
        self.look: Look | None = None
        self.seen: tuple[str, ...] | None = None
        self.done: Interaction | None = None
        self.ended = 0.0
        self.started = time.time()

    @property
    def answer(self) -> Answer | None:
        """What came back, if anything did."""
        if self.status is None:
            return None
        return Answer(self.status, self.answer_headers, self.answer_body)

    @property
    def name(self) -> str:
        """The call for a person: `s3.PutObject`, or method and path where the SDK names none."""
        service, operation = self.hints()
        return f"{service}.{operation}" if operation else f"{self.method} {self.url.partition('?')[0]}"

    def hints(self) -> tuple[str, str]:
        """The service and operation as the SDK names them."""
        if self.operation is None:
            return "", ""
        return str(self.operation.service_model.service_name), str(self.operation.name)

    def exchange(self) -> Exchange:
        """The call as an exchange, with what has been read of its answer so far."""
        service, operation = self.hints()
        headers = _plain(self.headers)
        if self.chunked:
            _unchunk(headers)
        answer, failure = self.answer, self.failure
        if isinstance(failure, BaseException):
            failure = f"{type(failure).__name__}: {failure}"
        if answer is None and not failure:
            failure = "no answer before the test ended"
        return Exchange(
            method=self.method,
            url=self.url,
            headers=headers,
            body=_content(self.body),
            status=None if answer is None else answer.status,
            reason=self.reason,
            response_headers={} if answer is None else _plain(answer.headers),
            response_body=None if answer is None else answer.content(),
            started=self.started,
            ended=self.ended or self.started,
            lane=self.lane,
            operation_hint=operation,
            service_hint=service,
            failure=failure,
            seen=self.seen,
            sums=self.body.sums if isinstance(self.body, Sink) else None,
        )

    @property
    def is_repeatable(self) -> bool:
        """Whether the whole request is known."""
        if isinstance(self.body, Sink):
            return self.body.is_whole
        return not isinstance(self.body, NotCaptured)

    def release(self) -> None:
        """Let go of everything that the interaction made from this call has taken over."""
        self.status = self.headers = self.answer_headers = None
        self.body = self.answer_body = None
        self.failure = ""


class Answer:
    """References to an answer. `body` is the bytes, a sink that a reader fills, or None where unread."""

    __slots__ = ("body", "headers", "status")

    def __init__(self, status: int, headers: Any, body: bytes | Sink | None) -> None:
        self.status, self.headers, self.body = status, headers, body

    def content(self) -> bytes | None:
        """What the client has read so far; None where there was something and it read nothing of it."""
        if isinstance(self.body, Sink):
            return self.body.content if self.body.size or not self.unread() else None
        return self.body

    def unread(self) -> str:
        """What the client did not read of a stream, or nothing to say."""
        if not isinstance(self.body, Sink) or self.body.complete:
            return ""
        length = _plain(self.headers).get("content-length", "")
        if length == str(self.body.size):
            return ""
        return f"{self.body.size} of {length or 'unknown'} bytes were read"


def _content(body: Kept) -> bytes | None:
    match body:
        case str():
            return body.encode()
        case Sink():
            return body.content
        case NotCaptured():
            return None
    return body


def _plain(headers: Any) -> dict[str, str]:
    """Headers as text, under the names by which they count."""
    inner = getattr(headers, "_dict", None)
    if type(inner) is dict and type(headers).__name__ == "HeadersDict":
        # botocore's own mapping hashes a new key object for every look-up; its inside has all we need.
        return {
            header_name(key._key) if "-meta-" in key._lower else key._lower: (
                value if type(value) is str else _text(value)
            )
            for key, value in inner.items()
        }
    return {
        header_name(str(name)): value if type(value) is str else _text(value)
        for name, value in headers.items()
    }


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


_FRAMING = ("x-amz-trailer", "x-amz-decoded-content-length", "transfer-encoding", "x-amz-content-sha256")


def _unchunk(headers: dict[str, str]) -> None:
    """Take out the headers that describe aws-chunked framing: the payload was captured without it."""
    for name in _FRAMING:
        headers.pop(name, None)
    codings = [each.strip() for each in headers.pop("content-encoding", "").split(",")]
    rest = ",".join(each for each in codings if each and each != "aws-chunked")
    if rest:
        headers["content-encoding"] = rest
