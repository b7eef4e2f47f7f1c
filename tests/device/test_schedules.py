"""Orders keep dependencies first; one of them uploads as rarely as can be."""

from __future__ import annotations

import warnings
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.device import Scenario, Step, Suite, SuiteWrong, invoke
from likewise.device.schedules import SCHEDULES, Plan, UploadsNotProved, arrange, uploads
from likewise.model import ConfigurationError

STEPS = [Step("s", invoke("f"))]


def scenario(title: str, program: str | None, *depends_on: str) -> Scenario:
    return Scenario(title, program, STEPS, depends_on)


@st.composite
def suites(draw: st.DrawFn, most: int = 7) -> list[Scenario]:
    """Any small suite: up to three programs, or none, and any dependencies on earlier scenarios."""
    size = draw(st.integers(1, most))
    found = []
    for number in range(size):
        earlier = draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set()
        colour = draw(st.sampled_from(["a", "b", "c", None]))
        found.append(scenario(str(number), colour, *map(str, sorted(earlier))))
    return draw(st.permutations(found))


def fewest(scenarios: list[Scenario]) -> int:
    """By trying every order."""
    best = len(scenarios)
    for order in permutations(scenarios):
        seen: set[str] = set()
        for each in order:
            if not set(each.dependencies) <= seen:
                break
            seen.add(each.title)
        else:
            best = min(best, uploads(order))
    return best


@settings(max_examples=150, deadline=None)
@given(suites(most=6))
def test_fewest_uploads_is_the_true_minimum(scenarios: list[Scenario]) -> None:
    assert uploads(arrange("fewest-uploads", scenarios)) == fewest(scenarios)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(SCHEDULES)), suites(most=12))
def test_every_schedule_holds_everything_once_and_dependencies_first(
    name: str, scenarios: list[Scenario]
) -> None:
    arrange(name, scenarios)  # which checks it


@settings(max_examples=60, deadline=None)
@given(suites(most=12))
def test_fewest_uploads_is_never_worse_than_the_others(scenarios: list[Scenario]) -> None:
    best = uploads(arrange("fewest-uploads", scenarios))
    assert all(best <= uploads(arrange(name, scenarios)) for name in SCHEDULES)


def like_the_published() -> list[Scenario]:
    """27 scenarios on 5 programs, dependents on the program of what they depend on."""
    found = []
    for number in range(27):
        program = "abcde"[number % 5]
        parent = [str(number - 5)] if number >= 5 and number % 3 else []
        found.append(scenario(str(number), program, *parent))
    return found


def test_a_suite_like_the_published_one_needs_five_uploads() -> None:
    suite = like_the_published()
    assert uploads(arrange("fewest-uploads", suite)) == 5
    assert uploads(arrange("optimistic", suite)) <= uploads(arrange("default", suite))


def test_a_large_suite_is_arranged_in_no_time() -> None:
    many = [scenario(str(n), f"p{n % 40}", *([str(n - 40)] if n >= 40 else [])) for n in range(2000)]
    assert uploads(arrange("fewest-uploads", many)) == 40


@settings(max_examples=40, deadline=None)
@given(suites(most=7))
def test_a_search_that_is_cut_short_is_still_good_and_says_so(scenarios: list[Scenario]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UploadsNotProved)
        order = [scenarios[number] for number in Plan(tuple(scenarios)).shortest(budget=0)]
    assert uploads(order) == fewest(scenarios)
    assert arrange(lambda _: order, scenarios) == order


def test_where_fewer_uploads_may_be_possible_it_is_said() -> None:
    """Two chains that want the two programs in opposite order: three uploads, though each chain needs two."""
    suite = [scenario("0", "a"), scenario("1", "c"), scenario("3", "a", "1"), scenario("4", "c", "0")]
    with pytest.warns(UploadsNotProved, match="an order with 3 uploads is used; whether 2 would do"):
        Plan(tuple(suite)).shortest(budget=0)


def test_levels_come_one_after_the_other() -> None:
    order = arrange("default", [scenario("x", "a"), scenario("y", "a", "x"), scenario("z", "b")])
    assert [each.title for each in order] == ["x", "z", "y"]


def test_trees_come_one_after_the_other() -> None:
    order = arrange("optimistic", [scenario("x", "a"), scenario("z", "b"), scenario("y", "a", "x")])
    assert [each.title for each in order] == ["x", "y", "z"]


def test_a_schedule_of_ones_own_is_checked() -> None:
    pair = [scenario("x", "a"), scenario("y", "a", "x")]
    assert [each.title for each in arrange(lambda them: list(them), pair)] == ["x", "y"]
    with pytest.raises(SuiteWrong, match="before"):
        arrange(lambda them: list(reversed(them)), pair)
    with pytest.raises(SuiteWrong, match="once"):
        arrange(lambda them: list(them)[:1], pair)


def test_an_unknown_schedule_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="fewest-uploads"):
        arrange("quickest", [scenario("x", "a")])


def test_unknown_dependencies_and_duplicate_titles_are_refused() -> None:
    with pytest.raises(SuiteWrong, match="Did you mean 'first'"):
        Suite(scenarios=[scenario("first", "a"), scenario("second", "a", "frist")])
    with pytest.raises(SuiteWrong, match="two scenarios are called 'same'"):
        Suite(scenarios=[scenario("same", "a"), scenario("same", "b")])
    with pytest.raises(SuiteWrong, match="no steps"):
        Scenario("empty", "a", [])
