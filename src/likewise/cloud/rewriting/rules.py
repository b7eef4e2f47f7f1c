"""Rules that make one server answer like a slightly different one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote

from likewise.cloud.rewriting import trees
from likewise.cloud.rewriting.messages import Request, Response, answer, error, success

Matcher = str | Callable[[Request], bool]
"""Operations by name, `s3.PutObject` or `s3.Put*`, several with commas between; or any predicate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """Close the connection; where `forward` is set, only after the server below has done the work."""

    forward: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hang:
    """Say nothing for so long, then close the connection."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """Send these bytes, whatever they mean, and close the connection."""

    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Twice:
    """Send the request to the server below two times and return the second answer."""


Action = Request | Response | Drop | Hang | Raw | Twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One injected difference.

    `on_request` sees a request before the server below does, and may change it, answer it or break off;
    `on_response` may change what comes back. Returning what it was given, a rule does not count as hit.
    """

    name: str
    matches: Callable[[Request], bool]
    on_request: Callable[[Request], Action] | None = None
    on_response: Callable[[Request, Response], Response] | None = None


def matching(which: Matcher) -> Callable[[Request], bool]:
    """The predicate for a matcher."""
    if callable(which):
        return which
    patterns = [pattern.strip() for pattern in which.split(",")]
    return lambda request: any(fnmatchcase(request.operation, pattern) for pattern in patterns)


def reject(
    which: Matcher,
    status: int,
    code: str,
    message: str = "",
    *,
    when: Callable[[Request], bool] | None = None,
) -> Rule:
    """Refuse calls that the server below would take; `when` narrows it to some arguments."""
    return Rule(
        name="reject",
        matches=_both(matching(which), when),
        on_request=lambda request: error(request, status, code, message or code),
    )


def reject_parameter(
    which: Matcher, parameter: str, status: int = 400, code: str = "InvalidArgument"
) -> Rule:
    """Refuse calls that carry a header, a query parameter, or a field of the body of this name."""

    def carries(request: Request) -> bool:
        return (
            bool(request.header(parameter))
            or parameter in request.query
            or _mentions(request.body, parameter)
        )

    message = f"The parameter {parameter} is not allowed here."
    rule = reject(which, status, code, message, when=carries)
    return Rule(name="reject_parameter", matches=rule.matches, on_request=rule.on_request)


def limit_size(which: Matcher, limit: int, status: int = 400, code: str = "EntityTooLarge") -> Rule:
    """Refuse request bodies over a limit."""
    rule = reject(
        which, status, code, f"The limit is {limit} bytes.", when=lambda request: len(request.body) > limit
    )
    return Rule(name="limit_size", matches=rule.matches, on_request=rule.on_request)


def deny(which: Matcher) -> Rule:
    """Enforce an authorisation that the server below does not: the caller may not do this."""
    codes = {"dynamodb": (400, "AccessDeniedException"), "s3": (403, "AccessDenied")}

    def refuse(request: Request) -> Response:
        status, code = codes.get(request.service, (403, "AuthorizationPermissionMismatch"))
        return error(request, status, code, "The caller is not authorised to perform this operation.")

    return Rule(name="deny", matches=matching(which), on_request=refuse)


def forgive(which: Matcher, *, status: int | None = None) -> Rule:
    """Take what the server below refuses: an error becomes a plain success."""

    def excuse(request: Request, response: Response) -> Response:
        if response.status < 400:
            return response
        pardon = success(request)
        return pardon if status is None else pardon.with_status(status)

    return Rule(name="forgive", matches=matching(which), on_response=excuse)


def change_status(which: Matcher, old: int, new: int) -> Rule:
    """Answer with another status where the old one would be given."""
    return _response_rule(
        "change_status",
        which,
        lambda _, response: response.with_status(new) if response.status == old else response,
    )


def change_code(which: Matcher, old: str, new: str) -> Rule:
    """Name an error differently."""

    def rename(request: Request, response: Response) -> Response:
        if response.status < 400:
            return response
        renamed = trees.change_response(response, "header:x-ms-error-code", _exactly(old, new))
        for field in ("Error.Code", "odata.error.code", "code"):
            renamed = trees.change_response(renamed, field, _exactly(old, new))
        return trees.change_response(renamed, "__type", lambda kind: _renamed_type(kind, old, new))

    return _response_rule("change_code", which, rename)


def change_message(which: Matcher, new: str) -> Rule:
    """Word errors differently."""

    def reword(request: Request, response: Response) -> Response:
        if response.status < 400:
            return response
        for field in ("Message", "message.value", "message"):
            response = trees.change_response(
                response, field, lambda old: new if isinstance(old, str) else old
            )
        return trees.change_response(
            response, "value", lambda old: new if request.service == "table" else old
        )

    return _response_rule("change_message", which, reword)


def drop_field(which: Matcher, field: str) -> Rule:
    """Leave a field, or a header named `header:NAME`, out of successful answers."""
    return _field_rule("drop_field", which, field, lambda _: trees.GONE)


def change_field(which: Matcher, field: str, new: Any) -> Rule:
    """Give a field another value: a constant, or what a function makes of the old one."""
    return _field_rule("change_field", which, field, new if callable(new) else lambda _: new)


def add_field(which: Matcher, field: str, value: str) -> Rule:
    """Give successful answers one more field, or header."""

    def extend(_: Request, response: Response) -> Response:
        if field.startswith("header:"):
            return response.with_header(field.removeprefix("header:"), value)
        body = trees.add(response.body, field, value)
        return response if body == response.body else response.with_body(body)

    return _response_rule("add_field", which, _if_success(extend))


