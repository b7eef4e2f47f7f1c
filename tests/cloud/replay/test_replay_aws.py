"""Recorded S3 and DynamoDB calls, repeated on another server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from moto import mock_aws

from likewise.cloud.targets import Running
from likewise.model import CredentialsMissing, Raised, Returned, Role
from likewise.run import Meter

from .conftest import Fixed, Log, Pool, piece, record, replayer

pytestmark = pytest.mark.server


def client(service: str, running: Any, *, region: str = "us-east-1", **more: Any) -> Any:
    return boto3.client(
        service,
        endpoint_url=running.endpoint(service),
        region_name=region,
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
    place = {"Bucket": "uploads-of-mine", "Key": "a b/ü.bin"}
    upload = s3.create_multipart_upload(**place)["UploadId"]
    tag = s3.upload_part(**place, UploadId=upload, PartNumber=1, Body=b"all")["ETag"]
    s3.list_parts(**place, UploadId=upload)
    s3.list_multipart_uploads(Bucket="uploads-of-mine")
    parts = {"Parts": [{"PartNumber": 1, "ETag": tag}]}
    s3.complete_multipart_upload(**place, UploadId=upload, MultipartUpload=parts)
    s3.get_object(**place)["Body"].read()
    upload = s3.create_multipart_upload(**place)["UploadId"]
    s3.abort_multipart_upload(**place, UploadId=upload)
    refused(s3.list_parts, **place, UploadId=upload)


def small_parts(running: Running) -> None:
    s3 = client("s3", running)
    s3.create_bucket(Bucket="uploads-of-mine")
    place = {"Bucket": "uploads-of-mine", "Key": "k"}
    upload = s3.create_multipart_upload(**place)["UploadId"]
    parts = []
    for number, content in ((1, b"x" * (1 << 19)), (2, b"end")):
        tag = s3.upload_part(**place, UploadId=upload, PartNumber=number, Body=content)["ETag"]
        parts.append({"PartNumber": number, "ETag": tag})
    refused(s3.complete_multipart_upload, **place, UploadId=upload, MultipartUpload={"Parts": parts})


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


def regions(running: Running) -> None:
    """A table is where it was made, and nowhere else."""
    here, there = client("dynamodb", running), client("dynamodb", running, region="ca-central-1")
    table = {
        "TableName": "orders-of-regions",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    there.create_table(**table)
    refused(here.put_item, TableName="orders-of-regions", Item={"id": {"S": "a"}})
    here.create_table(**table)
    there.put_item(TableName="orders-of-regions", Item={"id": {"S": "a"}, "n": {"N": "1"}})
    here.get_item(TableName="orders-of-regions", Key={"id": {"S": "a"}})
    there.tag_resource(
        ResourceArn=there.describe_table(TableName="orders-of-regions")["Table"]["TableArn"],
        Tags=[{"Key": "k", "Value": "v"}],
    )


STORIES = [multipart, versions, conditions, pages, items]


@pytest.mark.parametrize("story", [*STORIES, small_parts, regions], ids=lambda story: story.__name__)
def test_the_same_server_gives_the_same_answers(
    story: Callable[[Running], None], candidate: Running, reference: Running
) -> None:
    """Generated values and clock readings apart, which come back as the candidate's, nothing differs."""
    calls = record(lambda: story(candidate))
    replayed = replayer(reference).replay(piece(calls))
    assert [call.outcome for call in replayed.calls] == [call.outcome for call in calls]
    assert replayed.calls == calls


