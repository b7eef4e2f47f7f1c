"""Shapes that recorded cases of S3 and DynamoDB have."""

from __future__ import annotations

from corpus_cases import OK, CorpusCase, agrees, differs, incomparable, op, refused

MAKE = op("CreateBucket", Bucket="b1")
PUT = op("PutObject", Bucket="b1", Key="k", Body="text")
HASH = {
    "TableName": "t1",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}

AWS_CASES: list[CorpusCase] = [
    agrees("agrees", "s3", MAKE, PUT, op("GetObject", Bucket="b1", Key="k")),
    agrees(
        "references",
        "s3",
        MAKE,
        op("CreateMultipartUpload", Bucket="b1", Key="k"),
        op("UploadPart", Bucket="b1", Key="k", UploadId="${2.UploadId}", PartNumber=1, Body="x"),
        op(
            "CompleteMultipartUpload",
            Bucket="b1",
            Key="k",
            UploadId="${2.UploadId}",
            MultipartUpload={"Parts": [{"ETag": "${3.ETag}", "PartNumber": 1}]},
        ),
    ),
    incomparable(
        "reference to nothing",
        "s3",
        MAKE,
        PUT,
        op("GetObject", Bucket="b1", Key="k", VersionId="${2.VersionId}"),
        because="gave no VersionId",
    ),
    agrees(
        "expected failure before",
        "s3",
        MAKE,
        PUT,
        op("DeleteBucket", Bucket="b1"),
        op("HeadObject", Bucket="b1", Key="k"),
    ),
    incomparable(
        "not in the file",
        "s3",
        op("GetObject", Bucket="made-by-somebody", Key="k"),
        because="not made by the sequence",
    ),
    agrees(
        "not there for both",
        "s3",
        op("GetObject", Bucket="made-by-nobody", Key="k"),
        said=refused(404, "NoSuchBucket"),
    ),
    agrees(
        "refused by the SDK's own checks",
        "s3",
        MAKE,
        op("PutObject", Bucket="b1", Key="k", Body="x", ACL=None),
    ),
    differs(
        "name with an odd character",
        "s3",
        op("CreateBucket", Bucket="not valid!"),
        said=refused(400, "InvalidBucketName"),
        how="success",
    ),
    incomparable("unknown operation", "s3", op("MakeCoffee"), said=OK, because="no operation MakeCoffee"),
    incomparable(
        "settings of an account",
        "s3",
        MAKE,
        PUT,
        op("GetObject", Bucket="b1", Key="k"),
        said=refused(403, "AccessDenied"),
        because="account",
    ),
    agrees(
        "lock explains the refusal",
        "s3",
        op("CreateBucket", Bucket="b1", ObjectLockEnabledForBucket=True),
        PUT,
        op("PutObjectLegalHold", Bucket="b1", Key="k", LegalHold={"Status": "ON"}),
        op("DeleteObject", Bucket="b1", Key="k", VersionId="${2.VersionId}"),
        said=refused(403, "AccessDenied"),
    ),
    agrees(
        "region of the client",
        "s3",
        op("CreateBucket", Bucket="test-bucket-0123456"),
        said=refused(400, "IllegalLocationConstraintException"),
    ),
    agrees(
        "not modified since",
        "s3",
        MAKE,
        PUT,
        op(
            "GetObject",
            Bucket="b1",
            Key="k",
            IfModifiedSince={"__datetime__": "2022-01-01T00:00:00.5+00:00"},
        ),
        said=refused(304, "304"),
    ),
    agrees(
        "checksum that botocore cannot compute",
        "s3",
        MAKE,
        op("PutObject", Bucket="b1", Key="k", Body="x", ChecksumAlgorithm="CRC32C"),
    ),
    differs(
        "wanting parameters",
        "dynamodb",
        op("CreateTable", TableName="abc;"),
        said=refused(400, "ValidationException"),
        how="status",
    ),
    agrees(
        "parameters that no SDK writes",
        "dynamodb",
        op("GetItem", TableName="abc", Strange=[1], Key={}),
        said=refused(400, "ResourceNotFoundException"),
    ),
    agrees(
        "bytes as they go over the wire",
        "dynamodb",
        op("CreateTable", **HASH),
        op("PutItem", TableName="t1", Item={"id": {"S": "a"}, "b": {"B": "AAE="}}),
        op(
            "Query",
            TableName="t1",
            KeyConditionExpression="id = :i",
            FilterExpression="b = :b",
            ExpressionAttributeValues={":i": {"S": "a"}, ":b": {"B": {"__b64__": "AAE="}}},
        ),
        op("PutItem", TableName="t1", Item={"id": {"S": "${3.Items[0].id.S}"}}),
    ),
    incomparable(
        "there already",
        "dynamodb",
        op("CreateTable", **HASH),
        said=refused(400, "ResourceInUseException"),
        because="already",
    ),
    agrees(
        "bytes that are written as the text that they are",
        "dynamodb",
        op("CreateTable", **HASH),
        op("PutItem", TableName="t1", Item={"id": {"S": "a"}, "b": {"B": "é!"}}),
    ),
    differs(
        "bytes that are no base64",
        "dynamodb",
        op("CreateTable", **HASH),
        op("PutItem", TableName="t1", Item={"id": {"S": "a"}, "b": {"B": "é!"}}),
        said=refused(400, "SerializationException"),
        how="500",
    ),
    agrees(
        "a version of the reference that is copied from",
        "s3",
        MAKE,
        op("PutBucketVersioning", Bucket="b1", VersioningConfiguration={"Status": "Enabled"}),
        PUT,
        op("CopyObject", Bucket="b1", Key="k2", CopySource="b1/k?versionId=Xb3kYr0Zr2y6OZ"),
        op("GetObject", Bucket="b1", Key="k2"),
    ),
    differs(
        "a version that nobody has",
        "s3",
        MAKE,
        op("PutBucketVersioning", Bucket="b1", VersioningConfiguration={"Status": "Enabled"}),
        PUT,
        op("GetObject", Bucket="b1", Key="k", VersionId="Xb3kYr0Zr2y6OZ"),
        said=refused(400, "InvalidArgument"),
        how="NoSuchVersion",
    ),
    differs(
        "a change since a time that lay ahead",
        "s3",
        MAKE,
        PUT,
        op("GetObject", Bucket="b1", Key="k", IfModifiedSince={"__datetime__": "2024-05-02T10:00:00Z"}),
        op("GetObject", Bucket="b1", Key="k", IfModifiedSince={"__datetime__": "2024-05-03T10:00:00Z"}),
        how="304",
    ),
    incomparable(
        "a parameter that an address needs", "s3", MAKE, op("GetObject", Bucket="b1"), because="it has no Key"
    ),
    incomparable(
        "something of another service",
        "s3",
        MAKE,
        op(
            "PutBucketNotificationConfiguration",
            Bucket="b1",
            NotificationConfiguration={
                "QueueConfigurations": [
                    {"QueueArn": "arn:aws:sqs:eu-west-3:1:line", "Events": ["s3:ObjectCreated:*"]}
                ]
            },
        ),
        because="arn:aws:sqs",
    ),
    incomparable(
        "an object that came past the SDK",
        "s3",
        MAKE,
        PUT,
        op("GetObject", Bucket="b1", Key="posted.txt"),
        because="not made by the sequence",
    ),
    agrees(
        "a lock until a time that has passed since",
        "s3",
        op("CreateBucket", Bucket="b1", ObjectLockEnabledForBucket=True),
        op(
            "PutObject",
            Bucket="b1",
            Key="k",
            ObjectLockMode="GOVERNANCE",
            ObjectLockRetainUntilDate={"__datetime__": "2024-01-01T00:00:00"},
        ),
        op("DeleteObject", Bucket="b1", Key="k", VersionId="${2.VersionId}"),
        said=refused(403, "AccessDenied"),
    ),
    differs(
        "tables that are not even named",
        "dynamodb",
        op("BatchGetItem", RequestItems=None),
        said=refused(400, "SerializationException"),
    ),
    agrees(
        "an ARN of another account",
        "dynamodb",
        op("CreateTable", **HASH),
        op(
            "GetItem",
            TableName="arn:aws:dynamodb:us-west-2:999999999999:table/t1",
            Key={"id": {"S": "1"}},
        ),
    ),
    incomparable("nobody knows", "s3", MAKE, said={"ok": None}, because="does not say"),
    agrees(
        "a read that cannot be sent is not needed for the state",
        "s3",
        MAKE,
        op("GetObject", Bucket="b1", Key="${1.Nothing}"),
        PUT,
    ),
    agrees(
        "a bucket made twice, the second time from another region",
        "s3",
        MAKE,
        op("CreateBucket", Bucket="b1", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}),
        said=refused(409, "BucketAlreadyOwnedByYou"),
    ),
]
