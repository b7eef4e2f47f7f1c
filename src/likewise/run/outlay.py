"""What asking the reference may cost: no more than running every test there once."""

from __future__ import annotations

from likewise.run.meter import Meter

SUSPICION = 0.1
"""How likely the first replay of a run is taken to differ: it must save that share of its tests' calls."""
STAKE, STAKE_SHARE = 10, 0.05
"""Calls that a run may risk beyond the plain one: so many, or that share of it."""


class Outlay:
    """Compares what is planned with the plain way: all tests once on the reference.

    Replays that come out equal gain what their tests need no longer be run for. One that differs was made
    beside its whole test: such losses are covered by the gains so far, or by the stake.
    """

    def __init__(self, *, plain: int, meter: Meter) -> None:
        self._plain, self._meter = plain, meter
        self._replays = self._differed = 0

    def note_answers(self, *, differed: bool) -> None:
        """Learn how often replays differ."""
        self._replays += 1
        self._differed += differed

    def pays(self, replayed: int, *, whole: int, still: int) -> bool:
        """Whether a replay is likely to be cheaper than its `whole` tests, which follow where it differs.

        And may be made: `still` is what all tests that are not settled yet would take.
        """
        return self.is_cheaper(replayed, whole=whole) and self.leaves(replayed + still)

    def is_cheaper(self, replayed: int, *, whole: int) -> bool:
        """Whether a replay is likely to take less than its tests, given how often replays differed so far."""
        differing = (self._differed + SUSPICION) / (self._replays + 1)
        return replayed + whole * differing < whole

    def leaves(self, calls: int) -> bool:
        """Whether so many more calls keep the run below the plain one, but for the stake."""
        return self._meter.calls + calls <= self._plain + max(STAKE, STAKE_SHARE * self._plain)
