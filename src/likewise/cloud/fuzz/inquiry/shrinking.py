"""Simpler calls: without what may be left out, with a typical value, with less of a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from likewise.cloud.fuzz.calls import Name, Ref, Text, placeholders
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.grammar import Member
from likewise.cloud.fuzz.identities import OWNER
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.values import NOBODYS
from likewise.cloud.fuzz.planning.variants import AND, ValueClass, shown
from likewise.cloud.fuzz.sides.execution import Probe
from likewise.model import Difference

MANY = 8
"""Forms of a call with many parameters that are tried."""
WORD = 8
"""Characters of a text that is neither long nor empty."""


def simpler(probe: Probe, planner: Planner) -> list[Probe]:
    """Simpler forms of a probe that varies one parameter, the simplest first.

    A form whose value is of another class says so: then it is that class which makes the difference.
    """
    shape = planner.grammar.operations[probe.call.operation]
    if not probe.parameter:
        return loosened(probe, planner)
    if AND in probe.parameter:
        return apart(probe, planner, bare=True)
    name = _top(probe.parameter)
    member = shape.member(name)
    if member is None or name not in probe.call.params:
        return []
    bare = {
        each.name: probe.call.params[each.name]
        for each in shape.members
        if each.name in probe.call.params and (each.required or each.name == name)
    }
    found: list[Probe] = []

    def add(value: Any, value_class: str, note: str = "") -> None:
        call = replace(probe.call, params={**bare, name: value})
        form = replace(probe, call=call, value_class=value_class, note=note or shown(value))
        if call != probe.call and all(form.call != each.call for each in found):
            found.append(form)

    value = probe.call.params[name]
    if probe.state != "present" and name not in planner.typical(shape.name):
        # Where the usual call was not made in that state yet, the state alone may show it.
        usual_call = replace(
            probe.call, params={each: given for each, given in probe.call.params.items() if each != name}
        )
        found.append(replace(probe, call=usual_call, parameter="", value_class="", note=""))
    if (
        not member.required
        and probe.value_class != ValueClass.TYPICAL
        and name not in planner.typical(shape.name)
    ):
        usual = planner.value(shape, member)
        if usual is not None and not any(isinstance(each, Ref) for each in placeholders(usual)):
            add(usual, str(ValueClass.TYPICAL))
    if isinstance(value, Ref):
        add(NOBODYS, str(ValueClass.UNKNOWN))  # then what gave it need not be called
    if len(bare) < len(probe.call.params):
        add(value, probe.value_class, probe.note)
    # How big it has to be, the sizes that are tried say by themselves.
    for less in reduced(value) if value not in member.enum and not probe.size else ():
        add(less, _class(less, probe.value_class))
    return found


def form_of(probe: Probe, simpler: Probe) -> tuple[object, ...] | None:
    """What makes one form of a probe simpler: what never showed anything elsewhere hardly will here.

    None where it is the state alone: whether that is enough is another question every time.
    """
    if not simpler.parameter:
        return None
    name = _top(probe.parameter)
    if simpler.call.params[name] == probe.call.params[name]:
        return "bare", probe.call.operation
    return "value", probe.value_class, simpler.value_class


def owned(probe: Probe, gaps: Sequence[Gap]) -> list[Probe]:
    """A call by somebody else, by the account's owner; nothing where it is refused for want of rights."""
    if probe.call.identity.flaw and all(gap.difference is Difference.SUCCESS for gap in gaps):
        return []
    return [replace(probe, call=replace(probe.call, identity=OWNER), state="present")]


def apart(probe: Probe, planner: Planner, *, bare: bool) -> list[Probe]:
    """A probe that varies several parameters, with one at a time; `bare` without the optional rest."""
    required = {member.name for member in planner.grammar.operations[probe.call.operation].required}
    found = _keeping(probe, planner, [{number} for number in range(probe.parameter.count(AND) + 1)])
    if not bare:
        return found
    return [
        replace(
            each,
            call=replace(
                each.call,
                params={
                    key: value
                    for key, value in each.call.params.items()
                    if key in required or key == _top(each.parameter)
                },
            ),
        )
        for each in found
    ]


def fewer(probe: Probe, planner: Planner) -> list[Probe]:
    """A probe that varies three parameters or more, with one of them at a time as usual."""
    places = set(range(probe.parameter.count(AND) + 1))
    return _keeping(probe, planner, [places - {each} for each in sorted(places, reverse=True)])


