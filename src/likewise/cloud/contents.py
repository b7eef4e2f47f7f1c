"""Content that comes back, told in terms of what was sent.

Content may be new in every run, and then its hash says nothing. What it is made of does: the second part
before the first, or a range that begins a byte too late, would be other content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from likewise.cloud.bodies import opaque
from likewise.model import Effect, Resource, Scope, Touch, Value

LARGEST = 1 << 25
"""Longer content is not taken apart."""
ROOM = 1 << 26
"""So many bytes are kept at most, the youngest."""
MOST = 256
"""What was sent in more pieces than these is not taken apart, either."""
LEAST = 8
"""Shorter pieces may be there by chance."""

_FORGETTING = (Effect.ABSORB, Effect.REMOVE)


class Contents:
    """What was sent to each resource of one world and has not been overwritten."""

    def __init__(self) -> None:
        self._pieces: dict[Resource, list[bytes]] = {}
        self._size = 0

    def take(self, touches: Iterable[Touch], content: bytes | None) -> None:
        """Note what a call changed, and the content that it sent, if any."""
        changed = [touch for touch in touches if touch.effect is not Effect.READ]
        for touch in changed:
            if touch.effect in _FORGETTING:
                for resource in [known for known in self._pieces if _covers(touch, known)]:
                    self._forget(resource)
        if content and changed and len(content) <= LARGEST:
            self._pieces.setdefault(changed[0].resource, []).append(content)
            self._size += len(content)
            while self._size > ROOM:
                self._forget(next(iter(self._pieces)))

    def tell(self, touches: Iterable[Touch], content: bytes) -> Value:
        """What came back from where these calls look; as it is, unless it is made of what was sent."""
        seen = [touch for touch in touches if touch.effect is Effect.READ]
        pieces = [
            piece
            for resource, several in self._pieces.items()
            if any(_covers(touch, resource) for touch in seen)
            for piece in several
        ]
        if not pieces or content in pieces or len(pieces) > MOST or len(content) > LARGEST:
            return opaque(content)
        found = [*_taken_apart(content, pieces)]
        plain = opaque(content)
        # Of text that shows what it is made of only what was cut out says less than where it was cut.
        telling = "from" if isinstance(plain, str) else "of"
        if not any(telling in each for each in found):
            return plain
        # By number, and in no list: which of them comes first is no matter of names.
        numbered: dict[str, Value] = {f"{number:03}": each for number, each in enumerate(found)}
        return {"pieces": numbered}

    def whole(self, touches: Iterable[Touch]) -> bytes | None:
        """What these calls look at, where it was sent as a whole."""
        seen = next((touch.resource for touch in touches if touch.effect is Effect.READ), None)
        return None if seen is None else self.held(seen)

    def held(self, resource: Resource) -> bytes | None:
        """What was sent to a resource as a whole."""
        pieces = self._pieces.get(resource, ())
        return pieces[0] if len(pieces) == 1 else None

    def _forget(self, resource: Resource) -> None:
        self._size -= sum(map(len, self._pieces.pop(resource)))


def _covers(touch: Touch, resource: Resource) -> bool:
    if touch.scope is Scope.SELF:
        return touch.resource == resource
    return resource[: len(touch.resource)] == touch.resource


def _taken_apart(content: bytes, pieces: list[bytes]) -> Iterator[dict[str, Value]]:
    """The content as parts of pieces, the longest that fits at each place, and what is between them."""
    at = unknown = 0
    while at < len(content):
        piece, start, length = max((_fit(content, at, each) for each in pieces), key=lambda fit: fit[2])
        if length < min(LEAST, len(content)):
            at = _next(content, at + 1, pieces)
            continue
        if unknown < at:
            yield {"other": opaque(content[unknown:at])}
        part: dict[str, Value] = {"of": opaque(piece)}
        if start or length < len(piece):
            # What goes on to the end does so however long it is.
            part |= {"from": start} if start + length == len(piece) else {"from": start, "length": length}
        yield part
        at = unknown = at + length
    if unknown < len(content):
        yield {"other": opaque(content[unknown:])}


def _fit(content: bytes, at: int, piece: bytes) -> tuple[bytes, int, int]:
    """Where in a piece the content goes on from a place, and for how long."""
    if content.startswith(piece, at):
        return piece, 0, len(piece)
    start = piece.find(content[at : at + LEAST])
    return (piece, start, _alike(content, at, piece, start)) if start >= 0 else (piece, 0, 0)


def _alike(content: bytes, at: int, piece: bytes, start: int) -> int:
    """For how many bytes two contents go on alike."""
    low, high = 0, min(len(content) - at, len(piece) - start)
    while low < high:
        middle = (low + high + 1) // 2
        if content[at : at + middle] == piece[start : start + middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _next(content: bytes, at: int, pieces: list[bytes]) -> int:
    """The next place at which a piece may begin."""
    places = [content.find(piece[:LEAST], at) for piece in pieces]
    return min((place for place in places if place >= 0), default=len(content))
