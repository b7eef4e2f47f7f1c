"""The least that shows a difference: fewer calls, fewer parameters, simpler values, tried from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from likewise.cloud.fuzz.calls import Call, Ref, placeholders
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.inquiry.shortening import absorbed, leaned, once, reductions, sliced
from likewise.cloud.fuzz.inquiry.shrinking import MANY, apart, fewer, form_of, lessened, owned, simpler
from likewise.cloud.fuzz.inquiry.trials import Kind, Trials
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.variants import AND, ValueClass
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.model import Difference, Implication

LIMIT = 10
"""Call pairs that minimising may take, beyond the first confirmation; twice as many for long sequences."""
LONG = 4
"""Calls of a sequence above which other ways to the same state are looked for."""
VALUES = 3
"""Simpler values that are tried at once."""
REFUSALS = frozenset({Difference.SUCCESS, Difference.CODE, Difference.STATUS, Difference.MESSAGE})
"""Differences in whether and why a call is refused."""
_REASONS = REFUSALS - {Difference.SUCCESS}
"""Differences in why a call is refused."""


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
        self,
        look: Callable[[Case], Look],
        batch: Callable[[Case], list[Look]],
        planner: Planner,
        stand: Callable[[Sequence[Shown]], Look | None] = lambda _: None,
    ) -> None:
        self._look, self._batch, self._planner, self._stand = look, batch, planner, stand
        self.trials = Trials()
        self._failed: dict[str, set[tuple[str, ...]]] = {}
        """Forms that were tried in one investigation, and what they do not show."""
        self._foreseen: dict[str, Look] = {}
        """Runs of cases that will be confirmed."""
        self._siblings: dict[str, list[Case]] = {}
        """Cases that will be confirmed after the same set-up as another."""
        self._again: dict[str, Look] = {}
        """Second runs of such cases."""
        self._alone: dict[str, set[tuple[str, ...]]] = {}
        """What a task has seen of parameters by themselves that it had given together, by the calls."""

    def beside(
        self,
        look: Callable[[Case], Look],
        batch: Callable[[Case], list[Look]],
        stand: Callable[[Sequence[Shown]], Look | None],
    ) -> Minimiser:
        """The same experience for another investigation at the same time."""
        other = Minimiser(look, batch, self._planner, stand)
        other.trials = self.trials
        return other

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
                self._siblings |= {str(form): forms for form in forms}

    def see_apart(self, probe: Probe, gaps: Sequence[Gap]) -> None:
        """Take in what one of several parameters shows by itself, after all that a task has set up."""
        self._alone[repr(probe.call)] = {gap.signature for gap in gaps}

    def forget(self) -> None:
        """What was foreseen is no longer of use."""
        self._alone.clear()
        self._foreseen.clear()
        self._siblings.clear()
        self._again.clear()

    def confirm(self, case: Case, gaps: Sequence[Gap]) -> tuple[list[Shown], list[Gap]]:
        """What shows again from scratch, with as little before it as may be; and what does not.

        Where nothing does, but the call is taken or refused in another way: what was noticed had to do with
        what calls before it had left, and what shows from scratch is the difference.
        """
        shown: list[Shown] = []
        pending = list(gaps)
        self._failed.clear()
        for form in self._forms(case, gaps):
            if pending:
                look = self._foreseen.pop(str(form), None) or self._look(form)
                shown += _those(pending, form, look, 1)
                pending = [gap for gap in pending if look.find(gap) is None]
                self._fail(form, pending)
                if len(form.setup) < min(2, len(case.setup)):
                    self.trials.note(_hope(form), worked=bool(shown))
        if not shown:
            others = [gap for gap in look.gaps if gap.index == 0 and gap.difference in REFUSALS]
            if others:
                return _those(others, form, look, 1), []
        return shown, pending

    def _forms(self, case: Case, gaps: Sequence[Gap]) -> list[Case]:
        """A case with as little before its probe as may be, then with more, at last as it is."""
        (probe,) = case.probes
        setups = [case.setup]
        if (slim := sliced(case.setup, probe, self._planner)) is not None:
            setups.insert(0, slim)
        if all(gap.index == 0 and gap.difference in REFUSALS for gap in gaps):
            # What is wrong with the call itself is often said before anything else is looked at.
            lean = leaned(probe, case.setup, setups[0])  # what it refers to stands elsewhere there
            setups = [*self._brief(setups[0], lean, gaps), *setups]
        return [
            Case(setup=each, probes=(leaned(probe, case.setup, each),))
            for number, each in enumerate(setups)
            if each not in setups[:number]
        ]

    def _brief(
        self, setup: tuple[Call, ...], probe: Probe, gaps: Sequence[Gap]
    ) -> Iterator[tuple[Call, ...]]:
        """Set-ups that do if a call is refused for what it says: none, the first call, one of each."""
        needed = {each.call for each in placeholders(probe.call.params) if isinstance(each, Ref)}
        is_refused = all(gap.implication is Implication.MISLEADING for gap in gaps)
        if setup and is_refused and not needed:
            yield from self._hopeful((), probe)
        if len(setup) > 1 and needed <= {0}:
            yield from self._hopeful(setup[:1], probe)
        yield once(setup, needed)

    def _hopeful(self, setup: tuple[Call, ...], probe: Probe) -> Iterator[tuple[Call, ...]]:
        if not self.trials.is_vain(_hope(Case(setup=setup, probes=(probe,)))):
            yield setup

    def _fail(self, form: Case, gaps: Sequence[Gap]) -> None:
        self._failed.setdefault(_words(form), set()).update(gap.signature for gap in gaps)

    def minimise(self, shown: Sequence[Shown]) -> list[Shown]:
        """The least form of each; they are confirmed at least twice, or not in the answer."""
        left = [LIMIT]
        done: list[Shown] = []
        for form in dict.fromkeys(id(each.case) for each in shown):
            those = [each for each in shown if id(each.case) == form]
            reduced = self._reduced(those, left)
            done += self._reduced_again(self._simplified(reduced), reduced)
        return self._twice(done)

    def _reduced_again(self, those: Sequence[Shown], before: Sequence[Shown]) -> Iterator[Shown]:
        """A call that was long `before` it got simpler: a smaller value may need less to be there."""
        calls = [each.probe.call for each in before]
        for alike in _alike(those):
            is_new = alike[0].probe.call not in calls
            yield from self._reduced(alike, [LIMIT], again=True) if is_new and _is_long(alike) else alike

    def _reduced(self, those: list[Shown], left: list[int], *, again: bool = False) -> list[Shown]:
        """Fewer calls before the probe, as long as what shows goes on showing."""
        case, done = those[0].case, []
        probe = _watched(those)
        pending = those
        is_long = _is_long(those)
        other = absorbed(case.setup, self._planner) if is_long else []
        for shorter in (*other, *reductions(case.setup, probe.call)):
            if not pending or left[0] + (LIMIT if is_long else 0) < len(shorter) + 1:
                break
            kind = self._kind(case, shorter, pending)
            kind = ("absorbed", *kind) if shorter in other else kind
            kind = (*kind, "again") if again else kind
            form = Case(setup=shorter, probes=(leaned(probe, case.setup, shorter),))
            signatures = {each.gap.signature for each in pending}
            if _loses_order(case.setup, shorter, pending):
                continue
            # What never helped elsewhere may still be what makes a long sequence short.
            is_vain = self.trials.is_vain(kind) and not is_long
            if is_vain or signatures <= self._failed.get(_words(form), set()):
                continue
            left[0] -= len(shorter) + 1
            look = self._look(form)
            moved = [each for each in pending if look.find(each.gap) is not None]
            self.trials.note(kind, worked=bool(moved))
            self._fail(form, [each.gap for each in pending if each not in moved])
            if moved:
                gaps = [each.gap for each in moved]
                less = _those(gaps, form, look, moved[0].confirmed + 1)
                done += self._reduced(less, left, again=again)
                pending = [each for each in pending if each not in moved]
        return done + pending

    def _kind(self, case: Case, shorter: Sequence[Call], pending: Sequence[Shown]) -> Kind:
        """What a reduction leaves out, and whether what it must still show is an answer that both gave."""
        kept = Counter(call.operation for call in shorter)
        dropped = sorted((Counter(call.operation for call in case.setup) - kept).elements())
        if any(name in kept for name in dropped):
            # One of several alike: whether the others are enough, each list says for itself.
            dropped.append(pending[0].gap.operation)
        seen = pending[0].look.seen
        return tuple(dropped), bool(seen and all(each.answers[0].success for each in seen))

    def _simplified(self, those: list[Shown]) -> list[Shown]:
        """Fewer parameters and simpler values, all tried in one go after one set-up."""
        done = [each for each in those if each.gap.index and AND not in each.probe.parameter]
        for alike in _alike([each for each in those if each not in done]):
            done += self._simpler(alike)
        return done

    def _simpler(self, those: list[Shown]) -> list[Shown]:
        """What one probe shows, each in the simplest form that shows it still, or as it is."""
        probe = those[0].probe
        if not probe.call.identity.is_owner:
            # Whether its owner is answered so as well has to be asked every time: the condition says so.
            found, rest = self._fitting(those, owned(probe, [each.gap for each in those]), None)
            return found + rest
        probes = simpler(probe, self._planner)[: VALUES if probe.parameter else MANY]
        if not probe.parameter:
            found, rest = self._fitting(those, probes, ("loosened", probe.call.operation))
            for alike in _alike(found):
                rest += self._lessened(alike) if alike[0].probe.parameter else alike
            return rest
        if AND in probe.parameter:
            return self._told_apart(those)
        # Whether a state alone shows it has to be asked every time, too.
        kind = ("simpler", probe.value_class) if probe.state == "present" else None
        found, rest = self._step_by_step(those, probes, kind)
        return found + rest

    def _step_by_step(
        self, those: list[Shown], probes: list[Probe], kind: Kind | None
    ) -> tuple[list[Shown], list[Shown]]:
        """As the simplest form shows them, by itself where that is mostly enough; then as others do."""
        probe, simplest = those[0].probe, ("simplest", *(kind or ()))
        probes = [each for each in probes if not self.trials.is_settled(form_of(probe, each))]
        if kind is None or not probes or not self.trials.is_usual(simplest):
            found, rest = self._fitting(those, probes, kind)
        else:
            found, rest = self._fitting(those, probes[:1], kind, own=False)
            more, rest = self._fitting(rest, probes[1:], kind) if rest else ([], rest)
            found += more
        if found + rest != those:
            calls = [each.probe.call for each in found]
            if kind is not None:
                self.trials.note(simplest, worked=probes[0].call in calls)
            needed = next((number for number, each in enumerate(probes) if each.call in calls), len(probes))
            for each in probes[: needed + 1]:
                if (form := form_of(probe, each)) is not None:
                    self.trials.note(form, worked=each.call in calls)
        return found, rest

    def _told_apart(self, those: list[Shown]) -> list[Shown]:
        """What several parameters show together, by the one that accounts for it, else by as few as do.

        Whether one alone is enough has to be asked every time: the condition says so. Only which of several
        mistakes is named first is hardly ever a matter of one of them.
        """
        probe, planner = those[0].probe, self._planner
        vague = all(each.gap.difference in _REASONS for each in those)
        whole = apart(probe, planner, bare=False)
        calls = [each.call for each in whole]
        # Without what is usually given besides, some operations are never taken.
        bare = [each for each in apart(probe, planner, bare=True) if each.call not in calls]
        found, rest = self._fitting(those, self._open(those, bare), ("bare", probe.call.operation))
        if rest:
            more, rest = self._fitting(rest, self._open(rest, whole), ("apart",) if vague else None)
            found += more
        done: list[Shown] = []
        for alike in _alike(found):
            done += self._simpler(alike)
        if rest and not vague and probe.parameter.count(AND) > 1:
            more, rest = self._fitting(rest, fewer(probe, planner), None)
            done += more
        return done + rest

    def _open(self, those: Sequence[Shown], probes: Sequence[Probe]) -> list[Probe]:
        """Those probes that are not known to show nothing of some differences, with more before them."""
        signatures = {each.gap.signature for each in those}
        return [
            each
            for each in probes
            if (shown := self._alone.get(repr(each.call))) is None or shown & signatures
        ]

    def _lessened(self, those: list[Shown], rounds: int = VALUES) -> list[Shown]:
        """With less in a value that nobody has chosen for one reason, as long as it goes on showing."""
        probe = those[0].probe
        found, done = self._fitting(those, lessened(probe), ("less", probe.call.operation))
        for alike in _alike(found):
            is_less = rounds > 1 and alike[0].probe.call != probe.call
            done += self._lessened(alike, rounds - 1) if is_less else alike
        return done

    def _fitting(
        self,
        those: list[Shown],
        probes: list[Probe],
        kind: Kind | None,
        *,
        own: bool = True,
    ) -> tuple[list[Shown], list[Shown]]:
        """Differences of one probe, each as the first of some simpler ones shows it; and what none shows.

        All share one set-up, and one run. Of a `kind` that never shows anything, no more are run. The probe
        itself comes last: where nothing simpler shows it, it is confirmed by the way, where it is not to be
        left out.
        """
        first = those[0]
        if not probes or (kind is not None and self.trials.is_vain(kind)):
            return [], those
        if all(each.gap.index == 0 for each in those):
            probes = [replace(each, observers=()) for each in probes]
        is_there = any(each.call == first.probe.call for each in probes)
        is_last = own and AND not in first.probe.parameter and not is_there
        case = replace(first.case, probes=(*probes, *((first.probe,) if is_last else ())))
        found, rest, simplest = [], list(those), len(probes)
        for number, (probe, look) in enumerate(zip(case.probes, self._batch(case), strict=False)):
            form = replace(first.case, probes=(probe,))
            shown = [each for each in rest if look.find(each.gap) is not None]
            for each in shown:
                found += _those([each.gap], form, look, each.confirmed + 1)
            rest = [each for each in rest if each not in shown]
            simplest = min(simplest, number) if shown else simplest
        if kind is not None:
            self.trials.note(kind, worked=simplest < len(probes))
        return found, rest

    def _twice(self, those: Sequence[Shown]) -> list[Shown]:
        done: list[Shown] = []
        looks: dict[int, Look] = {}
        for each in those:
            if each.confirmed < 2:
                alike = [other for other in those if other.case is each.case]
                look = looks.get(id(each.case)) or self._second(alike)
                looks[id(each.case)] = look
                done += _those([each.gap], each.case, look, each.confirmed + 1)
            else:
                done.append(each)
        return done

    def _second(self, those: Sequence[Shown]) -> Look:
        """One more run of a case, from scratch as ever, along with those that will need one, too.

        By itself where it is to stand, since it will be asked about later.
        """
        case = those[0].case
        if (look := self._again.pop(str(case), None)) is not None:
            return look
        later = [each for each in self._siblings.get(str(case), ()) if str(each) in self._foreseen]
        if not later and (look := self._stand(those)) is not None:
            return look
        forms = [case, *later]
        looks = self._batch(replace(case, probes=tuple(each.probes[0] for each in forms)))
        self._again |= {str(form): look for form, look in zip(later, looks[1:], strict=False)}
        return looks[0] if looks else Look(gaps=[], seen=None)


def _those(gaps: Sequence[Gap], case: Case, look: Look, confirmed: int) -> list[Shown]:
    if look.seen is None:
        return []
    found = [look.find(gap) for gap in gaps]
    return [Shown(gap=gap, case=case, look=look, confirmed=confirmed) for gap in found if gap is not None]


def _loses_order(setup: Sequence[Call], shorter: Sequence[Call], those: Sequence[Shown]) -> bool:
    """Whether orders are to be shown that several alike made, and no two alike are left."""
    if any(each.gap.difference is not Difference.ORDER for each in those):
        return False
    counts = [Counter(call.operation for call in calls) for calls in (setup, shorter)]
    return max(counts[0].values(), default=0) > 1 >= max(counts[1].values(), default=0)


def _alike(those: Sequence[Shown]) -> list[list[Shown]]:
    """Differences by the form that shows them."""
    forms: dict[int, list[Shown]] = {}
    for each in those:
        forms.setdefault(id(each.case), []).append(each)
    return list(forms.values())


def _is_long(those: Sequence[Shown]) -> bool:
    """Whether a form takes more calls than most differences need."""
    return len(those[0].case.setup) + 1 + any(each.gap.index for each in those) > LONG


def _words(form: Case) -> str:
    """The calls of a form, without the reads after them."""
    return f"{form.setup} {form.probes[0].call!r}"


def _hope(case: Case) -> Kind:
    """What tells whether a call can be made with so little before it: what it names may not even exist."""
    (probe,) = case.probes
    return "brief", len(case.setup), probe.call.operation, probe.value_class == ValueClass.UNKNOWN


def _watched(those: Sequence[Shown]) -> Probe:
    """The probe with those reads only that some difference needs."""
    probe = those[0].probe
    wanted = {each.gap.index for each in those}
    if wanted == {0}:
        return replace(probe, observers=())
    return probe