def inventory(running: Running) -> None:
    """Everything that it touches it makes itself, under names that can be made fresh."""
    s3, db = client("s3", running), client("dynamodb", running)
    s3.create_bucket(Bucket="inventory-photos")
    s3.put_bucket_versioning(Bucket="inventory-photos", VersioningConfiguration={"Status": "Enabled"})
    version = s3.put_object(Bucket="inventory-photos", Key="inventory-photos/1", Body=b"1")["VersionId"]
    s3.put_object(Bucket="inventory-photos", Key="inventory-photos/1", Body=b"2")
    source = {"Bucket": "inventory-photos", "Key": "inventory-photos/1", "VersionId": version}
    s3.copy_object(Bucket="inventory-photos", Key="copy", CopySource=source)
    s3.create_multipart_upload(Bucket="inventory-photos", Key="unfinished")
    s3.list_object_versions(Bucket="inventory-photos")
    refused(s3.delete_bucket, Bucket="inventory-photos")
    db.create_table(
        TableName="inventory-items",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    item = {"id": {"S": "1"}, "where": {"S": "s3://inventory-photos/copy"}}
    db.batch_write_item(RequestItems={"inventory-items": [{"PutRequest": {"Item": item}}]})
    db.batch_get_item(RequestItems={"inventory-items": {"Keys": [{"id": {"S": "1"}}]}})
    db.describe_table(TableName="inventory-items")


def brief(running: Running) -> None:
    """The same under names that are words, too: of keys, of attributes, of contents."""
    s3, db = client("s3", running), client("dynamodb", running)
    s3.create_bucket(Bucket="pics")
    s3.put_object(Bucket="pics", Key="pics/1", Body=b'{"in": "pics"}', Metadata={"in": "pics"})
    s3.copy_object(Bucket="pics", Key="pics", CopySource="pics/pics/1")
    s3.list_objects_v2(Bucket="pics", Prefix="pics")
    s3.delete_objects(Bucket="pics", Delete={"Objects": [{"Key": "pics"}]})
    refused(s3.delete_bucket, Bucket="pics")
    db.create_table(
        TableName="jobs",
        AttributeDefinitions=[{"AttributeName": "jobs", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "jobs", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    arn = db.describe_table(TableName="jobs")["Table"]["TableArn"]
    db.tag_resource(ResourceArn=arn, Tags=[{"Key": "jobs", "Value": "jobs"}])
    db.list_tags_of_resource(ResourceArn=arn)
    put = {"PutRequest": {"Item": {"jobs": {"S": "jobs"}, "RequestItems": {"M": {"jobs": {"S": "pics"}}}}}}
    db.batch_write_item(RequestItems={"jobs": [put]})
    db.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": "jobs", "Item": {"jobs": {"S": "2"}, "TableName": {"S": "jobs"}}}}
        ]
    )
    db.batch_get_item(RequestItems={"jobs": {"Keys": [{"jobs": {"S": "jobs"}}]}})
    db.get_item(TableName="jobs", Key={"jobs": {"S": "2"}})
    refused(db.get_item, TableName="jobs", Key={"wrong": {"S": "2"}})


@pytest.mark.parametrize("story", [inventory, brief])
@pytest.mark.parametrize("real", [True, False])
def test_where_nothing_can_be_reset_names_are_fresh_and_all_is_deleted(
    candidate: Running, reference: Running, real: bool, story: Callable[[Running], None]
) -> None:
    """The user's own things of the same name are neither seen nor touched."""
    own = {inventory: "inventory-photos", brief: "pics"}[story]
    mine = client("s3", reference)
    mine.create_bucket(Bucket=own)
    mine.put_object(Bucket=own, Key="precious", Body=b"")
    calls = record(lambda: story(candidate))
    log, meter = Log(), Meter()
    running = replayer(Fixed(reference, real=real), log=log, meter=meter)
    assert running.replay(piece(calls)).calls == calls
    assert running.clean_up() == ()
    assert [bucket["Name"] for bucket in mine.list_buckets()["Buckets"]] == [own]
    assert mine.list_objects_v2(Bucket=own)["KeyCount"] == 1
    assert client("dynamodb", reference).list_tables()["TableNames"] == []
    assert log.left == {}
    assert [kind for kind, _ in log.notes] == ["remember", "remember", "forget", "forget"]
    assert meter.calls > len(calls)


def test_what_was_created_in_another_region_is_deleted_there(
    candidate: Running, reference: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    calls = record(lambda: regions(candidate))
    log = Log()
    running = replayer(Fixed(reference, real=False), log=log)
    assert running.replay(piece(calls)).calls == calls
    assert running.clean_up() == ()
    assert log.left == {}
    assert {resource.partition(" in region ")[2] for _, resource in log.notes} == {"", "ca-central-1"}
    for region in ("us-east-1", "ca-central-1"):
        assert client("dynamodb", reference, region=region).list_tables()["TableNames"] == []


def test_another_server_keeps_the_thread_of_the_story(candidate: Running, pool: Pool) -> None:
    """Uploads are completed, versions found, pages turned, tags read: live values are in their places."""
    other = pool.get("ministack", Role.REFERENCE)
    for story in STORIES:
        candidate.reset()
        calls = record(lambda story=story: story(candidate))  # type: ignore[misc]
        replayed = replayer(other).replay(piece(calls)).calls
        fates = [(str(call.operation), type(call.outcome)) for call in calls]
        assert [(str(call.operation), type(call.outcome)) for call in replayed] == fates


def test_a_difference_between_servers_stays_one(candidate: Running, pool: Pool) -> None:
    """MiniStack puts parts together that moto finds too small."""
    calls = record(lambda: small_parts(candidate))
    replayed = replayer(pool.get("ministack", Role.REFERENCE)).replay(piece(calls)).calls
    assert isinstance(calls[-1].outcome, Raised)
    assert isinstance(replayed[-1].outcome, Returned)


@pytest.mark.slow
def test_a_server_that_verifies_signatures_accepts_ours(candidate: Running, pool: Pool) -> None:
    strict = pool.get("seaweedfs", Role.REFERENCE)
    calls = record(lambda: conditions(candidate))
    replayed = replayer(strict).replay(piece(calls)).calls
    assert all(
        call.outcome.kind != "SignatureDoesNotMatch" for call in replayed if isinstance(call.outcome, Raised)
    )
    assert isinstance(replayed[1].outcome, Returned)


@pytest.mark.slow
def test_a_wrong_secret_is_noticed_by_a_server_that_looks(candidate: Running, pool: Pool) -> None:
    strict = pool.get("seaweedfs", Role.REFERENCE)
    wrong = Fixed(strict, real=False, environment={"AWS_SECRET_ACCESS_KEY": "wrong"})
    calls = record(lambda: client("s3", candidate).create_bucket(Bucket="inventory-photos"))
    with pytest.raises(CredentialsMissing, match="SignatureDoesNotMatch"):
        replayer(wrong).replay(piece(calls))


@pytest.mark.parametrize("story", [multipart, versions, items], ids=lambda story: story.__name__)
def test_calls_recorded_in_a_mock_can_be_repeated_on_a_server(
    story: Callable[[Any], None], reference: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Buckets in the host's name and checksums behind the body come out as a server wants them."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")

    def mocked() -> None:
        with mock_aws():
            story(Mocked())

    calls = record(mocked)
    replayed = replayer(reference).replay(piece(calls)).calls
    fates = [(str(call.operation), type(call.outcome)) for call in calls]
    assert [(str(call.operation), type(call.outcome)) for call in replayed] == fates


class Mocked:
    """A mock has no endpoint of its own."""

    def endpoint(self, service: str) -> None:
        return None
