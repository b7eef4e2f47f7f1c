"""Items that a table lets expire: which tables do, by which attribute, and when an item's time is up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from likewise.cloud.services.call import Call
from likewise.model import Effect, Touch, Value
from likewise.model.interaction import FOREVER

_ENABLING = "UpdateTimeToLive"


class Expiry:
    """What a service knows of items that go by themselves.

    An item changes by itself only if it has a date in the attribute that its table goes by. That is known
    of all items of a table if it had none yet when that attribute was named; else anything in the table may
    go at any time after that.
    """

    def __init__(self) -> None:
        self._empty: set[str] = set()
        """Tables that were made here and have had no items since."""
        self._attributes: dict[str, str] = {}
        """The tables of whose items it is known which expire, each with the attribute that says when."""

    def timed(self, call: Call, touches: Iterable[Touch]) -> list[Touch]:
        """What a call touched, with what of it changes as time passes."""
        found = [*touches]
        if call.is_refused:
            return found
        if call.operation == _ENABLING:
            return [replace(touch, lasts=FOREVER) if self._is_idle(touch) else touch for touch in found]
        if self._attributes:
            found = [self._expiring(call, touch) for touch in found]
        if self._empty and call.operation != "CreateTable":
            self._fill(found)
        return found

    def learn(self, call: Call) -> None:
        """Remember which tables are new, and by what their items expire."""
        if call.is_refused or not call.names:
            return
        table = call.names[0]
        if call.operation in ("CreateTable", "DeleteTable"):
            self._attributes.pop(table, None)
            self._empty.discard(table)
            if call.operation == "CreateTable":
                self._empty.add(table)
        elif call.operation == _ENABLING:
            self._attributes.pop(table, None)
            wanted = _member(call.request, "TimeToLiveSpecification")
            attribute = _member(wanted, "AttributeName")
            if table in self._empty and _member(wanted, "Enabled") and isinstance(attribute, str):
                self._attributes[table] = attribute

    def _is_idle(self, touch: Touch) -> bool:
        """Whether it is a table without items: nothing in it can go by itself."""
        return len(touch.resource) == 2 and touch.resource[1] in self._empty

    def _fill(self, touches: Iterable[Touch]) -> None:
        for touch in touches:
            if touch.effect is not Effect.READ:
                if len(touch.resource) == 1:
                    self._empty.clear()
                else:
                    self._empty.discard(touch.resource[1])

    def _expiring(self, call: Call, touch: Touch) -> Touch:
        if touch.timed or touch.effect is Effect.READ:
            return touch
        if len(touch.resource) == 1:
            return replace(touch, timed=True)  # whatever that was
        attribute = self._attributes.get(touch.resource[1])
        if attribute is None:
            return touch
        if call.operation == "PutItem":
            until = _member(_member(_member(call.request, "Item"), attribute), "N")
            return touch if until is None else replace(touch, timed=True, lasts=_seconds(until, call.started))
        # Of several items each has a time of its own, and what an expression comes to is not known.
        return replace(touch, timed=True) if attribute in str(call.request) else touch


def _seconds(until: Value, now: float) -> float | None:
    try:
        return float(str(until)) - now
    except ValueError:
        return None


def _member(value: Value, name: str) -> Value:
    return value.get(name) if isinstance(value, dict) else None
