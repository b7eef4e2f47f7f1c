"""Values that Azure made in a recording, and the ones that the candidate made in their place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import quote, unquote

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.cases import Recorded
from likewise.cloud.fuzz.corpus.values import Moment

_POOLS = {
    "snapshot": "x-ms-snapshot",
    "prevsnapshot": "x-ms-snapshot",
    "versionid": "x-ms-version-id",
    "copyid": "x-ms-copy-id",
}
"""Query parameters whose values the service hands out in a header, one for each thing made."""
_LATEST = {
    "marker": "NextMarker",
    "NextPartitionKey": "x-ms-continuation-nextpartitionkey",
    "NextRowKey": "x-ms-continuation-nextrowkey",
    "NextTableName": "x-ms-continuation-nexttablename",
}
"""Query parameters that quote the latest such value of an answer."""
_ETAGS = re.compile(r"(?:x-ms-(?:source-)?)?if-(?:none-)?match")
_TAG = re.compile(r'(?:W/)?".*"')
_GUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
"""What every lease looks like: something else may be what was refused."""
_UNTIL = ("x-ms-immutability-policy-until-date", "x-ms-expiry-time")
_FOREIGN = "x-ms-deleted-container-version"
"""A header with a value of the real service that no answer of a candidate gives back."""


class Bindings:
    """What the candidate's answers gave, by resource, and which recorded values stand for it."""

    def __init__(self) -> None:
        self._etags: dict[str, str] = {}
        self._leases: dict[str, str] = {}
        self._pools: dict[tuple[str, str], list[str]] = {}
        self._latest: dict[str, str] = {}
        self._receipts: dict[str, str] = {}
        """The latest receipt of each message; without one, nothing."""
        self._bound: dict[tuple[str, str, str], str] = {}
        self.needs_pause = False
        """Whether the latest headers hold a time that must not be before anything made so far."""
        self.doubts: list[str] = []
        """Values that could not be bound though the recorded answer says that they were right."""

    def note(self, path: str, answer: Answer, body: bytes | None = None) -> None:
        """Remember what the answer to a request with this body gave."""
        headers = answer.fields.get("headers", {}) if answer.success else {}
        if etag := headers.get("etag"):
            self._etags[_entity(path, body, answer) or path] = etag
        if lease := headers.get("x-ms-lease-id"):
            self._leases[path] = lease
        for header in frozenset(_POOLS.values()):
            if value := headers.get(header):
                pool = self._pools.setdefault((path, header), [])
                if value not in pool:
                    pool.append(value)
        for name in _LATEST.values():
            if value := headers.get(name):
                self._latest[name] = value
        message = path.partition("/messages/")[2]
        if message and (receipt := headers.get("x-ms-popreceipt")):
            self._receipts[message] = receipt
        for node in _nodes(answer.fields.get("body")):
            if isinstance(found := node.get("MessageId"), str):
                receipt = node.get("PopReceipt")
                self._receipts[found] = str(receipt) if receipt else self._receipts.get(found, "")
            if isinstance(marker := node.get("NextMarker"), str) and marker:
                self._latest["NextMarker"] = marker

    def path(self, path: str, *, is_unknown: bool = False) -> str:
        """A recorded path with the candidate's id of a message in it.

        Where it `is_unknown`, the service did not know the message though nothing was removed: an id that
        is met for the first time is not one that the service gave.
        """
        head, mark, message = path.partition("/messages/")
        is_met = ("message", head, message) in self._bound
        if not mark or not message or (is_unknown and not is_met):
            return path
        return head + mark + self._from_pool("message", head, message, list(self._receipts))

    def query(self, path: str, query: str, recorded: Recorded | None) -> str:
        """A recorded query with the candidate's values in it."""
        parts = []
        for part in query.split("&") if query else ():
            name, _, value = part.partition("=")
            found = self._query_value(path, name, unquote(value), recorded) if value else ""
            parts.append(f"{name}={quote(found, safe='')}" if found and found != unquote(value) else part)
        return "&".join(parts)

    def _query_value(self, path: str, name: str, value: str, recorded: Recorded | None) -> str:
        if name in _POOLS:
            header = _POOLS[name]
            found = self._from_pool(header, path, value, self._pools.get((path, header), []))
            if found == value:
                self._doubt(name, recorded)
            return found
        if name == "popreceipt":
            receipt = self._receipts.get(path.partition("/messages/")[2], "")
            was_wrong = recorded is not None and recorded.code in (
                "PopReceiptMismatch",
                "InvalidQueryParameterValue",
            )
            if not receipt and not was_wrong:
                self._doubt(name, recorded)
            return value if was_wrong or not receipt else receipt
        if name in _LATEST:
            latest = self._latest.get(_LATEST[name])
            if latest is None:
                self._doubt(name, recorded)
            return latest or value
        return value

    def _from_pool(self, kind: str, path: str, value: str, pool: list[str]) -> str:
        key = (kind, path, value)
        if key not in self._bound:
            taken = {bound for (other, where, _), bound in self._bound.items() if (other, where) == key[:2]}
            free = [each for each in pool if each not in taken]
            if not free:
                return value
            self._bound[key] = free[0]
        return self._bound[key]

    def headers(
        self,
        path: str,
        source: str,
        headers: Mapping[str, str],
        recorded: Recorded | None,
        proposed: frozenset[str],
    ) -> dict[str, str]:
        """Recorded headers with the candidate's values; `proposed` are leases that the client named."""
        moment = Moment(recorded)
        found = {}
        for name, value in headers.items():
            lower = name.lower()
            when = moment.condition(lower)
            if when is not None:
                found[name] = _http_date(when)
            elif lower in _UNTIL and recorded is not None and recorded.success:
                found[name] = _http_date(datetime.now(UTC) + timedelta(days=1))
            elif _ETAGS.fullmatch(lower) and value != "*":
                where = source if "source" in lower else path
                found[name] = self._etag(lower, value, where, recorded, moment)
            elif lower in ("x-ms-lease-id", "x-ms-source-lease-id") and value not in proposed:
                found[name] = self._lease(source if "source" in lower else path, value, recorded)
            else:
                if lower == _FOREIGN:
                    self._doubt(name, recorded)
                found[name] = value
        self.needs_pause = moment.needs_pause
        return found

    def _etag(self, name: str, value: str, path: str, recorded: Recorded | None, moment: Moment) -> str:
        """The candidate's tag where the recorded one was the resource's own, as the answer tells."""
        failed = recorded is not None and recorded.success is False
        if failed and not moment.is_unmet and not _TAG.fullmatch(value):
            return value  # what no service gives may be what was refused
        if moment.is_unmet == ("none" in name):
            if path in self._etags:
                return self._etags[path]
            self._doubt(name, recorded, unmet=moment.is_unmet)
        return value

    def _lease(self, path: str, value: str, recorded: Recorded | None) -> str:
        """The candidate's own lease, unless the recorded answer says that another one was named."""
        known = recorded is not None and (recorded.success or recorded.code is not None)
        if recorded is None or not known or "Mismatch" in (recorded.code or ""):
            return value
        return self._leases.get(path, value) if _GUID.fullmatch(value) else value

    def _doubt(self, name: str, recorded: Recorded | None, *, unmet: bool = False) -> None:
        if recorded is None or recorded.success or unmet:
            self.doubts.append(f"{name} quotes a value of the real service that the candidate never gave")


def _entity(path: str, body: bytes | None, answer: Answer) -> str:
    """Where an entity is found that was sent or is shown; nothing where there is none."""
    table = path.removesuffix("()")
    for shown in (answer.fields.get("body"), _json(body)):
        found = shown if isinstance(shown, Mapping) else {}
        keys = [found.get(name) for name in ("PartitionKey", "RowKey")]
        if "(" not in table and all(isinstance(key, str) for key in keys):
            partition, row = (str(key).replace("'", "''") for key in keys)
            return f"{table}(PartitionKey='{partition}',RowKey='{row}')"
    return ""


def _json(body: bytes | None) -> Any:
    try:
        return json.loads(body or b"")
    except ValueError:
        return None


def _http_date(when: datetime) -> str:
    return format_datetime(when.astimezone(UTC).replace(microsecond=0), usegmt=True)


def _nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every mapping in a parsed body."""
    if isinstance(value, Mapping):
        yield value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)
