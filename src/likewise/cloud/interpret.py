"""HTTP exchanges become interactions: named, normalised, and placed in the tree of resources."""

from __future__ import annotations

from collections.abc import Mapping as Headers
from collections.abc import Sequence

from likewise.cloud.ages import may_have_dates, moment
from likewise.cloud.bodies import WRITTEN, layout, opaque, parse, split_multipart, unchunk
from likewise.cloud.contents import Contents
from likewise.cloud.dates import Dates
from likewise.cloud.exchange import Exchange
from likewise.cloud.regions import moved, signed_for
from likewise.cloud.services import SERVICES, Call, Service
from likewise.cloud.services.call import decode, read_query, split_url
from likewise.cloud.services.headers import (
    identity,
    request_headers,
    response_headers,
    signed_with,
    wire_headers,
)
from likewise.cloud.services.query import semantic_query
from likewise.cloud.statements import mark_statements
from likewise.cloud.transport import LOOKS, asked_for, retries_in, told
from likewise.model import (
    Effect,
    Interaction,
    Lost,
    Mapping,
    Opaque,
    Operation,
    Outcome,
    Raised,
    Returned,
    Scope,
    TimedOut,
    Touch,
    Value,
)

WIRE_LIMIT = 1 << 20
"""Request bodies up to this many bytes are kept so that a call can be repeated."""


_FORMER = frozenset({"snapshot", "versionid", "versionId"})
"""What, in a query, asks for a former state of something."""


class Interpreter:
    """Reads the exchanges of one world, in their order: what it learns from one it needs for the next.

    `home` is the region that counts as the suite's own; where it is not known, the first one seen does.
    """

    def __init__(self, *, home: str = "") -> None:
        self._home = home
        self._services: dict[str, Service] = {service.name: service() for service in SERVICES}
        self._elsewhere: dict[tuple[str, str], Service] = {}
        self._dates = Dates()
        self._contents = Contents()

    def interpret(self, exchange: Exchange, *, order: int) -> Interaction:
        """One exchange as an interaction. Input that makes no sense is kept as it is, never refused."""
        call = _taken_apart(exchange)
        service = self._service(exchange.service_hint, call)
        if service is None:
            return self._unknown(exchange, call, order)
        region = self._foreign_region(call)
        if region and service.is_regional:
            service = self._elsewhere.setdefault((service.name, region), type(service)())
        service.place(call)
        call.request = _request_body(service, call)
        call.response = _response_body(service, call)
        service.read(call)
        touches = service.touches(call)
        if region and service.is_regional:
            touches = moved(touches, region)
        self._follow_content(call, service, touches)
        service.learn(call)
        service.mask(call)
        return Interaction(
            operation=Operation(service.name, call.operation or _shape(call)),
            arguments=_identified(self._asked(call, service, exchange), call, exchange, region),
            outcome=self._outcome(exchange, call, service, touches),
            touches=touches,
            receiver=call.account,
            order=order,
            lane=exchange.lane,
            started=exchange.started,
            ended=exchange.ended,
            wire=_wire(exchange),
            seen=exchange.seen,
        )

    def _follow_content(self, call: Call, service: Service, touches: tuple[Touch, ...]) -> None:
        """Tell content that came back in terms of what was sent, and note what is sent."""
        is_told = isinstance(call.response, Opaque | str) and not call.is_refused
        if is_told and call.operation in service.content_received:
            call.response = self._contents.tell(touches, call.response_content or b"")
        if not call.is_refused and _FORMER.isdisjoint(call.query):
            mark_statements(call, service, self._contents, touches)
        is_sent = call.operation in service.content_sent and not call.sums
        self._contents.take(touches, call.content if is_sent else None)

    def _foreign_region(self, call: Call) -> str:
        """The region that a call was made in, if that is not the suite's own."""
        region = signed_for(call.headers, call.query)
        self._home = self._home or region
        return "" if region == self._home else region

    def _service(self, hint: str, call: Call) -> Service | None:
        if hint in self._services:
            return self._services[hint]
        return next((service for service in self._services.values() if service.recognises(call)), None)

    def _unknown(self, exchange: Exchange, call: Call, order: int) -> Interaction:
        """Nobody's request: it may have changed anything, so it is taken to have changed everything."""
        call.names = [decode(name) for name in call.path.split("/") if name]
        call.request = parse(call.content or b"", call.headers.get("content-type", ""))
        call.response = parse(call.response_content or b"", call.response_headers.get("content-type", ""))
        effect = Effect.READ if call.is_refused else Effect.WRITE
        names = ["http", *self._services]
        touches = [
            Touch(resource=(name,), effect=effect, scope=Scope.SUBTREE, attempted=call.is_refused)
            for name in names
        ]
        return Interaction(
            operation=Operation("http", _shape(call)),
            arguments=_identified(self._asked(call, None, exchange), call, exchange),
            outcome=self._outcome(exchange, call, None, ()),
            touches=tuple(touches),
            order=order,
            lane=exchange.lane,
            started=exchange.started,
            ended=exchange.ended,
            wire=_wire(exchange),
            seen=exchange.seen,
        )

    def _asked(self, call: Call, service: Service | None, exchange: Exchange) -> Mapping:
        now = _sent_at(exchange)
        return self._dates.asked(_arguments(call, service, now), call.names, now)

    def _outcome(
        self, exchange: Exchange, call: Call, service: Service | None, touches: Sequence[Touch]
    ) -> Outcome:
        if call.status is None:
            return _unanswered(exchange)
        if call.status >= 400 or call.has_failed:
            return _refused(exchange, call, service)
        answer: Mapping = {
            "status": call.status,
            "headers": _told(exchange, call, service),
            "body": call.response,
        }
        now = moment(call.response_headers.get("date", ""))
        has_dates = may_have_dates(call.response_content or b"")
        if not _FORMER.isdisjoint(call.query):
            touches = ()  # what it tells of is not what was changed last
        marked = self._dates.answered(answer, call.names, touches, now, has_dates=has_dates)
        return Returned(value=marked)


