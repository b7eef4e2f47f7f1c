"""Savings counted over small histories, against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from likewise.decide import Discrepant
from likewise.model import (
    Effect,
    Interaction,
    Operation,
    Provenance,
    Recording,
    Returned,
    Role,
    Touch,
    Trace,
)
from likewise.run import POLICIES, Opaque, RunCount, count_context, count_published, opaque

APIS = {"t1": ["s3.PutObject"], "t2": ["s3.CopyObject"], "t3": ["s3.PutObject", "s3.CopyObject"]}
RUNS = [
    Opaque(run="1", sequences={"t1": ["a", "b"], "t2": ["c"], "t3": ["d", "e", "f"]}, operations=APIS),
    Opaque(run="2", sequences={"t1": ["a", "b"], "t2": ["x"], "t3": ["d", "e", "f"]}, operations=APIS),
    Opaque(run="3", sequences={"t1": ["y", "b"], "t2": ["c"], "t3": ["d", "e", "f"]}, operations=APIS),
]
COPY = Discrepant(names=frozenset({"CopyObject"}))


@pytest.mark.parametrize(
    ("policy", "saved"),
    [
        ("sequence", [0, 2 + 3, 3]),  # t2 of run 3 was seen in run 1, which is not the run before
        ("api", [0, 2, 2]),
        ("combined", [0, 2 + 3, 2 + 3]),
    ],
)
def test_published_policies_count_as_published(policy: str, saved: list[int]) -> None:
    found = count_published(policy, RUNS, COPY)
    assert found.runs == tuple(
        RunCount(run=str(number + 1), tests=3, calls=6, saved=each) for number, each in enumerate(saved)
    )
    assert (found.warm.calls, found.warm.saved) == (12, sum(saved))
    assert found.warm.share == sum(saved) / 12
    assert (found.cold.calls, found.cold.saved) == (18, sum(saved))


def test_where_nobody_looked_which_operations_differ_any_may() -> None:
    unknown = Discrepant(names=None)
    assert count_published("api", RUNS, unknown).warm.saved == 0
    assert count_published("combined", RUNS, unknown).warm.saved == 8


def test_a_test_whose_operations_are_unknown_may_call_anything() -> None:
    runs = [replace(run, operations={}) for run in RUNS]
    assert count_published("api", runs, COPY).warm.saved == 0
    assert count_published("combined", runs, COPY).warm.saved == 8


def test_a_new_test_is_never_saved_by_its_sequence_and_a_missing_one_costs_nothing() -> None:
    later = Opaque(run="2", sequences={"t4": ["g"], "t1": ["a", "b"]}, operations=APIS)
    found = count_published("sequence", [RUNS[0], later], COPY)
    assert found.runs[1] == RunCount(run="2", tests=2, calls=3, saved=2)


def test_one_run_saves_nothing_and_has_no_share() -> None:
    found = count_published("sequence", RUNS[:1], COPY)
    assert (found.warm.calls, found.warm.saved, found.warm.share) == (0, 0, 0.0)
    assert count_published("sequence", [], COPY).runs == ()


# The context policy, on calls.


def put(name: str, text: str) -> Interaction:
    return _call("put", name, text, "ok", Effect.ABSORB)


def get(name: str, answer: str) -> Interaction:
    return _call("get", name, "", answer, Effect.READ)


def _call(verb: str, name: str, text: str, answer: str, effect: Effect) -> Interaction:
    return Interaction(
        operation=Operation("box", verb),
        arguments={"name": name, "text": text},
        outcome=Returned(value=answer),
        touches=(Touch(resource=("box", name), effect=effect),),
    )


def recording(run: str, **tests: list[Interaction]) -> Recording:
    traces = tuple(
        Trace(test=test, role=Role.CANDIDATE, interactions=tuple(calls), world=test)
        for test, calls in tests.items()
    )
    return Recording(provenance=Provenance(run=run), traces=traces)


def saved(*runs: Recording) -> tuple[list[int], int]:
    """What sliced replay saves run by run, and what whole tests alone save after the first run."""
    found = count_context(runs)
    assert found.tests_only is not None
    return [run.saved for run in found.runs], found.tests_only.saved


def test_what_was_asked_once_is_saved_from_then_on() -> None:
    calls = [put("a", "1"), get("a", "1"), get("b", "none")]
    assert saved(*(recording(str(number), t1=calls) for number in range(3))) == ([0, 3, 3], 6)


def test_a_new_call_costs_itself_and_the_writes_before_it() -> None:
    """Four calls; the new one reads a, so a's write is repeated with it: two are saved."""
    before = [put("a", "1"), get("b", "none"), get("c", "none")]
    after = [*before, _call("size", "a", "", "1", Effect.READ)]
    assert saved(recording("1", t1=before), recording("2", t1=after)) == ([0, 2], 0)


