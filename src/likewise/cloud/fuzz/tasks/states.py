"""Further states of what an operation names: it is held or filled, of another form, called in another way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from likewise.cloud.fuzz.calls import Call, Name, Ref, Text, placeholders
from likewise.cloud.fuzz.names import KINDS
from likewise.cloud.fuzz.planning.plans import ENDS, Plan, Planner
from likewise.cloud.fuzz.planning.sequences import unbound
from likewise.cloud.fuzz.planning.variants import AND, ValueClass, Variant, further, instead, shown

HELD, ALTERED, FORM, ODD, CASED, ENDED = "held", "altered", "form", "odd", "cased", "ended"
KEYED = "keyed"
"""What is held, asked with a key or under a condition: whether it is kept from who has none comes first."""
MARKS = " ü'&+%"
"""What is put at the end of a name: addresses, XML and queries write these letters and marks otherwise."""
ALL = "as many as there are"
"""How long a page is that has everything on it."""
MADE, ASKED = "Aa", "aA"
"""What names end with that are one name to whoever does not tell capitals from small letters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A call in a state, and what of it is varied."""

    setup: tuple[Call, ...]
    call: Call
    labels: Mapping[str, str]


def situations(planner: Planner, operation: str) -> Iterator[tuple[str, Situation]]:
    """An operation in each of these states, by the state's name."""
    plan = planner.plan(operation)
    for each in held(planner, operation, plan):
        yield KEYED if each.labels else HELD, each
    for state, those in (
        (ALTERED, altered(planner, operation, plan)),
        (FORM, otherwise(planner, operation, plan)),
        (ODD, oddly(planner, plan)),
        (CASED, cased(planner, plan)),
        (ENDED, ended(planner, operation)),
    ):
        yield from ((state, each) for each in those)


def hinted(planner: Planner, operation: str, parameter: str, plan: Plan) -> Iterator[Variant]:
    """What the hints know of a parameter: other right values, wrong ones, conditions that hold or do not.

    Those that hold need the marks of things that the set-up made.
    """
    hints, made, params = planner.hints, {call.operation for call in plan.setup}, plan.call.params

    def known(table: Mapping[str, Any]) -> Any:
        return table.get(f"{operation}.{parameter}", table.get(parameter, ()))

    for value in known(hints.further):
        yield further(params, parameter, {parameter: value})
    for given in known(hints.holding):
        if all(str(each.path[0]) in made for each in placeholders(given) if isinstance(each, Ref)):
            yield further(params, parameter, given)
    if given := known(hints.failing):
        yield instead(params, parameter, given, ValueClass.UNKNOWN)
    for value in known(hints.wrong):
        yield instead(params, parameter, {parameter: value}, ValueClass.WRONG_FORMAT)


def ways(planner: Planner, operation: str) -> Iterator[tuple[str, Situation]]:
    """An operation in each of the other ways in which it is called, after what they need."""
    for name, given in planner.hints.ways.items():
        if name.partition(":")[0] != operation:
            continue
        plan = planner.plan(name)
        params, usual = plan.call.params, planner.typical(operation)
        there = [each for each in given if each in params and params[each] != usual.get(each)]
        labels = {
            "parameter": AND.join(there),
            "value_class": AND.join([str(ValueClass.TYPICAL)] * len(there)),
            "note": AND.join(shown(params[each]).replace(AND, " & ") for each in there),
        }
        yield name, Situation(setup=plan.setup, call=plan.call, labels=labels)


def filled(planner: Planner, operation: str) -> Iterator[tuple[str, Situation]]:
    """The removal of a thing that has something in it, for each kind of thing that lies in such a one."""
    hints = planner.hints
    for kind in [kind for kind, remover in hints.removers.items() if remover == operation]:
        for inner, maker in hints.makers.items():
            setup = planner.plan(maker).calls
            if inner == kind or hints.makers.get(kind) not in [call.operation for call in setup[:-1]]:
                continue
            usual = Call(service=planner.service, operation=operation, params=planner.typical(operation))
            call = planner.bound(usual, setup)
            if not any(isinstance(each, Ref) and each.call < 0 for each in placeholders(call.params)):
                yield inner, Situation(setup=setup, call=call, labels={})


