"""Repairing a failed call: what its error says is wrong is put right, what it misses is made first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.grammar import Member, OperationShape
from likewise.cloud.fuzz.planning.plans import Planner, is_read, nouns

_SPLIT = re.compile(r"[A-Z]+(?=[A-Z][a-z]|\b|$)|[A-Z]?[a-z]+")
_QUOTED = re.compile(r"'([^']{1,80})'|\"([^\"]{1,80})\"|`([^`]{1,80})`")
_ALLOWED = re.compile(
    r"(?:enum value set|valid values?(?: are)?|allowed values?(?: are)?|one of|must be either)"
    r"\W+([\w$.:/ ,|'\"-]+)",
    re.IGNORECASE,
)
_PATTERN = re.compile(r"(?:regular expression|regex|pattern)(?: pattern)?\W*?[:=]?\s*(\S+)", re.IGNORECASE)
_LOW = re.compile(
    r"(?:greater than or equal to|at least|not? (?:less|fewer) than|minimum(?: value| length)?(?: is| of)?)"
    r"\D{0,3}(\d+)",
    re.IGNORECASE,
)
_HIGH = re.compile(
    r"(?:less than or equal to|at most|not? more than|not exceed|maximum(?: value| length)?(?: is| of)?)"
    r"\D{0,3}(\d+)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"between\D{0,3}(\d+)\D{1,8}(\d+)", re.IGNORECASE)
_ABSENT = re.compile(
    r"missing|required|must (?:not be null|be (?:specified|provided|present|set|given|supplied))|"
    r"not be (?:null|empty)|is null|no value|expected .{1,20} but got nothing",
    re.IGNORECASE,
)
_SURPLUS = re.compile(
    r"cannot (?:be )?(?:specif|us|set|combin|provid)|can ?not use both|not allowed|not (?:be )?supported|"
    r"unused|must not be (?:specified|provided|present|set)|only be (?:specified|used) when|exclusive",
    re.IGNORECASE,
)
_BIG = re.compile(r"limit|large|long|exceed|size|big", re.IGNORECASE)
_MAKES = r"(Put|Create|Set|Enable|Update|Start|Upload|Stage|Insert|Add|Acquire|post|put|create|add)"
SAMPLES = (
    "value",
    "a",
    "name-1",
    "name_1",
    "1",
    "123456789012",
    "2031-01-01T00:00:00Z",
    "00000000-0000-0000-0000-000000000000",
    "arn:aws:service:us-east-1:123456789012:thing/name",
    "us-east-1",
    "a@example.com",
    "https://example.com/",
    "bytes=0-3",
    "dGV4dA==",
)
"""One of these fits most of the patterns that services ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Another way to make a call: its parameters, and what to call before it besides what it needs anyway."""

    params: Mapping[str, Any]
    first: tuple[str, ...] = ()
    reason: str = ""

    @property
    def key(self) -> str:
        """What makes two repairs the same."""
        return f"{self.params!r} {self.first}"


def repairs(planner: Planner, operation: str, params: Mapping[str, Any], answer: Answer) -> Iterator[Repair]:
    """What may put a failed call right, by what its error says; the likeliest first."""
    shape = planner.grammar.operations[operation]
    said = f"{answer.message} {answer.refused}".strip()
    for named in _named(shape, said):
        for rule in (_enumerated, _ranged, _patterned, _given, _dropped):
            changed = rule(planner, shape, named, params, said)
            if changed is not None and changed != params:
                yield Repair(params=changed, reason=f"{rule.__name__[1:]} {named.path}")
    yield from _quoted(shape, params, said)
    if _BIG.search(f"{answer.code} {said}") and (less := smaller(params)) != params:
        yield Repair(params=less, reason="smaller")
    for other in _makers(planner, operation, f"{answer.code} {said}"):
        yield Repair(params=params, first=(other,), reason=f"after {other}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A parameter that an error names: the way to it from the top."""

    steps: tuple[str, ...]
    member: Member

    @property
    def path(self) -> str:
        """The way in words."""
        return ".".join(self.steps)


def _named(shape: OperationShape, said: str) -> list[Named]:
    """The parameters that a text names, those it quotes first, the innermost of each way."""
    words = {word.lower(): position for position, word in enumerate(re.findall(r"\w[\w-]*", said))}
    quoted = {
        part.lower()
        for match in _QUOTED.finditer(said)
        for each in match.groups("")
        for part in re.split(r"[.\[\]]", each)
    }
    found: list[tuple[tuple[int, int, int], Named]] = []
    for steps, member in _ways(shape.members, ()):
        for alias in {member.name.lower(), member.wire.lower(), _spaced(member.name)} - {""}:
            at = words.get(alias, said.lower().find(alias) if " " in alias else -1)
            if at >= 0:
                order = (alias not in quoted, -len(steps), at)
                found.append((order, Named(steps=steps, member=member)))
                break
    return [named for _, named in sorted(found, key=lambda each: each[0])][:4]


def _spaced(name: str) -> str:
    return " ".join(each.lower() for each in _SPLIT.findall(name))


def _ways(members: tuple[Member, ...], above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Member]]:
    for member in members:
        steps = (*above, member.name)
        yield steps, member
        if len(steps) < 4:
            inner = member.members if member.kind == "structure" else ()
            if member.kind == "list" and member.members and member.members[0].kind == "structure":
                inner, steps = member.members[0].members, (*steps, "[]")
            yield from _ways(inner, steps)


