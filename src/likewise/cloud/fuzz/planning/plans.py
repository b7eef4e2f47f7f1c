"""Typical calls and what must come before them: producers before consumers, by the models and the hints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import Any

from likewise.cloud.fuzz.calls import LEAVES, Call, Name, Ref, Text, placeholders
from likewise.cloud.fuzz.grammar import Grammar, Member, OperationShape
from likewise.cloud.fuzz.hints import Hints
from likewise.cloud.fuzz.planning.values import usual

READS = re.compile(
    r"^(?:[A-Z]\w*_)?(Get|List|Head|Describe|Scan|Query|BatchGet|TransactGet|Select|Download|Peek|Filter)"
)
ENDS = re.compile(r"(Delete|Abort|Complete|Clear|Release|Break|Untag|Rename|Dequeue)")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z][a-z0-9]*")
MANY = (0, 2, 1)
"""Which of several things is made first: not the one whose name comes first."""


@cache
def is_read(operation: str) -> bool:
    """Whether an operation only looks."""
    return bool(READS.match(operation)) and "Policy_Set" not in operation


@cache
def nouns(operation: str) -> tuple[str, ...]:
    """The words of a name without its verb: `GetBucketTagging` is about a bucket's tagging."""
    return tuple(_WORDS.findall(operation.rpartition("_")[2] or operation))[1:]


Lesson = tuple[Mapping[str, Any], tuple[str, ...]]
"""How errors taught to call an operation: its parameters, and what else to call before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A call with the calls before it: all names and references are filled in at execution."""

    setup: tuple[Call, ...]
    call: Call

    @property
    def calls(self) -> tuple[Call, ...]:
        """Everything, in order."""
        return (*self.setup, self.call)