def pages(planner: Planner, plan: Plan) -> Iterator[tuple[str, Situation]]:
    """A list page by page: the second page is asked for with what the first one said."""
    shape = planner.grammar.operations[plan.call.operation]
    if not shape.limit or not shape.tokens:
        return
    small = {**plan.call.params, shape.limit: 1}
    first = replace(plan.call, params=small)
    tokens = {into: Ref(len(plan.setup), _place(planner.service, out)) for out, into in shape.tokens}
    second = replace(plan.call, params={**small, **tokens})
    labels = {"parameter": shape.limit, "value_class": str(ValueClass.BOUNDARY), "note": "1"}
    yield "first page", Situation(setup=plan.setup, call=first, labels=labels)
    labels = {"parameter": shape.tokens[0][1], "value_class": str(ValueClass.TYPICAL)}
    yield "second page", Situation(setup=(*plan.setup, first), call=second, labels=labels)
    single = planner.plan(plan.call.operation)
    if single.setup != plan.setup:
        # Whoever stops at the limit does not know that nothing comes after it.
        whole = replace(single.call, params={**single.call.params, shape.limit: 1})
        labels = {"parameter": shape.limit, "value_class": str(ValueClass.BOUNDARY), "note": ALL}
        yield "whole page", Situation(setup=single.setup, call=whole, labels=labels)
    for narrow in _narrowed(planner, plan):
        given = {name: value for name, value in narrow.call.params.items() if name not in plan.call.params}
        names, notes = (*given, shape.limit), (*map(shown, given.values()), "1")
        labels = {
            "parameter": AND.join(names),
            "value_class": AND.join([str(ValueClass.TYPICAL)] * len(names)),
            "note": AND.join(note.replace(AND, " & ") for note in notes),
        }
        call = replace(narrow.call, params={**narrow.call.params, shape.limit: 1})
        yield "narrow page", Situation(setup=narrow.setup, call=call, labels=labels)


def _narrowed(planner: Planner, plan: Plan) -> Iterator[Plan]:
    """A list with each thing that it may be asked for besides: of one thing only, by a prefix, an index.

    Where a way is the first to give it, in that way: what it needs is there then.
    """
    operation, hints = plan.call.operation, planner.hints
    shape = planner.grammar.operations[operation]
    known = {shape.limit, *(into for _, into in shape.tokens), *plan.call.params}
    for way in hints.ways:
        if way.partition(":")[0] == operation:
            narrow = planner.plan(way, many=True)
            if shape.limit not in narrow.call.params and narrow.call.params.keys() - known:
                known |= narrow.call.params.keys()
                yield narrow
    for member in shape.members:
        is_free = member.kind in ("string", "list") and not member.enum and member.name not in known
        if is_free and (member.name in hints.names or hints.values.get(member.name)):
            given = {**plan.call.params, member.name: planner.value(shape, member)}
            yield replace(plan, call=replace(plan.call, params=given))


def _place(service: str, out: str) -> tuple[str | int, ...]:
    """Where an answer has what leads to the next page."""
    if service in ("s3", "dynamodb"):
        return tuple(out.split("."))
    return ("headers", out) if out.startswith("x-ms-") else ("body", "EnumerationResults", out)


def held(planner: Planner, operation: str, plan: Plan) -> Iterator[Situation]:
    """What an operation names is locked: asked without a key, with another, and with the right one.

    Without one also under a condition that does not hold: which of both is said, each server decides.
    """
    kind = _kind(planner, plan.call, planner.hints.holds)
    if not kind:
        return
    holder, parameter, right, wrong = planner.hints.holds[kind]
    if operation == holder or any(call.operation == holder for call in plan.setup):
        return
    before = plan.setup if _names(plan.setup, kind) else plan.calls
    lock = Call(service=plan.call.service, operation=holder, params=planner.typical(holder))
    setup = (*before, planner.bound(lock, before))
    yield Situation(setup=setup, call=plan.call, labels={})
    shape = planner.grammar.operations[operation]
    unmet = [name for name in planner.hints.failing if shape.member(name) and name != parameter]
    for name in unmet[: 2 if kind in planner.hints.creates.get(operation, ()) else 1]:
        yield _given(plan, setup, planner.hints.failing[name], name, ValueClass.UNKNOWN)
    if shape.member(parameter) is None or parameter in plan.call.params:
        return
    for value, value_class in ((wrong, ValueClass.UNKNOWN), (right, ValueClass.TYPICAL)):
        yield _given(plan, setup, {parameter: value}, parameter, value_class)


def _given(
    plan: Plan, setup: tuple[Call, ...], given: Mapping[str, Any], name: str, value_class: ValueClass
) -> Situation:
    """A call with something besides, which is what is varied."""
    call = replace(plan.call, params={**plan.call.params, **given})
    labels = {"parameter": name, "value_class": str(value_class), "note": shown(given[name])}
    return Situation(setup=setup, call=call, labels=labels)


