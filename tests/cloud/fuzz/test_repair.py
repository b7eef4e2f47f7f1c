"""A call that failed is put right by what its error says."""

from __future__ import annotations

from typing import Any

import pytest

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.grammar import Grammar, Member, OperationShape
from likewise.cloud.fuzz.grammar.hints import Hints
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.tasks.repair import repairs


def member(name: str, kind: str = "string", **more: Any) -> Member:
    return Member(name=name, kind=kind, wire=name, **more)


OPERATIONS = (
    OperationShape(
        service="shop",
        name="PutShelf",
        members=(
            member("ShelfName", required=True),
            member("Mode", enum=("Open", "Closed")),
            member("Size", "integer"),
            member("Zone"),
            member("Plan", "structure", members=(member("State", enum=("Enabled", "Suspended")),)),
        ),
    ),
    OperationShape(service="shop", name="PutShelfVersioning", members=(member("ShelfName", required=True),)),
    OperationShape(service="shop", name="GetShelf", members=(member("ShelfName", required=True),)),
)


def first(params: dict[str, Any], message: str, code: str = "ValidationException") -> Any:
    planner = Planner(Grammar(service="shop", operations={each.name: each for each in OPERATIONS}), Hints())
    answer = Answer(success=False, status=400, code=code, message=message)
    return next(repairs(planner, "PutShelf", params, answer), None)


@pytest.mark.parametrize(
    ("params", "message", "place", "value"),
    [
        (
            {"Mode": "Ajar"},
            "Value 'Ajar' at 'mode' failed to satisfy constraint: "
            "Member must satisfy enum value set: [Closed, Open]",
            "Mode",
            "Closed",
        ),
        ({"Mode": "Ajar"}, "Invalid Mode", "Mode", "Open"),
        ({"Size": 0}, "Size must be between 5 and 9", "Size", 5),
        (
            {"Size": 400},
            "Value '400' at 'size' failed to satisfy constraint: "
            "Member must have value less than or equal to 100",
            "Size",
            100,
        ),
        (
            {"ShelfName": "a"},
            "Value 'a' at 'shelfName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 3",
            "ShelfName",
            "axx",
        ),
        (
            {"Zone": "?"},
            "1 validation error detected: Value '?' at 'zone' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-z]{2}-[a-z]+-\\d",
            "Zone",
            "us-east-1",
        ),
        ({}, "The request is missing the parameter Zone", "Zone", "value"),
        ({}, "Value null at 'size' failed to satisfy constraint: Member must not be null", "Size", 1),
    ],
)
def test_a_value_follows_from_the_error(params: dict[str, Any], message: str, place: str, value: Any) -> None:
    repair = first(params, message)
    assert repair is not None
    assert repair.params[place] == value


def test_what_is_not_wanted_is_left_out() -> None:
    repair = first({"ShelfName": "a", "Zone": "z"}, "Zone cannot be specified here")
    assert repair.params == {"ShelfName": "a"}


def test_a_quoted_value_goes_where_the_model_knows_it() -> None:
    repair = first({}, "it must be 'Suspended'")
    assert repair.params == {"Plan": {"State": "Suspended"}}


def test_what_the_error_misses_is_made_first() -> None:
    repair = first({}, "Versioning has to be on for this", code="InvalidRequest")
    assert repair.first == ("PutShelfVersioning",)


def test_an_error_that_says_nothing_repairs_nothing() -> None:
    assert first({"ShelfName": "a"}, "Something went wrong", code="Oops") is None


def test_plans_follow_what_was_learned_since_they_were_made() -> None:
    planner = Planner(Grammar(service="shop", operations={each.name: each for each in OPERATIONS}), Hints())
    before = planner.plan("GetShelf")
    planner.learn("GetShelf", ({"ShelfName": "told"}, ("PutShelfVersioning",)))
    taught = planner.plan("GetShelf")
    assert taught.call.params == {"ShelfName": "told"}
    assert "PutShelfVersioning" in {call.operation for call in taught.setup}
    planner.learn("GetShelf", None)
    assert planner.plan("GetShelf") == before
