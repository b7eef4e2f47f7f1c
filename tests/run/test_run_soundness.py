"""Random suites on a reference that is wrong at random: no test that can see a difference is ever trusted."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from boxes import KINDS, Box, Concluded, Loop, Script, Step, Suite
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.model import Outcome, Raised, Result, Role, Standing

NAMES = ("a", "b", "c", "d")

steps = st.builds(
    Step,
    verb=st.sampled_from(("put", "put", "get", "get", "list")),
    name=st.sampled_from(NAMES),
    text=st.sampled_from(("one", "two")),
    looks=st.sampled_from((True, True, True, False)),
    checks=st.booleans(),
).map(lambda step: Step(verb="list", looks=step.looks, checks=step.checks) if step.verb == "list" else step)
scripts = st.lists(steps, min_size=1, max_size=6).map(tuple)
suites = st.lists(scripts, min_size=1, max_size=4)
wrongs = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(KINDS), max_size=2)


def can_see_a_difference(script: Script, wrong: dict[str, str]) -> bool:
    """Whether the reference, asked the same, would answer otherwise where the test looks."""
    side, right = Box(wrong), Box()
    for step in script:
        name = f"{step.name}-x" if step.name else ""
        ours, theirs = (box.act(step.verb, name, step.text, "tag") for box in (right, side))
        if ours != theirs and (step.looks or _reaches(ours, theirs)):
            return True
    return False


def _reaches(ours: Outcome, theirs: Outcome) -> bool:
    """A refusal, or another one, reaches a client whether it looks or not."""
    return isinstance(ours, Raised) or isinstance(theirs, Raised)


def check(found: Concluded, suite: Suite) -> None:
    for test, script in suite.scripts.items():
        standing = found.standings[test]
        if can_see_a_difference(script, suite.wrong):
            assert standing not in (Standing.TRUSTED, Standing.PROVED), (test, found.reports[test])
        else:
            assert standing is not Standing.DISCREPANT, (test, found.reports[test])


def changed(script: Script, random: Random) -> Script:
    """The script after somebody worked on it."""
    other = list(script)
    place = random.randrange(len(other) + 1)
    match random.randrange(3):
        case 0:
            other.insert(
                place, Step(verb=random.choice(("put", "get")), name=random.choice(NAMES), text="new")
            )
        case 1 if len(other) > 1:
            del other[place % len(other)]
        case _:
            random.shuffle(other)
    return tuple(other)


@settings(max_examples=40, deadline=None)
@given(suites, wrongs, st.integers(0, 999), st.sampled_from((None, None, 3, 8)), st.booleans())
def test_no_test_that_can_see_a_difference_is_ever_trusted(
    drawn: list[Script], wrong: dict[str, str], seed: int, budget: int | None, impossible: bool
) -> None:
    random = Random(seed)
    suite = Suite({f"t{number}": script for number, script in enumerate(drawn)}, wrong=wrong)
    with TemporaryDirectory() as folder:
        runs = Loop(suite, Path(folder) / "ledger.sqlite")
        for number in range(4):
            found = runs.run(code=f"c{number}", budget=budget, impossible=impossible, audit=number)
            check(found, suite)
            for test, script in suite.scripts.items():
                if random.random() < 0.5:
                    suite.scripts[test] = changed(script, random)


@settings(max_examples=15, deadline=None)
@given(suites, wrongs)
def test_the_result_that_counts_is_the_references_wherever_they_differ(
    drawn: list[Script], wrong: dict[str, str]
) -> None:
    suite = Suite({f"t{number}": script for number, script in enumerate(drawn)}, wrong=wrong)
    true = {
        trace.test: trace.result
        for trace in suite.record(list(suite.scripts), Role.REFERENCE, run="r", code="c").traces
    }
    with TemporaryDirectory() as folder:
        runs = Loop(suite, Path(folder) / "ledger.sqlite")
        for code in ("c1", "c1", "c2"):
            found = runs.run(code=code)
            assert {test: report.counts_as for test, report in found.reports.items()} == true


@settings(max_examples=15, deadline=None)
@given(suites)
def test_equal_sides_give_no_alarm_and_need_the_reference_once(drawn: list[Script]) -> None:
    suite = Suite({f"t{number}": script for number, script in enumerate(drawn)})
    with TemporaryDirectory() as folder:
        runs = Loop(suite, Path(folder) / "ledger.sqlite")
        assert set(runs.run().standings.values()) <= {Standing.PROVED, Standing.TRUSTED}
        warm = runs.run(code="c2")
        assert set(warm.standings.values()) == {Standing.TRUSTED}
        assert warm.reference_calls == 0
        assert all(report.counts_as is Result.PASSED for report in warm.finished.tests)
