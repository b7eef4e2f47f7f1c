"""Books of one run: how every attempt ended, what was spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from likewise.model import Attempt, Provenance, Recording, Role, Spending, TestReport, Trace
from likewise.model.unopened import spans_of
from likewise.run.cases import Settings
from likewise.run.contradictions import by_deeds, shape_of
from likewise.run.foundations import code_upon, foundation
from likewise.run.meter import Meter
from likewise.run.ports import Ledger
from likewise.run.reading import Reading


def candidate_of(provenance: Provenance) -> str:
    """What a run was made on, as attempts name it."""
    return "+".join(str(each) for each in provenance.targets) or Role.CANDIDATE


def _is_test(trace: Trace) -> bool:
    return bool(trace.test)


class Accounts:
    """Writes the books of one run into the ledger."""

    def __init__(self, *, ledger: Ledger, recording: Recording, settings: Settings) -> None:
        self._ledger = ledger
        self._recording = recording
        self._settings = settings

    def note_attempts(
        self, recording: Recording, readings: Mapping[str, Reading] = MappingProxyType({})
    ) -> None:
        """Note how each attempt of a recording ended; `readings` tell what those tests build on."""
        reference = str(self._settings.reference)
        candidate = candidate_of(self._recording.provenance)
        attempts = [
            Attempt(
                test=trace.test,
                run=self._recording.provenance.run,
                target=reference if trace.role is Role.REFERENCE else candidate,
                role=trace.role,
                attempt=trace.attempt,
                result=trace.result,
                shape=shape_of(trace) if self._settings.compares_sequences else "",
                code=self.code_upon(readings[trace.test])
                if trace.test in readings
                else self._recording.provenance.code_of(trace.test),
                when=self._settings.now,
                failure=trace.failure,
            )
            for trace in filter(_is_test, recording.traces)
        ]
        pairs = zip(attempts, filter(_is_test, recording.traces), strict=True)
        proved = [by_deeds(attempt, trace) for attempt, trace in pairs if trace.role is Role.REFERENCE]
        self._ledger.add_attempts([*attempts, *proved, *map(by_deeds, proved[:1])])

    def code_upon(self, reading: Reading) -> str:
        """What identifies the code of a test together with what it builds on."""
        code = self._recording.provenance.code_of(reading.trace.test)
        return code_upon(code, reading.world, foundation(reading))

    def close(self, meter: Meter, reports: Sequence[TestReport]) -> Spending:
        """What the run cost on the reference, and what running everything there would have cost."""
        price = self._settings.price
        calls = [span for trace in self._recording.traces for span in spans_of(trace.interactions)]
        spending = Spending(
            run=self._recording.provenance.run,
            when=self._settings.now,
            policy=self._settings.policy,
            tests=len(reports),
            calls=len(calls),
            unsettled=sum(report.calls for report in reports if not report.is_settled),
            reference_calls=meter.calls,
            seconds=sum(call.seconds for call in calls),
            reference_seconds=meter.seconds,
            money=sum(price(call.operation) for call in calls),
            reference_money=sum(price(name) * count for name, count in meter.by_operation.items()),
            by_operation={str(name): count for name, count in meter.by_operation.items()},
        )
        self._ledger.add_spending(spending)
        return spending
