"""Steps of Azure cases on a candidate: recorded requests signed anew, or the SDK's public methods."""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import quote, unquote, urlsplit

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.corpus.batches import is_batch, readdressed
from likewise.cloud.fuzz.corpus.bindings import Bindings
from likewise.cloud.fuzz.corpus.bodies import Bodies
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step
from likewise.cloud.fuzz.corpus.holes import hole
from likewise.cloud.fuzz.corpus.methods import PublicMethods
from likewise.cloud.fuzz.corpus.names import FreshNames, created
from likewise.cloud.fuzz.corpus.shared_key import SharedKey
from likewise.cloud.fuzz.corpus.signatures import Signer, has_signature
from likewise.cloud.fuzz.corpus.stage import Stage
from likewise.cloud.fuzz.corpus.values import PAUSE, Moment, Unplayable, decode, put_references
from likewise.cloud.fuzz.sides.azure import AzureSide, builders_of
from likewise.cloud.services.call import words

LONGEST_LEASE = 60
"""Seconds; the services take no longer ones except those without an end."""
EXPIRED = "LeaseLost"
"""Says that a lease had run out."""
_SAFE = "/%()',=$!*+:@;~&-._"
_OURS = words(
    "authorization date x-ms-date host connection content-length transfer-encoding accept-encoding user-agent"
)
"""Headers of the connection and of the signature, which are made anew."""