def reverse_list(which: Matcher, field: str) -> Rule:
    """Give a list the other way round: a JSON list, or all XML elements of a name."""
    return _body_rule("reverse_list", which, lambda body: trees.reverse(body, field))


def drop_last(which: Matcher, field: str) -> Rule:
    """Leave the last item out of a list."""
    return _body_rule("drop_last", which, lambda body: trees.without_last(body, field))


def change_body(which: Matcher, how: Callable[[bytes], bytes]) -> Rule:
    """Change the content of successful answers: an object cut short, another line ending."""
    return _body_rule("change_body", which, how)


def change_argument(which: Matcher, field: str, new: Any) -> Rule:
    """Store something else than was asked for: change a field, or `header:NAME`, of the request."""
    how = new if callable(new) else lambda _: new

    def rewrite(request: Request) -> Request:
        if field.startswith("header:"):
            name = field.removeprefix("header:")
            old = request.header(name)
            return request.with_header(name, str(how(old))) if old and str(how(old)) != old else request
        body = trees.change(request.body, field, how)
        return request if body == request.body else request.with_body(body)

    return Rule(name="change_argument", matches=matching(which), on_request=rewrite)


def page_size(n: int, which: Matcher = "*") -> Rule:
    """Never give more than n items a page."""
    names = {"s3": "max-keys", "blob": "maxresults", "queue": "maxresults", "table": "$top"}

    def is_list(request: Request) -> bool:
        operation = request.operation.partition(".")[2]
        return any(word in operation for word in ("List", "Query", "Scan"))

    def shrink(request: Request) -> Request:
        if request.service == "dynamodb":
            return _shrunk_body(request, n)
        name = names.get(request.service, "max-keys")
        asked = request.query.get(name, "")
        if asked and (not asked.isdecimal() or int(asked) <= n):
            return request  # what is no number is for the server below to refuse
        return with_query(request, name, str(n))

    return Rule(name="page_size", matches=_both(matching(which), is_list), on_request=shrink)


def missing_configuration(which: Matcher, code: str, *, status: int = 404) -> Rule:
    """Say 'not found' for a configuration that was never set, where the server below gives a default.

    A configuration counts as set once a put for the same resource and aspect has been taken.
    """
    is_asked = matching(which)
    written: set[tuple[str, ...]] = set()

    def judge(request: Request, response: Response) -> Response:
        place = (*request.names, *sorted(request.query))
        if request.method == "PUT" and response.status < 300:
            written.add(place)
        if request.method == "DELETE" and response.status < 300:
            written.discard(place)
        if is_asked(request) and response.status < 300 and place not in written:
            return error(request, status, code, "The configuration does not exist.")
        return response

    return Rule(name="missing_configuration", matches=lambda _: True, on_response=judge)


def default_configuration(which: Matcher, body: bytes) -> Rule:
    """Give a default for a configuration that was never set, where the server below says 'not found'."""

    def fill(request: Request, response: Response) -> Response:
        if response.status != 404:
            return response
        return answer(200, body, (("Content-Type", response.header("Content-Type", "application/xml")),))

    return _response_rule("default_configuration", which, fill)


def with_query(request: Request, name: str, value: str) -> Request:
    """The request with one query parameter set."""
    path, _, query = request.target.partition("?")
    kept = [
        piece for piece in query.split("&") if piece and piece.partition("=")[0].replace("%24", "$") != name
    ]
    return Request(
        method=request.method,
        target=f"{path}?{'&'.join([*kept, f'{quote(name)}={quote(value)}'])}",
        headers=request.headers,
        body=request.body,
        service_hint=request.service_hint,
    )


def _shrunk_body(request: Request, n: int) -> Request:
    if b'"Limit"' in request.body:
        body = trees.change(request.body, "Limit", lambda old: min(old, n) if isinstance(old, int) else old)
    else:
        # The protocol wants a number, so the field is added by hand.
        body = b'{"Limit": %d%s' % (
            n,
            b"}" if request.body.strip() == b"{}" else b", " + request.body.lstrip()[1:],
        )
    return request if body == request.body else request.with_body(body)


def _both(
    first: Callable[[Request], bool], second: Callable[[Request], bool] | None
) -> Callable[[Request], bool]:
    return first if second is None else lambda request: first(request) and second(request)


def _mentions(body: bytes, name: str) -> bool:
    return b'"%s"' % name.encode() in body or b"<%s>" % name.encode() in body


def _exactly(old: str, new: str) -> trees.Change:
    return lambda value: new if value == old else value


def _renamed_type(kind: Any, old: str, new: str) -> Any:
    head, mark, name = str(kind).rpartition("#")
    return f"{head}{mark}{new}" if name == old else kind


def _response_rule(name: str, which: Matcher, how: Callable[[Request, Response], Response]) -> Rule:
    return Rule(name=name, matches=matching(which), on_response=how)


def _if_success(how: Callable[[Request, Response], Response]) -> Callable[[Request, Response], Response]:
    return lambda request, response: how(request, response) if response.status < 300 else response


def _field_rule(name: str, which: Matcher, field: str, how: trees.Change) -> Rule:
    return _response_rule(
        name, which, _if_success(lambda _, response: trees.change_response(response, field, how))
    )


def _body_rule(name: str, which: Matcher, how: Callable[[bytes], bytes]) -> Rule:
    def rewrite(_: Request, response: Response) -> Response:
        body = how(response.body)
        return response if body == response.body else response.with_body(body)

    return _response_rule(name, which, _if_success(rewrite))
