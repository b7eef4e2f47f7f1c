"""Tell calls that were signed with other keys than those the suite was given.

An emulator takes any keys, the cloud does not: what it answered to the suite's own says nothing about
what it answers to a stranger's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from likewise.cloud.marks import WRONG_SECRET, key_mark
from likewise.cloud.recorder.patches import Patches

Keys = tuple[str | None, str | None, str | None]


class Strangers:
    """The signatures of this process that were not made with the environment's keys.

    Those are the keys that stood there at first, and those that stand there when a call is signed:
    suites set their own. Where the environment holds none (a profile, a role), nobody is a stranger.
    """

    def __init__(self) -> None:
        self._first = _keys()
        self._found: dict[str, str] = {}

    def follow(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Follow `botocore.auth`."""

        def make(inner: Any) -> Any:
            def signature(auth: Any, string_to_sign: Any, request: Any) -> Any:
                made = inner(auth, string_to_sign, request)
                if is_active():
                    self._note(auth.credentials, made)
                return made

            return signature

        patches.replace(module.SigV4Auth, "signature", make)

    def of(self, headers: Mapping[str, str]) -> str:
        """Whose signature a request carries; nothing where it is the suite's own."""
        if not self._found:
            return ""
        return self._found.get(headers.get("authorization", "").rpartition("Signature=")[2], "")

    def _note(self, credentials: Any, made: str) -> None:
        used = (credentials.access_key, credentials.secret_key, credentials.token or None)
        own = (self._first, _keys())
        if used in own or all(identifier is None for identifier, *_ in own):
            return
        known = any(used[0] == identifier for identifier, *_ in own)
        self._found[made] = WRONG_SECRET if known else f"keys {key_mark(used[0])}"


def _keys() -> Keys:
    identifier, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    return identifier, secret, os.environ.get("AWS_SESSION_TOKEN") or None
