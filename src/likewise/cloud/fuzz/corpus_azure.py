"""Steps of Azure cases on a candidate: recorded requests signed anew, or the SDK's public methods."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from likewise.cloud.fuzz.azure_side import AzureSide
from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.corpus import Case, Recorded, Step
from likewise.cloud.fuzz.corpus_bindings import Bindings
from likewise.cloud.fuzz.corpus_methods import PublicMethods
from likewise.cloud.fuzz.corpus_names import FreshNames, created
from likewise.cloud.fuzz.corpus_stage import Stage
from likewise.cloud.fuzz.corpus_values import Moment, Unplayable, decode, filled, put_references

LONGEST_LEASE = 60
"""Seconds; the services take no longer ones except those without an end."""
PAUSE = 1.1
"""Seconds until a time in whole seconds is later than what was made before."""
_SAFE = "/%()',=$!*+:@;~&-._"
_CHECKSUMS = frozenset({"content-md5", "x-ms-content-crc64", "x-ms-blob-content-md5"})
_DATA = frozenset({"", "page", "block", "appendblock"})
"""What `comp` says where the body is a user's data."""


class AzureStage(Stage):
    """Plays the steps of one case."""

    def __init__(self, side: AzureSide, methods: PublicMethods, case: Case) -> None:
        super().__init__(case)
        self._side, self._methods = side, methods
        self._names = FreshNames(case)
        self._bindings = Bindings()
        self._made: list[str] = []
        self._settings: bytes | None = None
        self._lease_seconds = _lease_seconds(case)
        self._proposed = frozenset(
            str(value)
            for step in case.steps
            for name, value in (step.params.get("headers") or {}).items()
            if name.lower() == "x-ms-proposed-lease-id"
        )

    @property
    def texts(self) -> Mapping[str, str]:
        """Fresh names to recorded ones."""
        return self._names.recorded

    @property
    def doubts(self) -> tuple[str, ...]:
        """What could not be made to mean what it meant in the recording."""
        late = self._lease_seconds and "Lease" in (self.case.recorded.code or "")
        timing = ("a lease ran out while the answer was recorded, or not: the file does not say when",)
        return tuple(self._bindings.doubts) + (timing if late else ())

    def send(self, step: Step, *, is_last: bool) -> Answer:
        """Play one step."""
        recorded = self.case.recorded if is_last else step.recorded
        name = created(self.case.service, step)
        if name is not None:
            self._made.append(self._names.text(name))
        if step.wire is None:
            params = put_references(self._names.value(decode(step.params, Moment(recorded))), self.answers)
            if "." in step.operation:
                return self._methods.call(step.operation, params)
            return self._side.call(Call(service=self.case.service, operation=step.operation, params=params))
        return self._request(step, recorded)

    def _request(self, step: Step, recorded: Recorded | None) -> Answer:
        wire = step.wire
        assert wire is not None
        if "comp=userdelegationkey" in wire.query:
            raise Unplayable("it needs the token of a user, which a shared key does not give")
        if "comp=stats" in wire.query:
            raise Unplayable("the recording asked the secondary address of the account")
        path = self._bindings.path(self._names.text(wire.path))
        body = self._body(step)
        headers, source = self._headers(step, body)
        headers = self._bindings.headers(path, source, headers, recorded, self._proposed)
        if self._bindings.needs_pause:
            time.sleep(PAUSE)
            headers = self._bindings.headers(path, source, headers, recorded, self._proposed)
        query = self._bindings.query(path, self._names.text(wire.query), recorded)
        if "comp=properties" in query and "restype=service" in query and wire.method == "PUT":
            self._keep_settings()
        place = quote(path, safe=_SAFE)
        answer = self._side.exchange(wire.method, place, query=query, headers=headers, body=body)
        if self._is_early(answer, recorded):
            time.sleep(self._lease_seconds + PAUSE)
            answer = self._side.exchange(wire.method, place, query=query, headers=headers, body=body)
        self._bindings.note(path, answer)
        return answer

    def _is_early(self, answer: Answer, recorded: Recorded | None) -> bool:
        """Whether a lease stands in the way that had run out when the answer was recorded."""
        accepted = recorded is not None and recorded.success
        return bool(accepted and not answer.success and self._lease_seconds and "Lease" in answer.code)

    def _headers(self, step: Step, body: bytes | None) -> tuple[dict[str, str], str]:
        """The recorded headers, what the SDK adds to them, and the path of a source that they name."""
        assert step.wire is not None
        recorded = step.params.get("headers") or {}
        headers = {name: self._names.text(str(value)) for name, value in recorded.items()}
        known = {name.lower() for name in headers}
        source = ""
        for name in [name for name in headers if name.lower() == "x-ms-copy-source"]:
            headers[name], source = self._source(headers[name])
        if step.wire.version:
            headers["x-ms-version"] = step.wire.version
        if self.case.service == "table":
            defaults = {"DataServiceVersion": "3.0", "Accept": "application/json;odata=minimalmetadata"}
            headers |= {name: value for name, value in defaults.items() if name.lower() not in known}
        if body is not None and "content-type" not in known:
            headers["Content-Type"] = _content_type(self.case.service, step, body)
        return headers, source

    def _source(self, url: str) -> tuple[str, str]:
        """A copy's source at the candidate, where it is something that the case made."""
        parts = urlsplit(url)
        if not parts.scheme.startswith("http"):
            return url, ""
        container = parts.path.strip("/").partition("/")[0]
        if container not in self._made:
            raise Unplayable(f"it copies from {parts.path}, which the sequence does not make")
        if "sig=" in parts.query:
            raise Unplayable("its source is signed for another account (a shared access signature)")
        query = self._bindings.query(parts.path, parts.query, None)
        return self._side.address(parts.path) + (f"?{query}" if query else ""), parts.path

    def _body(self, step: Step) -> bytes | None:
        assert step.wire is not None
        body, length = step.params.get("body"), step.params.get("body_length")
        what = "the body"
        if isinstance(body, Mapping) and set(body) == {"length", "head"}:
            if self._is_data(step):
                return filled({**body, "head": _data(str(body["head"]))}, what)
            return self._entity(step, body) or filled(body, what)
        if body is None:
            if isinstance(length, int) and length > 0:
                raise Unplayable(f"the body of {length} bytes is not in the file")
            return None
        decoded = decode(body, Moment(None), what)
        content = decoded if isinstance(decoded, bytes) else str(decoded).encode()
        if isinstance(length, int) and length != len(content):
            if self._is_data(step):
                return filled({"length": length, "head": "0"}, what)
            raise Unplayable(f"the body has {len(content)} bytes in the file and had {length}")
        return content if isinstance(decoded, bytes) else self._names.text(str(decoded)).encode()

    def _is_data(self, step: Step) -> bool:
        """Whether a body is a user's data, which decides nothing as long as nobody sums it up."""
        assert step.wire is not None
        comp = next((part[5:] for part in step.wire.query.split("&") if part.startswith("comp=")), "")
        if self.case.service != "blob" or step.wire.method != "PUT" or comp not in _DATA:
            return False
        if "restype=" in step.wire.query:
            return False
        if _CHECKSUMS & {name.lower() for name in step.params.get("headers") or {}}:
            raise Unplayable("the body was cut off in the recording, and its checksum is sent")
        return True

    def _entity(self, step: Step, body: Mapping[str, Any]) -> bytes | None:
        """An entity that was cut off, of which only the keys matter: those that the last call finds it by."""
        assert step.wire is not None
        last = self.case.last
        if self.case.service != "table" or step is last or last.wire is None or step.wire.method != "POST":
            return None
        table = step.wire.path.strip("/")
        found = re.fullmatch(
            rf"/{re.escape(table)}\(PartitionKey='([^']*)',RowKey='([^']*)'\)", last.wire.path
        )
        head = re.match(r'\{"PartitionKey": "([^"]*)"', str(body["head"]))
        if found is None or head is None or head[1] != found[1]:
            return None
        return json.dumps({"PartitionKey": found[1], "RowKey": found[2]}).encode()

    def _keep_settings(self) -> None:
        if self._settings is None:
            self._settings = self._side.fetch("?restype=service&comp=properties")

    def clean(self) -> None:
        """Delete what the case made, and put back the settings of the service."""
        for name in dict.fromkeys(self._made):
            self._delete(name)
        if self._settings:
            self._side.exchange(
                "PUT",
                "",
                query="restype=service&comp=properties",
                headers=_VERSION | {"Content-Type": "application/xml"},
                body=self._settings,
            )

    def _delete(self, name: str) -> None:
        place = quote(name, safe="$")
        match self.case.service:
            case "table":
                self._side.exchange("DELETE", f"Tables('{place}')", headers={**_VERSION, **_JSON})
            case "queue":
                self._side.exchange("DELETE", place, headers=_VERSION)
            case _:
                query = "restype=container"
                gone = self._side.exchange("DELETE", place, query=query, headers=_VERSION)
                if gone.status == 412:
                    broken = {"x-ms-lease-action": "break", "x-ms-lease-break-period": "0"}
                    self._side.exchange("PUT", place, query=f"{query}&comp=lease", headers=_VERSION | broken)
                    self._side.exchange("DELETE", place, query=query, headers=_VERSION)


_VERSION = {"x-ms-version": "2021-12-02"}
_JSON = {"Accept": "application/json;odata=nometadata"}


def _lease_seconds(case: Case) -> int:
    """The longest time for which the case takes a lease, or lets one end; leases without an end have none."""
    names = ("x-ms-lease-duration", "x-ms-lease-break-period")
    found = [
        int(value)
        for step in case.steps
        for name, value in (step.params.get("headers") or {}).items()
        if name.lower() in names and str(value).isdigit()
    ]
    return max((seconds for seconds in found if seconds <= LONGEST_LEASE), default=0)


def _data(head: str) -> str:
    """The head of a user's data, as something that can be repeated; what it looks like means nothing."""
    return head if head[:1].isalnum() else "0"


def _content_type(service: str, step: Step, body: bytes) -> str:
    assert step.wire is not None
    if body.startswith(b"--"):
        boundary = body.split(b"\n", 1)[0].strip()[2:].decode(errors="replace")
        return f"multipart/mixed; boundary={boundary}"
    if body.lstrip()[:1] == b"<" and (service != "blob" or "comp=" in step.wire.query):
        return "application/xml"
    if service == "table":
        return "application/json;odata=nometadata"
    return "application/octet-stream"
