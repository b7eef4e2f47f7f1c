"""Versions of objects that S3 named in a recording, and those that the candidate made in their place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Answer

_SOURCE = re.compile(r"/?([^/]+)/([^?]+)\?versionId=([^&]+)")
_NONE = "null"
"""The version of what was made without versions; it is called so everywhere."""


class Versions:
    """What the candidate's answers gave, by object, and which recorded versions stand for it."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], list[str]] = {}
        self._bound: dict[str, str] = {}

    def note(self, params: Mapping[str, Any], answer: Answer) -> None:
        """Remember the version that a call made."""
        version = answer.fields.get("VersionId") if answer.success else None
        made = self._made.setdefault((str(params.get("Bucket")), str(params.get("Key"))), [])
        if isinstance(version, str) and version not in made:
            made.append(version)

    def put(self, params: dict[str, Any], *, was_accepted: bool) -> dict[str, Any]:
        """Parameters with the candidate's versions, where the recorded ones existed.

        A source that is copied from did, as far as anybody knows; of others only an accepted call tells.
        """
        source, version = params.get("CopySource"), params.get("VersionId")
        found = dict(params)
        if isinstance(source, str) and (named := _SOURCE.fullmatch(source)):
            own = self._own(named[1], named[2], named[3])
            found["CopySource"] = source[: named.start(3)] + own + source[named.end(3) :]
        elif isinstance(source, Mapping) and isinstance(source.get("VersionId"), str):
            own = self._own(str(source.get("Bucket")), str(source.get("Key")), source["VersionId"])
            found["CopySource"] = {**source, "VersionId": own}
        if was_accepted and isinstance(version, str):
            found["VersionId"] = self._own(str(params.get("Bucket")), str(params.get("Key")), version)
        return found

    def _own(self, bucket: str, key: str, version: str) -> str:
        made = self._made.get((bucket, key), [])
        if version == _NONE or version in made:
            return version
        if version not in self._bound:
            free = [each for each in made if each not in self._bound.values()]
            if not free:
                return version
            self._bound[version] = free[0]
        return self._bound[version]
