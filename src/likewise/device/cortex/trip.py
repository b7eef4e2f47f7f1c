"""Calls that go together: as descriptors on the way there, as answers on the way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from likewise.device.commands import Invoke
from likewise.device.cortex import batch
from likewise.device.cortex.calling import Prepared, prepare, read_result
from likewise.device.cortex.image import Image
from likewise.device.cortex.quick import Quick, quick
from likewise.device.cortex.types import Unfit
from likewise.device.testee import Answer, Answered, Call, Data, Refused
from likewise.device.values import NotRepresentable

Decode = Callable[[int, int], Data]


@dataclass(frozen=True, slots=True)
class Trip:
    """Some plain calls: for each its descriptor, how its result is read, and its limit in seconds."""

    descriptors: list[bytes] = field(default_factory=list)
    decoders: list[Decode] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.limits)

    def first(self, count: int) -> Trip:
        """As many of them as that, from the first on."""
        if count >= len(self):
            return self
        return Trip(self.descriptors[:count], self.decoders[:count], self.limits[:count])

    def answer(self, call: int, r0: int, r1: int) -> Answer:
        """What one of them returned."""
        return Answered(data=self.decoders[call](r0, r1))

    def answers(self, results: bytes) -> list[Answer]:
        """What the first of them returned, as many as there are results."""
        return [
            Answered(data=decode(r0, r1))
            for decode, (r0, r1) in zip(self.decoders, batch.results(results), strict=False)
        ]


class _Shorts(dict[str, Quick | None]):
    """The short way for each function of a program, where it has one."""

    def __init__(self, image: Image) -> None:
        self._image = image

    def __missing__(self, name: str) -> Quick | None:
        function = self._image.function(name)
        found = None if function is None or self._image.has_hard_floats else quick(function)
        self[name] = found
        return found


class Packer:
    """Makes trips of calls to the functions of one program."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self._shorts = _Shorts(image)

    def pack(self, calls: Sequence[Call]) -> Trip | Prepared | Refused:
        """As many of them as are plain; where the first is not, that one alone."""
        trip, shorts = Trip(), self._shorts
        descriptors, decoders, limits = trip.descriptors, trip.decoders, trip.limits
        for command, limit in calls:
            if type(command) is not Invoke:
                break
            short = shorts[command.function]
            descriptor = None if short is None else short.encode(command.arguments)
            if descriptor is None or short is None:
                prepared = self._prepare(command)
                if isinstance(prepared, Refused) or not prepared.is_plain:
                    if limits:
                        break
                    return prepared
                words = [word for word in prepared.words if isinstance(word, int)]
                descriptors.append(batch.descriptor(prepared.function.address | 1, words))
                decoders.append(_decoder(prepared))
            else:
                descriptors.append(descriptor)
                decoders.append(short.decode)
            limits.append(limit)
        return trip

    def _prepare(self, command: Invoke) -> Prepared | Refused:
        image = self._image
        try:
            function = image.function(command.function)
            if function is None:
                return Refused(kind="no such function", message=f"{command.function} is not in {image.where}")
            return prepare(image, function, command.arguments)
        except (Unfit, NotRepresentable) as error:
            return Refused(kind="wrong value", message=str(error))


def _decoder(prepared: Prepared) -> Decode:
    return lambda r0, r1: read_result(prepared, r0, r1, {})
