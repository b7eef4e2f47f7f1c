"""The least that shows a difference: fewer calls, fewer parameters, simpler values, tried from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.calls import Call, Ref, placeholders
from likewise.cloud.fuzz.execution import Case, Probe, Seen
from likewise.cloud.fuzz.judging import Gap
from likewise.cloud.fuzz.plans import Planner
from likewise.cloud.fuzz.shortening import leaned, reductions, sliced
from likewise.cloud.fuzz.shrinking import MANY, apart, lessened, simpler
from likewise.cloud.fuzz.values import AND
from likewise.model import Implication

LIMIT = 10
"""Call pairs that minimising may take, beyond the first confirmation."""
VAIN = 2
"""Reductions of a kind that showed nothing, after which that kind is left alone."""
VALUES = 3
"""Simpler values that are tried at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One run of a case with a single probe: what differed, and the answers."""

    gaps: list[Gap]
    seen: tuple[Seen, Seen] | None

    def find(self, gap: Gap) -> Gap | None:
        """The same difference, if it showed."""
        return next((each for each in self.gaps if each.signature == gap.signature), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A difference as the last run of its shortest form showed it."""

    gap: Gap
    case: Case
    look: Look
    confirmed: int

    @property
    def probe(self) -> Probe:
        """The only probe of the case."""
        return self.case.probes[0]