def _placed(params: Any, steps: tuple[str, ...], value: Any) -> Any:
    """Parameters with a value at a place; None drops what is there."""
    step, rest = steps[0], steps[1:]
    if step == "[]":
        there = params if isinstance(params, list) and params else [{}]
        return [_placed(each, rest, value) for each in there]
    inner = dict(params) if isinstance(params, Mapping) else {}
    if rest:
        if step in inner or value is not None:
            inner[step] = _placed(inner.get(step, [] if rest[0] == "[]" else {}), rest, value)
    elif value is None:
        inner.pop(step, None)
    else:
        inner[step] = value
    return inner


def _at(params: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        if step == "[]":
            params = params[0] if isinstance(params, list) and params else None
        else:
            params = params.get(step) if isinstance(params, Mapping) else None
    return params


Rule = Callable[[Planner, OperationShape, Named, Mapping[str, Any], str], Any]


def _enumerated(_: Planner, __: OperationShape, named: Named, params: Mapping[str, Any], said: str) -> Any:
    """One of the values that the error allows, or of those that the model does."""
    allowed: list[str] = []
    if match := _ALLOWED.search(said):
        allowed = [each.strip(" '\"") for each in re.split(r"[,|]| or ", match[1]) if each.strip(" '\"")]
    allowed = [each for each in allowed if re.fullmatch(r"[\w.:/$-]+", each)] or list(
        named.member.enum if named.member.kind == "string" else ()
    )
    there = _at(params, named.steps)
    fresh = [each for each in allowed if each != there]
    if not fresh or named.member.kind not in ("string", "integer"):
        return None
    return _placed(params, named.steps, int(fresh[0]) if named.member.kind == "integer" else fresh[0])


def _ranged(_: Planner, __: OperationShape, named: Named, params: Mapping[str, Any], said: str) -> Any:
    """A number or a length within the limits that the error gives."""
    low, high = _LOW.search(said), _HIGH.search(said)
    if both := _BETWEEN.search(said):
        bounds = int(both[1]), int(both[2])
    elif low or high:
        bounds = int(low[1]) if low else 0, int(high[1]) if high else 10**9
    else:
        return None
    there = _at(params, named.steps)
    match named.member.kind:
        case "integer" | "float":
            return _placed(params, named.steps, max(bounds[0], min(bounds[1], there or 1)))
        case "string" if there is None or isinstance(there, str):
            text = (there or "value")[: bounds[1]].ljust(bounds[0], "x")
            return _placed(params, named.steps, text)
        case "list" if isinstance(there, list) and there:
            return _placed(params, named.steps, (there * max(1, bounds[0]))[: max(1, bounds[1])])
    return None


def _patterned(_: Planner, __: OperationShape, named: Named, params: Mapping[str, Any], said: str) -> Any:
    """A value of the form that the error asks for."""
    match = _PATTERN.search(said)
    if match is None or named.member.kind != "string":
        return None
    try:
        form = re.compile(match[1].rstrip(".,;"))
    except re.error:
        return None
    fitting = next((each for each in SAMPLES if form.fullmatch(each)), None)
    return None if fitting is None else _placed(params, named.steps, fitting)


def _given(
    planner: Planner, shape: OperationShape, named: Named, params: Mapping[str, Any], said: str
) -> Any:
    """What the error misses."""
    if not _ABSENT.search(said) or _at(params, named.steps) not in (None, "", [], {}):
        return None
    is_top = len(named.steps) == 1
    value = planner.value(shape, named.member) if is_top else planner.by_type(named.member)
    return _placed(params, named.steps, value)


def _dropped(_: Planner, __: OperationShape, named: Named, params: Mapping[str, Any], said: str) -> Any:
    """Without what the error does not want."""
    if not _SURPLUS.search(said) or named.member.required or _at(params, named.steps) is None:
        return None
    return _placed(params, named.steps, None)


def smaller(value: Any) -> Any:
    """A value whose texts are as short as may be."""
    match value:
        case bytes():
            return value[:1]
        case Mapping():
            return {key: smaller(inner) for key, inner in value.items()}
        case list():
            return [smaller(inner) for inner in value]
    return value


def _quoted(shape: OperationShape, params: Mapping[str, Any], said: str) -> Iterator[Repair]:
    """A value that the error quotes and the model knows: "must be 'Enabled'"."""
    for match in _QUOTED.finditer(said):
        word = next(each for each in match.groups() if each)
        for steps, member in _ways(shape.members, ()):
            if word in member.enum and _at(params, steps) != word:
                yield Repair(params=_placed(params, steps, word), reason=f"{'.'.join(steps)} is {word}")
                break


def _makers(planner: Planner, operation: str, said: str) -> list[str]:
    """Writes whose nouns an error names: what it misses may be what they make."""
    words = {each.lower() for each in _SPLIT.findall(said)}
    common = {each.lower() for name in planner.operations for each in nouns(name)[:1]}
    ranked = []
    for name in planner.operations:
        about = {each.lower() for each in nouns(name)}
        telling = (about & words) - (common if len(about) > 1 else set())
        if telling and not is_read(name) and name != operation and re.match(_MAKES, name.rpartition("_")[2]):
            ranked.append((-len(telling), len(about - words), name))
    known = set(planner.needs(operation))
    return [name for _, _, name in sorted(ranked) if name not in known][:2]
