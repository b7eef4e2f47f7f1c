"""Bodies of recorded requests, also those of which a file kept only the head."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Any
from urllib.parse import unquote

from likewise.cloud.fuzz.corpus.batches import is_batch
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step, Wire
from likewise.cloud.fuzz.corpus.values import Moment, Unplayable, decode, filled

_SUMS = frozenset({"content-md5", "x-ms-blob-content-md5"})
_OF_SUMS = frozenset({"Md5Mismatch", "InvalidMd5", "InvalidHeaderValue"})
"""What the service says where a checksum is not that of the body."""
_OF_BLOCKS = frozenset(
    {"InvalidBlockList", "InvalidBlockId", "InvalidXmlDocument", "BlockListTooLong", "BlockCountExceedsLimit"}
)
"""What it says of the list of blocks itself."""
_DATA = frozenset({"", "page", "block", "appendblock"})
"""What `comp` says where the body is a user's data."""
_APART = frozenset(
    {
        "EntityAlreadyExists",
        "UpdateConditionNotSatisfied",
        "ConditionNotMet",
        "ResourceNotFound",
        "TableNotFound",
        "TableBeingDeleted",
        "EntityNotFound",
    }
)
"""What a service says of an entity whatever its properties are."""
_CUT = {"length", "head"}
_KEY = re.compile(r'"(PartitionKey|RowKey)": ?"((?:[^"\\]|\\.)*)"')
_AT = re.compile(r"/?(\w+)\(PartitionKey='(.*?)', ?RowKey='(.*?)'\)$")
_MESSAGE = re.compile(r"(.*<QueueMessage><MessageText>)([^<>&]*)", re.DOTALL)
_ROOT = re.compile(r"(?:<\?xml[^>]*\?>\s*)?<(\w+)")


