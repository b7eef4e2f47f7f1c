"""What an earlier write gave and a later one should have taken the place of, still there on one side."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from likewise.cloud.fuzz.calls import Call, Ref, placeholders
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.differences.likeness import STORED, names_inside
from likewise.cloud.fuzz.inquiry.minimising import Shown
from likewise.cloud.fuzz.planning.plans import CHOSEN, is_read
from likewise.cloud.fuzz.sides.execution import Case, Probe
from likewise.model import Difference

_OVER = re.compile(r"Put|Set|Tag|Update|Merge")
"""Operations that, called once more, are about the same thing; who creates or sends makes another one."""


def remains(gap: Gap, before: Sequence[Call], write: Call) -> bool:
    """Whether one side has what a write before the last one gave, which the last one did not give.

    A read that shows what was once given does not make it up. What is done once more is no other thing:
    a list that grows by it, or does not, has nothing to do with how much it lists.
    """
    if gap.difference is Difference.LENGTH:
        is_over = _OVER.match(write.operation.rpartition("_")[2]) is not None
        return is_over and any(call == write or _is_of_same(call, write) for call in before)
    if gap.difference not in STORED:
        return False
    earlier = {text for call in before if not is_read(call.operation) for text in _texts(call.params)}
    left = earlier - {*_texts(write.params), *names_inside(write.params)}
    return _has(gap.reference, left) != _has(gap.candidate, left)


def _is_of_same(call: Call, write: Call) -> bool:
    """Whether two calls of an operation give parts of a thing, one of them by the same name."""
    both = [set(_chosen(list(each.params.values()))) for each in (call, write)]
    return call.operation == write.operation and bool(both[0] & both[1])


def _chosen(value: Any) -> Iterator[str]:
    """What a client calls the parts of a thing by, wherever it is inside a value."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from [inner] if name in CHOSEN and isinstance(inner, str) else _chosen(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _chosen(inner)


def as_shown(shown: Shown) -> Case | None:
    """A read right after a write that may have left what was there, as what shows that write."""
    setup, read = shown.case.setup, shown.probe.call
    if shown.gap.index or not setup or not is_read(read.operation) or not read.identity.is_owner:
        return None
    *before, write = setup
    asked = [each.call for each in placeholders(read.params) if isinstance(each, Ref)]
    if is_read(write.operation) or not write.identity.is_owner or len(before) in asked:
        return None
    if not remains(shown.gap, before, write):
        return None
    return Case(setup=tuple(before), probes=(Probe(call=write, observers=(read,)),))


def _has(said: str, texts: Collection[str]) -> bool:
    """Whether what a side says is one of some texts, or a structure with one of them in it."""
    return said in texts or (said[:1] in "{[" and any(f"'{each}'" in said for each in texts))


def _texts(value: Any) -> Iterator[str]:
    """Every text and number inside a value, as answers would show it."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, (str, int, float)) and value != "":
        yield str(value)
