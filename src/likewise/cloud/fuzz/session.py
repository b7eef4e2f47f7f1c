"""One fuzzing session: two targets, one campaign or several workers, the log, and the end of it all."""

from __future__ import annotations

import difflib
import os
import random
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Side
from likewise.cloud.fuzz.campaign import Campaign, Done, Event
from likewise.cloud.fuzz.differences.judging import Judge
from likewise.cloud.fuzz.findings import Finding
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.grammar.document import PREFIX
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.inquiry.inquiry import Inquiry, Unstable
from likewise.cloud.fuzz.interpreter import attentive
from likewise.cloud.fuzz.log import Log
from likewise.cloud.fuzz.names import KINDS
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides import open_side
from likewise.cloud.fuzz.sides.execution import Keeper, Lane, Meter
from likewise.cloud.fuzz.sides.openapi import at
from likewise.cloud.fuzz.sides.pairing import Pair
from likewise.cloud.fuzz.strategies import strategy
from likewise.cloud.fuzz.tasks.cases import Cases
from likewise.cloud.targets import Running, Server
from likewise.model import ConfigurationError, Role

RESERVE = 16
"""Calls that are set aside for removing what the last context made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What one worker is to do; plain data, so that it can be sent elsewhere."""

    service: str
    candidate: str
    reference: str
    seed: int
    budget: int | None = None
    minutes: float | None = None
    operations: tuple[str, ...] = ()
    worker: int = 0
    workers: int = 1
    log: str | None = None
    done: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    timeout: float = 10.0
    strategy: str = "hybrid"
    walks: int | None = None
    ledger: str | None = None
    ours: bool = False
    """Whether both servers are ours to be thrown away: then nothing in them needs removing."""
    candidate_name: str = ""
    reference_name: str = ""
    """The targets as a person names them, where they are given by URL."""


@dataclass(slots=True, kw_only=True)
class Status:
    """Where a worker is, for whoever watches."""

    sent: int = 0
    pairs: int = 0
    called: int = 0
    succeeded: int = 0
    findings: int = 0
    last_new: float = 0.0
    left: int | None = None
    seconds: float = 0.0


Watch = Callable[[Status], None]


def operations_of(service: str, wanted: tuple[str, ...]) -> list[str]:
    """The operations to fuzz; names and patterns, ConfigurationError where one fits nothing."""
    from fnmatch import fnmatchcase

    planner = Planner(load(service), hints_of(service))
    if not wanted:
        return list(planner.operations)
    found: dict[str, None] = {}
    for pattern in wanted:
        plain = pattern.removeprefix(f"{service}.")
        fitting = [name for name in planner.operations if fnmatchcase(name, plain)]
        if not fitting:
            folded = {name.lower(): name for name in planner.operations}
            near = difflib.get_close_matches(plain.lower(), folded, n=1)
            hint = f"Did you mean {folded[near[0]]}? " if near else ""
            raise ConfigurationError(
                f"{service} has no operation {plain}",
                todo=f"{hint}Small and capital letters count. See: likewise coverage {service}",
            )
        found |= dict.fromkeys(fitting)
    return list(found)


def run_worker(
    order: Order,
    watch: Watch | None = None,
    stop: Callable[[], bool] | None = None,
    sink: Callable[[str], None] | None = None,
) -> list[str]:
    """Run one worker's part; the lines of its log where it has no file of its own, each to `sink` at once.

    Whatever ends it, what was found is in the log, and what was made is removed or remembered.
    """
    planner = Planner(load(order.service), hints_of(order.service))
    wanted = operations_of(order.service, order.operations)
    mine = shard(wanted, order.worker, order.workers, planner.hints.account)
    with opened(order) as (pair, names):
        judge = Judge(
            (pair.reference.pattern, pair.candidate.pattern),
            (_endpoint(pair.reference.side), _endpoint(pair.candidate.side)),
        )
        campaign = Campaign(
            cases=Cases(planner, order.seed, mine),
            pair=pair,
            inquiry=Inquiry(pair, judge, planner),
            done=order.done,
            walks=order.walks,
        )
        campaign.hashes |= order.known
        header = {
            "service": order.service,
            "candidate": order.candidate_name or names[1],
            "reference": order.reference_name or names[0],
            "seed": order.seed,
            "worker": order.worker,
            "workers": order.workers,
            "strategy": order.strategy,
        }
        log = Log(Path(order.log) if order.log else None, header=header, sink=sink)
        try:
            with attentive():
                _drive(campaign, log, order, watch, stop)
        finally:
            _cover(campaign, log)
            log.write({"type": "end", "left": _left(pair)})
            log.close()
        return log.lines


