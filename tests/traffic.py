"""Realistic traffic of all five services: scripts of tests, played against small faithful servers.

A script is what a test does, in logical names; playing it gives every name, identifier and time anew, as
another run of the same test would. The servers keep real state, so whatever a changed script does is
answered rightly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.model import Role, Trace
from traffic_aws import S3, DynamoDB
from traffic_azure import Blob, Queue, Table
from traffic_scripts import Script, Server, Step

SERVERS: dict[str, type[Server]] = {server.service: server for server in (S3, DynamoDB, Blob, Queue, Table)}

CHANGES = ("changed literal", "dropped write", "duplicated write", "conflicting swap", "independent swap")


def draw_script(service: str, seed: int) -> Script:
    """What some test of a service does."""
    return tuple(SERVERS[service].plan(Random(f"{service} {seed}")))


def exchanges(service: str, script: Script, *, seed: int) -> list[Exchange]:
    """One run of a script, as a recorder captures it."""
    server = SERVERS[service](seed)
    return [server.play(step) for step in script]


def play(service: str, script: Script, *, seed: int, test: str = "suite.py::test") -> Trace:
    """One run of a script, as a trace."""
    interpreter = Interpreter()
    captured = exchanges(service, script, seed=seed)
    return Trace(
        test=test,
        role=Role.CANDIDATE,
        interactions=tuple(interpreter.interpret(each, order=order) for order, each in enumerate(captured)),
        started=captured[0].started if captured else 0.0,
        ended=captured[-1].ended if captured else 0.0,
    )


def changed(service: str, script: Script, change: str, random: Random) -> Script | None:
    """The script with one change of a kind, or None where it has no place for one.

    A write is dropped only if a later call is about the same thing: the last one (a clean-up, say) leaves
    nothing behind that anybody asks for.
    """
    choices = list(_choices(service, script, change))
    return random.choice(choices) if choices else None


def _choices(service: str, script: Script, change: str) -> Iterator[Script]:
    server = SERVERS[service](seed=0)
    wrote = []
    for step in script:
        state = server.state()
        server.play(step)
        wrote.append(server.state() != state)
    said = Counter(map(_saying, script))
    for place, step in enumerate(script):
        written, once = wrote[place], said[_saying(step)] == 1
        before, after = script[:place], script[place + 1 :]
        match change:
            case "changed literal":
                if "version" in step.value and step.verb in _SPEAKING:
                    yield (*before, replace(step, value=step.value.replace("version", "revision")), *after)
            case "dropped write":
                if written and any(not _independent(step, later) for later in after):
                    yield (*before, *after)
            case "duplicated write":
                if written and once:
                    yield (*before, step, step, *after)
            case "conflicting swap":
                if after and _conflict(server, step, after[0]) and _is_new(script, place, wrote):
                    yield (*before, after[0], step, *after[1:])
            case "independent swap":
                if after and _independent(step, after[0]):
                    yield (*before, after[0], step, *after[1:])


_SPEAKING = frozenset(
    {"put", "put_new", "put_if", "put_leased", "tag", "part", "update", "batch", "transact", "meta", "stage"}
    | {"send", "change", "insert", "upsert", "merge", "replace_if", "changeset"}
)
"""Verbs that send the step's own text."""


def _conflict(server: Server, first: Step, second: Step) -> bool:
    """Whether two different neighbours are about the same thing."""
    ours, theirs = server.subject(first), server.subject(second)
    return _saying(first) != _saying(second) and ours[: len(theirs)] == theirs[: len(ours)]


def _is_new(script: Script, place: int, wrote: list[bool]) -> bool:
    """Whether swapping two neighbours asks something new: what only looks must not look elsewhere, too."""
    both = [(step, wrote[place + offset]) for offset, step in enumerate(script[place : place + 2])]
    said = Counter(map(_saying, script))
    return any(written for _, written in both) and all(
        written or said[_saying(step)] == 1 for step, written in both
    )


def _saying(step: Step) -> tuple[object, ...]:
    """What a step sends."""
    return step.verb, step.where, step.other, step.value if step.verb in _SPEAKING else ""


def _independent(first: Step, second: Step) -> bool:
    """Whether two neighbours are about different things, neither of them part of the other."""
    return not any(
        ours[: len(theirs)] == theirs[: len(ours)] for ours in first.places for theirs in second.places
    )
