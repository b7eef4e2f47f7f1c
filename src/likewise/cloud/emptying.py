"""Notices tests that fail for want of what an earlier test made and the emptying between them removed."""

from __future__ import annotations

from typing import NamedTuple

from likewise.cloud.regions import region_touched
from likewise.cloud.replay import names
from likewise.model import Interaction, Raised, Result, Returned, Trace


class _Made(NamedTuple):
    """Something at the top: where regions have names of their own, the same name is another thing there."""

    service: str
    region: str
    name: str

    def __str__(self) -> str:
        return f"{self.service} {self.name}" + (f" in {self.region}" if self.region else "")


class Emptying:
    """What the tests of one process made at the top (buckets, tables, …), by the world that it was in."""

    def __init__(self) -> None:
        self._made: dict[_Made, str] = {}
        """Each with the world that it was made in last."""

    def missed(self, trace: Trace) -> str:
        """What an earlier world had and a test that failed asked for in vain, or nothing."""
        asked: dict[_Made, None] = {}
        for call in trace.interactions:
            name, where = names.created_name(call), (call.operation.service, region_touched(call.touches))
            if name and isinstance(call.outcome, Returned):
                if names.creates(call):
                    self._made[_Made(*where, name)] = trace.world
                else:
                    self._made.pop(_Made(*where, name), None)
            elif _is_absent(call):
                asked.update((_Made(*where, top), None) for top in names.top_names(call))
        if trace.result is not Result.FAILED:
            return ""
        return next((str(made) for made in asked if self._made.get(made, trace.world) != trace.world), "")


def _is_absent(call: Interaction) -> bool:
    """Whether an answer says that something is not there."""
    if not isinstance(call.outcome, Raised):
        return False
    value = call.outcome.value
    is_absent = isinstance(value, dict) and value.get("status") == 404
    return is_absent or "NotFound" in call.outcome.kind or call.outcome.kind.startswith("NoSuch")
