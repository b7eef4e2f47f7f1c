"""Every call of a campaign that was seen to differ, before any are put together, and whether it is marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from likewise.cloud.fuzz.calls import Call
from likewise.cloud.fuzz.campaign import Campaign
from likewise.cloud.fuzz.differences.judging import Gap
from likewise.cloud.fuzz.differences.likeness import last_name
from likewise.cloud.fuzz.evidence import IDENTITY
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.planning.plans import is_read
from likewise.cloud.fuzz.sides.execution import Case, Seen
from likewise.cloud.fuzz.sides.pairing import Pair
from likewise.decide import Discrepant
from likewise.model import Discrepancy, Interaction, Manifestation, Operation, Returned
from likewise.store import open_ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A call whose answers differ, and the writes before it."""

    call: Call
    before: tuple[Call, ...]
    gap: Gap

    def __str__(self) -> str:
        given = ", ".join(self.call.params)
        where = f"{self.gap.difference} {self.gap.place}".strip()
        return f"{self.call.operation}({given}): {where} after {[each.operation for each in self.before]}"


@dataclass(slots=True)
class Witness:
    """What was done on both sides, and the campaign that did it."""

    done: list[tuple[Case, list[tuple[Seen, Seen]]]] = field(default_factory=list)
    campaigns: list[Campaign] = field(default_factory=list)

    def observations(self) -> Iterator[Observation]:
        """Every difference that is one: it did not turn out to be there by chance."""
        inquiry = self.campaigns[0].inquiry
        for case, results in self.done:
            for probe, (ours, theirs) in zip(case.probes, results, strict=False):
                compared = inquiry.raw(case, probe, ours, theirs)
                calls = (probe.call, *probe.observers)
                for gap in compared[0] if compared else ():
                    before = [
                        each for each in (*case.setup, *calls[: gap.index]) if not is_read(each.operation)
                    ]
                    if not inquiry.sightings.is_dismissed(gap):
                        yield Observation(call=calls[gap.index], before=tuple(before), gap=gap)


@contextmanager
def witnessed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Witness]:
    """Keep what campaigns do on both sides."""
    witness = Witness()
    do, begin = Pair.do, Campaign.__init__

    def noted(self: Pair, case: Case, *, anew: bool = True) -> list[tuple[Seen, Seen]]:
        found = do(self, case, anew=anew)
        witness.done.append((case, found))
        return found

    def begun(self: Campaign, **given: object) -> None:
        begin(self, **given)  # type: ignore[arg-type]
        witness.campaigns.append(self)

    with monkeypatch.context() as patch:
        patch.setattr(Pair, "do", noted)
        patch.setattr(Campaign, "__init__", begun)
        yield witness


def unmarked(seen: Iterable[Observation], known: Iterable[Discrepancy], folder: Path) -> list[Observation]:
    """The observations that a policy would not hear of from a ledger.

    A test meets one by the call that differs, or by a write before it that is known to leave just that.
    """
    those = list(known)
    policies: dict[str | None, Discrepant] = {None: _policy(those, folder / "all")}
    found = []
    for each in seen:
        what = last_name(each.gap.place)
        if what not in policies:
            left = [one for one in those if _leaves(one, each.gap)]
            policies[what] = _policy(left, folder / f"left-{len(policies)}")
        if not _is_met(each.call, policies[None]) and not any(
            _is_met(call, policies[what]) for call in each.before
        ):
            found.append(each)
    return found


def _leaves(known: Discrepancy, gap: Gap) -> bool:
    is_same = last_name(known.place) == last_name(gap.place)
    return is_same and known.manifestation is not Manifestation.RESPONSE


def _policy(known: Iterable[Discrepancy], path: Path) -> Discrepant:
    path.unlink(missing_ok=True)
    with open_ledger(str(path)) as ledger:
        ledger.add_discrepancies("fuzz", known)
        return Discrepant(
            names=frozenset(ledger.discrepant_operations()), only_with=ledger.discrepant_conditions()
        )


def _is_met(call: Call, discrepant: Discrepant) -> bool:
    shape = load(call.service).operations[call.operation]
    wires = {each.name: each.wire for each in shape.members}
    given = {wires.get(name) or name: "x" for name in call.params}
    if not call.identity.is_owner:
        given[IDENTITY] = "anonymous"
    made = Interaction(
        operation=Operation(call.service, shape.alias or call.operation),
        arguments=dict(given),
        outcome=Returned(value=None),
        touches=(),
        order=0,
    )
    return bool(discrepant.among({str(made.operation)})) and not discrepant.excuses(made)
