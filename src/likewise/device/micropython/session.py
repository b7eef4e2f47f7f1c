"""Batches of calls through the agent: sent ahead, acknowledged, checked, never executed twice."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from likewise.device.links import Deadline
from likewise.device.micropython import agent
from likewise.device.micropython.packing import (
    CHECK,
    CHECK_END,
    ITEM,
    ITEM_END,
    MORE,
    NO_ROOM,
    REPEAT,
    TAKEN,
    Item,
    checksum,
    frame,
    payloads,
)
from likewise.device.micropython.repl import CHUNK, INTERRUPT, Repl
from likewise.device.testee import LimitReached

MOST = 32
"""Steps in a message."""
LONGEST = 96
"""Bytes in a message that holds more than one step: three chunks."""
HEAD = 9
"""Bytes before the payload of a frame."""
INTERRUPTED = b"\x18"
PATIENCE = 1.5
"""Seconds after which a frame that was not acknowledged counts as lost."""
SOON = 0.04
"""Seconds after which a part of a chunk counts as lost, if others were acknowledged much sooner."""
LATE = 3
"""How many times as long as acknowledgements take that is at least."""
FORGET = 0.95
FILLER = b"    "
"""Stands for what was lost, so that the device says at once that it was; between frames, nothing."""
MOST_FILLERS = 8
ATTEMPTS = 12


@dataclass(slots=True)
class _Reception:
    """What has come back for one frame."""

    is_taken: bool = False
    has_failed: bool = False
    grants: int = 0
    results: list[bytes] = field(default_factory=list)
    check: bytes | None = None
    _text: bytearray | None = None
    _end: int = 0

    def feed(self, data: bytes, output: bytearray) -> int:
        """Take bytes up to the end of the answer; how many were taken."""
        for place, byte in enumerate(data):
            if self._text is not None:
                if byte != self._end:
                    self._text.append(byte)
                    continue
                text, self._text = bytes(self._text), None
                if byte == CHECK_END:
                    self.check = text
                    return place + 1
                self.results.append(text)
            elif byte in (ITEM, CHECK):
                self._text, self._end = bytearray(), ITEM_END if byte == ITEM else CHECK_END
            elif byte == TAKEN:
                self.is_taken = True
            elif byte == MORE:
                self.grants += 1
            elif byte == REPEAT:
                self.has_failed = True
                return place + 1
            else:
                output.append(byte)
        return len(data)

    @property
    def is_whole(self) -> bool:
        """Whether everything arrived as it was sent."""
        return self.check == checksum(bytes([ITEM_END]).join(self.results))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of the items that ended, in order; `hung` says that the next one did not."""

    results: list[bytes]
    hung: bool = False


