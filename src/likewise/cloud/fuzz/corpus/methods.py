"""The public methods of Azure's clients, called as a recorded case names them."""

from __future__ import annotations

import importlib
import inspect
import logging
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from likewise.cloud.bodies import parse
from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.models import modelled
from likewise.cloud.fuzz.corpus.signatures import Signer
from likewise.cloud.fuzz.corpus.values import ITEMS, Unplayable
from likewise.cloud.fuzz.grammar.azure import PACKAGES
from likewise.cloud.fuzz.sides.azure import refusal
from likewise.cloud.targets import Running

_URL = re.compile(r"<url of ([^/>\s]+)/([^>\s]+)>")
_HOLE = re.compile(r"<[^<>]+>")
_ENTITY = ("container", "queue", "table")
_KINDS = {
    "BlobClient": ("blob", "blob_name"),
    "ContainerClient": ("container", "container_name"),
    "QueueClient": ("queue", "queue_name"),
    "TableClient": ("table", "table_name"),
}
"""Classes, and the parameters that say on what they work, the innermost first."""
_MODES = ("merge", "replace")
_LEASES = "BlobLeaseClient"
_OF_A_USER = "get_user_delegation_key"


class PublicMethods:
    """Calls `BlobClient.upload_blob` and its like on one target; nothing is repeated."""

    def __init__(self, running: Running, service: str, *, timeout: float) -> None:
        self._running, self._service, self._timeout = running, service, timeout
        self._statuses: list[int] = []
        self._client: Any = None
        self._leases: dict[tuple[str, str | None], Any] = {}
        self._response: Any = None
        """The latest."""
        self.sent = 0
        """Answers that came: one for each request."""

    def call(self, operation: str, params: Mapping[str, Any]) -> Answer:
        """Execute one method and read what it returns to the end."""
        given = {name: self._filled(name, value) for name, value in params.items()}
        kind, _, called = operation.rpartition(".")
        name, _, how = called.rstrip(")").partition("(")
        if how in _MODES:
            given.setdefault("mode", how)
        kind = kind or self._kind(name, given)
        if name == _OF_A_USER:
            raise Unplayable("it needs the token of a user, which a shared key does not give")
        client = self._client_for(kind, given)
        method = getattr(client, name, None)
        if method is None:
            raise Unplayable(f"the SDK has no {operation}")
        self._statuses.clear()
        from azure.core.exceptions import AzureError, HttpResponseError

        try:
            first, given = _fitted(method, modelled(self._service, given))
            result = method(*first, **given)
            items = _read(result)
        except HttpResponseError as error:
            return self._failure(error)
        except (AzureError, ValueError, TypeError, KeyError, AttributeError) as error:
            if not self._statuses:
                return Answer(success=False, refused=f"{type(error).__name__}: {str(error)[:200]}")
            code, text = _said(self._response)
            said = text or str(error)[:500]
            return Answer(success=False, status=self._statuses[-1], code=code, message=said)
        if not self._statuses:
            return Answer(success=False, refused=f"{name} sends nothing with these parameters")
        fields = _fields(client if kind == _LEASES else result)
        return Answer(success=True, status=self._statuses[-1], fields=fields | {ITEMS: items})

    def _failure(self, error: Any) -> Answer:
        status = error.status_code or (self._statuses[-1] if self._statuses else None)
        if status is None:
            return Answer(success=False, silence=type(error).__name__)
        code, text = _said(error.response)
        if not code:
            named = getattr(error, "error_code", None) or ""
            code = str(getattr(named, "value", named))
        text = text or str(error.message).partition("\nRequestId:")[0]
        return Answer(success=False, status=status, code=code, message=text)

    def _filled(self, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        text = _URL.sub(lambda found: f"{self._url}/{found[1]}/{found[2]}", value)
        if name.endswith("_url"):
            text = self._moved(text)
        if name != "data" and _HOLE.fullmatch(text):
            raise Unplayable(f"{name} is {text}, which the file does not hold")
        return text

    def _moved(self, url: str) -> str:
        """A source in the account of the recording, where the candidate has it."""
        parts = urlsplit(url)
        if f".{self._service}.core." not in (parts.hostname or ""):
            return url
        connection = self._running.apply(os.environ).get("AZURE_STORAGE_CONNECTION_STRING", "")
        query = Signer(self._service, connection).renewed(unquote(parts.path), parts.query, None)
        return f"{self._url}{parts.path}" + (f"?{query}" if query else "")

    @property
    def _url(self) -> str:
        return str(self._running.endpoint(self._service)).rstrip("/")

    def _kind(self, name: str, params: Mapping[str, Any]) -> str:
        """The class whose method it is where an operation names none: the one of the innermost thing."""
        package = importlib.import_module(PACKAGES[self._service])
        kinds = [kind for kind, places in _KINDS.items() if any(place in params for place in places)]
        kinds.append(f"{self._service.capitalize()}ServiceClient")
        return next((kind for kind in kinds if hasattr(getattr(package, kind, None), name)), kinds[0])

    def _client_for(self, kind: str, params: dict[str, Any]) -> Any:
        """The client that a class's name stands for; what it is made with is taken out of the parameters."""
        service = self._open()
        if kind == type(service).__name__:
            return service
        named = {
            place: params.pop(key) for place in _ENTITY for key in (place, f"{place}_name") if key in params
        }
        try:
            match kind:
                case "ContainerClient":
                    return service.get_container_client(named["container"])
                case "BlobClient":
                    blob, snapshot = _blob(params), params.pop("snapshot", None)
                    return service.get_blob_client(named["container"], blob, snapshot=snapshot)
                case "BlobLeaseClient":
                    return self._lease_of(named["container"], params)
                case "QueueClient":
                    return service.get_queue_client(named["queue"])
                case "TableClient":
                    return service.get_table_client(named["table"])
        except KeyError as error:
            raise Unplayable(f"it does not say on which {error.args[0]} {kind} works") from error
        except (ValueError, TypeError, AttributeError) as error:
            raise Unplayable(f"the SDK makes no {kind} for it ({error})") from error
        raise Unplayable(f"the SDK has no {kind}")

    def _lease_of(self, container: str, params: dict[str, Any]) -> Any:
        """The client of a lease; without an id it is the one that was used before for the same thing."""
        blob = _blob(params) if {"blob", "blob_name"} & params.keys() else None
        lease, before = params.pop("lease_id", None), self._leases.get((container, blob))
        if lease is None and before is not None:
            return before
        service = self._open()
        inner = (
            service.get_blob_client(container, blob)
            if blob is not None
            else service.get_container_client(container)
        )
        package = importlib.import_module(PACKAGES["blob"])
        self._leases[container, blob] = package.BlobLeaseClient(inner, lease_id=lease)
        return self._leases[container, blob]

    def _open(self) -> Any:
        if self._client is None:
            # What it cannot make of an answer it also logs, to the console where nobody listens.
            logging.getLogger("azure").addHandler(logging.NullHandler())
            package = importlib.import_module(PACKAGES[self._service])
            text = self._running.apply(os.environ).get("AZURE_STORAGE_CONNECTION_STRING", "")
            kind = getattr(package, f"{self._service.capitalize()}ServiceClient")
            self._client = kind.from_connection_string(
                text,
                retry_total=0,
                retry_connect=0,
                retry_read=0,
                retry_status=0,
                read_timeout=self._timeout,
                connection_timeout=5,
                raw_response_hook=self._seen,
            )
        return self._client

    def _seen(self, response: Any) -> None:
        self.sent += 1
        self._response = response.http_response
        self._statuses.append(int(self._response.status_code))


def _said(response: Any) -> tuple[str, str]:
    """What a response itself says: not every method of the SDKs hands on the code."""
    from azure.core.exceptions import AzureError

    headers = {name.lower(): str(value) for name, value in getattr(response, "headers", {}).items()}
    try:
        body = response.body() if hasattr(response, "body") else response.content
    except (AttributeError, AzureError):
        body = b""
    return refusal(headers, parse(body or b"", headers.get("content-type", "")))


def _fitted(method: Any, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Parameters under the method's own names: where it wants one `name`, a case may say which of what.

    Where it takes any number of something, such as blobs, these and all before them go by position.
    """
    takes = inspect.signature(method).parameters
    several = next((each.name for each in takes.values() if each.kind is each.VAR_POSITIONAL), "")
    if isinstance(given.get(several), list):
        before = list(takes)[: list(takes).index(several)]
        if all(name in given for name in before):
            rest = {name: value for name, value in given.items() if name not in (several, *before)}
            return [*(given[name] for name in before), *given[several]], rest
    wanting = [
        name
        for name, each in takes.items()
        if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD and name not in given
    ]
    strange = [name for name in given if name not in takes and name in (*_ENTITY, "blob", "name")]
    if len(wanting) != 1 or len(strange) != 1:
        return [], given
    return [], {wanting[0] if name == strange[0] else name: value for name, value in given.items()}


def _blob(params: dict[str, Any]) -> Any:
    return params.pop("blob_name") if "blob_name" in params else params.pop("blob")


def _fields(result: Any) -> dict[str, Any]:
    """What a method returned, as far as later calls may refer to it."""
    if hasattr(result, "keys") and hasattr(result, "__getitem__"):
        found = {str(name): result[name] for name in result.keys()}  # noqa: SIM118 - the SDK's are no mappings
        about = getattr(result, "metadata", None)
        return {"metadata": dict(about), **found} if isinstance(about, Mapping) else found
    lease = getattr(result, "id", None)
    return {"id": lease, "lease_id": lease} if isinstance(lease, str) else {}


def _read(value: Any) -> list[Any]:
    """Make lazy results happen: the first page of a list, which is given, a download to its end."""
    if hasattr(value, "by_page"):
        for page in value.by_page():
            return [_fields(each) for each in page]
    elif hasattr(value, "readall"):
        value.readall()
    return [_fields(each) for each in value] if isinstance(value, list) else []
