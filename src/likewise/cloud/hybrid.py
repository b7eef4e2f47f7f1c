"""Conclude a hybrid run: put the ledger, the reference and the loop together."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from likewise.cloud import prices, targets
from likewise.cloud.cursors import cursor_at
from likewise.cloud.observation import overlooks
from likewise.cloud.replay import HttpReplayer
from likewise.cloud.side import Side, plan, prepare_side
from likewise.cloud.visits import Visits
from likewise.decide import Discrepant
from likewise.model import (
    CredentialsMissing,
    Notice,
    Operation,
    Recording,
    Role,
    RunFinished,
    RunStarted,
    Target,
    TargetUnavailable,
)
from likewise.run import Conclusion, Emit, Meter, Rerunner, Settings
from likewise.store import Configuration, Ledger, open_ledger

DAY = 86_400.0


def conclude(
    *,
    recording: Recording,
    configuration: Configuration,
    root: Path,
    verify: bool,
    both: bool,
    rerunner: Rerunner,
    emit: Emit,
    opened: Callable[[Side], None] = lambda side: None,
) -> RunFinished:
    """Decide on a recorded run; with `verify` or `both`, also ask the reference what has to be asked.

    `opened` is told of the reference's servers, for others to use them as well.
    """
    meter = Meter(configuration.budget)
    reference = reference_of(configuration)
    with ExitStack() as stack:
        ledger = stack.enter_context(open_ledger(configuration.ledger))
        asks = verify or both
        emit(
            RunStarted(
                run=recording.provenance.run,
                policy=configuration.policy,
                targets=(*recording.provenance.targets, reference),
                budget=configuration.budget if asks else None,
            )
        )
        side = stack.enter_context(side) if asks and (side := _reach(configuration, emit)) else None
        if side is not None:
            opened(side)
        replayer = _replayer(configuration, side, meter, ledger, recording) if side else None
        return Conclusion(
            ledger=ledger,
            settings=_settings(configuration, reference, ledger, both=both),
            meter=meter,
            emit=emit,
            replayer=replayer,
            asks=side is not None,
            rerunner=rerunner
            if side is None or replayer is None
            else Visits(
                rerunner,
                candidate=recording,
                running=_running(configuration, side),
                identities=_identities(recording),
                meter=meter,
                log=ledger,
                mention=replayer.mention,
                emit=emit,
            ),
        ).conclude(recording)


def reference_of(configuration: Configuration) -> Target:
    """What the reference is called in the ledger, without starting it: evidence is bound to it."""
    specs = [spec for spec, _ in plan(configuration, Role.REFERENCE)]
    versions = [_version(spec) for spec in specs]
    return Target(
        name="+".join(spec.name for spec in specs),
        role=Role.REFERENCE,
        version="+".join(version for version in versions if version),
    )


def _version(spec: targets.Spec) -> str:
    if spec.recipe is None:
        return spec.version
    installed = targets.locate(spec, cache=targets.default_cache())
    return installed.version if installed else spec.version


def _reach(configuration: Configuration, emit: Emit) -> Side | None:
    """Reach the reference, or see that it can be started; where that fails, say so and decide without it."""
    try:
        return prepare_side(configuration, Role.REFERENCE)
    except (TargetUnavailable, CredentialsMissing) as error:
        emit(Notice(slug=error.slug, text=f"Nothing is proved in this run: {error}"))
        return None


def _settings(configuration: Configuration, reference: Target, ledger: Ledger, *, both: bool) -> Settings:
    now = time.time()
    listed = prices.load(Path(configuration.prices) if configuration.prices else None)

    def price(operation: Operation) -> float:
        return float(listed.price(operation))

    known = {*configuration.discrepant, *ledger.discrepant_operations()}
    return Settings(
        policy=configuration.policy,
        reference=reference,
        now=now,
        not_before=now - configuration.expiry_days * DAY,
        discrepant=Discrepant(
            names=frozenset(known) if known else None,
            only_with={
                name: those
                for name, those in ledger.discrepant_conditions().items()
                if name not in configuration.discrepant
                and name.rpartition(".")[2] not in configuration.discrepant
            },
        ),
        price=price,
        overlooks=overlooks,
        cursors=cursor_at,
        both=both,
        audit_share=configuration.audit_share,
        audit_budget=configuration.audit_budget,
        seed=configuration.seed,
    )


def _replayer(
    configuration: Configuration, side: Side, meter: Meter, ledger: Ledger, recording: Recording
) -> HttpReplayer:
    return HttpReplayer(
        running=_running(configuration, side),
        meter=meter,
        created=ledger,
        run=recording.provenance.run,
        identities=_identities(recording),
    )


def _running(configuration: Configuration, side: Side) -> dict[str, targets.Running]:
    """Which target answers for which service."""
    planned = plan(configuration, Role.REFERENCE)
    return {
        service: each
        for each, (_, services) in zip(side.running, planned, strict=True)
        for service in services
    }


def _identities(recording: Recording) -> frozenset[str]:
    """Who the suite's clients normally are: as they were told, or as all of them agree to be."""
    calls = [call for trace in recording.traces for call in trace.interactions]
    used = {str(call.wire["key"]) for call in calls if call.wire.get("key")}
    return frozenset(used if len(used) == 1 else recording.provenance.identities)
