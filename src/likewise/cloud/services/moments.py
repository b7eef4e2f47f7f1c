"""Times among a client's own values that are none of those which it sent.

Times vary from run to run and count by no identity, for two may be equal by chance: nothing else would tell
a server that rounds them, or gives another one back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from likewise.cloud.services.call import Call
from likewise.cloud.services.digests import OTHER
from likewise.model import Value

_SAID = "no time that was sent"
_NUMBER = re.compile(r"1\d{9}(?:\d{3})?(?:\.\d+)?")
_TEXT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_SIGNS = re.compile(rb'"1\d{9}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d')
"""What every body with such a time in it has."""


class Moments:
    """The times that the clients of a world sent, in values that have their type beside them."""

    def __init__(self) -> None:
        self._sent: set[str] = set()

    def learn(self, call: Call) -> None:
        """Take note of the times in a request."""
        if call.content and _SIGNS.search(call.content):
            self._sent.update(time for _, _, time in _times(call.request))

    def mark(self, call: Call) -> None:
        """Say which times in an answer nobody sent; where nobody ever sent any, they are the server's."""
        if self._sent and call.response_content and _SIGNS.search(call.response_content):
            for typed, kind, time in list(_times(call.response)):
                if time not in self._sent:
                    typed[kind + OTHER] = _SAID


def _times(value: Value) -> Iterator[tuple[dict[str, Value], str, str]]:
    """Every value that is a time, with its type, in one way of writing it."""
    if isinstance(value, list):
        for item in value:
            yield from _times(item)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if not isinstance(inner, str):
                yield from _times(inner)
            elif name == "N" and len(value) == 1 and _NUMBER.fullmatch(inner):
                yield value, name, str(Decimal(inner).normalize())
            elif name == "S" and len(value) == 1 and _TEXT.fullmatch(inner):
                yield value, name, inner
