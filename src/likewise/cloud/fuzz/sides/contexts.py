"""Contexts: the names that things have in one, what was called in it, and who can go on with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, placeholders
from likewise.cloud.fuzz.planning.plans import ENDS, is_read
from likewise.cloud.fuzz.planning.sequences import shifted

LETTERS = "mbxckdwneu"
INSIDE = "lw0"
"""What the names of things inside others begin with."""
KEPT = 256
"""Contexts that are kept for a case that begins alike."""
_AGAIN = "again"
"""What a key begins with where a set-up has to be made again in part."""
_NOWHERE = -2
"""Where a call stands that a set-up does not have."""


class Names(dict[Name, str]):
    """The names of one context.

    What stands at the top of a server gets a name that is never used twice. What lies inside such a
    thing is called the same everywhere: servers order and spread things by their names.
    """

    def __init__(self, prefix: str, endpoint: str, top: str = "") -> None:
        super().__init__()
        self.prefix, self.endpoint, self.top = prefix, endpoint, top

    def __missing__(self, name: Name) -> str:
        if name.kind == "endpoint":
            return self.endpoint
        if name.kind == "prefix":
            return self.prefix
        prefix = self.prefix if self.top in ("", name.kind) else INSIDE
        text = f"{prefix}{name.kind[0]}{LETTERS[name.number]}"
        self[name] = text
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A context that stands: its names, the answers of its set-up and its probe, and what it made."""

    names: Names
    answers: list[Answer]
    made: tuple[str, ...]
    generation: int
    said: tuple[Answer, ...] = ()
    """What reads said right after the probe."""
    shared: Mapping[str, str] = field(default_factory=dict)
    """What everybody on the server had then."""


@dataclass(slots=True, kw_only=True)
class Stage:
    """A context in which probes are made: what was called in it, and what of its set-up stands."""

    names: Names
    generation: int
    setup: tuple[Call, ...]
    answers: list[Answer]
    """Those of the set-up."""
    is_clean: bool = True
    """Whether the next probe sees what the set-up made, and nothing else."""
    after: list[tuple[Call, Answer]] = field(default_factory=list)
    """What was called since: usual reads, and the first write that changed something."""
    writes: int = 0
    """How many calls changed something since."""
    kept: int = 0
    """How many calls of the set-up need not be made again once something was changed."""

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was written since the set-up."""
        return not self.writes

    @property
    def calls(self) -> tuple[Call, ...]:
        """Everything that made it what it is; nothing where that is no longer known."""
        return () if self.writes > 1 else (*self.setup, *(call for call, _ in self.after))

    def again(self) -> Stage:
        """The same context, in which the rest of the set-up is to be made again."""
        return replace(self, answers=self.answers[: self.kept], is_clean=True, after=[], writes=2)


class Stages:
    """Contexts that may be gone on with by a case that begins as they did."""

    def __init__(self) -> None:
        self._there: dict[str, Stage] = {}
        """By the names that they give, the oldest first."""
        self._alike: dict[tuple[str, ...], dict[str, Stage]] = {}
        """By the operations that wrote in them."""

    def keep(self, stage: Stage) -> None:
        """Remember a context of which something stands."""
        if not stage.calls and not stage.kept:
            return
        self._there[stage.names.prefix] = stage
        for key in _keys(stage):
            self._alike.setdefault(key, {})[stage.names.prefix] = stage
        if len(self._there) > KEPT:
            self.drop(next(iter(self._there)))

    def drop(self, prefix: str) -> None:
        """Forget a context: what was done in it went otherwise than elsewhere."""
        if (stage := self._there.pop(prefix, None)) is not None:
            for key in _keys(stage):
                del self._alike[key][prefix]

    def take(self, setup: tuple[Call, ...], generation: int, following: Call) -> Stage | None:
        """The context that has most of a set-up, as a stage for it; those of a server that ended are gone.

        Where that matters to the call that is `following`, the last write is made now, not long ago.
        """
        written = _written(setup)
        for count in range(len(written) - _is_about_the_last(written, following), 0, -1):
            those = tuple(self._alike.get(written[:count], {}).values())
            fitting = [each for each in those if self._stands(each, generation)]
            if (found := _fittest(fitting, setup)) is not None:
                self.drop(found.names.prefix)
                return _gone_on_with(found, setup)
        for stage in tuple(self._alike.get((_AGAIN, *written), {}).values()):
            if self._stands(stage, generation) and stage.setup == setup:
                self.drop(stage.names.prefix)
                return stage.again()
        return None

    def _stands(self, stage: Stage, generation: int) -> bool:
        if stage.generation != generation:
            self.drop(stage.names.prefix)
        return stage.generation == generation


def _is_about_the_last(written: Sequence[str], call: Call) -> bool:
    """Whether a write may be answered otherwise just after the last one: a removal, or one alike.

    A server may still be at work on either, and then says so only to who is quick.
    """
    if is_read(call.operation) or not written:
        return False
    return call.operation == written[-1] or ENDS.search(written[-1]) is not None


def _keys(stage: Stage) -> Iterator[tuple[str, ...]]:
    if stage.calls:
        yield _written(stage.calls)
    if stage.kept:
        yield _AGAIN, *_written(stage.setup)


def _written(calls: Sequence[Call]) -> tuple[str, ...]:
    """The operations of the calls that are not only reads."""
    return tuple(call.operation for call in calls if not is_read(call.operation))


def _fittest(stages: Sequence[Stage], setup: tuple[Call, ...]) -> Stage | None:
    """The first of the contexts that have most of a set-up; nothing better can come after one with all."""
    found, most = None, 0
    for each in stages:
        if (many := len(places_of(each.calls, setup))) > most:
            found, most = each, many
        if most == len(setup):
            break
    return found


def _gone_on_with(stage: Stage, setup: tuple[Call, ...]) -> Stage:
    """A context for another set-up, with what it was asked after the last call of that."""
    places = places_of(stage.calls, setup)
    moved = dict.fromkeys(range(len(stage.calls)), _NOWHERE)
    moved |= {place: number for number, place in enumerate(places)}
    answers = [*stage.answers, *(answer for _, answer in stage.after)]
    asked = [
        (replace(call, params=shifted(call.params, moved)), answer)
        for place, (call, answer) in enumerate(zip(stage.calls, answers, strict=True))
        if place > places[-1] and len(places) == len(setup)
    ]
    return Stage(
        names=stage.names,
        generation=stage.generation,
        setup=setup,
        answers=[answers[place] for place in places],
        after=asked,
    )


def places_of(calls: Sequence[Call], setup: Sequence[Call]) -> list[int]:
    """For the first calls of a set-up, which ones of some calls they are; none where those wrote more."""
    found: list[int] = []
    moved: dict[int, int] = {}
    for number, call in enumerate(calls):
        following = setup[len(found)] if len(found) < len(setup) else None
        moved[number] = _NOWHERE
        if following is not None and _is_same(call, following, moved):
            moved[number] = len(found)
            found.append(number)
        elif not is_read(call.operation):
            return []
    return found


def _is_same(call: Call, other: Call, moved: dict[int, int]) -> bool:
    """Whether two calls are one, where what one refers to has moved."""
    if (call.operation, call.identity) != (other.operation, other.identity):
        return False
    if call.params.keys() != other.params.keys():
        return False
    if any(isinstance(each, Ref) for each in placeholders(call.params)):
        return bool(shifted(call.params, moved) == shifted(other.params, {}))
    return call.params == other.params
