"""Which values parameters are given, and which together."""

from __future__ import annotations

import random

from likewise.cloud.fuzz.calls import Name
from likewise.cloud.fuzz.grammar import Member, OperationShape, load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.values import (
    DATES,
    FOREIGN,
    MARKED,
    NONE_OF_THEM,
    SPACED,
    STRANGE,
    variants,
)
from likewise.cloud.fuzz.planning.variants import ValueClass, Variant, together
from likewise.cloud.fuzz.tasks.around import around
from likewise.cloud.fuzz.tasks.cases import Cases
from likewise.cloud.fuzz.tasks.ranks import by_rank, families, grouped, shuffled
from likewise.cloud.fuzz.tasks.rounds import Rounds
from likewise.cloud.fuzz.tasks.schedule import EARLY

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
    groups = grouped(found, {})
    wrong = "'NotOneOfThem' and 'NotOneOfThem'"
    assert [each.note for each in groups] == ["'red' and 'small'", "'green' and 'large'", wrong]
    assert [rank for rank, those in by_rank(groups).items() for _ in those] == [0, 0, 2]


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


def test_each_value_of_a_list_of_choices_is_given_alone_and_all_of_them_together() -> None:
    member = Member(name="Include", kind="list", enum=("tags", "metadata", "copy"))
    given = [each.params["Include"] for each in variants((member,), {}, {"Include": ["tags"]})]
    assert [each for each in given if len(each) == 1] == [["tags"], ["metadata"], ["copy"]]
    assert ["tags", "metadata", "copy"] in given


def test_texts_in_a_body_are_given_foreign_letters_and_marks() -> None:
    member = Member(name="body", kind="any", required=True)
    body = {"Message": {"Text": "hello"}}
    texts = [each.params["body"] for each in variants((member,), {"body": body}, {}) if each.params]
    given = {
        each["Message"]["Text"] for each in texts if isinstance(each, dict) and "Text" in each["Message"]
    }
    assert {FOREIGN, MARKED, SPACED} <= given


def test_fields_of_a_body_in_json_are_given_nothing() -> None:
    member = Member(name="body", kind="any", required=True)
    found = variants((member,), {"body": {"json": {"n": 1}}}, {})
    assert {"json": {"n": None}} in [each.params.get("body") for each in found]


def test_the_ends_of_a_range_come_before_what_lies_between_them() -> None:
    member = Member(name="Period", kind="integer", minimum=0, maximum=60)
    found = [each for each in variants((member,), {}, {"Period": 15}) if each.value_class == "boundary"]
    for seed in range(5):
        mixed = shuffled(found, random.Random(seed))
        assert [each.params["Period"] for each in mixed][:3] == [60, 0, 30]
    assert [each.params["Period"] for each in by_rank(found)[1]] == [60, 0]


def test_a_number_without_a_limit_grows_and_stays_divisible() -> None:
    member = Member(name="Length", kind="integer")
    given = [each.params["Length"] for each in variants((member,), {}, {"Length": 512})]
    assert {51_200, 51_200_000} <= set(given)


def test_further_right_values_of_a_filter_each_have_a_call_among_the_first() -> None:
    cases = Cases(Planner(load("table"), hints_of("table")), 1, ("Table_QueryEntities",))
    early = [
        probe.call.params.get("filter")
        for task in cases.sweep("Table_QueryEntities")
        if task.keys[-1] in EARLY
        for probe in task.case.probes
        if probe.parameter == "filter"
    ]
    assert any(" and " in str(each) for each in early)
    assert any(" or " in str(each) for each in early)


def test_a_list_that_holds_everything_twice_comes_before_other_limits() -> None:
    planner = Planner(load("s3"), hints_of("s3"))
    found = Rounds(planner, 1).variants("PutBucketTagging")
    (double,) = [each for each in found if each.is_double]
    assert (double.parameter, double.value_class) == ("Tagging.TagSet", ValueClass.BOUNDARY)
    tags = double.params["Tagging"]["TagSet"]
    assert tags[0] == tags[1]
    assert double in by_rank(found)[1]


def test_a_further_value_that_would_be_alone_goes_with_those_before_it() -> None:
    found = [
        Variant(parameter=name, value_class=ValueClass.TYPICAL, params={name: value})
        for value in ("first", "second")
        for name in ("A", "B", "C", "D")
    ]
    names = [each.parameter for each in grouped(found, {})]
    assert names == ["A and B and C", "A and B and C and D"], "a first value soon has a call of its own"


