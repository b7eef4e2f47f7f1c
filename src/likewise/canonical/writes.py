"""A write as later calls see it, and what it took the place of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from likewise.canonical.forms import Form
from likewise.canonical.hashing import SIZE
from likewise.canonical.history import Numbers, Replaced
from likewise.canonical.timing import Change
from likewise.model import Spot, Touch

_OVER, _EMPTIED, _BELOW, _BEFORE = b" over ", b" and all below", b" with ", b" before it "
"""How a write's text goes on with what it took the place of."""


@dataclass(slots=True)
class Write:
    """A write as later calls see it."""

    spot: Spot
    form: Form
    plain: bytes
    """What it is to a write that takes its place."""
    text: bytes
    """What it is to a call that finds it: what it was told, and what it took the place of."""
    follows: Numbers
    """The writes that it depended on itself."""
    touches: tuple[Touch, ...]
    timed: tuple[Touch, ...]
    change: Change | None
    """When what is timed changes by itself; also if the thing itself was removed meanwhile."""
    removes: bool
    """Whether it does nothing but take away what was there."""
    times: int = 1
    """How often the same trace has set this by now."""
    former: tuple[bytes, ...] = ()
    """What its own trace had written there before it."""
    removed: bytes = b""
    """If it removes something: how, and what had been done to that."""
    settled: Spot | None = None
    """The look that showed its effect to be complete."""
    followed: list[bytes] | None = None
    mark: bytes = b""
    """What it is after those `followed`."""

    def mark_after(self, followed: list[bytes]) -> bytes:
        """Tells apart what it is and what of other writes it followed."""
        if followed != self.followed:
            self.mark = blake2b(b"".join((self.text, *followed)), digest_size=SIZE).digest()
            self.followed = followed
        return self.mark


def describe(
    form: Form, before: Iterable[Write], below: Iterable[Write], replaced: Replaced, *, place: int
) -> tuple[bytes, bytes]:
    """A write as the one that takes its place sees it, and as whoever reads after it does.

    To overwrite or to delete something is not to write or to delete where nothing was: on a server that
    keeps the old, only the first leaves it to be seen. What was there `before` counts with what it replaced
    itself, and no further, so that state which is set again and again has a history that ends. A table or a
    bucket that another trace than the one at this `place` removed is as good as new: else each test would
    depend on the last one. Of what the trace itself has written `below`, each kind counts once: a server may
    keep some of it, such as a message that somebody has received.
    """
    plain = form.template.encode()
    if replaced.emptied:
        plain += _EMPTIED
    over = {_with_former(write, place) for write in before if not replaced.whole or write.spot[0] == place}
    gone = {write.plain for write in below if write.spot[0] == place}
    return plain, _BELOW.join((_OVER.join((plain, *sorted(over))), *sorted(gone)))


def removal_of(plain: bytes, before: Iterable[Write], *, place: int) -> bytes:
    """A removal, with what had been done to the thing before.

    What the trace at this `place` did counts as it is: a server may keep what was sent to stay for ever, or
    what was too long. Of what others did, by the names of operations only: else whoever works off a queue
    would find it another one after each job.
    """
    done = {
        _with_former(write, place) if write.spot[0] == place else write.form.operation.encode()
        for write in before
    }
    return _OVER.join((plain, *sorted(done)))


def former_of(before: Iterable[Write], *, place: int) -> tuple[bytes, ...]:
    """What the trace at this `place` had written where something takes its place now."""
    return tuple(sorted({write.plain for write in before if write.spot[0] == place}))


def _with_former(write: Write, place: int) -> bytes:
    """A write with what it took the place of, as far as the trace at this `place` did both."""
    return _BEFORE.join((write.plain, *write.former)) if write.spot[0] == place else write.plain