def _drive(
    campaign: Campaign, log: Log, order: Order, watch: Watch | None, stop: Callable[[], bool] | None
) -> None:
    """Run a campaign; whatever ends it, what it was not yet certain of is found out and written down."""
    writer = _Writer(campaign, log, watch)
    try:
        for event in campaign.run(strategy(order.strategy, campaign)):
            writer.take(event)
            if stop is not None and stop():
                return
    finally:
        for event in campaign.finish():
            writer.take(event)


class _Writer:
    """Takes the events of a campaign into its log, and tells whoever watches."""

    def __init__(self, campaign: Campaign, log: Log, watch: Watch | None) -> None:
        self._campaign, self._log, self._watch = campaign, log, watch
        self._started, self._number = time.monotonic(), 0

    def take(self, event: Event) -> None:
        match event:
            case Finding():
                self._log.finding(event)
            case Unstable():
                self._log.unstable(event)
            case Done():
                self._log.done(event.task)
                self._number += 1
                if self._number % 20 == 0:
                    _cover(self._campaign, self._log)
        if self._watch is not None:
            self._watch(self._status())

    def _status(self) -> Status:
        campaign, meter = self._campaign, self._campaign.pair.reference.meter
        assert meter is not None
        return Status(
            sent=meter.used,
            pairs=campaign.tally.pairs,
            called=len(campaign.tally.called),
            succeeded=len(campaign.tally.succeeded),
            findings=campaign.progress.findings,
            last_new=campaign.progress.last_new,
            left=meter.left,
            seconds=time.monotonic() - self._started,
        )


def _cover(campaign: Campaign, log: Log) -> None:
    """Write down how far a campaign is, and which calls differed as far as it is known by now."""
    campaign.tally.evidence = campaign.inquiry.sightings.evidence()
    log.coverage(campaign.tally, campaign.pair.reference.side.sent)


def _left(pair: Pair) -> dict[str, str]:
    found: dict[str, str] = {}
    for lane in (pair.reference, pair.candidate):
        if lane.keeper is not None:
            found |= lane.keeper.left
    return found


def _endpoint(side: Side) -> str:
    return side.running.endpoint(side.service) or ""


