"""What every service has: a table of operations, each with the resources it touches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from likewise.cloud.bodies import PLAIN, Shape
from likewise.cloud.services.call import Call
from likewise.cloud.services.flow import Flow, Sources
from likewise.cloud.services.twins import Twins
from likewise.model import Effect, Resource, Scope, Touch, Value

_EFFECTS = {
    "write": Effect.WRITE,
    "absorb": Effect.ABSORB,
    "replace": Effect.ABSORB,
    "remove": Effect.REMOVE,
}
_READS = frozenset({"read", "from", "look", "probe"})
_VERBS = _READS | frozenset(_EFFECTS)

Found = tuple[Resource, bool]
"""A resource, and whether it is exactly what is meant; if not, what is meant lies somewhere below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One line of an operation's entry: what happens to which kind of node."""

    verb: str
    node: str
    reach: Scope
    """How far the change goes."""
    sight: Scope
    """How far the answer depends on what is there."""
    timed: bool


def rules(entries: Mapping[str, str]) -> dict[str, tuple[Rule, ...]]:
    """Read a table of operations.

    An entry is "verb node[/**] [timed]" clauses, separated by semicolons. `/**`: and everything below;
    `/*`: likewise, but a refusal does not depend on what is below.
    Verbs: `read`; `from` (a read whose content goes into what the call writes); `look` (a read that
    shows whether a change that takes its time is over); `probe` (a read of what others take away: a server
    may take that for taking); `write`; `absorb` (earlier writes no longer matter); `replace` (absorb, unless
    the service keeps what was there: versions, snapshots); `remove` (absorb, and nothing is left of what was
    there).
    """
    table = {}
    for name, entry in entries.items():
        found = []
        for clause in filter(None, map(str.strip, entry.split(";"))):
            verb, node, *rest = clause.split()
            if verb not in _VERBS or rest not in ([], ["timed"]):
                raise ValueError(f"{name}: {clause}")
            name_of, _, stars = node.partition("/")
            found.append(
                Rule(
                    verb=verb,
                    node=name_of,
                    reach=Scope.SUBTREE if stars else Scope.SELF,
                    sight=Scope.SUBTREE if stars == "**" else Scope.SELF,
                    timed=bool(rest),
                )
            )
        table[name] = tuple(found)
    return table


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """What a request must have to be an operation's: kind ("?" query, "!" header), name, value or ""."""

    operation: str
    checks: tuple[tuple[str, str, str], ...]
    queried: frozenset[str]


Patterns = dict[tuple[str, str], list[Pattern]]


def patterns(entries: Iterable[tuple[str, str]]) -> Patterns:
    """Compile "METHOD level ?query !header" patterns, by method and level, the most demanding first."""
    table: Patterns = {}
    for name, pattern in entries:
        method, level, *tokens = pattern.split()
        checks = []
        for token in tokens:
            key, _, value = token[1:].partition("=")
            checks.append((token[0], key, value))
        queried = frozenset(key for kind, key, _ in checks if kind == "?")
        pattern_of = Pattern(operation=name, checks=tuple(checks), queried=queried)
        table.setdefault((method, level), []).append(pattern_of)
    for candidates in table.values():
        candidates.sort(key=lambda candidate: -len(candidate.checks))
    return table


def match(table: Patterns, level: str, call: Call, *, binding: Collection[str] = ()) -> str:
    """The operation whose pattern fits, or nothing.

    A pattern fits only if it mentions every name of `binding` that stands in the query: a request for
    something that no table knows must not pass for a plain one.
    """
    bound = [name for name in call.query if name in binding]
    for pattern in table.get((call.method, level), ()):
        if bound and not pattern.queried.issuperset(bound):
            continue
        for kind, key, value in pattern.checks:
            there = (call.query if kind == "?" else call.headers).get(key)
            if there is None or (value and there != value and there.lower() != value.lower()):
                break
        else:
            return pattern.operation
    return ""