class Bodies:
    """The bodies of one case, in the order in which its steps are played."""

    def __init__(self, case: Case, rename: Callable[[str], str]) -> None:
        self._case, self._rename = case, rename
        queries = [step.wire.query for step in case.steps if step.wire is not None]
        self._relied_on = any(part.startswith("si=") for query in queries for part in query.split("&"))
        self._blocks: dict[str, list[str]] = {}
        self._rows: dict[tuple[str, str, object], str] = {}
        self._inserted: set[tuple[str, str, str]] = set()

    def body(self, step: Step, recorded: Recorded | None) -> bytes | None:
        """What is to be sent; `Unplayable` where the file does not hold what decides the answer."""
        assert step.wire is not None
        self._note_block(step)
        body, length = step.params.get("body"), step.params.get("body_length")
        if isinstance(body, Mapping) and set(body) == _CUT:
            return self._completed(step, body, recorded)
        if body is None:
            if isinstance(length, int) and length > 0:
                raise Unplayable(f"the body of {length} bytes is not in the file")
            return None
        decoded = decode(body, Moment(None), "the body")
        content = decoded if isinstance(decoded, bytes) else str(decoded).encode()
        if isinstance(decoded, str) and self._is_encoded(step, content):
            decoded = content = base64.b64decode(content)
            if is_batch(step.wire):
                decoded = content.decode("latin-1")
        if isinstance(length, int) and length != len(content):
            if self._is_data(step):
                return filled({"length": length, "head": "0"}, "the body")
            raise Unplayable(f"the body has {len(content)} bytes in the file and had {length}")
        if isinstance(decoded, bytes):
            return content
        return self._in_force(self._rename(str(decoded))).encode()

    def _is_encoded(self, step: Step, content: bytes) -> bool:
        """Whether a body is in the file as base64: it has its length then, or begins as it must."""
        assert step.wire is not None
        try:
            plain = base64.b64decode(content, validate=True)
        except ValueError:
            return False
        if is_batch(step.wire):
            return plain.startswith(b"--")
        return step.params.get("body_length") == len(plain) != len(content)

    def _in_force(self, text: str) -> str:
        """Policies that a signature of the case relies on, with times around now."""
        if not self._relied_on or "<SignedIdentifier>" not in text:
            return text
        now = datetime.now(UTC)
        for name, when in (("Start", now - timedelta(hours=1)), ("Expiry", now + timedelta(days=1))):
            text = re.sub(rf"<{name}>[^<]*</{name}>", f"<{name}>{when:%Y-%m-%dT%H:%M:%SZ}</{name}>", text)
        return text

    def can_be_left_out(self, step: Step) -> bool:
        """Whether a cut document decides nothing of what the last call is answered.

        It sets only what that reads or sets anew, or it fills a table that is asked for as a whole.
        """
        body, wire, last = step.params.get("body"), step.wire, self._case.last.wire
        if step is self._case.last or wire is None or last is None or not isinstance(body, Mapping):
            return False
        if step.recorded is None or not step.recorded.success:
            return False
        if is_batch(wire):
            return self._case.service == "table" and _is_whole(last)
        if _ROOT.match(str(body.get("head"))) is None or wire.method != "PUT":
            return False
        return (last.path, last.query) == (wire.path, wire.query) and last.method in ("GET", "PUT")

    def _note_block(self, step: Step) -> None:
        assert step.wire is not None
        query = dict(part.partition("=")[::2] for part in step.wire.query.split("&"))
        if query.get("comp") == "block" and "blockid" in query:
            staged = self._blocks.setdefault(step.wire.path, [])
            name = unquote(query["blockid"])
            if name not in staged:
                staged.append(name)

    def _completed(self, step: Step, body: Mapping[str, Any], recorded: Recorded | None) -> bytes:
        if self._is_data(step):
            return filled({**body, "head": _data(str(body["head"]))}, "the body")
        return (
            self._entity(step, body, recorded)
            or self._block_list(step, body, recorded)
            or self._message(body)
            or filled(body, "the body")
        )

    def _is_data(self, step: Step) -> bool:
        """Whether a body is a user's data, which decides nothing if its checksum is right."""
        assert step.wire is not None
        comp = next((part[5:] for part in step.wire.query.split("&") if part.startswith("comp=")), "")
        if self._case.service != "blob" or step.wire.method != "PUT" or comp not in _DATA:
            return False
        if "restype=" in step.wire.query:
            return False
        if "x-ms-content-crc64" in {name.lower() for name in step.params.get("headers") or {}}:
            raise Unplayable("the body was cut off in the recording, and its checksum is sent")
        return True

    def sums(self, step: Step, body: bytes | None, recorded: Recorded | None) -> dict[str, str]:
        """The checksums of a body that was made up, where the recorded one had its own.

        One that was wrong stays as it is: it is wrong for another body as well.
        """
        if body is None or not _is_cut(step) or (recorded is not None and recorded.code in _OF_SUMS):
            return {}
        found = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
        return {name: found for name in step.params.get("headers") or {} if name.lower() in _SUMS}

    def _entity(self, step: Step, body: Mapping[str, Any], recorded: Recorded | None) -> bytes | None:
        """An entity with its keys only, where its properties do not decide the answer that is judged."""
        assert step.wire is not None
        head = str(body["head"])
        if self._case.service != "table" or not head.startswith("{") or recorded is None:
            return None
        if not (recorded.success and step is not self._case.last) and recorded.code not in _APART:
            return None
        at = _AT.fullmatch(unquote(step.wire.path))
        if at is not None:
            return json.dumps({"PartitionKey": at[2], "RowKey": at[3]}).encode()
        keys = dict(_KEY.findall(head))
        if step.wire.method != "POST" or "PartitionKey" not in keys:
            return None
        table = step.wire.path.strip("/").removesuffix("()")
        row = keys.get("RowKey") or self._row(table, keys["PartitionKey"], body, recorded)
        return json.dumps({"PartitionKey": keys["PartitionKey"], "RowKey": row}).encode()

    def _row(self, table: str, partition: str, body: Mapping[str, Any], recorded: Recorded) -> str:
        """The row that other calls name, if any; each body that was accepted has one of its own."""
        same = (table, str(body["head"]), body["length"])
        if not recorded.success and same in self._rows:
            return self._rows[same]
        found = (_AT.fullmatch(unquote(step.wire.path)) for step in self._case.steps if step.wire is not None)
        named = [at[3] for at in found if at is not None and (at[1], at[2]) == (table, partition)]
        rows = [row for row in dict.fromkeys(named) if (table, partition, row) not in self._inserted]
        row = rows[0] if rows else f"row{len(self._inserted)}"
        if recorded.success:
            self._inserted.add((table, partition, row))
        self._rows[same] = row
        return row

    def _block_list(self, step: Step, body: Mapping[str, Any], recorded: Recorded | None) -> bytes | None:
        """The list of all blocks that were staged, if it has that length and was not itself refused."""
        assert step.wire is not None
        if "comp=blocklist" not in step.wire.query or recorded is None or recorded.code in _OF_BLOCKS:
            return None
        staged = self._blocks.pop(step.wire.path, [])
        items = "".join(f"<Latest>{escape(name)}</Latest>" for name in staged)
        content = f"<?xml version='1.0' encoding='utf-8'?>\n<BlockList>{items}</BlockList>".encode()
        return content if len(content) == body["length"] else None

    def _message(self, body: Mapping[str, Any]) -> bytes | None:
        """A message at its full length: what a user put into it decides nothing."""
        found, tail = _MESSAGE.fullmatch(str(body["head"])), "</MessageText></QueueMessage>"
        if self._case.service != "queue" or found is None or not isinstance(body["length"], int):
            return None
        room = body["length"] - len(found[1]) - len(tail)
        return f"{found[1]}{'a' * room}{tail}".encode() if room > 0 else None


def _is_whole(last: Wire) -> bool:
    """Whether a request is about a table as a whole, and is answered alike whatever is in it."""
    path = unquote(last.path).strip("/")
    if last.method == "DELETE":
        return path.startswith("Tables(")
    return last.method == "GET" and "PartitionKey=" not in path and "NextPartitionKey" not in last.query


def _is_cut(step: Step) -> bool:
    """Whether the file does not have the whole body of a request."""
    body, length = step.params.get("body"), step.params.get("body_length")
    if isinstance(body, Mapping):
        return set(body) == _CUT
    return isinstance(body, str) and isinstance(length, int) and length != len(body.encode())


def _data(head: str) -> str:
    """The head of a user's data, as something that can be repeated; what it looks like means nothing."""
    return head if head[:1].isalnum() else "0"
