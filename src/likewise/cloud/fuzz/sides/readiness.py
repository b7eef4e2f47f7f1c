"""Tables that by a server's own word are still being made, changed or deleted: they are waited for.

Every client must; what a server answers until then is a matter of chance. Where it turns out that tables
are ready as soon as somebody looks, nobody looks any more before something is refused for want of one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from likewise.cloud.fuzz.calls import Answer, Call

POLLS = (0.002, 0.01, 0.03, 0.1, 0.3, *[1.0] * 20)
"""Seconds between looks at a table."""
SHORT = 7
"""Looks at a table that is asked for itself."""
QUIET = 0.01
"""Seconds for which a table that is taken to be ready is left alone at most, by calls about itself."""
SOON = 3
"""Looks by which a table has to be ready to count as ready at once."""
SLOW = 0.4
"""Seconds for which a table has to be waited for to be late: no server takes as long by the way."""
SURE = 3
"""Tables in a row that were ready at once, after which the next one is taken to be so, too."""
RECENT = 32
"""Tables of which it is remembered that nobody looked at them."""
_UNREADY = re.compile(r"Resource(NotFound|InUse)|TableNotFound|TableInUse")


class Readiness:
    """What one server's tables need before they can be used; `send` asks that server."""

    def __init__(self, send: Callable[[Call], Answer]) -> None:
        self._send = send
        self._quick: dict[str, int] = {}
        """For each state of a table how often in a row it was over at once."""
        self._trusted: dict[str, tuple[str, float]] = {}
        """Tables that were taken to be ready, with the state that they were said to be in, and when."""
        self._quiet = QUIET
        """Seconds that are enough: the fewest after which a table was seen to be ready, unless that fails."""
        self._vain: dict[tuple[str, str], int] = {}
        """Refusals of operations that waiting for a table did not change, and how often."""

    def leave(self, call: Call) -> None:
        """Leave a table alone for a moment that may not be ready for a call about the table itself.

        One that is about to vanish is left alone by all: what still finds it is not told so.
        """
        if self._trusted and not call.operation.startswith("Create"):
            now, is_about = time.monotonic(), "Table" in call.operation
            since = [
                moment
                for name, (state, moment) in self._trusted.items()
                if now - moment < self._quiet and (is_about or state == "DELETING") and _names(call, name)
            ]
            if since:
                time.sleep(max(since) + self._quiet - now)

    def settled(self, call: Call, answer: Answer) -> Answer:
        """The answer to a call once no table that it is about is in between two states."""
        if answer.success:
            if slow := self._await(answer.fields.get("TableDescription")):
                return replace(answer, between=slow)
            if state := _state(answer.fields.get("Table")):
                return self._look(call, state)
            return answer
        names = [name for name in self._trusted if _UNREADY.search(answer.code) and _names(call, name)]
        refusal = (call.operation, answer.code)
        if not names:
            return answer
        is_vain = self._vain.get(refusal, 0) >= SURE  # it is asked again all the same, but without a wait
        for name in names:
            state, _ = self._trusted.pop(name)
            if not is_vain:
                self._until_ready(name, state)
        again = self._send(call)
        if again.code == answer.code:
            self._vain[refusal] = self._vain.get(refusal, 0) + 1
        else:
            self._quiet = min(QUIET, 2 * self._quiet)
        return again

    def _await(self, table: Any) -> str:
        """Wait for a table that is in between two states; the state, where that took a while."""
        state = _state(table)
        if not state:
            return ""
        if self._quick.get(state, 0) >= SURE:
            self._trusted[table["TableName"]] = state, time.monotonic()
            if len(self._trusted) > RECENT:
                del self._trusted[next(iter(self._trusted))]
        else:
            began = time.monotonic()
            self._until_ready(table["TableName"], state)
            waited = time.monotonic() - began
            self._quiet = min(self._quiet, waited)
            return state if waited > SLOW else ""
        return ""

    def _until_ready(self, name: str, state: str) -> None:
        look = Call(service="dynamodb", operation="DescribeTable", params={"TableName": name})
        for number, pause in enumerate(POLLS):
            time.sleep(pause)
            if not _state(self._send(look).fields.get("Table")):
                self._quick[state] = self._quick.get(state, 0) + 1 if number < SOON else 0
                return

    def _look(self, call: Call, state: str) -> Answer:
        """What a table is like once it is ready; where that took a while, with the state it was in."""
        answer = Answer(success=False)
        for number, pause in enumerate(POLLS[:SHORT]):
            time.sleep(pause)
            answer = self._send(call)
            if not _state(answer.fields.get("Table")):
                return answer if number < SOON else replace(answer, between=state)
        return answer


def _state(table: Any) -> str:
    """The state that a table is in between two others; nothing where it is in none, or is no table."""
    state = str(table.get("TableStatus", "")) if isinstance(table, Mapping) else ""
    return state if state.endswith("ING") else ""


def _names(call: Call, name: str) -> bool:
    return name in repr(call.params)