def may_change(method: str, url: str) -> bool:
    """Whether a request may change anything, where nothing but this is known of it."""
    if method.upper() not in ("GET", "HEAD"):
        return True
    call = Interpreter().interpret(Exchange(method=method, url=url, status=200), order=0)
    return any(touch.effect is not Effect.READ for touch in call.touches)


def _taken_apart(exchange: Exchange) -> Call:
    headers = exchange.headers
    host, path, query = split_url(exchange.url, headers.get("host", ""))
    content = exchange.body
    if content and (
        "aws-chunked" in headers.get("content-encoding", "")
        or headers.get("x-amz-content-sha256", "").startswith("STREAMING-")
    ):
        content = unchunk(content)
    return Call(
        method=exchange.method.upper(),
        host=host,
        path=path,
        query=read_query(query),
        headers=headers,
        content=content,
        sums=exchange.sums,
        status=exchange.status,
        response_headers=exchange.response_headers,
        response_content=exchange.response_body,
        started=exchange.started,
        hint=exchange.operation_hint,
    )


def _request_body(service: Service, call: Call) -> Value:
    if not call.content:
        return _unseen(call.headers) if call.content is None else None
    if call.operation in service.content_sent:
        return opaque(call.content)
    content_type = call.headers.get("content-type", "")
    if content_type.startswith("multipart/"):
        return _inner_requests(service, call, content_type)
    return parse(call.content, content_type, shape=service.shape_sent or service.shape)


def _response_body(service: Service, call: Call) -> Value:
    content = call.response_content
    if not content:
        return None
    content_type = call.response_headers.get("content-type", "")
    if content_type.startswith("multipart/mixed"):
        return _inner_answers(service, call, content_type)
    if call.operation in service.content_received and not call.is_refused:
        return opaque(content)
    body = parse(content, content_type, shape=service.shape)
    if call.operation in service.text_received and isinstance(body, dict) and not call.is_refused:
        return {**body, WRITTEN: layout(content)}
    return body


def _unseen(headers: Headers[str, str]) -> Value:
    """A body that was sent but not recorded is known by its length alone."""
    length = headers.get("x-amz-decoded-content-length") or headers.get("content-length", "0")
    return {"length": int(length)} if length.isdecimal() and int(length) else None


def _inner_requests(service: Service, call: Call, content_type: str) -> Value:
    """The requests of a batch, each as its service names it; a form's fields stay as they are."""
    parts = split_multipart(call.content or b"", content_type)
    if parts is None:
        return opaque(call.content or b"")
    listed: list[Value] = []
    for part in parts:
        method, _, rest = part.start.partition(" ")
        body = parse(part.body, part.headers.get("content-type", ""), shape=service.shape)
        if not rest:
            listed.append({"headers": dict(part.headers), "body": body})
            continue
        url = rest.rpartition(" ")[0] or rest
        host, path, query = split_url(url if "://" in url else f"{call.host}{url}")
        inner = Call(
            method=method,
            host=host if "://" in url else call.host,
            path=path,
            query=read_query(query),
            headers=part.headers,
            content=part.body,
            status=call.status if call.is_refused else None,
            request=body,
        )
        service.place(inner)
        call.parts.append(inner)
        listed.append({"method": method, **_arguments(inner, service)})
    return listed


def _inner_answers(service: Service, call: Call, content_type: str) -> Value:
    """The answers of a batch; each inner call learns whether it was refused."""
    parts = split_multipart(call.response_content or b"", content_type)
    if parts is None:
        return opaque(call.response_content or b"")
    listed: list[Value] = []
    statuses: list[int] = []
    for part in parts:
        status = part.start.split(" ")[1:2]
        statuses.append(int(status[0]) if status and status[0].isdecimal() else 0)
        answer = Call(
            method="",
            host="",
            path="",
            query={},
            headers={},
            account=call.account,
            response_headers=part.headers,
            response_content=part.body,
        )
        answer.response = parse(part.body, part.headers.get("content-type", ""), shape=service.shape)
        service.mask(answer)
        headers = response_headers(answer, service)
        listed.append({"status": statuses[-1], "headers": headers, "body": _without_ids(answer.response)})
    if len(statuses) == len(call.parts):
        for inner, status_code in zip(call.parts, statuses, strict=True):
            inner.status = status_code
    elif any(code >= 400 for code in statuses):
        for inner in call.parts:  # all or nothing: one refusal stands for all
            inner.status = next(code for code in statuses if code >= 400)
    return listed


