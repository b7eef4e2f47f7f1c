"""What changed between two versions: every difference once, causes first, with what follows from them."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from likewise.library import crossing
from likewise.library.comparison.aliases import lasting
from likewise.library.comparison.bijection import private_types
from likewise.library.comparison.divergence import Divergence, Manner, Spot
from likewise.library.comparison.drawing import is_draw, shared_draws
from likewise.library.comparison.stability import Stability, by_test
from likewise.library.comparison.values import renamed
from likewise.library.comparison.walk import diverge
from likewise.library.texts import plain_text
from likewise.model import Provenance, Recording, Result, Trace, Value

EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One occurrence of a change, for a person."""

    test: str
    inputs: str
    place: str
    reference: str
    candidate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The same kind of difference of one operation, at one line of the client or at several."""

    operation: str
    manner: Manner
    at: str
    tests: tuple[str, ...]
    is_downstream: bool
    examples: tuple[Example, ...]
    lines: tuple[str, ...] = ()
    """Every line of the client where it shows; `at` is the first."""
    marks: tuple[str, ...]
    """A digest for each distinct pair of outcomes: what somebody accepts."""
    failing: tuple[str, ...] = ()
    """Of `tests`, those that pass on the reference and fail on the candidate."""
    follows: str = ""
    """For a downstream one: the operation of the first divergence of its test."""

    @property
    def identity(self) -> str:
        """A short name that stays the same as long as the change does, wherever the client's line moves."""
        file = self.at.partition(":")[0]
        text = "\0".join([self.operation, self.manner, file, *sorted(self.marks)])
        return hashlib.blake2b(text.encode(errors="backslashreplace"), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many tests there were, and how they fared."""

    common: int
    differing: int
    unstable: int
    failed_reference: int
    failed_candidate: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two versions as one client sees them."""

    groups: tuple[Group, ...]
    counts: Counts
    reference: str = "reference"
    candidate: str = "candidate"
    masks: int = 0
    unstable: tuple[str, ...] = ()
    only_reference: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    """Tests that pass on the reference and fail on the candidate."""
    notes: tuple[str, ...] = ()
    accepted: tuple[Group, ...] = ()
    """Changes that somebody approved: they stay quiet until they change again."""

    @property
    def causes(self) -> tuple[Group, ...]:
        """The groups that follow from nothing earlier."""
        return tuple(group for group in self.groups if not group.is_downstream)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One version: a recording, and further ones of the same version."""

    recording: Recording
    again: tuple[Recording, ...] = field(default=())

    @property
    def version(self) -> str:
        """What was recorded, in words."""
        return described(self.recording.provenance)


def described(provenance: Provenance) -> str:
    """The libraries of a recording with their versions."""
    return ", ".join(dict.fromkeys(map(str, provenance.targets))) or provenance.run


def compare(reference: Side, candidate: Side) -> Comparison:
    """Everything that the candidate does differently at the boundary, grouped by cause."""
    ours, theirs = by_test(reference.recording.traces), by_test(candidate.recording.traces)
    stability = Stability()
    for side, first in ((reference, ours), (candidate, theirs)):
        for other in side.again:
            stability.learn_all(first, by_test(other.traces))
    versions = _versions(reference.recording.provenance), _versions(candidate.recording.provenance)

    def is_quiet(spot: Spot, one: Value, other: Value) -> bool:
        return stability.is_quiet(spot, one, other) or _says_version(spot, one, other, versions)

    common = [test for test in ours if test in theirs and test not in stability.unstable]
    inner = frozenset(_private_types(reference) ^ _private_types(candidate))
    draws = shared_draws(ours, theirs)
    found: list[list[Divergence]] = [
        diverge(ours[test], theirs[test], is_quiet=is_quiet, inner=inner, draws=draws) for test in common
    ]
    broken = tuple(
        test for test in common if ours[test].result is Result.PASSED and theirs[test].result is Result.FAILED
    )
    groups = _grouped(found, broken=frozenset(broken))
    real = [test for test in common if is_test(test)]
    return Comparison(
        groups=groups,
        counts=Counts(
            common=sum(1 for test in ours if test in theirs and is_test(test)),
            differing=len({each.spot.test for some in found for each in some if is_test(each.spot.test)}),
            unstable=sum(1 for test in stability.unstable if is_test(test)),
            failed_reference=_failed(ours, real),
            failed_candidate=_failed(theirs, real),
        ),
        reference=reference.version,
        candidate=candidate.version,
        masks=stability.masks,
        unstable=tuple(sorted(stability.unstable)),
        only_reference=tuple(sorted(ours.keys() - theirs.keys() - stability.unstable)),
        only_candidate=tuple(sorted(theirs.keys() - ours.keys() - stability.unstable)),
        broken=broken,
        notes=_notes(reference, candidate),
    )


def is_test(name: str) -> bool:
    """Whether a trace is of a test, not of an import or of a fixture that several tests share."""
    return not name.startswith((crossing.IMPORT, crossing.FIXTURE, crossing.RECORDER))


def _notes(*sides: Side) -> tuple[str, ...]:
    notes = []
    for side in sides:
        for recording in (side.recording, *side.again):
            if not recording.complete:
                notes.append(f"a recording of {side.version} is incomplete: its run ended early")
        if all(is_draw(each) for trace in side.recording.traces for each in trace.interactions):
            notes.append(f"nothing crossed into {side.version}: the client's own code did not use it")
    return tuple(dict.fromkeys(notes))


def _failed(traces: dict[str, Trace], tests: Iterable[str]) -> int:
    return sum(1 for test in tests if traces[test].result is Result.FAILED)


def _private_types(side: Side) -> set[str]:
    return private_types(each for trace in side.recording.traces for each in trace.interactions)


def _versions(provenance: Provenance) -> set[str]:
    return {target.version for target in provenance.targets if target.version}


def _says_version(spot: Spot, one: Value, other: Value, versions: tuple[set[str], set[str]]) -> bool:
    """A library that says which version it is has not changed its behaviour by that."""
    pairs = [(ours, theirs) for ours in versions[0] for theirs in versions[1] if ours != theirs]
    if not isinstance(one, str) or not isinstance(other, str):
        is_asked = "version" in spot.operation.rpartition(".")[2].lower()
        return is_asked and any((str(one), str(other)) in _parts(*pair) for pair in pairs)
    if "://" in one:  # addresses of documentation leave the last parts out
        pairs += [(_short(ours), _short(theirs)) for ours, theirs in pairs]
    return any(_is_put(ours, theirs, one, other) for ours, theirs in pairs)


def _parts(ours: str, theirs: str) -> list[tuple[str, str]]:
    """The numbers of two versions that stand at one place, for where a version is a tuple of them."""
    return list(zip(*(re.findall(r"[0-9]+", each) for each in (ours, theirs)), strict=False))


def _is_put(ours: str, theirs: str, one: str, other: str) -> bool:
    """Whether two texts differ in one version that stands for another."""
    said = re.compile(rf"(?<!\d)(?<!\d\.){re.escape(ours)}(?!\.?\d)")
    return said.search(one) is not None and said.sub(lambda _: theirs, one) == other


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _grouped(found: list[list[Divergence]], *, broken: frozenset[str]) -> tuple[Group, ...]:
    together: dict[tuple[str, Manner], list[Divergence]] = defaultdict(list)
    first: dict[str, str] = {}
    for some in found:
        for each in some:
            first.setdefault(each.spot.test, each.spot.operation)
            together[each.spot.operation, each.manner].append(each)
    names, repeated = _Names(), _Repeated()
    groups = [
        repeated.fold(names.fold(_group(operation, manner, some, first=first, broken=broken), some), some)
        for (operation, manner), some in together.items()
    ]
    return tuple(sorted(groups, key=lambda group: (group.is_downstream, -len(group.failing))))


class _Names:
    """A type that has another name now has it wherever it appears: one cause, not one for each operation."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], str] = {}

    def fold(self, group: Group, some: list[Divergence]) -> Group:
        """The group, as downstream where it shows only new names that an earlier one has shown."""
        pairs = [renamed(*each.values) for each in some if not each.is_downstream]
        if group.is_downstream or not all(pairs):
            return group
        known = [self._first.setdefault(pair, group.operation) for pair in pairs if pair is not None]
        if all(any(name.startswith("_") for name in pair) for pair in pairs if pair is not None):
            return replace(group, is_downstream=True)  # a private type: its name is the library's own
        if group.operation in known:
            return group
        return replace(group, is_downstream=True, follows=known[0])


class _Repeated:
    """A changed field of one type, or a changed argument of callbacks, shows at many operations."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, ...], str] = {}

    def fold(self, group: Group, some: list[Divergence]) -> Group:
        """The group, as downstream where everything in it was shown by an earlier one."""
        causes = [each for each in some if not each.is_downstream]
        if group.is_downstream:
            return group
        if all(map(_is_inside, causes)):
            return replace(group, is_downstream=True)  # nobody has looked at it yet
        known = [
            self._first.setdefault(mark, group.operation) if mark else group.operation
            for mark in map(_signature, causes)
        ]
        if group.operation in known:
            return group
        return replace(group, is_downstream=True, follows=known[0])


def _is_inside(divergence: Divergence) -> bool:
    """Whether it is a field of a private type's object that came back: the library's own until it is read."""
    kind, _, name = divergence.within.rpartition(".")
    is_private = kind.rpartition(".")[2].startswith("_")
    return is_private and divergence.place == f"returned.{name}"


def _signature(divergence: Divergence) -> tuple[str, ...]:
    """What makes two differences one change; empty where nothing but the operation does."""
    if divergence.within:
        return ("field", divergence.within)
    if divergence.place.startswith("arguments.") and (key := _LAST_KEY.search(divergence.place)):
        return ("argument", key[1], repr(divergence.values[0]))
    if divergence.manner is Manner.ORDER and "." in divergence.spot.operation:
        return ("order", divergence.spot.operation.rpartition(".")[0])
    return ()


_LAST_KEY = re.compile(r"\['(\w+)'\]$")


def _group(
    operation: str,
    manner: Manner,
    some: list[Divergence],
    *,
    first: dict[str, str],
    broken: frozenset[str],
) -> Group:
    causes = [each for each in some if not each.is_downstream]
    shown = causes or some
    distinct = {(each.reference, each.candidate): each for each in reversed(shown)}
    tests = tuple(dict.fromkeys(each.spot.test for each in some))
    lines = tuple(dict.fromkeys(line_of(each.spot.at) for each in shown))
    return Group(
        operation=operation,
        manner=manner,
        at=lines[0],
        lines=lines,
        tests=tests,
        is_downstream=not causes,
        examples=tuple(
            Example(
                test=each.spot.test,
                inputs=each.inputs,
                place=each.place,
                reference=each.reference,
                candidate=each.candidate,
            )
            for each in list(reversed(distinct.values()))[:EXAMPLES]
        ),
        marks=tuple(sorted({_mark(each) for each in shown})),
        failing=tuple(test for test in tests if test in broken),
        follows="" if causes else first.get(some[0].spot.test, ""),
    )


def _mark(divergence: Divergence) -> str:
    """What of a change is the same in every run: the two things that differ, not what stands around them."""
    sides: tuple[Value, Value] = divergence.values
    if sides == (None, None):
        sides = divergence.reference, divergence.candidate
    text = "\0".join(_NUMBER.sub("'id': 0", lasting(plain_text(repr(each)))) for each in sides)
    return hashlib.blake2b(text.encode(errors="backslashreplace"), digest_size=6).hexdigest()


_NUMBER = re.compile(r"'id': '[^']*'")
"""Of an object, as a comparison names it."""


def line_of(at: str) -> str:
    """file:line of a place that may say a column as well."""
    parts = at.rsplit(":", 2)
    return ":".join(parts[:2]) if len(parts) == 3 and parts[1].isdigit() else at
