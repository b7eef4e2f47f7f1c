"""The grammar comes from the SDKs, plans put producers first, every parameter is varied."""

from __future__ import annotations

import pytest

from likewise.cloud.fuzz.calls import Name, Ref, placeholders
from likewise.cloud.fuzz.findings import decode, encode
from likewise.cloud.fuzz.grammar import load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.planning.values import variants
from likewise.cloud.fuzz.planning.variants import ValueClass, general
from likewise.cloud.fuzz.tasks.cases import Cases

SERVICES = ("s3", "dynamodb", "blob", "queue", "table")


def planner(service: str) -> Planner:
    return Planner(load(service), hints_of(service))


@pytest.mark.parametrize(
    ("service", "least"), [("s3", 110), ("dynamodb", 55), ("blob", 70), ("queue", 17), ("table", 14)]
)
def test_every_operation_of_the_installed_sdk_is_there(service: str, least: int) -> None:
    assert len(load(service).operations) >= least


def test_types_limits_and_enumerations_are_read() -> None:
    keys = load("s3")["ListObjectsV2"].member("MaxKeys")
    assert keys is not None
    assert keys.kind == "integer"
    assert load("s3")["PutBucketVersioning"].required[0].name == "Bucket"
    assert ("NextContinuationToken", "ContinuationToken") in load("s3")["ListObjectsV2"].tokens
    count = load("queue")["Messages_Dequeue"].member("number_of_messages")
    assert count is not None
    assert (count.minimum, count.maximum, count.wire) == (1, 32, "numofmessages")
    tier = load("blob")["Blob_SetTier"].member("tier")
    assert tier is not None
    assert "Cool" in tier.enum


@pytest.mark.parametrize("service", SERVICES)
def test_in_every_plan_references_point_back_to_a_call_that_is_there(service: str) -> None:
    made = planner(service)
    for operation in made.operations:
        calls = made.plan(operation).calls
        for position, call in enumerate(calls):
            for each in placeholders(call.params):
                if isinstance(each, Ref):
                    assert 0 <= each.call < position, f"{operation}: {call} refers to {each}"


def test_producers_come_first() -> None:
    plan = planner("s3").plan("CompleteMultipartUpload")
    assert [call.operation for call in plan.setup] == ["CreateBucket", "CreateMultipartUpload", "UploadPart"]
    plan = planner("queue").plan("MessageId_Delete")
    assert [call.operation for call in plan.setup] == ["Queue_Create", "Messages_Enqueue"]


def test_what_a_list_gives_is_made_three_times_and_not_in_order() -> None:
    plan = planner("s3").plan("ListObjectsV2", many=True)
    keys = [call.params["Key"] for call in plan.setup if call.operation == "PutObject"]
    assert keys == [Name("key", 0), Name("key", 2), Name("key", 1)]


@pytest.mark.parametrize("service", SERVICES)
def test_every_required_parameter_is_varied_in_more_than_one_class(service: str) -> None:
    made = planner(service)
    for shape in made.grammar:
        typical = made.typical(shape.name)
        found = list(variants(shape.members, typical, {}))
        for member in shape.required:
            classes = {each.value_class for each in found if each.parameter.startswith(member.name)}
            assert len(classes) > 1, f"{shape.name}.{member.name}: {classes}"
            assert ValueClass.MISSING in classes


def test_the_same_seed_gives_the_same_tasks_and_another_one_does_not() -> None:
    made = planner("dynamodb")

    def names(seed: int) -> list[object]:
        tasks = Cases(made, seed, made.operations).sweep("PutItem")
        return [probe.parameter + probe.value_class for task in tasks for probe in task.case.probes]

    assert names(1) == names(1)
    assert names(1) != names(2)


@pytest.mark.parametrize("service", SERVICES)
def test_parameters_survive_the_way_through_json(service: str) -> None:
    made = planner(service)
    for operation in made.operations:
        for call in made.plan(operation).calls:
            assert decode(encode(call.params)) == call.params


def test_what_a_query_lists_shares_the_key_that_it_is_listed_by() -> None:
    plan = planner("dynamodb").plan("Query", many=True)
    items = [call.params["Item"] for call in plan.setup if call.operation == "PutItem"]
    assert len({str(item["id"]) for item in items}) == 1
    assert len({item["rank"]["N"] for item in items}) == len(items) == 3


def test_each_entry_of_a_map_is_left_out_and_given_in_every_other_way() -> None:
    shape = planner("dynamodb").grammar["PutItem"]
    typical = planner("dynamodb").typical("PutItem")
    found = [each for each in variants(shape.members, typical, {}) if each.parameter == "Item[rank]"]
    notes = {
        each.value_class: [one.note for one in found if one.value_class == each.value_class] for each in found
    }
    assert notes[ValueClass.MISSING] == ["missing"]
    assert {"{'S': 'value'}", "{'NULL': True}", "{'NS': ['1']}"} <= set(notes[ValueClass.TYPICAL])
    assert all(each.params["Item"]["id"] == typical["Item"]["id"] for each in found)
    assert general("Item[rank].N") == general("Item[n].N") != general("Item.N")


def test_a_value_deep_in_a_parameter_is_told_from_others_there() -> None:
    shape = planner("dynamodb").grammar["CreateTable"]
    found = variants(shape.members, planner("dynamodb").typical("CreateTable"), {})
    notes = [each.note for each in found if each.parameter == "KeySchema[].KeyType"]
    assert notes == ["'RANGE'", "'NotOneOfThem'", "'hash'"]
