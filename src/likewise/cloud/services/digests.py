"""Entity tags that are not the MD5 of the content they stand for, as clients expect them to be.

Where the content is random the tags are as well, and count by identity only: nothing else would tell a
server that makes them otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5

from likewise.cloud.services.call import Call
from likewise.model import Value

OTHER = "≢"
"""Ends the name of the field that says of another one that it is not the MD5 of the content."""
_SAID = "not the MD5 of the content"
_SENDS = ("PutObject", "UploadPart")
_REWRITES = frozenset({"DeleteObject", "PostObject", "RenameObject"})
_LISTED = ("Contents", "Version")


class Digests:
    """What the objects of a world hold, as far as the calls on them tell, by bucket and key."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, str]] = {}
        self._parts: dict[tuple[str, str], str] = {}
        """What was sent, by upload and number."""

    def learn(self, call: Call, source: Value) -> None:
        """Take note of what a call left there; a copy holds what its `source` does, unless that is older."""
        bucket = call.names[0]
        if call.operation in ("DeleteBucket", "DeleteObjects"):
            self._known.pop(bucket, None)
        elif call.operation in _REWRITES:
            self._set(call, "")
        elif call.operation == "PutObject":
            self._set(call, _sent(call))
        elif call.operation == "UploadPart":
            self._parts[call.query.get("uploadId", ""), call.query.get("partNumber", "")] = _sent(call)
        elif call.operation == "CompleteMultipartUpload":
            self._set(call, self._joined(call))
        elif call.operation == "CopyObject":
            where = [str(name) for name in source] if isinstance(source, list) else []
            self._set(call, self._held(where))

    def mark(self, call: Call, answer: Value) -> None:
        """Say where an answer's tags are others; `answer` is what the document in it holds."""
        tag = call.response_headers.get("etag", "")
        if tag and _is_other(tag, self._expected(call)):
            call.response_headers = {**call.response_headers, "etag" + OTHER: _SAID}
        if not isinstance(answer, dict):
            return
        for entry, digest in self._entries(call, answer):
            if isinstance(said := entry.get("ETag"), str) and _is_other(said, digest):
                entry["ETag" + OTHER] = _SAID

    def _expected(self, call: Call) -> str:
        if call.operation in _SENDS:
            return _sent(call)
        if call.operation == "CompleteMultipartUpload":
            return self._held(call.names)
        return "" if "versionId" in call.query or "uploadId" in call.query else self._held(call.names)

    def _joined(self, call: Call) -> str:
        """The tag of an object that was sent in parts: the MD5 of their MD5s, and how many there are."""
        asked = call.request.get("CompleteMultipartUpload") if isinstance(call.request, dict) else None
        listed = asked.get("Part") if isinstance(asked, dict) else None
        parts = listed if isinstance(listed, list) else []
        numbers = [part.get("PartNumber") if isinstance(part, dict) else None for part in parts]
        upload = call.query.get("uploadId", "")
        digests = [self._parts.get((upload, str(number)), "") for number in numbers]
        if not digests or not all(digests):
            return ""
        whole = md5(b"".join(map(bytes.fromhex, digests)), usedforsecurity=False).hexdigest()
        return f"{whole}-{len(digests)}"

    def _entries(self, call: Call, answer: dict[str, Value]) -> Iterator[tuple[dict[str, Value], str]]:
        yield answer, self._expected(call)
        known = self._known.get(call.names[0], {}) if call.names else {}
        for name in _LISTED if known else ():
            entries = answer.get(name)
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and entry.get("IsLatest", "true") == "true":
                    yield entry, known.get(str(entry.get("Key")), "")

    def _held(self, names: list[str]) -> str:
        if len(names) != 2:  # no object, or a version of one
            return ""
        return self._known.get(names[0], {}).get(names[1], "")

    def _set(self, call: Call, digest: str) -> None:
        if len(call.names) > 1:
            self._known.setdefault(call.names[0], {})[call.names[1]] = digest


def _sent(call: Call) -> str:
    if call.sums is not None:
        return call.sums.digest("md5").hex()
    return "" if call.content is None else md5(call.content, usedforsecurity=False).hexdigest()


def _is_other(tag: str, digest: str) -> bool:
    return bool(digest) and tag.strip('"') != digest