def _arguments(call: Call, service: Service | None, now: float = 0.0) -> Mapping:
    return {
        "resource": list(call.names),
        "query": semantic_query(call.query, now),
        "headers": request_headers(call, service),
        "body": call.request,
    }


def _identified(arguments: Mapping, call: Call, exchange: Exchange, region: str = "") -> Mapping:
    """Say how the caller identified itself, where that is not by an ordinary signature of the suite's own.

    And what it asks for that others are not told.
    """
    if who := exchange.signer or identity(call):
        arguments["identity"] = who
    if region:
        arguments["region"] = region
    if looks := asked_for(exchange.seen):
        arguments[LOOKS] = list(looks)
    return arguments


def _refused(exchange: Exchange, call: Call, service: Service | None) -> Raised:
    code, message, detail = _refusal(call.response)
    kind = code or call.response_headers.get("x-ms-error-code") or str(call.status)
    value: Mapping = {"status": call.status, "headers": _told(exchange, call, service), "body": detail}
    if service is not None and service.shows_reason:
        value["reason"] = exchange.reason
    return Raised(kind=kind, message=_timeless(message), value=value)


def _unanswered(exchange: Exchange) -> Outcome:
    reason = exchange.failure or "no answer"
    if "timed out" in reason.lower() or "timeout" in reason.lower():
        return TimedOut(after=round(exchange.ended - exchange.started, 1))
    return Lost(reason=reason)


def _told(exchange: Exchange, call: Call, service: Service | None) -> dict[str, Value]:
    """The headers of an answer that matter; of the request's id and the date, only that they are there.

    Azure's SDKs hand both to whoever asks what a call came to.
    """
    headers = response_headers(call, service)
    if asked := asked_for(exchange.seen):
        headers |= told(asked, call.response_headers, retries_in(call.headers) + exchange.retries)
    if service is not None and service.tells_request:
        if "x-ms-request-id" in call.response_headers:
            headers["x-ms-request-id"] = "<id>"
        if moment(call.response_headers.get("date", "")) is not None:
            headers["date"] = "<now>"
    return headers


def _sent_at(exchange: Exchange) -> float:
    """When a request was made, by the client's clock."""
    stated = moment(exchange.headers.get("x-ms-date", "")) or moment(exchange.headers.get("date", ""))
    return stated or exchange.started


_VOLATILE = ("RequestId", "HostId", "ServerTime", "requestId", "RequestID")


def _refusal(body: Value) -> tuple[str, str, Value]:
    """Code, message and remaining detail of an error body, in any of the shapes that services have."""
    if not isinstance(body, dict):
        return "", body if isinstance(body, str) else "", None if isinstance(body, str) else body
    inner = next((body[name] for name in ("Error", "error", "odata.error") if name in body), body)
    if not isinstance(inner, dict):
        return "", "", body
    code = message = ""
    detail: dict[str, Value] = {}
    for name, value in inner.items():
        if name in ("Code", "code", "__type") and isinstance(value, str):
            code = value.rpartition("#")[2]
        elif name in ("Message", "message"):
            text = value.get("value", "") if isinstance(value, dict) else value
            message = str(text or "")
        elif name not in _VOLATILE:
            detail[name] = value
    return code, message, detail or None


def _timeless(message: str) -> str:
    """A message without the request's id and time that some services put at its end."""
    if "RequestId:" not in message:
        return message
    return message.partition("RequestId:")[0].rstrip()


def _without_ids(body: Value) -> Value:
    """An error inside a batch without the request's id and time."""
    code, message, detail = _refusal(body)
    return {"code": code, "message": _timeless(message), "detail": detail} if code and message else body


def _shape(call: Call) -> str:
    """A request nobody knows, by its form: as many stars as names, and what the query mentions."""
    depth = len([piece for piece in call.path.split("/") if piece])
    flags = "&".join(sorted(semantic_query(call.query)))
    return f"{call.method} /{'/'.join('*' * depth)}{'?' + flags if flags else ''}"


def _wire(exchange: Exchange) -> Mapping:
    wire: Mapping = {
        "method": exchange.method,
        "url": exchange.url,
        "headers": wire_headers(exchange.headers),
    }
    if exchange.body is not None and len(exchange.body) <= WIRE_LIMIT:
        wire["body"] = exchange.body
    if mark := signed_with(exchange.headers):
        wire["key"] = mark
    return wire
