"""Findings that are put to each other: of those that go round in a circle one has to stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set


def staying(into: Mapping[str, Set[str]], order: Sequence[str]) -> set[str]:
    """Those that stay, where each of the others is put to one that does, by itself or by way of others.

    `into` says what each may be put to; of a circle that leads nowhere else the first in `order` stays.
    """
    kept = {each for each in order if not into.get(each)}
    while True:
        left = [each for each in order if each not in kept and not _reach(each, into) & kept]
        if not left:
            return kept
        # One of a circle leads back to itself; from a circle that leads into another one more can be reached.
        reach = {each: _reach(each, into) for each in left}
        kept.add(min(left, key=lambda each: (each not in reach[each], len(reach[each]))))


def _reach(start: str, into: Mapping[str, Set[str]]) -> set[str]:
    """Everything that one may be put to, by itself or by way of others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        fresh = into.get(waiting.pop(), frozenset()) - found
        found |= fresh
        waiting += fresh
    return found
