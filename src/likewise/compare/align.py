"""Pair the calls of two traces of the same test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from likewise.model import Keyed


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Which call of the candidate's trace corresponds to which of the reference's."""

    pairs: tuple[tuple[int, int], ...]
    """Positions: the reference's, the candidate's."""
    missing: tuple[int, ...]
    """Calls that only the reference's trace has."""
    extra: tuple[int, ...]
    """Calls that only the candidate's trace has."""


def align(*, reference: Sequence[Keyed], candidate: Sequence[Keyed]) -> Alignment:
    """Pair calls that are the same in the same context wherever they stand, then the rest by operation."""
    waiting: dict[str, list[int]] = {}
    for call in reference:
        waiting.setdefault(call.key, []).append(call.position)
    pairs: list[tuple[int, int]] = []
    rest: list[Keyed] = []
    for call in candidate:
        if same := waiting.get(call.key):
            pairs.append((same.pop(0), call.position))
        else:
            rest.append(call)
    paired = {position for position, _ in pairs}
    others = [call for call in reference if call.position not in paired]
    matcher = SequenceMatcher(
        None, [str(call.operation) for call in others], [str(call.operation) for call in rest], autojunk=False
    )
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            pairs.append((others[block.a + offset].position, rest[block.b + offset].position))
    left = {position for position, _ in pairs}
    right = {position for _, position in pairs}
    return Alignment(
        pairs=tuple(sorted(pairs)),
        missing=tuple(call.position for call in reference if call.position not in left),
        extra=tuple(call.position for call in candidate if call.position not in right),
    )
