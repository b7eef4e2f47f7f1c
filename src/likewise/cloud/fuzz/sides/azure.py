"""Calls of Blob, Queue and Table: the generated request, sent through the public client's own pipeline."""

from __future__ import annotations

import importlib
import inspect
import json
import os
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from likewise.cloud.bodies import parse
from likewise.cloud.fuzz.calls import Answer, Call, Side
from likewise.cloud.fuzz.grammar.azure import PACKAGES, names_of
from likewise.cloud.fuzz.identities import Identity, Means
from likewise.cloud.fuzz.sides.shared_access import signature, with_wrong_key
from likewise.cloud.services import SERVICES
from likewise.cloud.services.call import words
from likewise.cloud.services.generate import azure_functions
from likewise.cloud.targets import Running

PLACES = {"blob": ("container", "blob"), "queue": ("queue",), "table": ()}
"""Parameters that become part of the address; the builders of tables put theirs there themselves."""
METADATA = "x-ms-meta-"
IGNORED = words(
    "x-ms-request-id x-ms-client-request-id date server connection keep-alive transfer-encoding "
    "x-ms-version content-length x-powered-by vary access-control-expose-headers"
)
"""Response headers that say nothing about what the call did."""
SHARED = (Means.ACCOUNT_SAS, Means.SERVICE_SAS, Means.POLICY_SAS)
"""Who shows a signature in the address."""