@contextmanager
def opened(order: Order) -> Iterator[tuple[Pair, tuple[str, str]]]:
    """Both sides, ready to be called; what was started is stopped, what was made is removed."""
    run = _run_id()
    with ExitStack() as stack:
        lanes = []
        for role, name, tag in (
            (Role.REFERENCE, order.reference, "r"),
            (Role.CANDIDATE, order.candidate, "c"),
        ):
            running = start(name, role, order.service)
            stack.callback(running.stop)
            lane = Lane(open_side(running, order.service, timeout=order.timeout), tag=tag, run=run)
            if isinstance(running, Server):
                lane.revive = _reviver(lane, name, role, order, stack)
            elif not order.ours and order.service in KINDS:
                lane.keeper = _keeper(order, running, stack)
            lanes.append(lane)
        reference, candidate = lanes
        until = time.monotonic() + order.minutes * 60 if order.minutes is not None else None
        reserve = RESERVE if reference.keeper is not None else 0
        reference.meter = Meter(order.budget, until, min(reserve, (order.budget or reserve) // 2))
        pair = Pair(reference, candidate)
        stack.callback(pair.close)
        yield pair, (str(reference.side.target), str(candidate.side.target))


def start(name: str, role: Role, service: str) -> Running:
    """A target with one service, ready to be called."""
    if service.startswith(PREFIX):
        return at(name, role, service)
    return targets.start(targets.find(name), role=role, services=frozenset({service}))


def _reviver(lane: Lane, name: str, role: Role, order: Order, stack: ExitStack) -> Callable[[], Side | None]:
    """Start a server of ours again once it has ended; not for ever, for it may end at every start."""
    chances = [20]

    def revive() -> Side | None:
        if lane.side.running.is_alive() or not chances[0]:
            return None
        chances[0] -= 1
        sent = lane.side.sent
        running = start(name, role, order.service)
        stack.callback(running.stop)
        side = open_side(running, order.service, timeout=order.timeout)
        side.sent = sent
        return side

    return revive


def _keeper(order: Order, running: Running, stack: ExitStack) -> Keeper:
    """Notes what is made on somebody's server, in the ledger before it is made."""
    if order.ledger is None:
        return Keeper(lambda _: None, lambda _: None)
    from likewise.store import open_ledger

    ledger = stack.enter_context(open_ledger(order.ledger))
    target, kind = str(running.target), KINDS[order.service]

    def resource(name: str) -> str:
        return f"{order.service} {kind} {name}"

    return Keeper(
        lambda name: ledger.remember_created(f"fuzz-{order.seed}", target, resource(name)),
        lambda name: ledger.forget_created(target, resource(name)),
    )


def _run_id() -> str:
    """Five characters that no other run has: names must be fresh even where the seed is the same."""
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
    return "".join(secrets.choice(alphabet) for _ in range(5))


def addressed(running: Running, service: str) -> str:
    """A running target as a URL with its keys, for workers that run elsewhere."""
    url = running.endpoint(service)
    if url is None:
        return running.target.name
    environment = running.apply(os.environ)
    scheme, _, rest = url.partition("://")
    if service in ("s3", "dynamodb"):
        keys = f"{environment['AWS_ACCESS_KEY_ID']}:{environment['AWS_SECRET_ACCESS_KEY']}@"
        return f"{service}+{scheme}://{keys}{rest}"
    return f"{service}+{url}"


def divided(order: Order, workers: int) -> list[Order]:
    """The orders of several workers: their shares of the budget, their parts of the operations."""
    shares = [None] * workers if order.budget is None else _shares(order.budget, workers)
    return [
        replace(
            order,
            worker=number,
            workers=workers,
            budget=shares[number],
            log=None if order.log is None else f"{order.log.removesuffix('.jsonl')}-w{number}.jsonl",
        )
        for number in range(workers)
    ]


def shard(operations: Sequence[str], number: int, of: int, account: frozenset[str]) -> list[str]:
    """A worker's part of the operations; those on shared state all go to the first."""
    if of == 1:
        return list(operations)
    mine = [name for index, name in enumerate(sorted(operations)) if index % of == number]
    mine = [name for name in mine if name not in account]
    return mine + sorted(account & set(operations)) if number == 0 else mine


def _shares(budget: int, workers: int) -> list[int | None]:
    """A budget in parts that differ by one at most."""
    share, rest = divmod(budget, workers)
    return [share + (number < rest) for number in range(workers)]


def check_targets(order: Order) -> None:
    """Find out before anything is started whether both targets can have the service."""
    for name in (order.candidate, order.reference):
        spec = targets.find(name)
        if order.service not in spec.services and "" not in spec.endpoints:
            raise ConfigurationError(
                f"{spec.name} has no {order.service}",
                todo=f"It has {', '.join(sorted(spec.services))}. Name another target.",
            )


def random_seed() -> int:
    """A seed for somebody who gave none."""
    return random.SystemRandom().randrange(1_000_000)