class Planner:
    """Makes plans for the operations of one service."""

    def __init__(self, grammar: Grammar, hints: Hints) -> None:
        self.grammar, self.hints = grammar, hints
        self._observers: dict[str, tuple[str, ...]] = {}
        self._fitting: dict[str, tuple[str, ...]] = {}
        self._members: dict[str, tuple[Member, ...]] = {}
        self._plans: dict[tuple[str, str, bool], Plan] = {}
        """Those for the typical calls, by what they are asked for with, as long as nothing is learned."""
        self._learned: dict[str, Lesson] = {}
        self.doubted: set[str] = set()
        """Reads that may show nothing of a thing on one side for a while: others are asked before them."""

    @property
    def learned(self) -> Mapping[str, Lesson]:
        """Operations that errors taught how to call."""
        return self._learned

    def learn(self, operation: str, lesson: Lesson | None) -> None:
        """Call an operation from now on like this, or as before anything was learned of it."""
        self._plans.clear()
        if lesson is None:
            self._learned.pop(operation, None)
        else:
            self._learned[operation] = lesson

    @property
    def service(self) -> str:
        """The service whose operations these are."""
        return self.grammar.service

    @cached_property
    def operations(self) -> tuple[str, ...]:
        """Everything that can be called, without what the hints rule out."""
        return tuple(name for name in self.grammar.operations if name not in self.hints.skip)

    @cached_property
    def _hinted(self) -> dict[str, dict[str, Any]]:
        """What the hints give to the parameters of each operation."""
        found: dict[str, dict[str, Any]] = {}
        for key, hinted in self.hints.values.items():
            owner, _, parameter = key.partition(".")
            if parameter:
                found.setdefault(owner, {})[parameter] = hinted
        return found

    def needs(self, operation: str) -> tuple[str, ...]:
        """The operations that make what this one asks for, directly; `X:variant` with what the hints add."""
        shape = self.grammar.operations[operation.partition(":")[0]]
        name = shape.name
        explicit = self.hints.needs.get(operation, self.hints.needs.get(name, ()))
        said = self._alike({each.partition(":")[0] for each in explicit})
        found: list[str] = []
        for member in shape.required:
            maker = self._maker(name, member.name)
            if maker and maker not in said and maker != name:
                found.append(maker)
        if not explicit and (twin := self._twin(name)):
            found.append(twin)
        ordered = [each for each in explicit if ":" in each] + found
        taught = self.learned.get(name, ({}, ()))[1]
        return tuple(dict.fromkeys([*ordered, *explicit, *taught]))

    def _alike(self, makers: set[str]) -> set[str]:
        """Some operations, and those that make other forms of the things that they make."""
        return makers.union(*(forms for forms in self.hints.forms.values() if makers & set(forms)))

    def _is_there(self, need: str, setup: Sequence[Call]) -> bool:
        """Whether a set-up has what an operation would make, in some form: nothing else of that kind."""
        maker = need.partition(":")[0]
        makers = self._alike({maker})
        kinds = {kind for kind, each in self.hints.makers.items() if each == maker}
        wanted = set(_own_names(self.typical(need), kinds))
        given = self.hints.related.get(need, ({},))[0].items()
        if makers & set(self.hints.makers.values()):
            given = {}.items()  # whatever it was given, it cannot be made twice
        return any(
            each.operation in makers
            and wanted <= set(_own_names(each.params, kinds))
            and given <= each.params.items()
            for each in setup
        )

    def _maker(self, operation: str, parameter: str) -> str:
        if source := self.hints.sources.get(parameter):
            return source[0]
        kind = self.hints.names.get(parameter, "")
        if kind in self.hints.creates.get(operation, frozenset()):
            return ""
        return self.hints.makers.get(kind, "")

    def _twin(self, operation: str) -> str:
        """What puts there what this operation gets or deletes: `PutBucketTagging` for `GetBucketTagging`."""
        found = re.match(r"^(Get|Delete|Describe)([A-Z]\w+)$", operation)
        for verb in ("Put", "Create", "Update") if found else ():
            assert found is not None
            for name in (verb + found[2], verb + found[2] + "Configuration"):
                if name in self.grammar.operations and name != operation:
                    return name
        return ""

    def plan(
        self,
        operation: str,
        params: Mapping[str, Any] | None = None,
        *,
        without: str = "",
        many: bool = False,
    ) -> Plan:
        """A plan for one operation; `without` leaves out what that operation would have made."""
        key = (operation, without, many)
        if (found := self._plans.get(key)) is None:
            found = self._plans[key] = self._made(operation, without, many=many)
        if params is None:
            return found
        return replace(found, call=self.bound(replace(found.call, params=params), found.setup))

    def _made(self, operation: str, without: str, *, many: bool) -> Plan:
        setup: list[Call] = []
        self._add_needs(operation, setup, without, frozenset({operation}))
        if many:
            self._multiply(operation, setup)
        name, params = operation.partition(":")[0], self.typical(operation)
        call = Call(service=self.service, operation=name, params=params)
        return Plan(setup=tuple(setup), call=self.bound(call, setup))

    def _add_needs(self, operation: str, setup: list[Call], without: str, above: frozenset[str]) -> None:
        for need in self.needs(operation):
            plain = need.partition(":")[0]
            if plain == without or plain in above or self._is_there(need, setup):
                continue
            self._add_needs(need, setup, without, above | {plain})
            if self._is_there(need, setup):
                continue
            call = Call(service=self.service, operation=plain, params=self.typical(need))
            setup.append(self.bound(call, setup))

    def _multiply(self, operation: str, setup: list[Call]) -> None:
        """Make three of what a list gives, so that its order and its pages can be seen."""
        if not setup:
            return
        last = setup.pop()
        kinds = {each.kind for each in _names(last.params)} - {
            each.kind for earlier in setup for each in _names(earlier.params)
        }
        kind = next(iter(sorted(kinds)), "")
        if not kind:
            # What is not named is numbered, if anything: the parts of an upload.
            for number in MANY:
                counted = {name: _counted(name, value, number) for name, value in last.params.items()}
                setup.append(replace(last, params=counted))
            return
        # What is listed by that name shares it.
        is_common = self.service == "dynamodb" and Name(kind) in _names(self.typical(operation))
        for number in MANY:
            params = last.params if is_common else _renumbered(last.params, kind, number)
            if self.service == "dynamodb" and last.operation == "PutItem":
                params = {**params, "Item": {**params["Item"], "rank": {"N": str(number + 1)}}}
            setup.append(replace(last, params=params))

    def bound(self, call: Call, setup: Sequence[Call]) -> Call:
        """A call whose references by operation point to the position of that operation."""
        positions = {each.operation: number for number, each in enumerate(setup)}
        return replace(call, params=_bound(call.params, positions))

    def typical(self, operation: str) -> dict[str, Any]:
        """Parameters that should work: what is required, and what makes it right."""
        name, _, variant = operation.partition(":")
        shape = self.grammar.operations[name]
        if operation in self.hints.ways:
            params = {**self.typical(name), **self.hints.ways[operation]}
        elif not variant and name in self.learned:
            return dict(self.learned[name][0])
        else:
            params = {member.name: self.value(shape, member) for member in shape.required}
            params |= self._hinted.get(name, {})
            if variant:
                params |= self.hints.related[operation][0]
        return {name: value for name, value in params.items() if value is not None}

    def value(self, shape: OperationShape, member: Member) -> Any:
        """A typical value of one parameter of an operation."""
        for key in (f"{shape.name}.{member.name}", f"{shape.name}?{member.name}", member.name):
            if key in self.hints.values and self.hints.values[key] is not None:
                return self.hints.values[key]
        if member.name in self.hints.names:
            return Name(self.hints.names[member.name])
        if source := self.hints.sources.get(member.name):
            return Ref(-1, (source[0], *source[1]))
        for example in shape.examples:
            if member.name in example:
                return example[member.name]
        return self.by_type(member)

    @cached_property
    def _samples(self) -> dict[tuple[str, str], Any]:
        """What the hints give to parameters, by name and shape."""
        found = {}
        for member in (member for shape in self.grammar for member in shape.members if member.shape):
            value = self.hints.values.get(member.name)
            if value is None and member.name in self.hints.names:
                value = Name(self.hints.names[member.name])
            found[member.name, member.shape] = value
        return found

    def members(self, operation: str) -> tuple[Member, ...]:
        """The parameters of an operation; parts that are elsewhere parameters have typical values as well."""
        if operation not in self._members:
            self._members[operation] = tuple(
                replace(each, members=tuple(map(self._sampled, each.members)))
                for each in self.grammar.operations[operation].members
            )
        return self._members[operation]

    def _sampled(self, member: Member) -> Member:
        value = self._samples.get((member.name, member.shape))
        return replace(member, members=tuple(map(self._sampled, member.members)), sample=value)

    def by_type(self, member: Member) -> Any:
        """A value of the right type and nothing more."""
        return usual(member)

    def reads(self, setup: Sequence[Call], call: Call, *, few: bool = False) -> tuple[Call, ...]:
        """The reads that can show what a call did, after it; `few` are the first and those of parameters."""
        found = []
        before = [*setup, call]
        those = self.observers(call.operation)[: 1 if few else None]
        for name in dict.fromkeys((*those, *self._showing(call))):
            shape = self.grammar.operations[name.partition(":")[0]]
            params = dict(self.typical(name))
            for member in shape.members:
                if member.name in call.params and (member.required or member.name in self.hints.names):
                    params[member.name] = call.params[member.name]
            read = self.bound(Call(service=call.service, operation=shape.name, params=params), before)
            if not any(isinstance(each, Ref) and each.call < 0 for each in placeholders(read.params)):
                found.append(read)
        return tuple(found)

    def looks(self, setup: Sequence[Call], call: Call) -> list[Call]:
        """Those of the reads that can be asked before the call, too."""
        return [
            each
            for each in self.reads(setup, call)
            if is_read(each.operation)
            and all(isinstance(part, Name) or part.call < len(setup) for part in placeholders(each.params))
        ]

    def _showing(self, call: Call) -> tuple[str, ...]:
        """The reads that show what a parameter of a call did, where others do not."""
        given = {pattern for name in call.params for pattern in self._patterns_of(f"{call.operation}.{name}")}
        if not given:
            return ()
        those = (reads for pattern, reads in self.hints.shows.items() if pattern in given)
        return tuple(dict.fromkeys(read for reads in those for read in reads))

    def _patterns_of(self, name: str) -> tuple[str, ...]:
        """What the hints say of a parameter, by the patterns that it fits."""
        if name not in self._fitting:
            self._fitting[name] = tuple(each for each in self.hints.shows if fnmatchcase(name, each))
        return self._fitting[name]

    def observers(self, operation: str) -> tuple[str, ...]:
        """The reads that can show what an operation did: the hints', else those of the same noun."""
        if operation not in self._observers:
            self._observers[operation] = self._observing(operation)
        those = self._observers[operation]
        return tuple(sorted(those, key=lambda name: name.partition(":")[0] in self.doubted))

    def _observing(self, operation: str) -> tuple[str, ...]:
        if is_read(operation):
            return ()
        for pattern, reads in self.hints.observers.items():
            if fnmatchcase(operation, pattern):
                return reads
        about = _single(operation)
        return tuple(
            name
            for name in self.operations
            if re.match(r"^(Get|Describe|List)", name) and about and _single(name) == about
        )[:2]