class AzureStage(Stage):
    """Plays the steps of one case."""

    def __init__(self, side: AzureSide, methods: PublicMethods, case: Case) -> None:
        super().__init__(case)
        self._side, self._methods = side, methods
        self._signer = Signer(side.service, side.connection)
        self._key = SharedKey(side.service, side.connection)
        self._names = FreshNames(case)
        self._bindings = Bindings()
        self._bodies = Bodies(case, self._names.text)
        self._made: list[str] = []
        self._settings: bytes | None = None
        self._lease_seconds = _lease_seconds(case)
        self._proposed = frozenset(
            step.headers["x-ms-proposed-lease-id"]
            for step in case.steps
            if "x-ms-proposed-lease-id" in step.headers
        )

    @property
    def texts(self) -> Mapping[str, str]:
        """Fresh names to recorded ones."""
        return self._names.recorded

    @property
    def doubts(self) -> tuple[str, ...]:
        """What could not be made to mean what it meant in the recording."""
        return tuple(self._bindings.doubts)

    def send(self, step: Step, *, is_last: bool) -> Answer:
        """Play one step."""
        recorded = self.case.recorded if is_last else step.recorded
        name = created(self.case.service, step)
        if name is not None:
            self._made.append(self._names.text(name))
        if step.wire is None:
            params = put_references(self._names.value(decode(step.params, Moment(recorded))), self.answers)
            if step.operation not in builders_of(self.case.service):
                return self._methods.call(step.operation, params)
            call = Call(
                service=self.case.service, operation=step.operation, params=params, identity=step.identity
            )
            return self._side.call(call)
        doubts = len(self._bindings.doubts)
        answer = self._request(step, recorded)
        if not is_last and step.wire.method in ("GET", "HEAD"):
            del self._bindings.doubts[doubts:]  # whatever it read, the state is the same
        return answer

    def _request(self, step: Step, recorded: Recorded | None) -> Answer:
        wire = step.wire
        assert wire is not None
        if why := hole(self.case.service, step, recorded):
            raise Unplayable(why)
        if self._bodies.can_be_left_out(step):
            return Answer(success=True, status=recorded.status if recorded is not None else None)
        path = self._bindings.path(self._names.text(wire.path), is_unknown=self._was_never_there(recorded))
        thing = unquote(path)
        body = self._bodies.body(step, recorded)
        if body is not None and is_batch(wire):
            body = readdressed(body, self._side.address, self._key)
        headers, source = self._headers(step, body, recorded)
        headers = self._bindings.headers(thing, source, headers, recorded, self._proposed)
        if self._bindings.needs_pause:
            time.sleep(PAUSE)
            headers = self._bindings.headers(thing, source, headers, recorded, self._proposed)
        query = self._bindings.query(thing, self._names.text(wire.query), recorded)
        query = self._signer.renewed(thing, query, recorded)
        if "comp=properties" in query and "restype=service" in query and wire.method == "PUT":
            self._keep_settings()
        if recorded is not None and recorded.code == EXPIRED and self._lease_seconds:
            time.sleep(self._lease_seconds + PAUSE)
        is_signed = not is_unsigned(self.case, step)
        place = quote(path, safe=_SAFE)

        def exchange() -> Answer:
            return self._exchange(wire.method, place, query, headers, body, is_signed=is_signed)

        answer = exchange()
        if self._is_early(answer, recorded):
            time.sleep(self._lease_seconds + PAUSE)
            answer = exchange()
        self._bindings.note(thing, answer, body)
        return answer

    def _exchange(
        self,
        method: str,
        place: str,
        query: str,
        headers: dict[str, str],
        body: bytes | None,
        *,
        is_signed: bool,
    ) -> Answer:
        """Send a request, signed here where there is a key."""
        from requests.utils import requote_uri

        url = requote_uri(self._side.address(place) + (f"?{query}" if query else ""))
        if is_signed:
            headers = headers | self._key.headers(method, url, headers, len(body or b""))
        is_ready = self._key.exists or not is_signed
        return self._side.exchange(
            method, place, query=query, headers=headers, body=body, is_anonymous=is_ready
        )

    def _was_never_there(self, recorded: Recorded | None) -> bool:
        """Whether the reference missed something, and no call before can have removed it."""
        before = self.case.steps[: len(self.answers)]
        removes = any(each.wire is not None and each.wire.method == "DELETE" for each in before)
        return recorded is not None and recorded.status == 404 and not removes

    def _is_early(self, answer: Answer, recorded: Recorded | None) -> bool:
        """Whether a lease stands in the way that had run out when the answer was recorded."""
        accepted = recorded is not None and recorded.success
        return bool(accepted and not answer.success and self._lease_seconds and "Lease" in answer.code)

    def _headers(
        self, step: Step, body: bytes | None, recorded: Recorded | None
    ) -> tuple[dict[str, str], str]:
        """The recorded headers, what the SDK adds to them, and the path of a source that they name."""
        assert step.wire is not None
        given = step.params.get("headers") or {}
        headers = {
            name: self._names.text(str(value)) for name, value in given.items() if name.lower() not in _OURS
        }
        headers |= self._bodies.sums(step, body, recorded)
        known = {name.lower() for name in headers}
        source = ""
        for name in [name for name in headers if name.lower() == "x-ms-copy-source"]:
            headers[name], source = self._source(headers[name], recorded)
        if step.wire.version:
            headers["x-ms-version"] = step.wire.version
        if self.case.service == "table":
            defaults = {"DataServiceVersion": "3.0", "Accept": "application/json;odata=minimalmetadata"}
            headers |= {name: value for name, value in defaults.items() if name.lower() not in known}
        if body is not None and "content-type" not in known:
            headers["Content-Type"] = _content_type(self.case.service, step, body)
        return headers, source

    def _source(self, url: str, recorded: Recorded | None) -> tuple[str, str]:
        """A copy's source at the candidate, where it is something that the case made, or that nobody made."""
        parts = urlsplit(url)
        if not parts.scheme.startswith("http"):
            if recorded is None or recorded.success:
                raise Unplayable(f"it copies from {url!r}: the source is not in the file")
            return url, ""
        if ".blob." not in (parts.hostname or ""):
            raise Unplayable(f"it copies from {parts.hostname}, which is not the account that is played")
        container = parts.path.strip("/").partition("/")[0]
        if container not in self._made and (recorded is None or recorded.success):
            raise Unplayable(f"it copies from {parts.path}, which the sequence does not make")
        thing = unquote(parts.path)
        query = self._bindings.query(thing, parts.query, None)
        query = self._signer.renewed(thing, query, recorded)
        return self._side.address(parts.path) + (f"?{query}" if query else ""), thing

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


def is_unsigned(case: Case, step: Step) -> bool:
    """Whether a request was not signed with the account's key.

    It carries a signature, or names no version while others of the case do: the SDKs do both or neither.
    Where a file kept who was authorised, that tells.
    """
    if step.wire is None:
        return False
    if has_signature(step.wire.query):
        return True
    if any("authorization" in each.headers for each in case.steps):
        return "authorization" not in step.headers
    return bool(any(map(_version, case.steps)) and not _version(step))


def _version(step: Step) -> str:
    """The version of the API that a request names."""
    named = step.wire.version if step.wire is not None else ""
    return named or step.headers.get("x-ms-version", "")


def _lease_seconds(case: Case) -> int:
    """The longest time for which the case takes a lease, or lets one end; leases without an end have none."""
    names = ("x-ms-lease-duration", "x-ms-lease-break-period")
    found = [
        int(step.headers[name])
        for step in case.steps
        for name in names
        if step.headers.get(name, "").isdigit()
    ]
    return max((seconds for seconds in found if seconds <= LONGEST_LEASE), default=0)


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
