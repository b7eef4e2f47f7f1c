"""What is known about the limits of parameters: sizes that both sides take, sizes that both refuse."""

from __future__ import annotations

from dataclasses import dataclass, field

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.planning.variants import ValueClass
from likewise.cloud.fuzz.sides.execution import Probe

Place = tuple[str, str, str]


@dataclass(slots=True)
class Bounds:
    """The limits as far as they were asked for; only sizes between them can show anything new."""

    taken: dict[Place, int] = field(default_factory=dict)
    refused: dict[Place, int] = field(default_factory=dict)
    useless: set[tuple[str, str]] = field(default_factory=set)
    """Parameters whose typical value both sides refuse: no size makes it better."""

    def note(self, probe: Probe, reference: Answer, candidate: Answer) -> None:
        """Take in how both sides answered."""
        if reference.success != candidate.success:
            return
        operation, is_taken = probe.call.operation, reference.success
        if not probe.size:
            # What is refused in another way of calling it may be right in the usual one.
            if probe.value_class == ValueClass.TYPICAL and not is_taken and probe.state == "present":
                self.useless.add((operation, probe.parameter))
            return
        place = _place(probe)
        if is_taken:
            self.taken[place] = max(self.taken.get(place, 0), probe.size)
        else:
            self.refused[place] = min(self.refused.get(place, probe.size), probe.size)

    def is_open(self, probe: Probe) -> bool:
        """Whether the answers to a probe of some size are not known yet."""
        place = _place(probe)
        if (probe.call.operation, probe.parameter.partition(".")[0].partition("[")[0]) in self.useless:
            return False
        is_above = probe.size > self.taken.get(place, 0)
        return is_above and (place not in self.refused or probe.size < self.refused[place])


def _place(probe: Probe) -> Place:
    """What is measured: the place, and whether it is characters or items that count."""
    return probe.call.operation, probe.parameter, probe.note.partition(" ")[2]
