"""What traffic is made of: steps of a test, a plan that draws them, a server that plays them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random
from typing import ClassVar

from likewise.cloud.exchange import Exchange

Place = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a test: what it does, to what, with which text of the test's own.

    `other` is a second resource (a copy's source, the other half of a batch). In `value`, `{name}`
    stands for a random text of the run, the same wherever it stands.
    """

    verb: str
    where: Place
    value: str = ""
    other: Place = ()

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.where, self.other) if self.other else (self.where,)


Script = tuple[Step, ...]


class Server:
    """Plays steps: keeps the state behind the boundary and what the client remembers of answers."""

    service: ClassVar[str]
    wide: ClassVar[frozenset[str]]
    """Verbs whose answer speaks of everything below the place."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.now = 1_700_000_000 + self.random.randrange(10_000_000) + self.random.random()
        self._names: dict[str, str] = {}
        self.seen: dict[tuple[Place, str], str] = {}
        """What the client remembers: the last of a kind that an answer gave for a place."""

    def play(self, step: Step) -> Exchange:
        """Make one call."""
        self.now += 0.002 + self.random.random() * 0.004
        exchange: Exchange = getattr(self, step.verb)(step)
        return replace(exchange, started=self.now, ended=self.now + 0.001)

    def state(self) -> str:
        """Everything behind the boundary: two equal states answer equally."""
        return repr([held for name, held in sorted(vars(self).items()) if name not in self._CLIENTS])

    _CLIENTS = frozenset({"random", "now", "_names", "seen"})

    def subject(self, step: Step) -> Place:
        """The smallest thing that a step is about, where that is not simply its place."""
        return step.where

    def name(self, logical: str) -> str:
        """The name that a logical one has in this run."""
        if logical not in self._names:
            self._names[logical] = self.fresh_name(logical)
        return self._names[logical]

    def fresh_name(self, logical: str) -> str:
        """A name as tests make them up; one that begins with a mark is the same in every run."""
        return logical[1:] if logical.startswith("!") else f"{logical}-{self.hex(12)}"

    def text(self, step: Step) -> str:
        """The step's own text with the run's random ones filled in."""
        text = step.value
        for name in ("alpha", "beta"):
            if f"{{{name}}}" in text:
                text = text.replace(f"{{{name}}}", self.name(name))
        return text

    def hex(self, digits: int) -> str:
        return f"{self.random.getrandbits(digits * 4):0{digits}x}"

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def http_date(self) -> str:
        return datetime.fromtimestamp(self.now, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT")

    def iso_date(self) -> str:
        return datetime.fromtimestamp(self.now, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Plan:
    """Draws the steps of a script over a few roots and leaves, each leaf with a word of its own."""

    WORDS = ("report", "invoice", "avatar", "ledger", "draft", "summary", "cover", "notes", "index", "trial")

    def __init__(self, random: Random, *, roots: Sequence[str], leaves: int, partitions: int = 0) -> None:
        self._random = random
        self._roots = [(root,) for root in roots[: random.choice((1, 2, 2))]]
        self._leaves: list[Place] = []
        if not leaves:
            self._leaves += self._roots
        for number in range(random.randrange(2, leaves + 1) if leaves else 0):
            root = random.choice(self._roots)
            middle = (f"!part-{chr(97 + random.randrange(partitions))}",) if partitions else ()
            self._leaves.append((*root, *middle, f"{self.WORDS[number]}-{number}"))
        self._texts = 0

    def each_root(self, verb: str) -> list[Step]:
        return [Step(verb=verb, where=root) for root in self._roots]

    def each_leaf(self, verb: str) -> list[Step]:
        return [Step(verb=verb, where=leaf) for leaf in self._leaves]

    def body(self, verbs: Sequence[str], *, extra: dict[str, Sequence[str]] | None = None) -> Iterable[Step]:
        """Some steps; a verb of `extra` stands for several in a row on one leaf."""
        for _ in range(self._random.randrange(6, 16)):
            verb, leaf = self._random.choice(verbs), self._random.choice(self._leaves)
            for number, single in enumerate((extra or {}).get(verb, (verb,))):
                yield self._step(single, leaf, number)

    def _step(self, verb: str, leaf: Place, number: int) -> Step:
        if verb in ("list", "scan", "tables"):
            return Step(verb=verb, where=leaf[:1])
        if verb == "query":
            return Step(verb=verb, where=leaf[:2])
        if verb in ("copy", "batch", "transact", "changeset"):
            near = 2 if verb == "changeset" else 1
            others = [each for each in self._leaves if each != leaf and each[:near] == leaf[:near]]
            if not others:
                return Step(verb="get", where=leaf)
            return Step(verb=verb, where=leaf, value=self._text(), other=self._random.choice(others))
        value = f"{number} {self._text()}" if verb in ("part", "stage") else self._text()
        return Step(verb=verb, where=leaf, value=value)

    def _text(self) -> str:
        """A text of the test's own: never the same twice, now and then with something random in it."""
        self._texts += 1
        text = f"version {self._texts} of it"
        draw = self._random.random()
        if draw < 0.15:
            return text + " for {alpha}"
        if draw < 0.25:
            return text + " by {beta}"
        return text + " and more of the same" * 20 if draw < 0.32 else text