def test_what_may_hold_one_of_several_things_is_given_with_each_of_them() -> None:
    choices = tuple(Member(name=name, kind="string") for name in ("Prefix", "Tag", "Size"))
    inner = Member(name="Filter", kind="structure", members=choices)
    rule = Member(
        name="Rule", kind="structure", members=(Member(name="Id", kind="string", required=True), inner)
    )
    found = [each for each in variants((rule,), {"Rule": {"Id": "one"}}, {}) if each.value_class == "typical"]
    given = [each.params["Rule"].get("Filter") for each in found]
    assert [{name: "value"} for name in ("Prefix", "Tag", "Size")] == [each for each in given if each]


def test_what_is_wrong_with_the_second_of_a_family_of_parameters_waits() -> None:
    names = ("ChecksumA", "ChecksumB", "ChecksumC", "ChecksumD", "Other")
    members = tuple(Member(name=name, kind="string") for name in names)
    related = families(OperationShape(service="s3", name="Put", members=members))
    assert set(related) == set(names[:4])
    extra = dict.fromkeys(names, "x")
    found = [each for each in variants(members, {}, extra) if each.note == "'not a valid value!'"]
    first = by_rank(found, related=related)[1]
    assert [each.parameter for each in first] == ["ChecksumA", "Other"]


def test_what_contains_everything_is_missed_where_nothing_was_made_and_not_looked_for_by_another_name() -> (
    None
):
    tasks = Cases(Planner(load("s3"), hints_of("s3")), 1, ["GetBucketCors", "GetObject"])
    first = {
        probe.parameter
        for task in tasks.sweep("GetObject")
        if task.keys[-1] == "rank 0"
        for probe in task.case.probes
    }
    assert "Key" in first
    assert "Bucket" not in first


def test_a_parameter_is_looked_for_where_it_shows() -> None:
    cases = Cases(Planner(load("s3"), hints_of("s3")), 1, ["PutObject"])
    ways = [probe for task in cases.states()["way"] for probe in task.case.probes]
    (tagged,) = [each for each in ways if each.state == "way PutObject:full"]
    assert "GetObjectTagging" in [each.operation for each in tagged.observers]
    (usual,) = [probe for task in cases.present() for probe in task.case.probes]
    assert "GetObjectTagging" not in [each.operation for each in usual.observers]


def test_a_parameter_that_is_right_only_in_another_way_is_varied_in_that_way() -> None:
    planner = Planner(load("dynamodb"), hints_of("dynamodb"))
    (provisioned,) = [
        each for each in around(planner, "CreateTable") if each.way == "CreateTable:provisioned"
    ]
    given = [each.params for each in provisioned.variants]
    assert all(each["BillingMode"] == "PROVISIONED" for each in given)
    units = {each["ProvisionedThroughput"].get("ReadCapacityUnits") for each in given}
    assert {5, 500, 1_000_000} <= units


def test_the_names_of_what_an_operation_makes_come_in_every_length_and_spelling_early() -> None:
    cases = Cases(Planner(load("s3"), hints_of("s3")), 1, ["CreateBucket", "PutObject"])
    for operation, parameter in (("CreateBucket", "Bucket"), ("PutObject", "Key")):
        probes = [
            probe
            for task in cases.sweep(operation)
            if task.keys[-1] in EARLY
            for probe in task.case.probes
            if probe.parameter == parameter
        ]
        assert {32, 64, 128, 300, 600, 1024} <= {each.size for each in probes}
        assert any(each.note.endswith(".x'") for each in probes)


def test_times_in_a_body_are_given_in_other_forms_and_content_any_bytes() -> None:
    member = Member(name="body", kind="any", required=True)
    body = {"Policy": {"Start": "2031-01-01T00:00:00.0000000Z"}}
    given = [
        each.params["body"]["Policy"].get("Start")
        for each in variants((member,), {"body": body}, {})
        if isinstance(each.params.get("body"), dict)
    ]
    assert set(DATES) <= set(given)
    content = [each.params.get("body") for each in variants((member,), {"body": b"x"}, {})]
    assert bytes(range(256)) in content


def test_an_object_of_json_is_given_more_than_it_should_have() -> None:
    member = Member(name="body", kind="any", required=True)
    given = [
        value
        for each in variants((member,), {"body": {"json": {"n": 1}}}, {})
        if isinstance(each.params.get("body"), dict)
        for value in each.params["body"]["json"].values()
    ]
    assert [1, 2] in given
    assert {"inner": 1} in given


def test_a_name_inside_a_body_is_spelled_in_other_ways_too() -> None:
    found = Rounds(Planner(load("table"), hints_of("table")), 1).variants("Table_Create")
    notes = {each.note for each in found if each.parameter == "body.TableName"}
    assert {"'<table>_X'", "'0<table>'"} <= notes


