"""Recorded S3 and DynamoDB calls, repeated on another server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from likewise.cloud.targets import Running

from .conftest import piece, record, replayer

pytestmark = pytest.mark.server


def client(service: str, running: Running, **more: Any) -> Any:
    return boto3.client(
        service,
        endpoint_url=running.endpoint(service),
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=Config(retries={"max_attempts": 1}, **more),
    )


def refused(call: Callable[..., Any], **arguments: Any) -> None:
    with pytest.raises(ClientError):
        call(**arguments)


def multipart(running: Running) -> None:
    s3 = client("s3", running)
    s3.create_bucket(Bucket="uploads-of-mine")
    upload = s3.create_multipart_upload(Bucket="uploads-of-mine", Key="a b/ü.bin")["UploadId"]
    tags = []
    for number, content in ((1, b"x" * (5 << 20)), (2, b"end")):
        part = s3.upload_part(
            Bucket="uploads-of-mine",
            Key="a b/ü.bin",
            UploadId=upload,
            PartNumber=number,
            Body=content[: 1 << 19],
        )
        tags.append({"PartNumber": number, "ETag": part["ETag"]})
    s3.list_parts(Bucket="uploads-of-mine", Key="a b/ü.bin", UploadId=upload)
    s3.list_multipart_uploads(Bucket="uploads-of-mine")
    refused(
        s3.complete_multipart_upload,
        Bucket="uploads-of-mine",
        Key="a b/ü.bin",
        UploadId=upload,
        MultipartUpload={"Parts": tags},
    )
    s3.abort_multipart_upload(Bucket="uploads-of-mine", Key="a b/ü.bin", UploadId=upload)
    upload = s3.create_multipart_upload(Bucket="uploads-of-mine", Key="c")["UploadId"]
    part = s3.upload_part(Bucket="uploads-of-mine", Key="c", UploadId=upload, PartNumber=1, Body=b"all")
    s3.complete_multipart_upload(
        Bucket="uploads-of-mine",
        Key="c",
        UploadId=upload,
        MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]},
    )
    s3.get_object(Bucket="uploads-of-mine", Key="c")["Body"].read()


def versions(running: Running) -> None:
    s3 = client("s3", running)
    s3.create_bucket(Bucket="kept")
    s3.put_bucket_versioning(Bucket="kept", VersioningConfiguration={"Status": "Enabled"})
    first = s3.put_object(Bucket="kept", Key="k", Body=b"1")["VersionId"]
    second = s3.put_object(Bucket="kept", Key="k", Body=b"2")["VersionId"]
    s3.get_object(Bucket="kept", Key="k", VersionId=first)["Body"].read()
    s3.copy_object(Bucket="kept", Key="l", CopySource={"Bucket": "kept", "Key": "k", "VersionId": first})
    s3.delete_object(Bucket="kept", Key="k")
    s3.list_object_versions(Bucket="kept")
    s3.delete_objects(Bucket="kept", Delete={"Objects": [{"Key": "k", "VersionId": second}]})
    refused(s3.get_object, Bucket="kept", Key="k", VersionId=second)
    s3.list_object_versions(Bucket="kept")


def conditions(running: Running) -> None:
    s3 = client("s3", running)
    s3.create_bucket(Bucket="conditional")
    tag = s3.put_object(Bucket="conditional", Key="k", Body=b"1", Metadata={"who": "me"})["ETag"]
    s3.get_object(Bucket="conditional", Key="k", IfMatch=tag)["Body"].read()
    refused(s3.get_object, Bucket="conditional", Key="k", IfNoneMatch=tag)
    refused(s3.put_object, Bucket="conditional", Key="k", Body=b"2", IfNoneMatch="*")
    s3.head_object(Bucket="conditional", Key="k")
    refused(s3.head_object, Bucket="conditional", Key="missing")


def pages(running: Running) -> None:
    s3 = client("s3", running)
    s3.create_bucket(Bucket="listed")
    for number in range(5):
        s3.put_object(Bucket="listed", Key=f"key {number}+&", Body=b"")
    list(s3.get_paginator("list_objects_v2").paginate(Bucket="listed", PaginationConfig={"PageSize": 2}))
    list(s3.get_paginator("list_objects").paginate(Bucket="listed", PaginationConfig={"PageSize": 2}))
    s3.list_buckets()


def items(running: Running) -> None:
    db = client("dynamodb", running)
    arn = db.create_table(
        TableName="orders",
        AttributeDefinitions=[
            {"AttributeName": "id", "AttributeType": "S"},
            {"AttributeName": "n", "AttributeType": "N"},
        ],
        KeySchema=[
            {"AttributeName": "id", "KeyType": "HASH"},
            {"AttributeName": "n", "KeyType": "RANGE"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )["TableDescription"]["TableArn"]
    db.get_waiter("table_exists").wait(TableName="orders")
    db.tag_resource(ResourceArn=arn, Tags=[{"Key": "team", "Value": "blue"}])
    db.list_tags_of_resource(ResourceArn=arn)
    for number in range(4):
        db.put_item(TableName="orders", Item={"id": {"S": "a"}, "n": {"N": str(number)}, "b": {"B": b"\0\1"}})
    page = db.query(
        TableName="orders",
        KeyConditionExpression="id = :a",
        ExpressionAttributeValues={":a": {"S": "a"}},
        Limit=2,
    )
    db.query(
        TableName="orders",
        KeyConditionExpression="id = :a",
        ExpressionAttributeValues={":a": {"S": "a"}},
        ExclusiveStartKey=page["LastEvaluatedKey"],
    )
    db.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": "orders", "Item": {"id": {"S": "b"}, "n": {"N": "1"}}}},
            {"Delete": {"TableName": "orders", "Key": {"id": {"S": "a"}, "n": {"N": "0"}}}},
        ]
    )
    refused(
        db.put_item,
        TableName="orders",
        Item={"id": {"S": "b"}, "n": {"N": "1"}},
        ConditionExpression="attribute_not_exists(id)",
    )
    db.batch_write_item(
        RequestItems={"orders": [{"PutRequest": {"Item": {"id": {"S": "c"}, "n": {"N": "1"}}}}]}
    )
    db.batch_get_item(RequestItems={"orders": {"Keys": [{"id": {"S": "c"}, "n": {"N": "1"}}]}})
    db.scan(TableName="orders")
    db.delete_table(TableName="orders")
    refused(db.describe_table, TableName="orders")


STORIES = [multipart, versions, conditions, pages, items]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_the_same_server_gives_the_same_answers(
    story: Callable[[Running], None], candidate: Running, reference: Running
) -> None:
    """Generated values and clock readings apart, which come back as the candidate's, nothing differs."""
    calls = record(lambda: story(candidate))
    replayed = replayer(reference).replay(piece(calls))
    assert [call.outcome for call in replayed.calls] == [call.outcome for call in calls]
    assert replayed.calls == calls