def altered(planner: Planner, operation: str, plan: Plan) -> Iterator[Situation]:
    """What an operation names was put into a state in which not everything can be done to it."""
    kind = _kind(planner, plan.call, planner.hints.alters)
    for variant in planner.hints.alters.get(kind, ()):
        before = plan.setup if _names(plan.setup, kind) else plan.calls
        change = planner.plan(variant)
        is_fit = {call.operation for call in change.setup} <= {call.operation for call in before}
        if is_fit and change.call.operation not in (operation, *(call.operation for call in before)):
            setup = (*before, planner.bound(change.call, before))
            yield Situation(setup=setup, call=plan.call, labels={})


def otherwise(planner: Planner, operation: str, plan: Plan) -> Iterator[Situation]:
    """What an operation names is there, and is another form of such a thing than it is meant for."""
    kind = _kind(planner, plan.call, planner.hints.forms)
    if not kind:
        return
    makers = planner.hints.forms[kind]
    usual = next((call.operation for call in plan.calls if call.operation in makers), makers[0])
    for maker in makers:
        if maker != usual:
            setup = planner.plan(maker).calls
            params = unbound(planner.typical(operation), setup)
            yield Situation(setup=setup, call=replace(plan.call, params=params), labels={})


def ended(planner: Planner, operation: str) -> Iterator[Situation]:
    """What an operation goes on with, an upload or a backup, was ended by each of the others that can."""
    shapes = planner.grammar.operations
    given = {member.name for member in shapes[operation].required} & planner.hints.sources.keys()
    for name in planner.operations if given else ():
        if name == operation or not ENDS.match(name) or shapes[name].alias:
            continue
        if given & {member.name for member in shapes[name].required}:
            setup = planner.plan(name).calls
            params = unbound(planner.typical(operation), setup)
            call = Call(service=planner.service, operation=operation, params=params)
            yield Situation(setup=setup, call=call, labels={})


def oddly(planner: Planner, plan: Plan) -> Iterator[Situation]:
    """What lies inside another thing has a name that must be written in another way in places."""
    top = KINDS.get(planner.service, "")
    kinds = {each.kind for each in _all_names(plan.calls)} & set(planner.hints.makers) - {top}
    if not kinds or any(_is_written_out(call.params, kinds) for call in plan.calls):
        return
    setup = tuple(replace(call, params=_marked(call.params, kinds, MARKS)) for call in plan.setup)
    call = replace(plan.call, params=_marked(plan.call.params, kinds, MARKS))
    yield Situation(setup=setup, call=call, labels={})


def cased(planner: Planner, plan: Plan) -> Iterator[Situation]:
    """What an operation names is there by another name, which differs in capital letters only."""
    top = KINDS.get(planner.service, "")
    named = {each.kind for each in _all_names((plan.call,))} & set(planner.hints.makers)
    kinds = [kind for kind in planner.hints.makers if kind in named and _names(plan.setup, kind)]
    for kind in kinds:
        is_free = kind != top or kind in planner.hints.cased
        if not is_free or any(_is_written_out(call.params, {kind}) for call in plan.calls):
            continue
        setup = tuple(replace(call, params=_marked(call.params, {kind}, MADE)) for call in plan.setup)
        call = replace(plan.call, params=_marked(plan.call.params, {kind}, ASKED))
        yield Situation(setup=setup, call=call, labels={})


def _kind(planner: Planner, call: Call, among: Mapping[str, Any]) -> str:
    """The innermost kind of thing that a call names."""
    given = [planner.hints.names[name] for name in call.params if name in planner.hints.names]
    return given[-1] if given and given[-1] in among else ""


def _names(calls: Sequence[Call], kind: str) -> bool:
    return any(each.kind == kind for each in _all_names(calls))


def _all_names(calls: Sequence[Call]) -> Iterator[Name]:
    for call in calls:
        yield from (each for each in placeholders(call.params) if isinstance(each, Name))


def _is_written_out(value: Any, kinds: set[str]) -> bool:
    """Whether a name is a part of a text, in which it would have to be written in that text's way."""
    match value:
        case Text():
            return any(isinstance(part, Name) and part.kind in kinds for part in value.parts)
        case Mapping():
            return any(_is_written_out(inner, kinds) for inner in value.values())
        case list() | tuple():
            return any(_is_written_out(inner, kinds) for inner in value)
    return False


def _marked(value: Any, kinds: set[str], ending: str) -> Any:
    match value:
        case Name() if value.kind in kinds:
            return Text((value, ending))
        case Mapping():
            return {
                _marked(key, kinds, ending): _marked(inner, kinds, ending) for key, inner in value.items()
            }
        case list() | tuple():
            return [_marked(inner, kinds, ending) for inner in value]
    return value