def _single(operation: str) -> set[str]:
    """What an operation is about, whether it is one of them or the list of all."""
    return {word.removesuffix("s") for word in nouns(operation)}


def _names(value: Any) -> Iterator[Name]:
    return (each for each in placeholders(value) if isinstance(each, Name))


def _own_names(value: Any, kinds: Set[str]) -> Iterator[Name | Text]:
    """The names of things of some kinds, and of others than the usual ones: a second one, a longer name."""
    if type(value) in LEAVES:
        return
    match value:
        case Name() if value.number or value.kind in kinds:
            yield value
        case Text() if isinstance(value.parts[0], Name) and len(value.parts) > 1:
            yield value
        case dict() | Mapping():
            yield from (each for inner in value.values() for each in _own_names(inner, kinds))
        case list() | tuple():
            yield from (each for inner in value for each in _own_names(inner, kinds))


CHOSEN = frozenset({"Id", "Key"})
"""What clients call the parts of a thing by: a configuration, a tag."""


def _counted(name: str, value: Any, number: int) -> Any:
    """The n-th of several like this: numbers go up, identifiers that the client chose get another letter."""
    if type(value) is int:
        return value + number
    if isinstance(value, Mapping):
        return {key: _counted(key, inner, number) if key in CHOSEN else inner for key, inner in value.items()}
    if isinstance(value, list):
        return [_counted(name, each, number) for each in value if isinstance(each, Mapping)] or value
    is_chosen = isinstance(value, str) and value and (name.lower().endswith("id") or name in CHOSEN)
    return f"{chr(ord('A') + number)}{value[1:]}" if is_chosen else value


def _renumbered(value: Any, kind: str, number: int) -> Any:
    match value:
        case Name():
            return Name(kind, number) if value.kind == kind else value
        case Text():
            return Text(tuple(_renumbered(part, kind, number) for part in value.parts))
        case dict() | Mapping():
            return {
                _renumbered(key, kind, number): _renumbered(inner, kind, number)
                for key, inner in value.items()
            }
        case list() | tuple():
            return [_renumbered(inner, kind, number) for inner in value]
    return value


def _bound(value: Any, positions: Mapping[str, int]) -> Any:
    if type(value) in LEAVES:
        return value
    match value:
        case Ref(call=-1):
            return Ref(positions.get(str(value.path[0]), -1), value.path[1:])
        case Text():
            return Text(tuple(_bound(part, positions) for part in value.parts))
        case dict() | Mapping():
            return {_bound(key, positions): _bound(inner, positions) for key, inner in value.items()}
        case list() | tuple():
            return [_bound(inner, positions) for inner in value]
    return value
