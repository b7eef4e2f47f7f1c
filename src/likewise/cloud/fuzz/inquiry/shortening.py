"""Shorter sequences whose references still point to the calls that they mean."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from likewise.cloud.fuzz.calls import Call, Name, Ref, placeholders
from likewise.cloud.fuzz.planning.plans import Planner, is_read, nouns
from likewise.cloud.fuzz.planning.sequences import shifted
from likewise.cloud.fuzz.sides.execution import Probe


def refers(call: Call, number: int) -> bool:
    """Whether a call uses what the call at a position gave."""
    return any(isinstance(each, Ref) and each.call == number for each in placeholders(call.params))


def without(setup: tuple[Call, ...], number: int) -> tuple[Call, ...] | None:
    """The calls without one of them; None where a later one needs it."""
    if refers_any(setup, number):
        return None
    return kept(setup, [position for position in range(len(setup)) if position != number])


def reductions(setup: tuple[Call, ...], call: Call) -> list[tuple[Call, ...]]:
    """Shorter set-ups to try: nothing, the first call, one of each, no reads, then all but one."""
    if not setup:
        return []
    tries: list[tuple[Call, ...]] = []
    needed = {each.call for each in placeholders(call.params) if isinstance(each, Ref)}
    if not needed:
        tries.append(())
    if len(setup) > 1 and needed <= {0}:
        tries.append(setup[:1])
    if (single := once(setup, needed)) not in tries:
        tries.append(single)
    needed |= _referred(setup)
    looks = {number for number, each in enumerate(setup) if is_read(each.operation)} - needed
    for dropped in (looks, *({number} for number in range(len(setup) - 1, -1, -1) if number not in needed)):
        shorter = kept(setup, [number for number in range(len(setup)) if number not in dropped])
        if shorter and shorter not in tries:
            tries.append(shorter)
    return [each for each in tries if each != setup]


def absorbed(setup: tuple[Call, ...], planner: Planner) -> list[tuple[Call, ...]]:
    """Set-ups without a call whose parameter can be given to the one that makes the thing it is about."""
    found = []
    for number, call in enumerate(setup):
        about = set(placeholders(call.params))
        for place, maker in enumerate(setup[:number]):
            shape = planner.grammar.operations[maker.operation]
            names = [name for name in call.params if name not in maker.params and shape.member(name)]
            if len(names) != 1 or not about <= set(placeholders(maker.params)) or refers_any(setup, number):
                continue
            member = shape.member(names[0])
            own = planner.grammar.operations[call.operation].member(names[0])
            is_alike = member is not None and own is not None and member.kind == own.kind
            value = planner.value(shape, member) if member is not None else None
            value = call.params[names[0]] if is_alike else value
            if value is not None:
                fuller = replace(maker, params={**maker.params, names[0]: value})
                whole = (*setup[:place], fuller, *setup[place + 1 :])
                found.append(kept(whole, [each for each in range(len(whole)) if each != number]))
    return found


def refers_any(calls: Sequence[Call], number: int) -> bool:
    """Whether some call uses what the call at a position gave."""
    return any(refers(call, number) for call in calls)


def once(setup: tuple[Call, ...], needed: Collection[int] = ()) -> tuple[Call, ...]:
    """The calls with only the first of several by the same operation, as far as no other is `needed`."""
    first = {call.operation: number for number, call in reversed(list(enumerate(setup)))}
    chosen = {*first.values(), *needed, *_referred(setup)}
    return kept(setup, sorted(chosen))


def kept(setup: tuple[Call, ...], order: Sequence[int]) -> tuple[Call, ...]:
    """Some calls of a sequence, whose references follow the calls that they mean."""
    moved = {old: new for new, old in enumerate(order)}
    return tuple(replace(setup[old], params=shifted(setup[old].params, moved)) for old in order)


def sliced(setup: tuple[Call, ...], probe: Probe, planner: Planner) -> tuple[Call, ...] | None:
    """What of a set-up the probe can need: what it refers to, what made and wrote the things it is about.

    None where that is all of it.
    """
    makers = set(planner.hints.makers.values())
    found: set[int] = set()
    wanted: list[Call] = [probe.call]
    while wanted:
        call = wanted.pop()
        parts = list(placeholders(call.params))
        for number, earlier in enumerate(setup):
            if number in found:
                continue
            names = {each for each in placeholders(earlier.params) if isinstance(each, Name)}
            is_made = earlier.operation in makers and bool(names & set(parts))
            is_given = any(isinstance(each, Ref) and each.call == number for each in parts)
            if is_made or is_given or _is_about(earlier, call):
                found.add(number)
                wanted.append(earlier)
    return None if len(found) == len(setup) else kept(setup, sorted(found))


def _is_about(earlier: Call, call: Call) -> bool:
    """Whether both are about the same thing: `PutBucketTagging` and `GetBucketTagging`."""
    about = set(nouns(earlier.operation))
    return bool(about) and about == set(nouns(call.operation)) and not is_read(earlier.operation)


def leaned(probe: Probe, setup: tuple[Call, ...], shorter: tuple[Call, ...]) -> Probe:
    """The probe as it stands after a shorter set-up."""
    call = _moved(probe.call, setup, shorter)
    observers = tuple(_moved(each, (*setup, probe.call), (*shorter, call)) for each in probe.observers)
    return replace(probe, call=call, observers=observers)


def _referred(calls: Sequence[Call]) -> set[int]:
    return {each.call for call in calls for each in placeholders(call.params) if isinstance(each, Ref)}


def _moved(call: Call, before: Sequence[Call], after: Sequence[Call]) -> Call:
    """A call whose references follow the calls they mean into a shorter sequence."""
    if len(before) == len(after):
        return call
    places: dict[int, int] = {}
    for new, kept in enumerate(after):
        for old, there in enumerate(before):
            if there.operation == kept.operation and old not in places and new not in places.values():
                places[old] = new
                break
    return replace(call, params=shifted(call.params, places))
