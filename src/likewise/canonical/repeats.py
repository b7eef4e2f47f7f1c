"""Writes that one trace does several times alike, each to something of its own or again to the same.

A server may take three of them and refuse the fourth, or give two things the same identity. So each is keyed
as the second, the third and so on, and is replayed after the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import blake2b

from likewise.canonical.hashing import SIZE
from likewise.canonical.tokens import CURSOR, is_version, looks_random
from likewise.model import Fingerprint, Keyed, Spot, Value

COUNTED = 16
"""Up to how many each one counts; of more, only by how many binary digits their number has."""

Introduced = Iterable[tuple[str, str]]
"""The variables of an answer, each with the place that gave it."""


def counted(times: int) -> int:
    """A number as it counts: exactly where it is small, else the power of two that it reaches."""
    return times if times <= COUNTED else 1 << (times.bit_length() - 1)


class Repeats:
    """The writes of the trace at hand that were alike: how many, the last one, and what it was answered."""

    def __init__(self) -> None:
        self._known: dict[Fingerprint, tuple[int, Spot, dict[str, str]]] = {}

    def clear(self) -> None:
        """Begin with another trace."""
        self._known.clear()

    def times(self, key: Fingerprint) -> int:
        """How many have been alike so far, as that counts."""
        return counted(self._known[key][0]) if key in self._known else 0

    def take(
        self, call: Keyed, spot: Spot, introduced: Introduced, names: Mapping[str, str]
    ) -> tuple[Keyed, tuple[str, ...]]:
        """The write as one that came again, if it did, and the places that repeat what should be new."""
        fresh = {place: token for token, place in introduced if _is_fresh(token, names)}
        times, last, told = self._known.get(call.key, (0, spot, {}))
        self._known[call.key] = times + 1, spot, fresh
        if not times:
            return call, ()
        key = blake2b(f"{call.key} after {counted(times)}".encode(), digest_size=SIZE).hexdigest()
        repeated = tuple(sorted(place for place, token in fresh.items() if told.get(place) == token))
        return call._replace(key=key, needs=tuple(sorted({*call.needs, last}))), repeated


def _is_fresh(token: str, names: Mapping[str, str]) -> bool:
    """Whether a server made it up for this call alone; two versions read off a clock may be the same."""
    return token not in names and token[0] != CURSOR and looks_random(token) and not is_version(token)


def repeating(answer: Value, places: tuple[str, ...]) -> Value:
    """A canonical answer that says where it repeats what should be new."""
    return {**answer, "⟨again⟩": list(places)} if places and isinstance(answer, dict) else answer


def repeating_fingerprint(answer: Fingerprint, places: tuple[str, ...]) -> Fingerprint:
    """The hash of such an answer."""
    return blake2b(" ".join((answer, *places)).encode(), digest_size=SIZE).hexdigest()
