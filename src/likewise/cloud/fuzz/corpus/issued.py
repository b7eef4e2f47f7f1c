"""Values that AWS handed out in a recording, and those that the candidate handed out in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from likewise.cloud.fuzz.calls import Answer

_SOURCE = re.compile(r"/?([^/]+)/([^?]+)\?versionId=([^&]+)")
_FOREIGN = "quotes a value of the real service that the candidate never gave"
_NONE = "null"
"""The version of what was made without versions; it is called so everywhere."""
_TOKENS = {
    "ContinuationToken": "NextContinuationToken",
    "VersionIdMarker": "NextVersionIdMarker",
    "UploadIdMarker": "NextUploadIdMarker",
    "NextToken": "NextToken",
    "ShardId": "ShardId",
    "ShardIterator": "ShardIterator",
}
"""Parameters that say where a list goes on, and what quoted it."""


class Issued:
    """Versions and uploads by object and the latest tokens, and which recorded ones stand for them."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], list[str]] = {}
        self._begun: dict[tuple[str, str], list[str]] = {}
        self._bound: dict[str, str] = {}
        self._tokens: dict[str, set[str]] = {}
        self._latest: dict[str, str] = {}
        self.doubts: list[str] = []
        """Values that nobody knows the candidate's for."""

    def note(self, params: Mapping[str, Any], answer: Answer) -> None:
        """Remember what an answer gave."""
        fields = answer.fields if answer.success else {}
        what = (str(params.get("Bucket")), str(params.get("Key")))
        for name, known in (("VersionId", self._made), ("UploadId", self._begun)):
            given, made = fields.get(name), known.setdefault(what, [])
            if isinstance(given, str) and given not in made:
                made.append(given)
        fields = {**_shard(fields), **fields}
        for name in frozenset(_TOKENS.values()):
            if isinstance(token := fields.get(name), str):
                self._latest[name] = token
                self._tokens.setdefault(name, set()).add(token)

    def put(self, params: dict[str, Any], *, was_accepted: bool) -> dict[str, Any]:
        """Parameters with the candidate's values, where the recorded ones existed.

        A source that is copied from did, as far as anybody knows; of others only an accepted call tells.
        """
        source, version = params.get("CopySource"), params.get("VersionId")
        found = self._going_on(params, was_accepted=was_accepted)
        if isinstance(source, str) and (named := _SOURCE.fullmatch(source)):
            own = self._own(named[1], named[2], named[3])
            found["CopySource"] = source[: named.start(3)] + own + source[named.end(3) :]
        elif isinstance(source, Mapping) and isinstance(source.get("VersionId"), str):
            own = self._own(str(source.get("Bucket")), str(source.get("Key")), source["VersionId"])
            found["CopySource"] = {**source, "VersionId": own}
        tokens = {name: self._token(name, found[name]) for name in _TOKENS if name in found}
        if not was_accepted:
            self.doubts += self._unknown(params)
            return found | tokens
        if isinstance(version, str):
            found["VersionId"] = self._own(str(params.get("Bucket")), str(params.get("Key")), version)
        return found | tokens

    def _going_on(self, params: Mapping[str, Any], *, was_accepted: bool) -> dict[str, Any]:
        """Parameters with the candidate's own upload, where one was begun for the object."""
        upload, begun = (
            params.get("UploadId"),
            self._begun.get((str(params.get("Bucket")), str(params.get("Key")))),
        )
        if not isinstance(upload, str) or not begun or upload in begun:
            return dict(params)
        if not was_accepted:
            self.doubts.append(f"UploadId {_FOREIGN}")
        return {**params, "UploadId": self._among(begun, upload)}

    def _unknown(self, params: Mapping[str, Any]) -> Iterator[str]:
        """Versions that a call names whose outcome nobody noted: it may have removed one, or none."""
        deleted = params.get("Delete")
        listed = deleted.get("Objects") if isinstance(deleted, Mapping) else None
        for each in (params, *(listed if isinstance(listed, list) else ())):
            version = each.get("VersionId") if isinstance(each, Mapping) else None
            made = self._made.get((str(params.get("Bucket")), str(each["Key"])), []) if version else []
            if made and version not in (_NONE, *made):
                yield f"VersionId {_FOREIGN}"

    def _own(self, bucket: str, key: str, version: str) -> str:
        made = self._made.get((bucket, key), [])
        return version if version == _NONE or version in made else self._among(made, version)

    def _among(self, those: Sequence[str], recorded: str) -> str:
        """Which of the candidate's values a recorded one stands for: the first that no other does."""
        if recorded not in self._bound:
            free = [each for each in those if each not in self._bound.values()]
            if not free:
                return recorded
            self._bound[recorded] = free[0]
        return self._bound[recorded]

    def _token(self, name: str, token: Any) -> Any:
        given = _TOKENS[name]
        if not isinstance(token, str) or token in self._tokens.get(given, ()):
            return token
        if given not in self._latest:
            self.doubts.append(f"{name} {_FOREIGN}")
        return self._latest.get(given, token)


def _shard(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Where the first part of a stream is read, or read on."""
    described = fields.get("StreamDescription")
    shards = described.get("Shards") if isinstance(described, Mapping) else None
    found = {"ShardId": shards[0].get("ShardId")} if isinstance(shards, list) and shards else {}
    return found | {"ShardIterator": fields.get("NextShardIterator")}
