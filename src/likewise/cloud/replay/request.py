"""A recorded request, made ready to be sent to another endpoint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from likewise.cloud.bodies import unchunk
from likewise.cloud.exchange import header_name
from likewise.cloud.marks import WRONG_SECRET
from likewise.cloud.services import S3
from likewise.cloud.services.azure import split_account
from likewise.cloud.services.call import Call, split_url
from likewise.cloud.targets.spec import AWS_SERVICES
from likewise.model import Interaction, ReplayImpossible

# Made anew for every request, or meaningless on another connection.
_TRANSPORT = frozenset(
    [
        "host",
        "connection",
        "content-length",
        "transfer-encoding",
        "expect",
        "accept-encoding",
        "user-agent",
        "authorization",
        "date",
        "x-amz-date",
        "x-ms-date",
        "x-amz-security-token",
        "x-amz-content-sha256",
        "x-amz-trailer",
        "x-amz-decoded-content-length",
        "amz-sdk-invocation-id",
        "amz-sdk-request",
        "x-amz-user-agent",
        "x-ms-client-request-id",
        "x-ms-return-client-request-id",
        "traceparent",
        "tracestate",
    ]
)
_SECONDARY = re.compile(r"^[^/]*-secondary\.|^[^/]*/[^/]*-secondary(?:/|$)")
_READ_BYTES = re.compile(r"(\d+) of ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a service answers: scheme, host with port, and what stands before every path."""

    scheme: str
    host: str
    prefix: str = ""

    @property
    def url(self) -> str:
        """The endpoint as one text."""
        return f"{self.scheme}://{self.host}{self.prefix}"