def test_a_slice_as_large_as_the_test_is_the_test() -> None:
    longer = [put("a", "1"), _call("size", "a", "", "1", Effect.READ)]
    assert saved(recording("1", t1=[put("a", "1")]), recording("2", t1=longer)) == ([0, 0], 0)


def test_what_one_test_proved_serves_another_in_the_same_run() -> None:
    calls = [put("a", "1"), get("a", "1")]
    assert saved(recording("1", t1=calls, t2=calls)) == ([2], 0)


def test_an_answer_that_changed_is_asked_for_each_time() -> None:
    runs = [recording(str(number), t1=[get("a", answer)]) for number, answer in enumerate("xyxy")]
    assert saved(*runs) == ([0, 0, 0, 0], 0)


def test_what_turns_out_to_depend_on_the_state_found_is_asked_twice_and_not_in_every_test() -> None:
    """The second run finds what the first one left: the first of five tests tells so, the second is new."""

    def run(number: str, answer: str) -> Recording:
        found = recording(number, **{f"t{test}": [get("a", answer)] for test in range(5)})
        return replace(found, traces=tuple(replace(trace, world="one") for trace in found.traces))

    runs = run("1", "none"), run("2", "left"), run("3", "left")
    assert saved(*runs)[0] == [4, 3, 4], "what was found in two ways is asked for, each time"


def test_made_up_names_are_learned_from_the_second_run_on() -> None:
    names = ("f81d4fae7dec", "0a50c91e6bf6", "7b1d4fae7d11")
    runs = [recording("same name", t1=[put(name, "1"), get(name, "1")]) for name in names]
    assert saved(*runs) == ([0, 2, 2], 4)


def test_the_next_run_of_the_same_code_stands_for_a_repetition_on_the_candidate() -> None:
    """Two tests do the same under made-up names: whoever knows what is made up asks only for one."""
    names = iter(("f81d4fae7dec", "0a50c91e6bf6", "7b1d4fae7d11", "5c20d91e6b42"))
    pairs = [[[put(name, "1"), get(name, "1")] for name in (next(names), next(names))] for _ in "12"]
    runs = [recording(str(number), t1=t1, t2=t2) for number, (t1, t2) in enumerate(pairs)]
    assert saved(*runs) == ([2, 4], 4)
    found = count_context(runs).unrepeated
    assert found is not None
    assert found.saved == 4
    other = [
        replace(run, provenance=Provenance(run=run.provenance.run, code=f"c{n}"))
        for n, run in enumerate(runs)
    ]
    assert saved(*other)[0][0] == 0


def test_a_whole_test_that_ran_on_the_reference_is_not_asked_for_again_on_the_same_code() -> None:
    """What is asked for is another one in every run, as where calls race; the result is that of the code."""
    verbs = ("copy", "move", "link")
    runs = [recording(verb, t=[_call(verb, "a", "v", "ok", Effect.WRITE), get("a", "v")]) for verb in verbs]
    assert saved(*runs)[0] == [0, 0, 0], "where nobody knows of the code"
    for codes, counts in (("xxx", [0, 2, 2]), ("xyy", [0, 0, 2])):
        of_code = [
            replace(run, provenance=Provenance(run=run.provenance.run, code=code))
            for run, code in zip(runs, codes, strict=True)
        ]
        assert saved(*of_code)[0] == counts


def test_a_recording_is_reduced_to_what_the_published_policies_look_at() -> None:
    run = opaque(recording("1", t1=[put("a", "1"), get("a", "1")], t2=[]))
    assert run.run == "1"
    assert {test: len(sequence) for test, sequence in run.sequences.items()} == {"t1": 2, "t2": 0}
    assert run.operations == {"t1": ["box.put", "box.get"], "t2": []}
    assert POLICIES[0] == "context"
