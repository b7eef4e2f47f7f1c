"""Treat runs as proved on a reference, and ask what a later run would make of that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from likewise.canonical import Familiarity, World, key_world, sketch
from likewise.decide import CallStanding, Rules, place
from likewise.model import Answer, Fingerprint, Keyed, Origin, Trace

REFERENCE = "cloud 1"
RULES = Rules(reference=REFERENCE)


def learned(traces: Sequence[Trace], *, code: str = "") -> Familiarity:
    """What several runs of one test on the same code tell about what varies."""
    return Familiarity(sketch(trace, run=f"run {number}", code=code) for number, trace in enumerate(traces))


def proved(
    traces: Sequence[Trace], familiarity: Familiarity
) -> tuple[dict[Fingerprint, list[Answer]], frozenset[Fingerprint]]:
    """The answers that the traces prove, and the keys that had to be widened."""
    ambiguous: frozenset[Fingerprint] = frozenset()
    while True:
        answers: dict[Fingerprint, list[Answer]] = defaultdict(list)
        for trace in traces:
            world = World({trace.test: familiarity}, ambiguous=ambiguous)
            for chain in world.read(trace):
                for call in chain:
                    answers[call.key].append(answer(call))
        double = frozenset(key for key, given in answers.items() if len({each.answer for each in given}) > 1)
        if double <= ambiguous:
            return answers, ambiguous
        ambiguous |= double


def answer(call: Keyed, *, when: float = 1.0, reference: str = REFERENCE, given: str = "") -> Answer:
    """What a reference said to a call."""
    return Answer(
        key=call.key,
        answer=given or call.answer,
        evidence="e",
        position=call.position,
        test="t",
        reference=reference,
        when=when,
        origin=Origin.WHOLE,
    )


def doubts(before: Sequence[Trace], now: Trace) -> list[tuple[Keyed, CallStanding]]:
    """The calls of a run that are not known and equal after the runs before, its own sketch learned."""
    familiarity = learned([*before, now])
    answers, ambiguous = proved(before, familiarity)
    calls = key_world([now], {now.test: familiarity}, ambiguous=ambiguous)[0]
    standings = [(call, place(call, answers, RULES)) for call in calls]
    return [(call, standing) for call, standing in standings if standing is not CallStanding.EQUAL]
