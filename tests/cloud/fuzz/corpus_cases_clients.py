"""Calls as clients of other languages, and the more convenient ones, write them."""

from __future__ import annotations

from typing import Any

from corpus_cases import CorpusCase, accepted, agrees, differs, incomparable, op, refused

BUCKET = "test-bucket-12345678"
MAKE = op("CreateBucket", Bucket=BUCKET)
PUT = op("PutObject", Bucket=BUCKET, Key="key1", Body="hello")
TABLE = "music_table_0123"
STREAM = f"arn:aws:dynamodb:us-east-1:123456789012:table/{TABLE}/stream/2024-01-01T00:00:00.000"
SHARD = "shardId-00000001700000000000-abcdef12"


def table(name: str = TABLE, **more: Any) -> dict[str, Any]:
    key = {"AttributeName": "pk", "KeyType": "HASH"}
    defined = {"AttributeName": "pk", "AttributeType": "S"}
    return op(
        "CreateTable",
        TableName=name,
        KeySchema=[key],
        AttributeDefinitions=[defined],
        BillingMode="PAY_PER_REQUEST",
        **more,
    )


STREAMED = table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
ITEM = op("PutItem", TableName=TABLE, Item={"pk": {"S": "a"}})
BOX = op("ContainerClient.create_container", container="handcontainer1")
BLOB = op("BlobClient.upload_blob", container="handcontainer1", blob="b", data="hello")
HERE = {"container": "handcontainer1", "blob": "b"}
QUEUE = op("QueueClient.create_queue", queue="handqueue1")
SENT = op("QueueClient.send_message", queue="handqueue1", content={"__b64__": "AAEC"})
ROWS = op("TableClient.create_table", table="handtable1")
ENTITY = {"PartitionKey": "p", "RowKey": "r", "v": 1}
ROW = op("TableClient.create_entity", table="handtable1", entity=ENTITY)

