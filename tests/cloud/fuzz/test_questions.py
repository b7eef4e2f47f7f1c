"""Questions to contexts that stand: who may be asked again, and what was already said."""

from __future__ import annotations

from typing import cast

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.inquiry.questions import Questions
from likewise.cloud.fuzz.sides.contexts import Context, Names
from likewise.cloud.fuzz.sides.execution import Case, Probe
from likewise.cloud.fuzz.sides.pairing import Pair, Standing

PUT, PEEK, TAKE = (
    Call(service="queue", operation=f"Messages_{name}") for name in ("Enqueue", "Peek", "Dequeue")
)


class Pairs:
    """Both sides, which answer everything and count the contexts that they make."""

    def __init__(self) -> None:
        self.begun: list[Case] = []

    def begin(self, case: Case, pause: float = 0.0) -> Standing:
        self.begun.append(case)
        (probe,) = case.probes
        said = tuple(Answer(success=True, fields={"read": each.operation}) for each in probe.observers)
        context = Context(names=Names("lw", ""), answers=[], made=(), generation=0, said=said)
        return Standing(reference=context, candidate=context)

    def hold(self) -> None: ...


def asked_after(*reads: Call) -> tuple[list[str], list[Case]]:
    """What is known of a peek at once after a context with these reads, and the contexts that were made."""
    pairs = Pairs()
    questions = Questions(cast(Pair, pairs), lambda: 0.0)
    case = Case(probes=(Probe(call=PUT, observers=reads),))
    questions.stand(case)
    question = questions.put(case, PEEK, shared=False)
    return [ours.fields["read"] for ours, _ in question.ready], pairs.begun


def test_what_was_read_right_after_a_probe_is_not_asked_again() -> None:
    assert asked_after(PEEK) == (["Messages_Peek"], [Case(probes=(Probe(call=PUT, observers=(PEEK,)),))])


def test_where_a_read_took_something_away_another_context_is_asked() -> None:
    """Else what is no longer there on either side would pass for a difference that has gone away."""
    ready, begun = asked_after(PEEK, TAKE)
    assert ready == []
    assert begun[1:] == [Case(probes=(Probe(call=PUT),))]


def test_what_takes_something_away_is_asked_where_nobody_else_looks() -> None:
    pairs = Pairs()
    questions = Questions(cast(Pair, pairs), lambda: 0.0)
    case = Case(probes=(Probe(call=PUT),))
    taking, looking = (questions.put(case, call, shared=False) for call in (TAKE, PEEK))
    assert taking.ground is not looking.ground


def test_a_question_knows_the_calls_that_led_to_it() -> None:
    """What they were given is no time of the server's own, then as now."""
    questions = Questions(cast(Pair, Pairs()), lambda: 0.0)
    case = Case(setup=(PEEK,), probes=(Probe(call=PUT),))
    assert questions.put(case, PEEK, shared=False).before == (PEEK, PUT)