class AzureSide(Side):
    """One public client's pipeline. Nothing is repeated: every call is one request."""

    def __init__(self, running: Running, service: str, *, timeout: float) -> None:
        super().__init__(running, service)
        builders_of(service)  # read before two sides, each in its thread, ask for them at once
        self._pipeline = _pipeline(_connection_string(running), service, timeout)
        self._timeout = timeout
        self._url = str(running.endpoint(service)).rstrip("/")
        self._shape = next(kind.shape for kind in SERVICES if kind.name == service)

    def call(self, call: Call) -> Answer:
        """Execute one call."""
        try:
            request = self._build(call)
            pipeline = self._pipeline_of(call.identity)
            if call.identity.means in SHARED:
                signed = signature(call.identity, call, self.connection, self._url)
                request.url += ("&" if "?" in request.url else "?") + signed
        except Exception as error:  # whatever the SDK's serialiser raises: it refused the value
            return Answer(success=False, refused=f"{type(error).__name__}: {str(error)[:160]}")
        return self._send(request, pipeline)

    def _pipeline_of(self, identity: Identity) -> Any:
        """What sends and signs for somebody; who shows a signature in the address needs no other."""
        if identity.is_owner:
            return self._pipeline
        return self._pretended if identity.means is Means.KEY else self._anonymous

    @cached_property
    def _pretended(self) -> Any:
        return _pipeline(with_wrong_key(self.connection), self.service, self._timeout)

    def exchange(
        self,
        method: str,
        path: str,
        *,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        body: bytes | str | None = None,
        is_anonymous: bool = False,
    ) -> Answer:
        """Send a request as it stands, signed by the pipeline; `path` is below the account, encoded.

        An anonymous one is not signed with the account's key: its query may carry a signature instead.
        """
        from azure.core.rest import HttpRequest

        url = self._url + "/" + path.lstrip("/") + (f"?{query}" if query else "")
        try:
            request = HttpRequest(method, url, headers=dict(headers or {}), content=body)
        except (TypeError, ValueError) as error:
            return Answer(success=False, refused=str(error)[:160])
        return self._send(request, self._anonymous if is_anonymous else self._pipeline)

    @cached_property
    def _anonymous(self) -> Any:
        from azure.core.pipeline import Pipeline
        from azure.core.pipeline.transport import RequestsTransport

        return Pipeline(RequestsTransport(read_timeout=self._timeout, connection_timeout=5))

    @property
    def connection(self) -> str:
        """The connection string of the account."""
        return _connection_string(self.running)

    def address(self, path: str) -> str:
        """The URL of a path below the account."""
        return self._url + "/" + path.lstrip("/")

    def fetch(self, path: str) -> bytes:
        """What a GET gives, unparsed; nothing where it fails."""
        from azure.core.exceptions import AzureError
        from azure.core.rest import HttpRequest

        request = HttpRequest("GET", self.address(path), headers={"x-ms-version": "2021-12-02"})
        self.sent += 1
        try:
            response = self._pipeline.run(request, stream=True).http_response
            response.read()
        except AzureError:
            return b""
        return bytes(response.content) if response.status_code < 300 else b""

    def _send(self, request: Any, pipeline: Any = None) -> Answer:
        from azure.core.exceptions import (
            AzureError,
            HttpResponseError,
            ServiceRequestError,
            ServiceResponseError,
        )

        self.sent += 1
        try:
            # As a stream: what a user stored is not the service's to be parsed, whatever its type says.
            response = (pipeline or self._pipeline).run(request, stream=True).http_response
            body = _content_of(response)
        except HttpResponseError as error:
            if error.response is None:
                return Answer(success=False, silence=type(error).__name__)
            response, body = error.response, error.response.content
        except (ServiceRequestError, ServiceResponseError) as error:
            inner = error.inner_exception
            return Answer(success=False, silence=type(inner or error).__name__)
        except (AzureError, ValueError, TypeError, UnicodeError) as error:
            return Answer(success=False, refused=f"{type(error).__name__}: {str(error)[:160]}")
        return self._read(response, body)

    def _build(self, call: Call) -> Any:
        params = dict(call.params)
        builder = builders_of(self.service)[call.operation]
        places = [params.pop(place) for place in PLACES[self.service] if place in params]
        url = "/".join([self._url, *(quote(str(place), safe="/~-._") for place in places)])
        if call.operation == "Service_GetStatistics":
            url = _secondary(url)
        takes = inspect.signature(builder).parameters
        if isinstance(params.get("match_condition"), str):
            from azure.core import MatchConditions

            params["match_condition"] = MatchConditions[params["match_condition"]]
        for name in ("partition_key", "row_key"):
            if isinstance(params.get(name), str):
                # A quotation mark would end the key in the address; the public client doubles it as well.
                params[name] = params[name].replace("'", "''")
        if "url" in takes:
            params["url"] = url
        if "version" in takes and "version" not in params:
            params["version"] = _version(self.service)
        if isinstance(params.get("metadata"), Mapping):
            # Each pair is a header of its own; the public clients do the same.
            pairs = {f"x-ms-meta-{key}": str(value) for key, value in params.pop("metadata").items()}
            params["headers"] = {**params.get("headers", {}), **pairs}
        for name, value in params.items():
            if isinstance(value, str) and name.endswith(("_since", "_expiry")):
                params[name] = datetime.fromisoformat(value.replace("Z", "+00:00"))
        content = params.pop("body", None)
        if content is not None:
            params |= _content(content, params, takes)
        if "content_length" in takes and "content_length" not in params:
            params["content_length"] = len(params.get("content") or b"")
        if "content" in takes and "content" not in params:
            params["content"] = b""
        if self.service == "queue" and "content_type" in inspect.getsource(builder):
            params.setdefault("content_type", "application/xml")
        request = builder(**params)
        if not request.url.startswith(("http://", "https://")):
            path, mark, query = request.url.partition("?")
            rest = "/" + path.lstrip("/") if path.strip("/") or not places else ""
            request.url = url + rest + mark + query
        return request

    def _read(self, response: Any, body: bytes) -> Answer:
        headers = {_header(name): value for name, value in response.headers.items()}
        status = int(response.status_code)
        kept = {name: value for name, value in headers.items() if name not in IGNORED}
        if response.request.method == "HEAD" and "content-length" in headers:
            kept["content-length"] = headers["content-length"]  # of the thing itself, which is not sent
        parsed = parse(body or b"", headers.get("content-type", ""), shape=self._shape)
        if status < 300:
            return Answer(success=True, status=status, fields={"headers": kept, "body": parsed})
        code, message = refusal(headers, parsed)
        return Answer(success=False, status=status, code=code, message=message)


def _header(name: str) -> str:
    """A header's name in small letters, but for what clients call their metadata: they get that back."""
    lower = name.lower()
    return METADATA + name[len(METADATA) :] if lower.startswith(METADATA) else lower


