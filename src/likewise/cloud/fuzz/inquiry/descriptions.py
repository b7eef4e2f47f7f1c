"""Confirmed differences put into words: findings, and what makes two of them the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from likewise.cloud.fuzz.calls import Call
from likewise.cloud.fuzz.differences.causes import (
    AFTER,
    ASYNCHRONOUS,
    NOT_IMPLEMENTED,
    Cause,
    condition,
    likely_cause,
)
from likewise.cloud.fuzz.differences.explaining import Explanations, Void, refusal
from likewise.cloud.fuzz.differences.likeness import concerns
from likewise.cloud.fuzz.findings import Finding, digest, manifestation_of
from likewise.cloud.fuzz.inquiry.minimising import Shown
from likewise.cloud.fuzz.inquiry.remains import remains
from likewise.cloud.fuzz.inquiry.shrinking import are_several
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.variants import AND, general
from likewise.model import Difference


class Descriptions:
    """Makes findings of differences; knows what succeeded on each side until now."""

    def __init__(self, planner: Planner, known: Explanations, succeeded: tuple[set[str], set[str]]) -> None:
        self.planner, self.known, self._succeeded = planner, known, succeeded

    def finding(
        self, shown: Shown, blamed: str, *, state: bool, settles: bool = False, void: Void | None = None
    ) -> Finding:
        """A difference as a finding.

        `state` where a read shows what an operation left, `settles` where it goes away by itself, `void` is
        the operation that then seems to do nothing, with the side.
        """
        gap, look, probe = shown.gap, shown.look, shown.probe
        assert look.seen is not None
        blamed = self.planner.grammar.operations[blamed].alias or blamed
        ours, theirs = (seen.answers[min(gap.index, len(seen.answers) - 1)] for seen in look.seen)
        never = (gap.operation not in self._succeeded[0], gap.operation not in self._succeeded[1])
        by = probe.call.identity
        cause = likely_cause(gap, ours, theirs, settles=settles, never=never, state=state, by=by)
        known = dict([*self.known.doubts, *([void] if void else ()), *self.known.ineffective.items()])
        # What else the answer differs in is a finding of its own, unless the operation does nothing at all.
        is_void = probe.call.operation in known
        responds = any(each.index == 0 and (is_void or concerns(each, gap)) for each in look.gaps)
        observed = probe.observers[gap.index - 1 : gap.index] if gap.index else ()
        what = condition(
            probe,
            shown.case.setup,
            shows_typically=not probe.parameter and probe.state in ("present", "walk"),
        )
        if cause.name == NOT_IMPLEMENTED and cause.side is not None and never[cause.side]:
            # It is not there in any state; what the other side lacks is only how it came to light.
            what = what if probe.parameter else ""
        if what and gap.index and not state:
            what = f"{AFTER}{probe.call.operation}, {what}"
        identity = self._identity(shown, cause, never, void=known if state else {}, state=state)
        # A read that is late is late after every write.
        whose = gap.operation if cause.name == ASYNCHRONOUS else blamed
        name = digest(self.planner.service, whose, *identity)
        return Finding(
            service=self.planner.service,
            operation=blamed,
            kind=str(gap.difference),
            place=gap.place,
            implication=str(gap.implication),
            manifestation=str(manifestation_of(response=not state or responds, state=state)),
            cause=cause.name,
            condition=what,
            evidence=cause.evidence,
            reference=gap.reference,
            candidate=gap.candidate,
            shown_by=gap.operation,
            sequence=(*shown.case.setup, probe.call, *observed),
            hash=name,
            parameter=probe.parameter,
            value_class=probe.value_class,
            confirmed=shown.confirmed,
            public=self.planner.grammar.operations[blamed].public,
            errors=(refusal(ours), refusal(theirs)),
            idle=void[1] if void and (probe.parameter or probe.state in ("present", "walk")) else None,
        )

    def _identity(
        self,
        shown: Shown,
        cause: Cause,
        never: tuple[bool, bool],
        *,
        void: Mapping[str, int | None],
        state: bool,
    ) -> tuple[str, ...]:
        """What makes two findings of an operation one: their cause, as far as it can be told."""
        gap, probe = shown.gap, shown.probe
        if cause.name == NOT_IMPLEMENTED and cause.side is not None and never[cause.side]:
            return NOT_IMPLEMENTED, str(cause.side)
        if cause.name == ASYNCHRONOUS:
            return (ASYNCHRONOUS,)
        if probe.call.operation in void:
            return "no effect", str(void[probe.call.operation])
        if gap.difference in (Difference.CODE, Difference.MESSAGE) and are_several(probe, self.planner):
            # Several mistakes at once, and the sides name different ones: there is no end of such pairs.
            return str(gap.difference), "which of several mistakes is named"
        if state and remains(gap, shown.case.setup, probe.call):
            return "what was there stays", str(gap.difference is Difference.LENGTH)
        whose = "" if probe.call.identity.is_owner else str(probe.call.identity)
        about = AND.join(sorted(general(probe.parameter).split(AND)))  # in whichever order they were given
        key = whose or about if gap.difference is Difference.SUCCESS else ""
        _, *what = gap.signature
        if gap.place.endswith("*") or (state and _is_own_name(gap.place, (*shown.case.setup, probe.call))):
            # What the client calls its fields and which read shows one says nothing about the cause.
            return str(gap.difference), "a field of the client's", key
        return *what, key


def _is_own_name(place: str, calls: Sequence[Call]) -> bool:
    """Whether a place ends in a name that the client gave to a part of what it wrote."""
    name = place.rpartition(".")[2].lower().removeprefix("x-ms-meta-")
    return any(name in _keys(value) for call in calls for value in call.params.values())


def _keys(value: Any) -> set[str]:
    """Every name inside a value, as far as it is a mapping."""
    if isinstance(value, Mapping):
        inner = [_keys(each) for each in value.values()]
        return {str(key).lower() for key in value}.union(*inner)
    return set[str]().union(*map(_keys, value)) if isinstance(value, list) else set()