class Session:
    """The agent on one device, running."""

    def __init__(self, repl: Repl) -> None:
        self._repl = repl
        self._number = 0
        self._rest = b""
        self._slowest = PATIENCE / LATE
        """Seconds in which chunks were acknowledged; the slowest, which counts less as time goes on."""
        self.retries = 0
        self.output = bytearray()

    def begin(self, deadline: Deadline) -> None:
        """Start the agent, which was loaded before."""
        while True:
            try:
                self._repl.start(agent.START, Deadline(min(PATIENCE, deadline.left)))
                break
            except LimitReached:
                # A part of the few characters was lost.
                self.retries += 1
                if deadline.is_over:
                    raise
                self._repl.enter(deadline)
        self._rest = self._repl.take()

    def perform(self, items: Sequence[Item], limits: Sequence[float]) -> Outcome:
        """Execute items, each within its limit; ends with the first one that hangs. Raises LinkLost."""
        batches = payloads(items, most=MOST, longest=LONGEST)
        done: list[bytes] = []
        sent_ahead = 0
        while batches:
            count, payload = batches.pop(0)
            self._number += 1
            own = frame(self._number, payload)
            ahead = _beginning(frame(self._number + 1, batches[0][1])) if batches else None
            share = limits[len(done) : len(done) + count]
            found, sent_ahead = self._exchange(own, sent_ahead, ahead, share)
            done += found
            if _has_no_room(found) and count > 1:
                done.pop()
                batches = self._one_by_itself(items[len(done) :])
                if sent_ahead:
                    self._resynchronise()
                    sent_ahead = 0
            elif len(found) < count:
                return Outcome(done, hung=True)
        return Outcome(done)

    def _one_by_itself(self, items: Sequence[Item]) -> list[tuple[int, bytes]]:
        """The first of them in a message of its own: with others the device had no room for it."""
        return [
            each for some in (items[:1], items[1:]) for each in payloads(some, most=MOST, longest=LONGEST)
        ]

    def _exchange(
        self, own: bytes, already: int, ahead: bytes | None, limits: Sequence[float]
    ) -> tuple[list[bytes], int]:
        """One frame until its answer is whole; how much of the next one was sent meanwhile."""
        for attempt in range(ATTEMPTS):
            reception = _Reception()
            sent = self._send(own, already, reception)
            sent_ahead = 0
            hung = False
            if sent:
                if ahead is not None and attempt == 0:
                    self._repl.link.write(ahead, Deadline(PATIENCE))
                    sent_ahead = len(ahead)
                hung = not self._collect(reception, limits)
            if reception.check is not None and reception.is_whole:
                if len(reception.results) < len(limits) and not hung and not _has_no_room(reception.results):
                    break  # it was taken after all, and one of its steps was interrupted
                return reception.results, sent_ahead
            if hung:
                return self._results_so_far(own, len(reception.results), len(limits)), 0
            self.retries += 1
            already = 0
            if sent_ahead or not (sent or reception.has_failed):
                self._resynchronise()
        raise LimitReached(
            "answer without losses", after=PATIENCE * ATTEMPTS, where=self._repl.link.description
        )

    def _send(self, own: bytes, already: int, reception: _Reception) -> bool:
        """Write a frame chunk by chunk; whether the device has taken it."""
        start = already
        end = HEAD + CHUNK
        deadline = Deadline(PATIENCE)
        while True:
            if start < min(end, len(own)):
                self._repl.link.write(own[start:end], deadline)
            start = max(start, min(end, len(own)))
            wanted = (end - HEAD) // CHUNK
            is_last = end >= len(own)
            while not (reception.is_taken if is_last else reception.grants >= wanted):
                if reception.has_failed or not self._hear(reception, deadline):
                    return False
            if is_last:
                return True
            end += CHUNK
            deadline = Deadline(PATIENCE)

    def _hear(self, reception: _Reception, deadline: Deadline) -> bool:
        """Wait for an acknowledgement, which is soon: otherwise something was lost, and is filled up."""
        started = time.monotonic()
        for _ in range(MOST_FILLERS):
            if self._read(reception, Deadline(min(max(SOON, LATE * self._slowest), deadline.left))):
                if not reception.has_failed:
                    self._slowest = max(time.monotonic() - started, FORGET * self._slowest)
                return True
            if not deadline.is_over:
                self._repl.link.write(FILLER, deadline)
        return self._read(reception, deadline)

    def _read(self, reception: _Reception, deadline: Deadline) -> bool:
        """Take what has come; False where nothing came in time."""
        try:
            data = self._rest or self._repl.link.read(deadline)
        except LimitReached:
            return False
        used = reception.feed(data, self.output)
        self._rest = data[used:]
        del self.output[:-2000]
        return True

    def _collect(self, reception: _Reception, limits: Sequence[float]) -> bool:
        """Wait for all results; False where the next one did not come within its limit."""
        while reception.check is None:
            before = len(reception.results)
            limit = limits[before] if before < len(limits) else PATIENCE
            deadline = Deadline(limit)
            while len(reception.results) == before and reception.check is None:
                if not self._read(reception, deadline):
                    return before >= len(limits)
        return True

    def _resynchronise(self) -> None:
        """Interrupt the agent, which says so and goes on; it remembers what it has done."""
        link, heard = self._repl.link, b""
        with contextlib.suppress(LimitReached):
            link.write(INTERRUPT, Deadline(PATIENCE))
            while INTERRUPTED not in heard:
                heard = link.read(Deadline(PATIENCE))
            self._rest = b""
            return
        deadline = Deadline(5.0)
        self._repl.enter(deadline)
        self.begin(deadline)

    def _results_so_far(self, own: bytes, count: int, steps: int) -> list[bytes]:
        """What a frame had done when it hung: asked again, the agent repeats its results.

        Where it has done all steps, nothing hung and a part of its answer was lost. Else a step that ends
        after all, while it is interrupted, was too late nevertheless.
        """
        self._resynchronise()
        for _ in range(ATTEMPTS):
            reception = _Reception()
            if self._send(own, 0, reception) and self._collect(reception, ()) and reception.is_whole:
                found = reception.results
                return found if len(found) == steps else found[:count]
            self.retries += 1
            if not reception.has_failed:
                self._resynchronise()
        raise LimitReached("results before the hang", after=PATIENCE, where=self._repl.link.description)


def _has_no_room(results: Sequence[bytes]) -> bool:
    """Whether the device could not even read the step that the last result is of."""
    return results[-1:] == [NO_ROOM]


def _beginning(whole: bytes) -> bytes:
    """What is sent of a frame before the answer to the one before: never all of it, or it would be executed
    though that one hangs, and that one again if its answer was lost."""
    return whole[: min(HEAD + CHUNK, len(whole) - 1)]
