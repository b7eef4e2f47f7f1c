"""Whose fault a difference is: the operation whose answer shows it, or the write before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import Any

from likewise.cloud.fuzz.calls import Answer, Call, Ref, Unresolved, placeholders, resolve
from likewise.cloud.fuzz.differences.bonds import KNOWN
from likewise.cloud.fuzz.differences.crowds import without_others
from likewise.cloud.fuzz.differences.explaining import Explanations, Void
from likewise.cloud.fuzz.differences.judging import Gap, Judge
from likewise.cloud.fuzz.differences.likeness import (
    EXISTENCE,
    concerns,
    is_same_value,
    tops,
    under,
)
from likewise.cloud.fuzz.differences.trees import masked
from likewise.cloud.fuzz.inquiry.minimising import Look, Shown
from likewise.cloud.fuzz.inquiry.places import holds, size, without_texts
from likewise.cloud.fuzz.inquiry.remains import remains
from likewise.cloud.fuzz.planning.plans import Planner, is_read
from likewise.cloud.fuzz.planning.sequences import unbound
from likewise.cloud.fuzz.sides.execution import Case, Probe, Seen
from likewise.model import Difference

NONSENSE: Mapping[str, tuple[Any, ...]] = {"integer": (-7, 9999), "string": ("no-such-thing!",)}
"""Values that mean nothing, or more than there is, by the kind of parameter."""
COMPOUND = frozenset({"map", "structure", "list"})
"""Kinds of parameters that consist of others."""
REFUSALS = frozenset({Difference.SUCCESS, Difference.CODE, Difference.STATUS, Difference.SILENCE})


class Blame:
    """Finds the operation to blame, by asking reads without what was called before them."""

    def __init__(
        self,
        look: Callable[[Case], Look],
        judge: Judge,
        planner: Planner,
        known: Explanations,
        *,
        is_shared: Callable[[str], bool],
    ) -> None:
        self._look, self._judge, self._planner, self._known = look, judge, planner, known
        self._is_shared = is_shared
        self.alone: dict[str, Look] = {}
        """Reads that were asked without the probe, in the investigation under way."""
        self._before: dict[str, Look] = {}
        """What reads said right before the probe was first made."""
        self._usual: dict[str, Look] = {}
        """Typical calls from scratch: they say the same whenever they are made."""
        self._taken: dict[str, tuple[bool, ...]] = {}
        """Which sides take an operation where there is nothing."""

    def beside(self, look: Callable[[Case], Look]) -> Blame:
        """The same knowledge for another investigation at the same time."""
        other = copy(self)
        other._look, other.alone, other._before = look, {}, {}
        return other

    def begin(self, before: dict[str, Look]) -> None:
        """A new investigation, with what reads said right `before` the probe."""
        self.alone.clear()
        self._before = before

    def lay(self, shown: Shown, others: Sequence[Shown]) -> tuple[str, bool, Void | None]:
        """Which operation differs: the one whose answer shows it, or the one before it, in what it left.

        In the latter case also that operation with the side on which it does nothing, if it is so.
        """
        gap = shown.gap
        if gap.index == 0 or gap.difference is Difference.SILENCE:
            return gap.operation, False, None
        mine = shown.probe.call.operation
        gaps = {(each.index, each.signature): each for look in (shown, *others) for each in look.look.gaps}
        those = [each for each in gaps.values() if each.index and concerns(each, gap)]
        if len({each.index for each in those}) > 1:
            those = [each for each in those if not self._differs_itself(shown, each)]
        witnesses = {each.index for each in those}
        void = (
            self._leaves_alone(shown) if gap.difference is Difference.IDENTITY else self._has_no_effect(shown)
        )
        if len(witnesses) < 2 and void is not None and self._lists_less(shown, void):
            void = None
        is_left = self._is_left(shown)
        if is_left and any(call.operation == mine for call in shown.case.setup):
            void = None  # it did something before
        is_lost = self._does_not_heed(shown) or self._is_kept_otherwise(shown) or self._is_kept_usual(shown)
        is_heard = void is not None or not is_lost
        is_unheeded = is_left or not is_heard
        is_made = gap.difference in EXISTENCE and void is None and self._has_shown_effect(shown)
        if is_made and not is_unheeded and gap.difference is Difference.LENGTH:
            return gap.operation, False, None  # it is there, and the list leaves it out
        # Who says in an answer what a read gives afterwards has kept it so.
        is_said = any(each.index == 0 and is_same_value(each, gap) for each in gaps.values())
        if len(witnesses) + is_said < 2 and void is None and not is_unheeded:
            return gap.operation, False, None
        if (giver := given_by(shown)) is not None and not self._was_there(shown):
            return giver, True, None
        is_whole = void is not None or (gap.difference in EXISTENCE and not is_made)
        shows = [each for each in gaps.values() if each.index in witnesses | {gap.index}]
        self._known.blame(mine, [each for each in shows if is_whole or _is_of(each, gap)])
        if shown.probe.parameter:
            # It may be the parameter alone that one side does not heed.
            is_whole = void is not None and (
                self._takes_anything(mine, void) or self._is_never_seen(shown, void)
            )
        return mine, True, (mine, void) if is_whole else None

    def _has_no_effect(self, shown: Shown) -> int | None:
        """The side that answers as if the probe had never been made, where the other does not."""
        gap = shown.gap
        without = self._without(shown, gap.index)
        if without is None or any(each.difference in REFUSALS for each in without.gaps):
            return None  # the read itself differs, whatever was done before
        if any(each.signature == gap.signature for each in without.gaps):
            return None
        changed = self._changes(shown, without, gap.index)
        if changed[0] == changed[1] or self._has_shown_effect(shown):
            return None
        return changed.index(False)

    def _differs_itself(self, shown: Shown, gap: Gap) -> bool:
        """Whether a read that one side refuses is refused differently without the probe as well."""
        if gap.difference not in REFUSALS or gap.index > len(shown.probe.observers):
            return False
        case = read_before(shown, gap.index)
        if case is None:
            return False
        return any(each.difference in REFUSALS for each in self._seen(case).gaps)

    def _does_not_heed(self, shown: Shown) -> bool:
        """Whether a side answers as if a parameter had not been given, to a read that can show one."""
        gap, plain = shown.gap, self._plainly(shown, shown.gap.index)
        members = self._planner.grammar.operations[shown.probe.call.operation].required
        if plain is None or tops(shown.probe.parameter) & {each.name for each in members}:
            return False
        if any(each.index and each.signature == gap.signature for each in plain.gaps):
            return False
        return (
            self._side_without(shown, plain) is not None
            and self._can_show(shown)
            and not self._is_heeded(shown)
        )

    def _is_left(self, shown: Shown) -> bool:
        """Whether one side has what was given before the probe, and both had it until then."""
        if not remains(shown.gap, shown.case.setup, shown.probe.call):
            return False
        without = self._without(shown, shown.gap.index)
        return without is not None and not any(concerns(each, shown.gap) for each in without.gaps)

    def _is_kept_otherwise(self, shown: Shown) -> bool:
        """Whether what everybody shares is on one side as it was written, and on the other is not.

        There is one read of it only; what that says wrongly of itself it says whatever was written.
        """
        gap = shown.gap
        if gap.difference is not Difference.VALUE or gap.operation not in self._planner.hints.account:
            return False
        given = {str(each).lower() for each in under(shown.probe.call.params, gap.place.rpartition(".")[2])}
        return (gap.reference in given) != (gap.candidate in given)

    def _is_kept_usual(self, shown: Shown) -> bool:
        """Whether one side has what it was given, and the other what is usually given, which both take."""
        gap = shown.gap
        plain = self._plainly(shown, gap.index) if gap.difference is Difference.VALUE else None
        if plain is None or not _has_read(plain):
            return False
        if any(each.index and each.signature == gap.signature for each in plain.gaps):
            return False  # it says something else whatever it was given
        call, name = shown.probe.call, gap.place.rpartition(".")[2]
        mine, usual = (
            {str(each).lower() for each in under(params, name)}
            for params in (call.params, self._planner.typical(call.operation))
        )
        said = (gap.reference.lower(), gap.candidate.lower())
        return any(one in mine - usual and other in usual - mine for one, other in (said, said[::-1]))

    def _is_heeded(self, shown: Shown) -> bool:
        """Whether another read, in which the sides agree on that, saw the parameter do something on both."""
        differing = {each.index for each in shown.look.gaps if concerns(each, shown.gap)}
        for index in range(1, len(shown.probe.observers) + 1):
            if index in differing or any(len(seen.answers) <= index for seen in shown.look.seen or ()):
                continue
            plain = self._plainly(shown, index)
            if plain is not None and _has_read(plain) and all(self._changes(shown, plain, index, at=1)):
                return True
        return False

    def find_deaf(self, shown: Shown) -> int | None:
        """The side on which a read shows nothing of the parameter that it, or a write, was given."""
        answers = [seen.answers[0].success for seen in shown.look.seen or ()]
        if not shown.gap.index and not (is_read(shown.probe.call.operation) and all(answers)):
            return None
        if shown.gap.index:
            alike = {each.index for each in shown.look.gaps if each.index and concerns(each, shown.gap)}
            # What takes things out says something new of them each time: another read may say the same.
            found = (self._deaf_by(shown, index) for index in sorted({shown.gap.index, *alike}))
            return next((which for which in found if which is not None), None)
        plain = self._plainly(shown, 0)
        which = None if plain is None else self._side_without(shown, plain)
        if which is None or plain is None:
            return None
        if self._is_put_together(shown):
            return which  # nobody gives a key or a list of names for nothing
        # What a read was given may have had to change nothing: what means nothing at all tells.
        is_heard = all(self._changes(odd, plain, 0)[which] for odd in self._oddly(shown))
        return None if is_heard else which

    def _deaf_by(self, shown: Shown, index: int) -> int | None:
        """The side on which one of the reads after a write shows nothing of its parameter."""
        plain = self._plainly(shown, index)
        return None if plain is None else self._side_without(shown, plain, index)

    def _is_put_together(self, shown: Shown) -> bool:
        """Whether the parameter that a probe is about consists of others: no such thing means nothing."""
        shape = self._planner.grammar.operations[shown.probe.call.operation]
        member = shape.member(shown.probe.parameter)
        return member is not None and member.kind in COMPOUND

    def _oddly(self, shown: Shown) -> Iterator[Shown]:
        """A read with values that mean nothing, or too much, to whoever heeds the parameter that it is about.

        Who looks at what cannot be may still not heed what can.
        """
        call, name = shown.probe.call, shown.probe.parameter
        member = self._planner.grammar.operations[call.operation].member(name)
        if not is_read(call.operation) or member is None:
            return
        for value in NONSENSE.get(member.kind, ()):
            odd = replace(call, params={**call.params, name: value})
            case = Case(setup=shown.case.setup, probes=(Probe(call=odd),))
            look = self._seen(case)
            if look.seen is not None:
                yield Shown(gap=shown.gap, case=case, look=look, confirmed=1)

    def _side_without(self, shown: Shown, plain: Look, index: int | None = None) -> int | None:
        """The side on which a read answers as after the plain probe, where on the other it does not."""
        index = shown.gap.index if index is None else index
        at = int(bool(index))
        if not _has_read(plain, at):
            return None
        changed = self._changes(shown, plain, index, at=at)
        return None if changed[0] == changed[1] else changed.index(False)

    def _plainly(self, shown: Shown, index: int) -> Look | None:
        """The probe without the parameters that it is about, and a read after it."""
        probe, setup = shown.probe, shown.case.setup
        names = tops(probe.parameter) if probe.parameter else set()
        if not names:
            return None
        usual = {
            name: value
            for name, value in self._planner.typical(probe.call.operation).items()
            if name in names
        }
        rest = {name: value for name, value in probe.call.params.items() if name not in names}
        call = self._planner.bound(replace(probe.call, params={**rest, **usual}), setup)
        if call == probe.call:
            return None
        reads = probe.observers[index - 1 : index] if index else ()
        return self._seen(Case(setup=setup, probes=(Probe(call=call, observers=reads),)))

    def _can_show(self, shown: Shown) -> bool:
        """Whether the read that differs shows such a thing on both sides alike after another write."""
        gap = shown.gap
        plan = self._planner.plan(gap.operation)
        look = self._seen(Case(setup=plan.setup, probes=(Probe(call=plan.call),)))
        if look.seen is None or any(each.place == gap.place for each in look.gaps):
            return False
        return all(holds(each.answers[0].fields, gap.place) for each in look.seen)

    def _seen(self, case: Case) -> Look:
        """A case, asked once in an investigation; what is known of it from before needs not be asked."""
        words = str(case)
        look = self.alone.get(words) or self._before.get(words) or self._usual.get(words)
        if look is None:
            look = self.alone[words] = self._look(case)
            if look.seen is not None and self._is_usual(case.probes[0].call, case.setup):
                self._usual[words] = look
        return look

    def from_scratch(self, case: Case, gap: Gap) -> Look | None:
        """A case that may show a difference; nothing where it is known from before that it does not."""
        words = str(case)
        before = self._before.get(words) or self._usual.get(words)
        if words not in self.alone and (before is None or before.find(gap) is not None):
            self.alone[words] = self._look(case)
        return self.alone.get(words)

    def _is_usual(self, call: Call, setup: Sequence[Call]) -> bool:
        """Whether a call is a typical one, on what nobody shares."""
        account, name = self._planner.hints.account, call.operation
        usual = self._planner.bound(replace(call, params=self._planner.typical(name)), setup)
        return name not in account and not self._is_shared(name) and usual == call

    def _leaves_alone(self, shown: Shown) -> int | None:
        """The side that gives the identifier from before the probe, and takes it where there is nothing."""
        is_old = [text.startswith(KNOWN) for text in (shown.gap.reference, shown.gap.candidate)]
        if is_old[0] == is_old[1]:
            return None
        which = is_old.index(True)
        return which if self._takes_anything(shown.probe.call.operation, which) else None

    def _takes_anything(self, operation: str, which: int) -> bool:
        """Whether a side takes an operation where there is nothing, and the other side does not."""
        if operation not in self._taken:
            params = unbound(self._planner.typical(operation), ())
            call = Call(service=self._planner.service, operation=operation, params=params)
            seen = self._look(Case(probes=(Probe(call=call, state="no parent"),))).seen
            self._taken[operation] = tuple(each.answers[0].success for each in seen or ())
        taken = self._taken[operation]
        return len(taken) > which and taken[which] and not taken[1 - which]

    def _was_there(self, shown: Shown) -> bool:
        """Whether both sides had before the probe what then differs: then it is the probe's doing."""
        without = self._without(shown, shown.gap.index)
        seen = without.seen if without is not None else None
        return seen is not None and all(holds(each.answers[0].fields, shown.gap.place) for each in seen)

    def _is_never_seen(self, shown: Shown, which: int) -> bool:
        """Whether a side that does nothing with what a call is always given never does anything typically."""
        name = shown.probe.call.operation
        if not tops(shown.probe.parameter) <= self._planner.typical(name).keys():
            return False
        plan = self._planner.plan(name)
        reads = self._planner.reads(plan.setup, plan.call)[:1]
        case = Case(setup=plan.setup, probes=(Probe(call=plan.call, observers=reads),))
        usual = replace(shown, case=case, look=self._seen(case))
        if not reads or not _has_read(usual.look) or (without := self._without(usual, 1)) is None:
            return False
        return not self._changes(usual, without, 1)[which]

    def _lists_less(self, shown: Shown, which: int) -> bool:
        """Whether the only read that shows nothing of a write is one that would, had it been made more often.

        Then the write is made, and it is the read that leaves something out.
        """
        plan = self._planner.plan(shown.gap.operation, many=True)
        if sum(call.operation == shown.probe.call.operation for call in plan.setup) < 2:
            return False
        without = self._without(shown, shown.gap.index)
        look = self._look(Case(setup=plan.setup, probes=(Probe(call=plan.call),)))
        if without is None or without.seen is None or look.seen is None:
            return False
        before, after = without.seen[which].answers[0], look.seen[which].answers[0]
        return after.success and size(before.fields) < size(after.fields)

    def _has_shown_effect(self, shown: Shown) -> bool:
        """Whether another read, in which the sides agree, saw the probe do something on both."""
        differing = {each.index for each in shown.look.gaps}
        for index in range(1, len(shown.probe.observers) + 1):
            if index not in differing and (without := self._without(shown, index)) is not None:
                return all(self._changes(shown, without, index))
        return False

    def _without(self, shown: Shown, index: int) -> Look | None:
        """A read asked without the probe before it; None where that is impossible, or the sides go apart."""
        case = read_before(shown, index)
        if case is None or any(len(seen.answers) <= index for seen in shown.look.seen or ()):
            return None
        look = self._seen(case)
        if look.seen is None or len({seen.answers[0].success for seen in look.seen}) > 1:
            return None
        return look

    def _changes(self, shown: Shown, without: Look, index: int, *, at: int = 0) -> tuple[bool, bool]:
        """For each side, whether a read answers otherwise than without the probe, where it is number `at`."""
        assert shown.look.seen is not None
        assert without.seen is not None
        call = (shown.probe.call, *shown.probe.observers)[index]
        found = []
        for which in (0, 1):
            seen = (without.seen[which], shown.look.seen[which])
            before, after = seen[0].answers[at], seen[1].answers[index]
            said = [
                masked(self._judge.normalised(self._own_part(call, answer, each), which))
                for answer, each in zip((before, after), seen, strict=True)
            ]
            found.append((before.success, before.code) != (after.success, after.code) or said[0] != said[1])
        return found[0], found[1]

    def _own_part(self, call: Call, answer: Answer, seen: Seen) -> Any:
        """What an answer says of a context: of a list of what everybody has, only that.

        What the call was given of earlier answers is another text in every context.
        """
        is_shared = self._is_shared(call.operation)
        said = without_others(answer.fields, seen.prefix, crowded=True) if is_shared else answer.fields
        given = set()
        for each in placeholders(call.params):
            with suppress(Unresolved):
                given |= {str(resolve(each, {}, seen.setup))} if isinstance(each, Ref) else set()
        return without_texts(said, given)