def _content_of(response: Any) -> bytes:
    """The body of an answer; nothing where a user stored it under an encoding that it does not have."""
    from azure.core.exceptions import DecodeError

    try:
        return bytes(response.read())
    except DecodeError:
        return b""


def refusal(headers: Mapping[str, str], parsed: Any) -> tuple[str, str]:
    """Code and text of an error: the code of its header, or of its body in XML or in either kind of JSON."""
    named, found = headers.get("x-ms-error-code", ""), parsed
    for outer in ("Error", "error", "odata.error"):
        if isinstance(found, Mapping) and isinstance(found.get(outer), Mapping):
            found = found[outer]
    if not isinstance(found, Mapping):
        return named, ""
    code = named or found.get("Code") or found.get("code") or ""
    message = found.get("Message") or found.get("message") or ""
    if isinstance(message, Mapping):
        message = message.get("value", "")
    # The services put an identifier of the request and the time into the text: neither means anything.
    text = str(message).partition("\nRequestId:")[0]
    return str(code), text.strip()


def _content(content: Any, params: Mapping[str, Any], takes: Mapping[str, Any]) -> dict[str, Any]:
    if "json" in takes and isinstance(content, Mapping) and "json" in content:
        return {"json": content["json"]}
    if isinstance(content, (str, bytes)):
        return {"content": content.encode() if isinstance(content, str) else content}
    if isinstance(content, Mapping) and len(content) == 1 and "json" in content:
        return {
            "content": json.dumps(content["json"]).encode(),
            "content_type": params.get("content_type", "application/json"),
        }
    return {"content": b'<?xml version="1.0" encoding="utf-8"?>' + xml(content).encode()}


def xml(tree: Any) -> str:
    """A tree as XML: a mapping's keys are elements, one for each item where a list is what they hold."""
    if isinstance(tree, Mapping):
        return "".join(
            f"<{name}>{xml(each)}</{name}>"
            for name, inner in tree.items()
            for each in (inner if isinstance(inner, (list, tuple)) else (inner,))
        )
    if isinstance(tree, bool):
        return "true" if tree else "false"
    return escape(str(tree)) if tree is not None else ""


@lru_cache
def builders_of(service: str) -> dict[str, Callable[..., Any]]:
    """The generated request builders by the operation's name in the service's table."""
    names = names_of(service)
    return {
        names.get(name, name): getattr(importlib.import_module(module), function.name)
        for name, module, function in azure_functions(PACKAGES[service])
    }


def _secondary(url: str) -> str:
    """The address of the copy that is only read: the one place where statistics are to be had."""
    scheme, _, rest = url.partition("://")
    host, slash, account = rest.partition("/")
    if account:
        return f"{scheme}://{host}{slash}{account}-secondary"
    name, dot, domain = host.partition(".")
    return f"{scheme}://{name}-secondary{dot}{domain}"


@lru_cache
def _version(service: str) -> str:
    client = importlib.import_module(f"{PACKAGES[service]}._generated._configuration")
    for _, kind in inspect.getmembers(client, inspect.isclass):
        if kind.__module__ == client.__name__:
            found = inspect.signature(kind.__init__).parameters.get("version")
            if found is not None and found.default is not inspect.Parameter.empty:
                return str(found.default)
    shared = importlib.import_module(f"{PACKAGES[service]}._serialize")
    return str(shared._SUPPORTED_API_VERSIONS[-1])


def _pipeline(connection: str, service: str, timeout: float) -> Any:
    package = importlib.import_module(PACKAGES[service])
    kind = {"blob": "BlobServiceClient", "queue": "QueueServiceClient", "table": "TableServiceClient"}[
        service
    ]
    client = getattr(package, kind).from_connection_string(
        connection,
        retry_total=0,
        retry_connect=0,
        retry_read=0,
        retry_status=0,
        read_timeout=timeout,
        connection_timeout=5,
    )
    return client._client._client._pipeline


def _connection_string(running: Running) -> str:
    return running.apply(os.environ).get("AZURE_STORAGE_CONNECTION_STRING", "")
