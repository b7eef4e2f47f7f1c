"""Notices tests that fail for want of what an earlier test made and the emptying between them removed."""

from __future__ import annotations

from likewise.cloud.replay import names
from likewise.model import Interaction, Raised, Result, Returned, Trace


class Emptying:
    """What the tests of one process made at the top (buckets, tables, …), by the world that it was in."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], str] = {}
        """Each with the world that it was made in last."""

    def missed(self, trace: Trace) -> str:
        """What an earlier world had and a test that failed asked for in vain, or nothing."""
        asked: dict[tuple[str, str], None] = {}
        for call in trace.interactions:
            service, name = call.operation.service, names.created_name(call)
            if name and isinstance(call.outcome, Returned):
                if names.creates(call):
                    self._made[service, name] = trace.world
                else:
                    self._made.pop((service, name), None)
            elif _is_absent(call):
                asked.update(((service, top), None) for top in names.top_names(call))
        if trace.result is not Result.FAILED:
            return ""
        return next(
            (f"{service} {name}" for service, name in asked if self._was_elsewhere(service, name, trace)), ""
        )

    def _was_elsewhere(self, service: str, name: str, trace: Trace) -> bool:
        return self._made.get((service, name), trace.world) != trace.world


def _is_absent(call: Interaction) -> bool:
    """Whether an answer says that something is not there."""
    if not isinstance(call.outcome, Raised):
        return False
    value = call.outcome.value
    is_absent = isinstance(value, dict) and value.get("status") == 404
    return is_absent or "NotFound" in call.outcome.kind or call.outcome.kind.startswith("NoSuch")
