"""What everybody on a server shares, as the calls of a campaign left it on one side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from likewise.cloud.fuzz.calls import Call, placeholders
from likewise.cloud.fuzz.planning.plans import is_read


class Shared:
    """The last that a side took of each part of what belongs to nobody: settings of an account."""

    def __init__(self) -> None:
        self._parts: dict[str, str] = {}

    def note(self, call: Call) -> None:
        """Take in a call that succeeded."""
        if is_read(call.operation) or any(placeholders(call.params)):
            return
        for name, value in _parts(call).items():
            # To some servers a part without anything in it says that it is to stay as it was.
            before = f"{self._parts.get(name, '')} then " if _is_hollow(value) else ""
            self._parts[name] = f"{before}{value!r}"

    def copy(self) -> Mapping[str, str]:
        """How it is now."""
        return dict(self._parts)


def _is_hollow(value: Any) -> bool:
    """Whether there is nothing in a value, or in a part of it."""
    if isinstance(value, Mapping):
        return not value or any(map(_is_hollow, value.values()))
    return value is None or value in ("", [])


def _parts(call: Call) -> dict[str, Any]:
    """What a call writes, part by part: the rest stays as it was."""
    body = call.params.get("body")
    if isinstance(body, Mapping) and len(body) == 1:
        (inner,) = body.values()
        if isinstance(inner, Mapping):
            return {f"{call.operation}.{name}": value for name, value in inner.items()}
    return {call.operation: call.params}