def _keeping(probe: Probe, planner: Planner, choices: list[set[int]]) -> list[Probe]:
    """A probe that varies several parameters, with some of them only, by their places among them."""
    usual = planner.typical(probe.call.operation)
    parts = list(
        zip(probe.parameter.split(AND), probe.value_class.split(AND), probe.note.split(AND), strict=True)
    )
    found = []
    for chosen in choices:
        kept = [part for number, part in enumerate(parts) if number in chosen]
        names = {_top(parameter) for parameter, _, _ in kept}
        others = [name for parameter, _, _ in parts if (name := _top(parameter)) not in names]
        if any(isinstance(each, Ref) for other in others for each in placeholders(usual.get(other))):
            continue  # it would have to be bound to its place in the set-up
        params = {key: value for key, value in probe.call.params.items() if key not in others}
        params |= {other: usual[other] for other in others if other in usual}
        parameter, value_class, note = (AND.join(words) for words in zip(*kept, strict=True))
        call = replace(probe.call, params=params)
        found.append(replace(probe, call=call, parameter=parameter, value_class=value_class, note=note))
    return found


def loosened(probe: Probe, planner: Planner) -> list[Probe]:
    """A probe as the typical call is, and with one of the parameters at a time in which it is not."""
    usual = planner.typical(probe.call.operation)
    params = probe.call.params
    odd = [name for name in params if name not in usual or _is_odd(params[name], usual[name])]
    rest = {name: usual[name] if name in odd else value for name, value in params.items() if name in usual}
    if not odd or any(isinstance(each, Ref) for name in odd for each in placeholders(usual.get(name))):
        return []
    forms = [replace(probe, call=replace(probe.call, params=rest))]
    for name in odd:
        call = replace(probe.call, params={**rest, name: params[name]})
        kind = str(ValueClass.TYPICAL)
        forms.append(replace(probe, call=call, parameter=name, value_class=kind, note=shown(params[name])))
    return forms[:MANY]


def lessened(probe: Probe) -> list[Probe]:
    """A probe with less in the value of the parameter that it is about."""
    name = _top(probe.parameter)
    found = []
    for less in reduced(probe.call.params[name]):
        call = replace(probe.call, params={**probe.call.params, name: less})
        found.append(replace(probe, call=call, note=shown(less)))
    return found[:MANY]


def are_several(probe: Probe, planner: Planner) -> bool:
    """Whether a probe that cannot be made simpler may have several mistakes in it."""
    if probe.state != "walk":
        return AND in probe.parameter  # all else is as usual
    shape, usual = planner.grammar.operations[probe.call.operation], planner.typical(probe.call.operation)
    count = len(usual.keys() - probe.call.params.keys())
    for name, value in probe.call.params.items():
        member = shape.member(name)
        if name in usual:
            count += _oddities(value, usual[name], member)
        elif member is not None:
            count += max(1, _oddities(value, planner.value(shape, member), member))
    return count > 1


def _oddities(value: Any, usual: Any, member: Member | None) -> int:
    """In how many places a value is not the usual one; what a structure must have is no oddity."""
    if not _is_odd(value, usual):
        return 0
    inner = {each.name: each for each in member.members} if member else {}
    count = 0
    match value:
        case Mapping():
            base = usual if isinstance(usual, Mapping) else {}
            of = member.members[1] if member and member.kind == "map" and len(member.members) > 1 else None
            for key, each in value.items():
                part = of or inner.get(str(key))
                is_due = of is not None or (part is not None and part.required)
                found = _oddities(each, base.get(key), part)
                count += found if key in base or is_due else max(1, found)
        case list():
            like = usual[0] if isinstance(usual, list) and usual else None
            of = member.members[0] if member and member.members else None
            count = max((_oddities(each, like, of) for each in value), default=0)
        case _:
            return int(usual is not None)
    return max(count, int(usual is not None))


def _is_odd(value: Any, usual: Any) -> bool:
    """Whether a value is not the usual one; which of several names it is does not matter."""
    return value != usual and not any(isinstance(each, (Name, Ref, Text)) for each in (usual, value))


def _top(parameter: str) -> str:
    return parameter.partition(".")[0].partition("[")[0]


def reduced(value: Any) -> Iterator[Any]:
    """Simpler values of the same kind, the simplest first."""
    match value:
        case str() if len(value) > WORD:
            yield value[:WORD]
            yield from (value[:size] for size in (64, 256, 1024) if size < len(value))
        case bytes() if len(value) > WORD:
            yield value[:WORD]
        case Text(parts=(Name() as name, str() as rest)) if len(rest) > WORD:
            yield Text((name, rest[:WORD]))
            yield from (Text((name, rest[:size])) for size in (64, 256) if size < len(rest))
        case int() if not isinstance(value, bool) and abs(value) > 1:
            yield 1 if value > 0 else -1
        case list() if len(value) > 1:
            yield value[:1]
            yield value[1:]
        case Mapping() if len(value) > 1:
            for key in value:
                yield {other: inner for other, inner in value.items() if other != key}
        case list() if value:
            yield from ([inner] for inner in reduced(value[0]))
        case Mapping():
            for key, inner in value.items():
                yield from ({key: less} for less in reduced(inner))


def _class(value: Any, value_class: str) -> str:
    """A text that is cut short is no longer too long."""
    length = len(value) if isinstance(value, str) else 0
    is_short = value_class == ValueClass.TOO_LONG and 0 < length <= WORD
    return str(ValueClass.TYPICAL) if is_short else value_class