def given_by(shown: Shown) -> str | None:
    """The write before the probe that was given what then differs, where the probe itself was not.

    What an upload is given when it begins is kept by the call that completes it.
    """
    parts = {part.removesuffix("[]").lower() for part in shown.gap.place.split(".")}
    if parts & {name.lower() for name in shown.probe.call.params}:
        return None
    for call in reversed(shown.case.setup):
        if not is_read(call.operation) and parts & {name.lower() for name in call.params}:
            return call.operation
    return None


def read_before(shown: Shown, index: int) -> Case | None:
    """One of the reads after a probe, asked without that probe, where it can be."""
    setup, read = shown.case.setup, shown.probe.observers[index - 1]
    if any(isinstance(each, Ref) and each.call >= len(setup) for each in placeholders(read.params)):
        return None
    return Case(setup=setup, probes=(Probe(call=read),))


def _is_of(other: Gap, gap: Gap) -> bool:
    """Whether what a read shows besides is the same thing, or says the same two values of it elsewhere."""
    values = (gap.difference, gap.reference, gap.candidate)
    return concerns(other, gap) or (other.difference, other.reference, other.candidate) == values


def _has_read(look: Look, at: int = 1) -> bool:
    """Whether a probe, and the read after it if there is one, were answered on both sides."""
    return look.seen is not None and all(len(each.answers) > at for each in look.seen)
