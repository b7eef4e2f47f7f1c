"""What an answer gives reason to ask next: along with what else a call works, and how big a value may be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.grammar import Member, OperationShape
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.variants import AND, ValueClass, shown
from likewise.cloud.fuzz.sides.execution import Probe, Seen
from likewise.model import Difference

_RIGHT = frozenset({str(ValueClass.TYPICAL), str(ValueClass.BOUNDARY)})
_ERRORS = frozenset({Difference.CODE, Difference.STATUS, Difference.MESSAGE})
_WORD = re.compile(r"[\w-]+")


def companions(probe: Probe, planner: Planner, answers: Sequence[Answer]) -> Iterator[Probe]:
    """A parameter that is refused for want of another, which the error names, along with that one.

    Where what was wrong is the value itself, the least one that is right is given.
    """
    shape = planner.grammar.operations[probe.call.operation]
    own = shape.member(probe.parameter)
    if own is None or own.required or probe.size:
        return
    said = {word for answer in answers if not answer.success for word in _WORD.findall(answer.message)}
    named = [
        member
        for member in shape.members
        if member.name not in probe.call.params and said & {member.name, member.wire}
    ]
    is_right = probe.value_class in _RIGHT
    for member in named[:1]:
        first = probe.call.params[own.name] if is_right else _smallest(planner, shape, own)
        second = _smallest(planner, shape, member)
        params = {**probe.call.params, own.name: first, member.name: second}
        yield replace(
            probe,
            call=replace(probe.call, params=params),
            parameter=AND.join((own.name, member.name)),
            value_class=AND.join([str(ValueClass.TYPICAL)] * 2),
            note=AND.join((shown(first), shown(second))),
        )


def _smallest(planner: Planner, shape: OperationShape, member: Member) -> Any:
    """A value that fits whatever it goes with: the least of a range, else the typical one."""
    if member.kind == "integer" and member.minimum is not None:
        return int(member.minimum)
    return planner.value(shape, member)


def is_doubtful_limit(probe: Probe, gaps: Sequence[Gap]) -> bool:
    """Whether both sides refuse something big, each for a reason of its own: their limits may be two."""
    is_big = bool(probe.size) or probe.value_class == ValueClass.TOO_LONG
    is_usual = probe.state == "present" and AND not in probe.parameter
    return is_big and is_usual and any(gap.index == 0 and gap.difference in _ERRORS for gap in gaps)


def is_taken(*both: Seen) -> bool:
    """Whether all sides carry out what a probe asks for."""
    return all(seen.answers[0].success for seen in both)
