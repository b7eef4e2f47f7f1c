"""A conversation with WARDuino over any link: one message at a time, each reply bound to its echo.

The machine answers a message between the echo of that message and the echo of the next: whatever comes
before the echo (late replies to something that took too long, output) belongs to nobody who still waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeVar

from likewise.device.links import Deadline, Link
from likewise.device.testee import LimitReached
from likewise.device.warduino.messages import Code
from likewise.device.warduino.replies import At, Echo, Lines, NotAReply, Reply, Text, read

T = TypeVar("T")
SILENCE = 0.2
"""Seconds without a reply after which what came before is all there is."""
KEPT = 20
"""Lines of output kept for messages, and stops that nobody has asked for yet."""


class Dialogue:
    """Sends messages and waits for what answers them."""

    def __init__(self, link: Link) -> None:
        self.link = link
        self._lines = Lines()
        self._waiting: deque[Reply] = deque()
        self._owed: deque[int] = deque()
        """The codes of messages whose echo has not come."""
        self.stops: deque[At] = deque(maxlen=KEPT)
        self.output: deque[str] = deque(maxlen=KEPT)

    def ask(
        self,
        code: Code,
        message: bytes,
        wanted: Callable[[Reply], T | None],
        deadline: Deadline,
        what: str,
        *,
        in_silence: Callable[[], T | None] = lambda: None,
    ) -> T:
        """Send a message; what `wanted` makes of the first reply behind its echo that it takes.

        Where nothing has come for a while, `in_silence` may say what is to be made of that.
        """
        try:
            self._send(code, message, deadline)
            while True:
                reply = self._next_or_silence(deadline)
                found = in_silence() if reply is None else wanted(reply)
                if found is not None:
                    return found
                if reply is not None:
                    self._set_aside(reply)
        except LimitReached as error:
            raise self._silence(what, error) from error

    def tell(self, code: Code, message: bytes, deadline: Deadline, what: str) -> None:
        """Send a message that is only echoed."""
        try:
            self._send(code, message, deadline)
        except LimitReached as error:
            raise self._silence(what, error) from error

    def _send(self, code: Code, message: bytes, deadline: Deadline) -> None:
        """Send a message and wait for its own echo; those of messages given up come first."""
        self._drop_late()
        self._owed.append(code)
        self.link.write(message, deadline)
        while self._owed:
            reply = self._next(deadline)
            if isinstance(reply, Echo) and reply.code in self._owed:
                while self._owed.popleft() != reply.code:
                    pass
            else:
                self._set_aside(reply)

    def await_stop(self, deadline: Deadline) -> At:
        """The next stop at a breakpoint that nobody has seen yet."""
        while not self.stops:
            try:
                self._set_aside(self._next(deadline))
            except LimitReached as error:
                raise self._silence("stop at a breakpoint", error) from error
        return self.stops.popleft()

    def forget_stops(self) -> None:
        """Stops from before no longer count."""
        self.stops.clear()

    def _next_or_silence(self, deadline: Deadline) -> Reply | None:
        if deadline.left <= SILENCE:
            return self._next(deadline)
        try:
            return self._next(Deadline(SILENCE))
        except LimitReached:
            return None

    def _next(self, deadline: Deadline) -> Reply:
        while not self._waiting:
            for line in self._lines.feed(self.link.read(deadline)):
                reply = _understood(line)
                if reply is not None:
                    self._waiting.append(reply)
        return self._waiting.popleft()

    def _drop_late(self) -> None:
        while self._waiting:
            reply = self._waiting.popleft()
            if isinstance(reply, Echo) and reply.code in self._owed:
                while self._owed.popleft() != reply.code:
                    pass
            else:
                self._set_aside(reply)

    def _set_aside(self, reply: Reply) -> None:
        if isinstance(reply, At):
            self.stops.append(reply)
        elif isinstance(reply, Text):
            self.output.append(reply.text)

    def _silence(self, what: str, error: LimitReached) -> LimitReached:
        said = self._lines.rest.strip() or (self.output[-1] if self.output else "")
        return LimitReached(
            what,
            after=error.after,
            where=self.link.description,
            why=f"the last it said was {said[:200]!r}" if said else "it said nothing",
            todo="A virtual machine that does not know the function, or is busy, does not reply.",
        )


def _understood(line: str) -> Reply | None:
    try:
        return read(line)
    except NotAReply:
        # Garbage on the link is no reply; whoever waits for one says so in time.
        return Text(line)
