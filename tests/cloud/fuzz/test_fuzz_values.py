"""Which values parameters are given, and which together."""

from __future__ import annotations

from likewise.cloud.fuzz.calls import Name
from likewise.cloud.fuzz.cases import Cases
from likewise.cloud.fuzz.grammar import Member, load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.plans import Planner
from likewise.cloud.fuzz.ranks import by_rank, grouped
from likewise.cloud.fuzz.values import ValueClass, variants

COLOURS = Member(name="Colour", kind="string", enum=("red", "green", "blue"))
SIZES = Member(name="Size", kind="string", enum=("small", "large"))


def test_what_may_be_left_out_deep_inside_a_parameter_is_given() -> None:
    """Also structures of which nothing must be there, with one thing in them."""
    days = Member(name="Days", kind="integer")
    expiry = Member(name="Expiry", kind="structure", members=(days,))
    rule = Member(name="item", kind="structure", members=(Member(name="Id", kind="string"), expiry))
    member = Member(name="Rules", kind="list", required=True, members=(rule,))
    found = list(variants((member,), {"Rules": [{"Id": "a"}]}, {}))
    given = [each.params["Rules"] for each in found if each.parameter == "Rules[].Expiry"]
    assert [{"Id": "a", "Expiry": {"Days": 1}}] in given


def test_every_value_of_an_enumeration_comes_along_with_others_round_by_round() -> None:
    extra = {"Colour": "red", "Size": "small"}
    found = list(variants((COLOURS, SIZES), {}, extra))
    typical = {each.note for each in found if each.value_class == ValueClass.TYPICAL}
    assert typical == {"'red'", "'green'", "'blue'", "'small'", "'large'"}
    together = grouped(found, {})
    assert [each.note for each in together] == ["'red' and 'small'", "'green' and 'large'"]
    assert [rank for rank, those in by_rank(together).items() for _ in those] == [0, 2]


def test_what_others_build_on_is_called_before_them() -> None:
    """A write that does nothing is known before the reads that would show it are judged by themselves."""
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    cases = Cases(planner, 1, list(planner.operations))
    order = {name: number for number, name in enumerate(cases.operations)}
    for name in cases.operations:
        before = [call.operation for call in planner.plan(name).setup if call.operation != name]
        assert all(order[each] < order[name] for each in before)


def test_a_condition_is_given_that_does_not_hold() -> None:
    cases = Cases(Planner(load("dynamodb"), hints_of("dynamodb")), 1, ("DeleteItem",))
    ranked = [
        probe for task in cases.sweep("DeleteItem") if task.keys[-1] == "rank 0" for probe in task.case.probes
    ]
    given = [probe.call.params.get("ConditionExpression") for probe in ranked]
    assert "attribute_exists(nowhere)" in given


def test_what_may_be_given_besides_is_given_where_the_thing_is_there_already() -> None:
    cases = Cases(Planner(load("dynamodb"), hints_of("dynamodb")), 1, ("PutItem",))
    again = [task for task in cases.sweep("PutItem") if task.keys[-1] == "again"]
    assert {task.case.setup[-1].operation for task in again} == {"PutItem"}
    assert {"ALL_OLD"} <= {
        probe.call.params.get("ReturnValues") for task in again for probe in task.case.probes
    }


def test_an_operation_is_called_where_what_it_needs_was_not_made_for_it() -> None:
    cases = Cases(Planner(load("s3"), hints_of("s3")), 1, ("GetObjectLockConfiguration",))
    setups = [task.case.setup for task in cases.states()["plain"]]
    assert [{**call.params} for call in setups[0]] == [{"Bucket": Name("bucket")}]