class Minimiser:
    """Looks for shorter forms; every run of one is a confirmation as well."""

    def __init__(
        self, look: Callable[[Case], Look], batch: Callable[[Case], list[Look]], planner: Planner
    ) -> None:
        self._look, self._batch, self._planner = look, batch, planner
        self._tries: dict[tuple[object, ...], list[int]] = {}
        """For each kind of reduction how often it was tried, and how often it showed the difference still."""
        self._failed: dict[str, set[tuple[str, ...]]] = {}
        """Set-ups that were tried in one investigation, and what does not show after them."""
        self._foreseen: dict[str, Look] = {}
        """Runs of cases that will be confirmed."""

    def foresee(self, setup: tuple[Call, ...], those: Sequence[tuple[Probe, Sequence[Gap]]]) -> None:
        """Run several probes that are about to be confirmed after one set-up, the last one first.

        What one of them shows is then shown with others before it and without.
        """
        alike: dict[str, list[Case]] = {}
        for probe, gaps in reversed(those):
            first = self._forms(Case(setup=setup, probes=(probe,)), gaps)[0]
            if first.setup:
                alike.setdefault(str(first.setup), []).append(first)
        for forms in alike.values():
            if len(forms) > 1:
                looks = self._batch(replace(forms[0], probes=tuple(each.probes[0] for each in forms)))
                self._foreseen |= {str(form): look for form, look in zip(forms, looks, strict=False)}

    def forget(self) -> None:
        """What was foreseen is no longer of use."""
        self._foreseen.clear()

    def confirm(self, case: Case, gaps: Sequence[Gap]) -> tuple[list[Shown], list[Gap]]:
        """What shows again from scratch, with as little before it as may be; and what does not."""
        shown: list[Shown] = []
        pending = list(gaps)
        self._failed.clear()
        for form in self._forms(case, gaps):
            if pending:
                look = self._foreseen.pop(str(form), None) or self._look(form)
                shown += _those(pending, form, look, 1)
                pending = [gap for gap in pending if look.find(gap) is None]
                self._fail(form.setup, pending)
                if not form.setup and case.setup:
                    self._note(("bare", case.probes[0].call.operation), worked=bool(shown))
        return shown, pending

    def _forms(self, case: Case, gaps: Sequence[Gap]) -> list[Case]:
        """A case with as little before its probe as may be, then with more, at last as it is."""
        (probe,) = case.probes
        forms = [case]
        if (slim := sliced(case.setup, probe, self._planner)) is not None:
            forms.insert(0, Case(setup=slim, probes=(leaned(probe, case.setup, slim),)))
        if _may_be_bare(case, gaps) and not self._is_vain(("bare", probe.call.operation)):
            # What is wrong with the call itself is often said before anything else is looked at.
            forms.insert(0, Case(probes=(leaned(probe, case.setup, ()),)))
        return forms

    def _fail(self, setup: tuple[Call, ...], gaps: Sequence[Gap]) -> None:
        self._failed.setdefault(str(setup), set()).update(gap.signature for gap in gaps)

    def minimise(self, shown: Sequence[Shown]) -> list[Shown]:
        """The least form of each; they are confirmed at least twice, or not in the answer."""
        left = [LIMIT]
        done: list[Shown] = []
        for form in dict.fromkeys(id(each.case) for each in shown):
            those = [each for each in shown if id(each.case) == form]
            done += self._simplified(self._reduced(those, left))
        return self._twice(done)

    def _reduced(self, those: list[Shown], left: list[int]) -> list[Shown]:
        """Fewer calls before the probe, as long as what shows goes on showing."""
        case, done = those[0].case, []
        probe = _watched(those)
        pending = those
        for shorter in reductions(case.setup, probe.call):
            if not pending or left[0] < len(shorter) + 1:
                break
            kind = self._kind(case, shorter, pending)
            signatures = {each.gap.signature for each in pending}
            if self._is_vain(kind) or signatures <= self._failed.get(str(shorter), set()):
                continue
            left[0] -= len(shorter) + 1
            form = Case(setup=shorter, probes=(leaned(probe, case.setup, shorter),))
            look = self._look(form)
            moved = [each for each in pending if look.find(each.gap) is not None]
            self._note(kind, worked=bool(moved))
            self._fail(shorter, [each.gap for each in pending if each not in moved])
            if moved:
                gaps = [each.gap for each in moved]
                done += self._reduced(_those(gaps, form, look, moved[0].confirmed + 1), left)
                pending = [each for each in pending if each not in moved]
        return done + pending

    def _kind(self, case: Case, shorter: Sequence[Call], pending: Sequence[Shown]) -> tuple[object, ...]:
        """What a reduction leaves out, and whether what it must still show is an answer that both gave."""
        kept = Counter(call.operation for call in shorter)
        dropped = sorted((Counter(call.operation for call in case.setup) - kept).elements())
        if any(name in kept for name in dropped):
            # One of several alike: whether the others are enough, each list says for itself.
            dropped.append(pending[0].gap.operation)
        seen = pending[0].look.seen
        return tuple(dropped), bool(seen and all(each.answers[0].success for each in seen))

    def _is_vain(self, kind: tuple[object, ...]) -> bool:
        tried, worked = self._tries.get(kind, (0, 0))
        return tried >= VAIN and not worked

    def _note(self, kind: tuple[object, ...], *, worked: bool) -> None:
        counts = self._tries.setdefault(kind, [0, 0])
        counts[0] += 1
        counts[1] += worked

    def _simplified(self, those: list[Shown]) -> list[Shown]:
        """Fewer parameters and simpler values, all tried in one go after one set-up."""
        done: list[Shown] = []
        for each in those:
            can_be = each.gap.index == 0 or AND in each.probe.parameter
            found = self._simpler(each) if can_be else None
            done.append(found or each)
        return done

    def _simpler(self, shown: Shown) -> Shown | None:
        probes = simpler(shown.probe, self._planner)[: VALUES if shown.probe.parameter else MANY]
        if not shown.probe.parameter:
            found = self._fitting(shown, probes, ("loosened", shown.probe.call.operation))
            return self._lessened(found) if found is not None and found.probe.parameter else found
        what = "" if AND in shown.probe.parameter else shown.probe.value_class
        found = self._fitting(shown, probes, ("simpler", what))
        if found is None and AND in shown.probe.parameter:
            found = self._fitting(shown, apart(shown.probe, self._planner, bare=False), ("apart",))
        if found is not None and AND in shown.probe.parameter:
            return self._simpler(found) or found
        return found

    def _lessened(self, shown: Shown) -> Shown:
        """With less in a value that nobody has chosen for one reason, as long as it goes on showing."""
        for _ in range(VALUES):
            less = self._fitting(shown, lessened(shown.probe), ("less", shown.probe.call.operation))
            if less is None or less.probe.call == shown.probe.call:
                break
            shown = less
        return shown

    def _fitting(self, shown: Shown, probes: list[Probe], kind: tuple[object, ...]) -> Shown | None:
        """The first of some simpler probes that still shows the difference; all share one set-up."""
        if not probes or self._is_vain(kind):
            return None
        if shown.gap.index == 0:
            probes = [replace(each, observers=()) for each in probes]
        # The probe itself comes last: where nothing simpler shows it, it is confirmed by the way.
        is_there = any(each.call == shown.probe.call for each in probes)
        own = () if AND in shown.probe.parameter or is_there else (shown.probe,)
        case = replace(shown.case, probes=(*probes, *own))
        for number, (probe, look) in enumerate(zip(case.probes, self._batch(case), strict=False)):
            found = look.find(shown.gap)
            if found is not None:
                self._note(kind, worked=number < len(probes))
                form = replace(shown.case, probes=(probe,))
                return Shown(gap=found, case=form, look=look, confirmed=shown.confirmed + 1)
        self._note(kind, worked=False)
        return None

    def _twice(self, those: Sequence[Shown]) -> list[Shown]:
        done: list[Shown] = []
        looks: dict[int, Look] = {}
        for each in those:
            if each.confirmed < 2:
                look = looks.get(id(each.case)) or self._look(each.case)
                looks[id(each.case)] = look
                done += _those([each.gap], each.case, look, each.confirmed + 1)
            else:
                done.append(each)
        return done


def _those(gaps: Sequence[Gap], case: Case, look: Look, confirmed: int) -> list[Shown]:
    if look.seen is None:
        return []
    found = [look.find(gap) for gap in gaps]
    return [Shown(gap=gap, case=case, look=look, confirmed=confirmed) for gap in found if gap is not None]


def _may_be_bare(case: Case, gaps: Sequence[Gap]) -> bool:
    """Whether a call that both sides refuse, each in its way, can be made without anything before it."""
    is_refused = all(gap.index == 0 and gap.implication is Implication.MISLEADING for gap in gaps)
    refers = any(isinstance(each, Ref) for each in placeholders(case.probes[0].call.params))
    return is_refused and not refers and bool(case.setup)


def _watched(those: Sequence[Shown]) -> Probe:
    """The probe with those reads only that some difference needs."""
    probe = those[0].probe
    wanted = {each.gap.index for each in those}
    if wanted == {0}:
        return replace(probe, observers=())
    return probe