def read_endpoint(url: str) -> Endpoint:
    """The parts of an endpoint's URL."""
    parts = urlsplit(url)
    return Endpoint(scheme=parts.scheme, host=parts.netloc.rpartition("@")[2], prefix=parts.path.rstrip("/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request: path and query as they go over the wire, header names in lower case."""

    service: str
    method: str
    endpoint: Endpoint
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    region: str = ""
    """Where it is made, if that is not the suite's own region."""

    @property
    def target(self) -> str:
        """What the request line names."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.endpoint.scheme}://{self.endpoint.host}{self.target}"


def obstacle(call: Interaction) -> str:
    """Why a call cannot be repeated by itself, or nothing."""
    wire = call.wire
    if not isinstance(wire.get("url"), str) or not isinstance(wire.get("headers"), dict):
        return "its request was not kept"
    if wire.get("redacted"):
        return "its request was not kept whole, or held a secret"
    if call.operation.service == "http":
        return "it belongs to no known service"
    identity = str(call.arguments.get("identity", ""))
    if identity == "presigned" or identity.startswith("shared access"):
        return (
            f"its authentication stands in the URL ({identity}), and whether it is valid only the test knows"
        )
    if identity == WRONG_SECRET:
        return "it was signed with another secret than the suite was given, and a replay would correct that"
    if call.operation.name == "PostObject":
        return "its authentication stands in the form that it sends"
    headers = _headers(wire["headers"])
    if "x-ms-copy-source-authorization" in headers or "sig=" in headers.get("x-ms-copy-source", ""):
        return "its source carries an authentication of its own"
    if any(name.endswith(("-modified-since", "-unmodified-since")) for name in headers):
        return "it compares with a time of the candidate's, and the reference's clock reads another"
    if _has_wrong_digest(call):
        return "it was signed for another body than it sent"
    if _SECONDARY.match(str(wire["url"]).partition("://")[2]):
        return "it was sent to the secondary location of a storage account"
    body = wire.get("body")
    if not isinstance(body, bytes):
        return "its body was not kept" if _announces_body(headers) else ""
    if headers.get("content-type", "").startswith("multipart/") and b"\nauthorization:" in body.lower():
        return "its parts carry signatures of their own"
    return ""


def _has_wrong_digest(call: Interaction) -> bool:
    """Whether the digest that every signature renews was wrong, perhaps on purpose."""
    kept = call.arguments.get("headers")
    return isinstance(kept, dict) and isinstance(kept.get("x-amz-content-sha256"), dict)


def _announces_body(headers: Mapping[str, str]) -> bool:
    if "transfer-encoding" in headers:
        return True
    return headers.get("x-amz-decoded-content-length", headers.get("content-length", "0")) not in ("", "0")


def _headers(headers: object) -> dict[str, str]:
    assert isinstance(headers, dict)
    return {header_name(str(name)): text for name, text in headers.items() if isinstance(text, str)}


def region_of(call: Interaction) -> str:
    """The region that a call was made in, if that is not the suite's own."""
    return str(call.arguments.get("region", ""))


def rebuild(call: Interaction, endpoint: Endpoint) -> Request:
    """The recorded request, addressed to another endpoint; S3 in path style."""
    if why := obstacle(call):
        raise ReplayImpossible(
            f"{call.operation} cannot be repeated on the reference",
            why=why,
            todo="The whole test has to run.",
        )
    wire = call.wire
    headers = _headers(wire["headers"])
    body = wire.get("body")
    content = body if isinstance(body, bytes) else b""
    if "aws-chunked" in headers.get("content-encoding", ""):
        content = unchunk(content)
        codings = [word.strip() for word in headers.pop("content-encoding").split(",")]
        if rest := ",".join(word for word in codings if word != "aws-chunked"):
            headers["content-encoding"] = rest
    service = call.operation.service
    host, path, query = split_url(str(wire["url"]), headers.get("host", ""))
    kept = {name: text for name, text in headers.items() if name not in _TRANSPORT}
    if "x-ms-copy-source" in kept:
        kept["x-ms-copy-source"] = rebase_url(kept["x-ms-copy-source"], host, endpoint)
    return Request(
        service=service,
        method=str(wire["method"]).upper(),
        endpoint=endpoint,
        path=rebase_path(service, host, path, endpoint),
        query=query,
        headers=kept,
        body=content,
        region=region_of(call),
    )


def rebase_path(service: str, host: str, path: str, endpoint: Endpoint) -> str:
    """A path as it stands at another endpoint."""
    call = Call(method="GET", host=host, path=path, query={}, headers={})
    if service == "s3":
        S3().place(call)
        if call.names and host.startswith(call.names[0].lower() + "."):
            path = f"/{quote(call.names[0])}{path}"
    elif service not in AWS_SERVICES:
        path = "/" + split_account(call)[1]
    return endpoint.prefix + path


def rebase_url(url: str, host: str, endpoint: Endpoint) -> str:
    """A URL inside a request of Azure's, moved along if it names the account that the request goes to."""
    if "://" not in url:
        return url
    there, path, query = split_url(url)
    if there != host:
        return url
    moved = rebase_path("blob", there, path, endpoint)
    return f"{endpoint.scheme}://{endpoint.host}{moved}" + (f"?{query}" if query else "")


def candidate_host(call: Interaction) -> str:
    """The host that the recorded request went to."""
    headers = call.wire.get("headers")
    return split_url(str(call.wire.get("url")), _headers(headers).get("host", "") if headers else "")[0]


def moved_back(text: str, call: Interaction, endpoint: Endpoint) -> str:
    """A URL of the reference's as the candidate would have put it."""
    if not text.startswith(f"{endpoint.url}/"):
        return text
    scheme, host = str(call.wire["url"]).partition("://")[0], candidate_host(call)
    path = split_url(str(call.wire["url"]))[1]
    rest = rebase_path(call.operation.service, host, path, Endpoint(scheme=scheme, host=host))
    prefix = path.removesuffix(rest) if path.endswith(rest) else ""
    return f"{scheme}://{host}{prefix}{text.removeprefix(endpoint.url)}"


def read_length(call: Interaction) -> int | None:
    """How many bytes of the answer the test read, or None where it read all."""
    unread = call.wire.get("unread")
    found = _READ_BYTES.match(unread) if isinstance(unread, str) else None
    return int(found[1]) if found else None
