"""A test is trusted only if the reference is known to have answered every call equally, and says so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.decide import CallStanding, Rules, close_slice, judge, known_since, place
from likewise.model import (
    AllAnswersKnown,
    AmbiguousAnswers,
    Answer,
    AnswersDiffer,
    CallsRace,
    CandidateFailed,
    EvidenceExpired,
    Keyed,
    NewTiming,
    NoCalls,
    Operation,
    Rerun,
    Result,
    Role,
    Spot,
    Trace,
    Trust,
    Unclear,
    UnseenCalls,
)
from proofs import REFERENCE, answer

RULES = Rules(reference=REFERENCE, not_before=100.0)


def keyed(
    position: int,
    *,
    timed: bool = False,
    racy: bool = False,
    context: tuple[Spot, ...] = (),
    needs: tuple[Spot, ...] = (),
) -> Keyed:
    return Keyed(
        position=position,
        operation=Operation("s", f"op{position}"),
        form="f",
        key=f"k{position}",
        answer="yes",
        timed=timed,
        racy=racy,
        context=context,
        needs=needs,
    )


CALLS = [keyed(0), keyed(1), keyed(2)]


def known(*calls: Keyed, when: float = 200.0) -> dict[str, list[Answer]]:
    return {call.key: [answer(call, when=when)] for call in calls}


def trace(result: Result = Result.PASSED, *unclear: str) -> Trace:
    return Trace(test="t", role=Role.CANDIDATE, interactions=(), result=result, unclear=unclear)


def reason(verdict: Trust | Rerun) -> object:
    return verdict.reason


def test_no_calls_no_doubt() -> None:
    assert judge(trace(), [], {}, RULES) == Trust(reason=NoCalls())


def test_an_unclear_trace_is_never_trusted_even_without_calls() -> None:
    late = trace(Result.PASSED, "a call came late")
    assert judge(late, [], {}, RULES) == Rerun(reason=Unclear(why=("a call came late",)), whole=True)
    assert isinstance(judge(late, CALLS, known(*CALLS), RULES), Rerun)


def test_all_answers_known_since_the_oldest_of_the_newest_proofs() -> None:
    answers = known(*CALLS, when=300.0)
    answers["k1"] = [answer(CALLS[1], when=when) for when in (150.0, 250.0)]
    assert reason(judge(trace(), CALLS, answers, RULES)) == AllAnswersKnown(calls=3, since=250.0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["yes", "no"]), st.sampled_from([50.0, 150.0, 250.0])), max_size=3))
def test_what_is_known_at_a_glance_is_what_a_closer_look_says(said: list[tuple[str, float]]) -> None:
    answers = {
        call.key: [answer(call, given=given, when=when)]
        for call, (given, when) in zip(CALLS, said, strict=False)
    }
    since = known_since(CALLS, answers, RULES)
    standings = {place(call, answers, RULES) for call in CALLS}
    assert since == (min(when for _, when in said) if standings == {CallStanding.EQUAL} else None)


def test_another_reference_proves_nothing_and_dates_nothing() -> None:
    other = known(*CALLS)
    answers = {key: [each._replace(reference="cloud 2") for each in given] for key, given in other.items()}
    assert isinstance(reason(judge(trace(), CALLS, answers, RULES)), UnseenCalls)
    mixed = {key: [*given, *known(*CALLS, when=120.0)[key]] for key, given in answers.items()}
    assert reason(judge(trace(), CALLS, mixed, RULES)) == AllAnswersKnown(calls=3, since=120.0)
    old = {key: [*given, *known(*CALLS, when=50.0)[key]] for key, given in answers.items()}
    verdict = judge(trace(), CALLS, old, RULES)
    assert reason(verdict) == EvidenceExpired(first=0, operations=("s.op0", "s.op1", "s.op2"), when=50.0)


def test_another_references_different_answer_makes_nothing_ambiguous() -> None:
    answers = known(CALLS[0])
    answers["k0"].append(answer(CALLS[0], reference="cloud 2", given="no"))
    assert place(CALLS[0], answers, RULES) is CallStanding.EQUAL


def test_unseen_calls_can_be_replayed() -> None:
    verdict = judge(trace(), CALLS, known(CALLS[0]), RULES)
    assert verdict == Rerun(
        reason=UnseenCalls(first_new=1, operations=("s.op1", "s.op2"), count=2), replay=(1, 2)
    )


def test_a_different_answer_needs_the_whole_test() -> None:
    answers = {**known(CALLS[0], CALLS[2]), "k1": [answer(CALLS[1], when=200.0, given="no")]}
    verdict = judge(trace(), CALLS, answers, RULES)
    assert verdict == Rerun(reason=AnswersDiffer(first=1, operations=("s.op1",)), whole=True)


def test_a_difference_where_the_test_never_looked_does_not_matter() -> None:
    answers = {**known(CALLS[0], CALLS[2]), "k1": [answer(CALLS[1], when=200.0, given="no")]}
    assert isinstance(judge(trace(), CALLS, answers, RULES, overlooked={1}), Trust)
    assert isinstance(judge(trace(), CALLS, answers, RULES, overlooked={0}), Rerun)


def test_overlooking_makes_nothing_known_fresh_or_certain() -> None:
    everything = {0, 1, 2}
    assert isinstance(judge(trace(), CALLS, known(*CALLS[1:]), RULES, overlooked=everything), Rerun)
    old = known(*CALLS, when=50.0)
    assert isinstance(judge(trace(), CALLS, old, RULES, overlooked=everything), Rerun)
    answers = known(*CALLS)
    answers["k0"].append(answer(CALLS[0], given="no"))
    assert isinstance(judge(trace(), CALLS, answers, RULES, overlooked=everything), Rerun)


def test_two_different_answers_are_never_safe_however_old_one_is() -> None:
    answers = known(*CALLS)
    answers["k1"].append(answer(CALLS[1], when=1.0, given="no"))
    verdict = judge(trace(), CALLS, answers, RULES)
    assert verdict == Rerun(reason=AmbiguousAnswers(first=1, operations=("s.op1",)), replay=(1,))
    assert place(CALLS[1], answers, RULES) is CallStanding.AMBIGUOUS


def test_evidence_expires() -> None:
    verdict = judge(trace(), CALLS, {**known(*CALLS), **known(CALLS[2], when=99.0)}, RULES)
    assert verdict == Rerun(reason=EvidenceExpired(first=2, operations=("s.op2",), when=99.0), replay=(2,))


def test_one_fresh_proof_keeps_old_ones_alive() -> None:
    answers = known(*CALLS)
    answers["k0"] = [answer(CALLS[0], when=1.0), answer(CALLS[0], when=100.0)]
    assert isinstance(judge(trace(), CALLS, answers, RULES), Trust)


def test_a_new_delay_needs_the_whole_test() -> None:
    late = keyed(1, timed=True)
    verdict = judge(trace(), [CALLS[0], late], known(CALLS[0]), RULES)
    assert verdict == Rerun(reason=NewTiming(first=1, operations=("s.op1",)), replay=(1,), whole=True)
    assert isinstance(judge(trace(), [late], known(late), RULES), Trust)


def test_calls_that_raced_need_the_whole_test() -> None:
    racy = keyed(1, racy=True)
    verdict = judge(trace(), [CALLS[0], racy], known(CALLS[0]), RULES)
    assert verdict == Rerun(reason=CallsRace(first=1, operations=("s.op1",)), replay=(1,), whole=True)
    differing = {**known(CALLS[0]), "k1": [answer(racy, when=200.0, given="no")]}
    assert isinstance(reason(judge(trace(), [CALLS[0], racy], differing, RULES)), CallsRace)
    assert isinstance(judge(trace(), [racy], known(racy), RULES), Trust)


def test_a_failure_on_the_candidate_is_real_where_all_is_known_and_rerun_where_not() -> None:
    failed = trace(Result.FAILED)
    assert isinstance(judge(failed, CALLS, known(*CALLS), RULES), Trust)
    assert judge(failed, CALLS, known(CALLS[0]), RULES) == Rerun(
        reason=CandidateFailed(unknown=2), whole=True
    )
    answers = {**known(CALLS[0]), "k1": [answer(CALLS[1], when=200.0, given="no")]}
    assert isinstance(reason(judge(failed, CALLS, answers, RULES)), AnswersDiffer)


@pytest.mark.parametrize(
    ("first", "second"),
    [("different", "unknown"), ("different", "ambiguous"), ("ambiguous", "unknown"), ("unknown", "expired")],
)
def test_the_most_serious_doubt_gives_the_reason(first: str, second: str) -> None:
    said = {
        "different": [answer(CALLS[0], when=200.0, given="no")],
        "ambiguous": [answer(CALLS[0], when=200.0), answer(CALLS[0], when=200.0, given="no")],
        "unknown": [],
        "expired": [answer(CALLS[0], when=1.0)],
    }
    reasons = {
        "different": AnswersDiffer,
        "ambiguous": AmbiguousAnswers,
        "unknown": UnseenCalls,
        "expired": EvidenceExpired,
    }
    answers = {
        "k0": said[second],
        "k1": [each._replace(key="k1", position=1) for each in said[first]],
        **known(CALLS[2]),
    }
    verdict = judge(trace(), CALLS, answers, RULES)
    assert isinstance(verdict.reason, reasons[first])


standings = st.lists(st.sampled_from(("equal", "different", "ambiguous", "unknown", "expired")), max_size=5)


@settings(max_examples=120, deadline=None)
@given(standings, st.sampled_from(Result), st.sets(st.integers(0, 4)))
def test_trust_means_every_call_known_fresh_unambiguous_and_equal_where_it_was_looked_at(
    kinds: list[str], result: Result, overlooked: set[int]
) -> None:
    calls = [keyed(number) for number in range(len(kinds))]
    said = {
        "equal": lambda call: [answer(call, when=200.0)],
        "different": lambda call: [answer(call, when=200.0, given="no")],
        "ambiguous": lambda call: [answer(call, when=200.0), answer(call, when=200.0, given="no")],
        "unknown": lambda call: [],
        "expired": lambda call: [answer(call, when=99.9)],
    }
    answers = {call.key: said[kind](call) for call, kind in zip(calls, kinds, strict=True)}
    verdict = judge(trace(result), calls, answers, RULES, overlooked=overlooked)
    fine = all(
        kind == "equal" or (kind == "different" and number in overlooked) for number, kind in enumerate(kinds)
    )
    assert isinstance(verdict, Trust) == fine


def test_a_slice_holds_what_the_wanted_calls_need_and_nothing_else() -> None:
    world = [
        [keyed(0), keyed(1, context=((0, 0),)), keyed(2)],
        [keyed(0, context=((0, 1),), needs=((0, 2),)), keyed(1, context=((1, 0),)), keyed(2)],
    ]
    assert close_slice(world, [(1, 1)]) == ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1))
    assert close_slice(world, [(0, 2), (1, 2)]) == ((0, 2), (1, 2))
    assert close_slice(world, []) == ()