class Service:
    """One service. An instance lives as long as a world and remembers what it must of it.

    A new service is a new subclass in a file of its own, named in `SERVICES`.
    """

    name: ClassVar[str]
    operations: ClassVar[Mapping[str, tuple[Rule, ...]]]
    content_sent: ClassVar[frozenset[str]] = frozenset()
    """Operations whose request body is the user's own content."""
    content_received: ClassVar[frozenset[str]] = frozenset()
    """Operations whose response body is the user's own content."""
    text_received: ClassVar[frozenset[str]] = frozenset()
    """Operations whose response body is data that the SDK hands out as the text that it is."""
    is_regional: ClassVar[bool] = False
    """Whether equal names in two regions are two resources."""
    shows_reason: ClassVar[bool] = False
    """Whether the SDK's errors show what the status line says beside the status."""
    tells_request: ClassVar[bool] = False
    """Whether the SDK gives the answer's date and the request's id with what it returns."""
    shape: ClassVar[Shape] = PLAIN
    shape_sent: ClassVar[Shape | None] = None
    """The shape of what is sent, where it differs from what is received."""
    request_headers: ClassVar[frozenset[str]] = frozenset()
    """Request headers that matter to this service beyond those that always do."""

    def __init__(self) -> None:
        self._flow = Flow()
        self._twins = Twins()

    def recognises(self, call: Call) -> bool:
        """Whether the request is this service's, from its address and headers alone."""
        raise NotImplementedError

    def place(self, call: Call) -> None:
        """Fill in the operation, the account, and the names of what is addressed."""
        raise NotImplementedError

    def read(self, call: Call) -> None:
        """Fill in what only the parsed body tells."""

    def find(self, node: str, call: Call) -> Iterable[Found]:
        """The resources that a node of the table stands for in this call."""
        raise NotImplementedError

    def replaces(self, call: Call, resource: Resource) -> bool:
        """Whether what was there before is really gone."""
        return True

    def is_settled(self, call: Call) -> bool:
        """Whether the answer to a look shows that nothing is under way."""
        return False

    def is_timed(self, call: Call) -> bool:
        """Whether the request itself asks for something that changes as time passes."""
        return False

    def lasts(self, call: Call, resource: Resource) -> float | None:
        """For how many seconds what is timed stays as the call made it; None where that is not known."""
        return None

    def is_empty(self, call: Call) -> bool:
        """Whether a call that could have changed something says that it did not."""
        return False

    def learn(self, call: Call) -> None:
        """Remember what later calls need to know."""

    def listed(self, call: Call) -> Iterable[tuple[Resource, dict[str, Value]]]:
        """The things that an answer lists, each with what is stated of its present content."""
        return ()

    def copy_source(self, text: str) -> Value:
        """The resource that a copy-source header names."""
        return text

    def mask(self, call: Call) -> None:
        """Replace environment-bound values in the parsed bodies, by place."""

    def touches(self, call: Call) -> tuple[Touch, ...]:
        """What the call did, given its outcome."""
        found: list[Touch] = []
        for part in call.parts or (call,):
            sources: Sources = {}
            found += self._flow.take([*self._touches(part, sources)], sources)
        return self._twins.with_twins(self._flow.followed(_merged(found)))

    def _touches(self, call: Call, sources: Sources) -> Iterable[Touch]:
        entry = self.operations.get(call.operation)
        if entry is None:
            effect = Effect.READ if call.is_refused else Effect.WRITE
            yield Touch(resource=(self.name,), effect=effect, scope=Scope.SUBTREE, attempted=call.is_refused)
            return
        unchanged = call.is_refused or self.is_empty(call)
        for rule in entry:
            for resource, exact in self.find(rule.node, call):
                if unchanged or rule.verb in _READS:
                    scope = rule.sight if exact else Scope.SUBTREE
                    if rule.verb == "from" and not unchanged:
                        sources[resource] = scope
                    timed = rule.verb == "look" and exact and self.is_settled(call)
                    is_probe = rule.verb == "probe" and not unchanged
                    attempted = is_probe or (call.is_refused and rule.verb not in _READS)
                    yield Touch(
                        resource=resource, effect=Effect.READ, scope=scope, timed=timed, attempted=attempted
                    )
                    continue
                certain = exact and call.status is not None
                yield Touch(
                    resource=resource,
                    effect=self._effect(rule.verb, call, resource) if certain else Effect.WRITE,
                    scope=rule.reach if exact else Scope.SUBTREE,
                    timed=(timed := rule.timed or self.is_timed(call)),
                    lasts=self.lasts(call, resource) if timed else None,
                )

    def _effect(self, verb: str, call: Call, resource: Resource) -> Effect:
        if verb == "replace" and not self.replaces(call, resource):
            return Effect.WRITE
        return _EFFECTS[verb]


_STRENGTH = {Effect.READ: 0, Effect.REMOVE: 1, Effect.ABSORB: 2, Effect.WRITE: 3}


def _merged(touches: Iterable[Touch]) -> tuple[Touch, ...]:
    """One touch per resource and scope: the same thing twice in a batch is a write that keeps history."""
    found: dict[tuple[Resource, Scope], Touch] = {}
    for touch in touches:
        place = touch.resource, touch.scope
        there = found.get(place)
        if there is None or _strength(touch) > _strength(there):
            found[place] = touch
    return tuple(found.values())


def _strength(touch: Touch) -> tuple[int, bool]:
    return _STRENGTH[touch.effect], touch.attempted


def safe(name: str) -> str:
    """A user's name as a node: one that could be taken for a configuration node gets a mark."""
    return "=" + name if name.startswith(("?", "=")) else name
