"""What is known to differ while a campaign goes on, and what follows from it: no findings of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from likewise.cloud.fuzz.authorisations import Authorisations
from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.differences.judging import Gap, generalised
from likewise.cloud.fuzz.differences.leniency import way_of
from likewise.cloud.fuzz.differences.likeness import ERRORS, EXISTENCE, STORED, last_name, tops
from likewise.cloud.fuzz.identities import Identity
from likewise.cloud.fuzz.planning.plans import is_read
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.model import Difference

Void = tuple[str, int | None]
"""An operation that does nothing on one side; on which, where that is known."""

ALWAYS = ""
"""A refusal that does not depend on any parameter."""


@dataclass(slots=True)
class Explanations:
    """What is known to differ, and what follows from it."""

    reads: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    """Differences in reads that a mutating operation is to blame for, by that operation."""
    ineffective: dict[str, int | None] = field(default_factory=dict)
    """Operations that succeed on one side without doing anything there; on which, where that is known."""
    doubts: list[Void] = field(default_factory=list)
    """Operations that seem to do nothing on one side, as long as it may just show late."""
    refusals: dict[tuple[str, int, str, str], set[str]] = field(default_factory=dict)
    """What one side alone refuses, by operation, side and error: the parameters that it does so for."""
    authorisations: Authorisations = field(default_factory=Authorisations)
    """What was called by others than the account's owner."""

    def blame(self, operation: str, gaps: Sequence[Gap]) -> None:
        """These differences in reads come from what an operation left."""
        self.reads.setdefault(operation, set()).update(map(bare, gaps))

    def refuse(self, probe: Probe, gap: Gap, seen: tuple[Seen, Seen]) -> None:
        """One side alone refuses a call: what else the other finds wrong with it changes nothing."""
        who = probe.call.identity
        if not who.is_owner and not gap.index:
            self.authorisations.confirm(gap.operation, who, way_of(gap))
        is_usual = bool(probe.parameter) or probe.state == "present" or not who.is_owner
        if gap.difference is not Difference.SUCCESS or gap.index or not is_usual:
            return
        reasons = tops(probe.parameter) if who.is_owner else {_by(who)}
        for which, each in enumerate(seen):
            said = refusal(each.answers[0])
            if any(said):
                self.refusals.setdefault((gap.operation, which, *said), set()).update(reasons)

    def is_known(self, gap: Gap) -> bool:
        """Whether some operation is to blame for a difference in a read."""
        return any(bare(gap) in known for known in self.reads.values())

    def is_of_caller(self, probe: Probe, gap: Gap) -> bool:
        """Whether the sides are known to differ so over who calls, or over how this is called by others."""
        who = probe.call.identity
        return not (who.is_owner or gap.index) and self.authorisations.explains(
            gap.operation, who, way_of(gap)
        )

    def explains(self, case: Case, probe: Probe, gap: Gap, seen: tuple[Seen, Seen]) -> bool:
        """Whether a difference follows from another that is known."""
        if self.sources(_before(case, probe, gap), probe, gap):
            return True
        if gap.index == 0 and gap.place and gap.difference in STORED and probe.parameter:
            mine = {last_name(place) for _, _, place in self.reads.get(probe.call.operation, ())}
            if last_name(gap.place) in mine:
                return True  # it says itself what it keeps
        if self._is_always(probe, gap, seen):
            return True
        return self._is_refusal(probe, gap, seen) or self._is_void(probe, gap, seen, self.ineffective)

    def sources(self, before: Iterable[str], probe: Probe, gap: Gap) -> set[str]:
        """The operations before a difference that it is known to come from."""
        is_looked_at = bool(gap.index) or is_read(probe.call.operation)
        found = set()
        for name in before:
            left = self.reads.get(name, set()).copy()  # others may go on laying blame
            is_left = bare(gap) in left or (is_looked_at and _is_of_field(probe, gap, left))
            if name in self.ineffective or is_left:
                found.add(name)
        return found

    def _is_always(self, probe: Probe, gap: Gap, seen: tuple[Seen, Seen]) -> bool:
        """Whether a side refuses an operation in another way or state as it does whatever it is asked."""
        if gap.difference is not Difference.SUCCESS or gap.index:
            return False
        said = [(gap.operation, which, *refusal(each.answers[0])) for which, each in enumerate(seen)]
        is_other = bool(probe.parameter) or probe.state != "present"
        return is_other and any(ALWAYS in self.refusals.get(each, ()) for each in said)

    def suspects(self, case: Case, probe: Probe, gap: Gap, seen: tuple[Seen, Seen]) -> set[str]:
        """The operations that a difference would follow from if they do nothing, which is not certain yet."""
        doubtful = dict(self.doubts)
        found = _before(case, probe, gap) & doubtful.keys()
        return found | ({probe.call.operation} if self._is_void(probe, gap, seen, doubtful) else set())

    def resolve(self, doubt: Void, *, is_real: bool) -> None:
        """It is certain now whether an operation does nothing."""
        self.doubts.remove(doubt)
        if is_real:
            self.ineffective.setdefault(*doubt)

    def _is_void(
        self, probe: Probe, gap: Gap, seen: tuple[Seen, Seen], those: Mapping[str, int | None]
    ) -> bool:
        """Whether the side that does nothing says, as ever, that it did."""
        which = those.get(probe.call.operation)
        return gap.index == 0 and which is not None and seen[which].answers[0].success

    def _is_refusal(self, probe: Probe, gap: Gap, seen: tuple[Seen, Seen]) -> bool:
        if gap.difference not in ERRORS:
            return False
        params = probe.call.params if gap.index == 0 else {}
        for which, each in enumerate(seen):
            reasons = self.refusals.get((gap.operation, which, *refusal(each.answers[gap.index])), set())
            if ALWAYS in reasons or _by(probe.call.identity) in reasons:
                return True
            # What the other side takes it has not failed over: that is something else in the call.
            if reasons & params.keys() and not _is_failure(seen[1 - which].answers[gap.index]):
                return True
        return False


def _by(identity: Identity) -> str:
    """What a refusal is for that is for how a caller shows its rights; the owner's is for something else."""
    return "" if identity.is_owner else f"by {identity.means}"


def _before(case: Case, probe: Probe, gap: Gap) -> set[str]:
    """The operations that were called before the one that shows a difference."""
    return {call.operation for call in (*case.setup, *((probe.call,) if gap.index else ()))}


_TERM = re.compile(r"\w+")
"""A name in an expression."""


def _is_of_field(probe: Probe, gap: Gap, known: Iterable[tuple[str, ...]]) -> bool:
    """Whether a read shows a field that is known to be stored otherwise, or asks for things by it."""
    fields = {last_name(place) for _, kind, place in known if kind in STORED}
    if gap.difference in STORED and gap.place:
        return last_name(gap.place) in fields
    asked = probe.call.params.values() if gap.index == 0 else ()
    words = {word.lower() for text in asked if isinstance(text, str) for word in _TERM.findall(text)}
    return gap.difference in EXISTENCE | {Difference.TYPE} and bool(fields & words)


def bare(gap: Gap) -> tuple[str, ...]:
    """A difference by its place alone."""
    return gap.operation, str(gap.difference), gap.place


def _is_failure(answer: Answer) -> bool:
    """Whether the server itself failed, or said nothing."""
    return (answer.status or 0) >= 500 or bool(answer.silence)


def refusal(answer: Answer) -> tuple[str, str]:
    """What a refusal is known by: its code and its text; nothing where the server itself failed."""
    if answer.success or (answer.status or 0) >= 500:
        return "", ""
    return answer.code, generalised(answer.message)
