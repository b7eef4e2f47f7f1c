"""Changes to a function: each operator makes one other behaviour, and says where."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from likewise.library.mutation.equivalence import default_for, why_equivalent
from likewise.library.mutation.operators import apply, extreme, functions, mutations
from likewise.library.mutation.reach import Reached

SOURCE = '''
LOG = []

class Account:
    """Not to be changed."""

    def take(self, amount, limit: int = 10):
        """Nor this."""
        if amount > limit and limit != 0:
            raise ValueError("too much")
        LOG.append(amount)
        self.left = 100 - amount
        return f"{self.left} left"

def numbers():
    yield 1
    yield 2

def idle(value):
    return None
'''
TREE = ast.parse(SOURCE)


def reached(qualname: str, **more: Any) -> Reached:
    given: dict[str, Any] = {
        "lines": frozenset(range(1, 40)),
        "types": frozenset({"str"}),
        "values": frozenset({"…"}),
        **more,
    }
    return Reached(
        file=Path("m.py"), module="m", qualname=qualname, boundary=True, tests=frozenset({"t"}), **given
    )


def run(tree: ast.Module) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(tree, "m.py", "exec"), names)
    return names


def behaviour(tree: ast.Module) -> list[object]:
    """What can be seen of the account from outside."""
    names = run(tree)
    seen: list[object] = []
    for amount, limit in ((5, 10), (10, 10), (20, 10), (20, 0)):
        account = names["Account"]()
        try:
            seen.append((account.take(amount, limit), vars(account)))
        except Exception as error:
            seen.append((type(error).__name__, str(error)))
    return [*seen, names["LOG"]]


@pytest.mark.parametrize(
    "operator",
    [
        "off by one",
        "boundary",
        "comparison",
        "swapped branch",
        "arithmetic",
        "connective",
        "changed constant",
        "dropped side effect",
        "changed exception",
        "dropped result",
    ],
)
def test_each_operator_fits_and_changes_what_can_be_seen(operator: str) -> None:
    function = functions(TREE)["Account.take"]
    fitting = [each for each in mutations(function, "Account.take") if each.operator == operator]
    assert fitting
    for each in fitting:
        assert behaviour(apply(TREE, each)) != behaviour(TREE), each.about
    assert behaviour(TREE) == behaviour(ast.parse(SOURCE)), "the original stays what it is"


def test_docstrings_and_annotations_are_left_alone() -> None:
    function = functions(TREE)["Account.take"]
    assert not any("Nor this" in each.about for each in mutations(function, "Account.take"))


def test_an_extreme_change_leaves_only_a_default() -> None:
    function = functions(TREE)["Account.take"]
    change = extreme(function, "Account.take", default_for(reached("Account.take"), function))
    names = run(apply(TREE, change))
    assert names["Account"]().take(5) == ""
    assert names["LOG"] == []


def test_a_generator_stays_one() -> None:
    function = functions(TREE)["numbers"]
    names = run(apply(TREE, extreme(function, "numbers", "()")))
    assert list(names["numbers"]()) == []


def test_a_default_differs_from_what_is_always_returned() -> None:
    function = functions(TREE)["Account.take"]
    always = reached("Account.take", types=frozenset({"bool"}), values=frozenset({"False"}))
    assert default_for(always, function) == "True"


def test_a_line_that_is_never_run_cannot_be_noticed() -> None:
    function = functions(TREE)["Account.take"]
    some = reached("Account.take", lines=frozenset({9, 11, 12, 13}))
    change = next(
        each for each in mutations(function, "Account.take") if each.operator == "changed exception"
    )
    assert why_equivalent(change, some, function) == "the line is never run"
    assert why_equivalent(change, reached("Account.take"), function) == ""


def test_a_function_without_effect_that_returns_the_default_cannot_be_told_from_it() -> None:
    function = functions(TREE)["idle"]
    some = reached("idle", types=frozenset({"NoneType"}), values=frozenset({"None"}))
    assert why_equivalent(extreme(function, "idle", "None"), some, function)