CLIENT_CASES: list[CorpusCase] = [
    agrees(
        "operations as other SDKs name them",
        "s3",
        op("CreateBucketCommand", Bucket=BUCKET),
        op("putObjectAsync", Bucket=BUCKET, Key="a", Body="x"),
        op("wait_until_object_exists", Bucket=BUCKET, Key="a", WaiterConfig={"Delay": 1}),
        op("getobject", Bucket=BUCKET, Key="a"),
    ),
    agrees(
        "parameters in another case",
        "s3",
        op("create_bucket", bucket=BUCKET),
        op("put_object", bucket=BUCKET, key="a", body="x"),
        op("get_object", bucket=BUCKET, key="a"),
    ),
    agrees(
        "a transfer of boto3's",
        "s3",
        MAKE,
        op("upload_fileobj", Bucket=BUCKET, Key="a", Fileobj="x", ExtraArgs={"ContentType": "a/b"}),
        op("copy", Bucket=BUCKET, Key="b", CopySource={"Bucket": BUCKET, "Key": "a"}),
    ),
    agrees(
        "a policy that is an object",
        "s3",
        MAKE,
        op(
            "PutBucketPolicy",
            Bucket=BUCKET,
            Policy={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Deny",
                        "Principal": "*",
                        "Action": "s3:DeleteObject",
                        "Resource": f"arn:aws:s3:::{BUCKET}/*",
                    }
                ],
            },
        ),
        op("GetBucketPolicy", Bucket=BUCKET),
    ),
    agrees(
        "a condition on a time that is written as a text",
        "s3",
        MAKE,
        PUT,
        op("HeadObject", Bucket=BUCKET, Key="key1", IfModifiedSince="Mon, 01 Jan 2024 00:00:00 GMT"),
        said=refused(304, "NotModified"),
    ),
    agrees(
        "an answer without a body, as another SDK calls it",
        "s3",
        MAKE,
        op("HeadObject", Bucket=BUCKET, Key="none"),
        said=refused(404, "NotFound"),
    ),
    differs(
        "an answer with a body has a code of its own",
        "s3",
        MAKE,
        op("GetObject", Bucket=BUCKET, Key="none"),
        said=refused(404, "NotFound"),
        how="error code",
    ),
    incomparable(
        "permissions are asked for before anything else",
        "s3",
        MAKE,
        op("GetObject", Bucket=BUCKET, Key="none"),
        said=refused(403, "AccessDenied"),
        because="comes from the account",
    ),
    incomparable(
        "two calls at once",
        "s3",
        MAKE,
        op("DeleteBucket", Bucket=BUCKET),
        MAKE,
        said=refused(409, "OperationAborted"),
        because="how the service was doing",
    ),
    agrees(
        "a table with the name of a word of the service",
        "dynamodb",
        table("HASH"),
        op("PutItem", TableName="HASH", Item={"pk": {"S": "a"}}),
    ),
    agrees(
        "a table with the name of a number",
        "dynamodb",
        table("1234567"),
        op("PutItem", TableName="1234567", Item={"pk": {"S": "a"}, "n": {"N": "1234567"}}),
    ),
    agrees(
        "values of the document client",
        "dynamodb",
        table(),
        op("waitFor", state="tableExists", TableName=TABLE),
        op("put", TableName=TABLE, Item={"pk": "a"}),
        op("Scan", TableName=TABLE),
        op("update", TableName=TABLE, Key={"pk": "a"}, AttributeUpdates={"n": {"Action": "PUT", "Value": 1}}),
        op("PutItem", TableName=TABLE, Item={"pk": {"S": "b"}, "n": {"N": "${4.Count}"}}),
        op(
            "query",
            TableName=TABLE,
            KeyConditions={"pk": {"AttributeValueList": ["a"], "ComparisonOperator": "EQ"}},
        ),
    ),
    agrees(
        "a code with its namespace",
        "dynamodb",
        table(),
        op("PutItem", TableName=TABLE, Item={"x": {"S": "a"}}),
        said=refused(400, "com.amazon.coral.validate#ValidationException"),
    ),
    agrees(
        "a stream, by the names that the real service gave",
        "dynamodb",
        STREAMED,
        ITEM,
        op("DescribeStream", StreamArn=STREAM),
        op("GetShardIterator", StreamArn=STREAM, ShardId=SHARD, ShardIteratorType="TRIM_HORIZON"),
        op("GetRecords", ShardIterator=f"{STREAM}|1|AAAAAAAAAAE"),
    ),
    incomparable(
        "a part of a stream that the candidate never named",
        "dynamodb",
        STREAMED,
        op("GetShardIterator", StreamArn=STREAM, ShardId=SHARD, ShardIteratorType="TRIM_HORIZON"),
        because="ShardId quotes a value",
    ),
    incomparable(
        "a place in a stream that was too old",
        "dynamodb",
        STREAMED,
        op("GetRecords", ShardIterator=f"{STREAM}|1|AAAAAAAAAAE"),
        said=refused(400, "ExpiredIteratorException"),
        because="how much time had passed",
    ),
    agrees(
        "a condition of the SDK, as a text",
        "blob",
        BOX,
        BLOB,
        op("BlobClient.set_blob_metadata", **HERE, etag="${2.etag}", match_condition="IfNotModified"),
    ),
    agrees(
        "a condition of the SDK, with its class, that does not hold",
        "blob",
        BOX,
        BLOB,
        op("BlobClient.delete_blob", **HERE, etag="0x8D0", match_condition="MatchConditions.IfNotModified"),
        said=refused(412, "ConditionNotMet"),
    ),
    agrees(
        "a time of the last change, for a method",
        "blob",
        BOX,
        BLOB,
        op("BlobClient.delete_blob", **HERE, if_unmodified_since="2022-01-01T00:00:00Z"),
        said=refused(412, "ConditionNotMet"),
    ),
    agrees(
        "methods of other clients",
        "blob",
        op("azure.storage.blob.aio.ContainerClient.create_container", container_name="handcontainer1"),
        op("uploadBlob", container_name="handcontainer1", blob_name="b", data="x"),
        op(
            "BlobAsyncClient.setStandardBlobTier",
            container_name="handcontainer1",
            blob_name="b",
            standard_blob_tier="StandardBlobTier.COOL",
        ),
    ),
    agrees(
        "a lease of a client that is kept",
        "blob",
        BOX,
        BLOB,
        op("BlobLeaseClient.acquire", **HERE, lease_duration=15),
        op("BlobLeaseClient.release", **HERE),
    ),
    agrees(
        "a source in the account of the recording",
        "blob",
        BOX,
        BLOB,
        op(
            "BlobClient.start_copy_from_url",
            container="handcontainer1",
            blob="c",
            source_url="https://storagename.blob.core.windows.net/handcontainer1/b?sv=2020-08-04&sr=b&sp=r"
            "&se=2050-01-01T00%3A00%3A00Z&sig=fake",
        ),
        said=accepted(202),
    ),
    agrees(
        "settings that hold models in models",
        "blob",
        op(
            "BlobServiceClient.set_service_properties",
            hour_metrics={"enabled": True, "retention_policy": {"enabled": True, "days": 5}},
            cors=[{"allowed_origins": ["*"], "allowed_methods": ["GET"]}],
        ),
        said=accepted(202),
    ),
    incomparable(
        "a kind of account",
        "blob",
        BOX,
        BLOB,
        op("BlobClient.set_legal_hold", **HERE, legal_hold=True),
        said=refused(409, "FeatureNotSupportedForAccount"),
        because="settings of the account",
    ),
    agrees(
        "what a list gave, and a message of bytes",
        "queue",
        QUEUE,
        SENT,
        op("QueueClient.receive_messages", queue="handqueue1"),
        op(
            "QueueClient.delete_message",
            queue="handqueue1",
            message="${3[0].id}",
            pop_receipt="${3.0.pop_receipt}",
        ),
        said=accepted(204),
    ),
    agrees(
        "an entity's tag in what it says of itself, and a mode in capitals",
        "table",
        ROWS,
        ROW,
        op("TableClient.get_entity", table="handtable1", partition_key="p", row_key="r"),
        op(
            "TableClient.update_entity",
            table="handtable1",
            entity=ENTITY,
            mode="REPLACE",
            etag="${3.metadata.etag}",
            match_condition="IfNotModified",
        ),
        said=accepted(204),
    ),
]
