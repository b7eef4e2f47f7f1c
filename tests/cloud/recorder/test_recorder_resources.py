"""What boto3's resources pass by in an answer, on their way to what users have in it, nobody has seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3.dynamodb.transform
import botocore.loaders
import pytest
from botocore.model import ServiceModel

from likewise.cloud.marks import DATA
from likewise.cloud.recorder.looking import Look, observe
from likewise.cloud.recorder.patches import Patches
from likewise.cloud.recorder.resources import follow_resources


@pytest.fixture(autouse=True)
def followed() -> Iterator[None]:
    patches = Patches()
    follow_resources(boto3.dynamodb.transform, patches, None)
    yield
    patches.undo()


def turned(operation: str, content: dict[str, Any], look: Look) -> Any:
    """An answer as a resource hands it out."""
    model = ServiceModel(botocore.loaders.Loader().load_service_model("dynamodb", "service-2"), "dynamodb")
    answer = observe(content, look)
    injector = boto3.dynamodb.transform.TransformationInjector()
    injector.inject_attribute_value_output(answer, model.operation_model(operation))
    return answer


def test_what_a_resource_passes_by_is_unseen_until_the_client_asks() -> None:
    look = Look(late=lambda call: None)
    look.note("Error")
    content = {"TableDescription": {"TableStatus": "ACTIVE", "KeySchema": [{"KeyType": "HASH"}]}}
    answer = turned("CreateTable", content, look)
    assert set(look.names) == {"Error"}
    assert answer["TableDescription"]["KeySchema"][0]["KeyType"] == "HASH"
    assert set(look.names) == {"Error", "TableDescription", "KeySchema", "KeyType"}


def test_what_a_resource_turns_into_values_is_seen() -> None:
    look = Look(late=lambda call: None)
    content = {"Items": [{"id": {"S": "a"}}], "Count": 1, "LastEvaluatedKey": {"id": {"S": "a"}}}
    answer = turned("Query", content, look)
    assert set(look.names) == {"Items", "LastEvaluatedKey"}
    assert answer["Items"] == [{"id": "a"}]


def test_who_turns_anything_else_has_seen_what_he_went_through() -> None:
    look = Look(late=lambda call: None)
    model = ServiceModel(botocore.loaders.Loader().load_service_model("dynamodb", "service-2"), "dynamodb")
    answer = observe({"TableNames": ["a"]}, look)
    transformer = boto3.dynamodb.transform.ParameterTransformer()
    transformer.transform(answer, model.operation_model("ListTables").output_shape, str.upper, "TableName")
    assert "TableNames" in look.names


def test_wherever_the_service_answers_with_values_they_stand_in_fields_that_are_seen_as_a_whole() -> None:
    model = ServiceModel(botocore.loaders.Loader().load_service_model("dynamodb", "service-2"), "dynamodb")

    def unseen(shape: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        if shape.name == "AttributeValue":
            if not DATA & set(path):
                yield path
        elif shape.name not in path:  # a shape inside itself
            members = getattr(shape, "members", None) or {}
            for name, member in members.items():
                yield from unseen(member, (*path, shape.name, name))
            for inner in (getattr(shape, "member", None), getattr(shape, "value", None)):
                if inner is not None:
                    yield from unseen(inner, (*path, shape.name))

    outputs = [model.operation_model(each).output_shape for each in model.operation_names]
    assert [path for shape in outputs if shape is not None for path in unseen(shape, ())] == []