def test_each_wrong_spelling_of_a_name_comes_among_the_first() -> None:
    found = Rounds(Planner(load("queue"), hints_of("queue")), 1).variants("Queue_Create")
    spelled = [each for each in found if each.is_alone and each.value_class == ValueClass.WRONG_FORMAT]
    assert len(spelled) > 4
    assert all(each in by_rank(found)[0] for each in spelled)


def test_parts_of_a_body_that_only_another_way_has_are_varied_in_that_way() -> None:
    planner = Planner(load("blob"), hints_of("blob"))
    found = {each.way: each for each in around(planner, "Service_SetProperties")}
    days = "body.StorageServiceProperties.HourMetrics.RetentionPolicy.Days"
    there = [each for each in found["Service_SetProperties:metrics"].variants if each.parameter == days]
    assert {ValueClass.BOUNDARY, ValueClass.MISSING} <= {each.value_class for each in there}
    usual = {each.parameter for each in Rounds(planner, 1).variants("Service_SetProperties")}
    parts = [each.parameter for those in found.values() for each in those.variants]
    assert not set(parts) & usual, "what the usual call has is varied there"


def test_a_parameter_that_says_nothing_alone_is_given_along_with_another() -> None:
    cases = Cases(Planner(load("table"), hints_of("table")), 1, ("Table_UpdateEntity",))
    found = cases.rounds.variants("Table_UpdateEntity")
    tags = [each for each in found if each.parameter == "etag"]
    assert {"not a valid value!", "*"} <= {each.params["etag"] for each in tags}
    assert {each.params["match_condition"] for each in tags} == {"IfNotModified"}
    usual = Variant(parameter="timeout", value_class=ValueClass.TYPICAL, params={"timeout": 30})
    assert together([usual, tags[0]]).params["match_condition"] == "IfNotModified"


def test_what_is_given_for_the_first_time_comes_before_what_is_given_again() -> None:
    cases = Cases(Planner(load("blob"), hints_of("blob")), 1, ("BlockBlob_Upload",))
    kinds = [task.keys[-1] for task in cases.sweep("BlockBlob_Upload")]
    assert kinds.index("rank 1") < kinds.index("again") < kinds.index("rank 2")


def test_a_way_that_is_about_how_many_there_are_is_not_varied_part_by_part() -> None:
    planner = Planner(load("table"), hints_of("table"))
    ways = {each.way for each in around(planner, "Table_InsertEntity")}
    assert "Table_InsertEntity:typed" in ways
    assert "Table_InsertEntity:most" in planner.hints.ways
    assert not ways & {"Table_InsertEntity:most", "Table_InsertEntity:many"}


def test_a_value_that_may_be_a_set_has_something_in_it_twice() -> None:
    kinds = tuple(Member(name=name, kind="string") for name in ("S", "N", "B", "BOOL", "NULL"))
    text = Member(name="text", kind="string")
    sets = tuple(Member(name=name, kind="list", members=(text,)) for name in ("SS", "NS"))
    value = Member(name="Value", kind="structure", members=(*kinds, *sets))
    found = [each.params["Value"] for each in variants((value,), {"Value": {"S": "x"}}, {})]
    assert {"SS": ["value"] * 2} in found
    assert {"NS": ["value"] * 2} in found


def test_parts_that_may_be_left_out_are_given_what_means_nothing() -> None:
    texts = Member(name="Headers", kind="list", members=(Member(name="Header", kind="string"),))
    parts = (
        Member(name="Id", kind="string", required=True),
        Member(name="Note", kind="string"),
        texts,
        Member(name="Mode", kind="string", enum=("ON", "OFF")),
    )
    rule = Member(name="Rule", kind="structure", members=parts)
    found = [each.params["Rule"] for each in variants((rule,), {"Rule": {"Id": "one"}}, {})]
    assert {"Id": "one", "Note": STRANGE, "Headers": [STRANGE]} in found
    assert {"Id": "one", "Mode": NONE_OF_THEM} in found
    outer = Member(name="Rules", kind="structure", members=(Member(name="Id", kind="string"), rule))
    found = [each.params["Rules"] for each in variants((outer,), {"Rules": {"Id": "a"}}, {})]
    assert {"Id": "a", "Rule": {"Id": "value", "Mode": NONE_OF_THEM}} in found


def test_words_that_are_not_in_an_enumeration_are_given_together_first() -> None:
    members = tuple(Member(name=name, kind="string", enum=("ON", "OFF")) for name in ("A", "B", "C"))
    found = list(variants(members, {}, dict.fromkeys("ABC", "ON")))
    assert dict.fromkeys("ABC", NONE_OF_THEM) in [each.params for each in grouped(found, {})]
    assert dict.fromkeys("ABC", NONE_OF_THEM) not in [each.params for each in grouped(found, {}, "C")]
