"""What everybody on a server shares, as the calls of a campaign left it on one side."""

from __future__ import annotations

from collections.abc import Mapping

from likewise.cloud.fuzz.calls import Call, placeholders
from likewise.cloud.fuzz.planning.plans import is_read


class Shared:
    """The last that a side took of each part of what belongs to nobody: settings of an account."""

    def __init__(self) -> None:
        self._parts: dict[str, str] = {}

    def note(self, call: Call) -> None:
        """Take in a call that succeeded."""
        if not is_read(call.operation) and not any(placeholders(call.params)):
            self._parts |= _parts(call)

    def copy(self) -> Mapping[str, str]:
        """How it is now."""
        return dict(self._parts)


def _parts(call: Call) -> dict[str, str]:
    """What a call writes, part by part: the rest stays as it was."""
    body = call.params.get("body")
    if isinstance(body, Mapping) and len(body) == 1:
        (inner,) = body.values()
        if isinstance(inner, Mapping):
            return {f"{call.operation}.{name}": repr(value) for name, value in inner.items()}
    return {call.operation: repr(call.params)}
