"""Shapes that recorded cases have, each with the verdict that a person gives after looking."""

from __future__ import annotations

from typing import Any


def op(name: str, **params: Any) -> dict[str, Any]:
    return {"op": name, "params": params}


def http(
    method: str, path: str, query: str = "", *, status: int, code: str | None = None, **params: Any
) -> dict[str, Any]:
    return {
        "op": f"{method} {path}",
        "params": params,
        "http": {"method": method, "path": path, "query": query, "x-ms-version": "2021-08-06"},
        "real_status": status,
        "real_error_code": code,
    }


MAKE = op("CreateBucket", Bucket="b1")
PUT = op("PutObject", Bucket="b1", Key="k", Body="text")
BOX = http("PUT", "/utcontainer0123456", "restype=container", status=201)
BLOCK = {"x-ms-blob-type": "BlockBlob"}
BLOB = http("PUT", "/utcontainer0123456/blob1", status=201, headers=BLOCK, body="hello", body_length=5)
QUEUE = http("PUT", "/pyqueue0123456", status=201)
MESSAGE = "<QueueMessage><MessageText>x</MessageText></QueueMessage>"
TABLE = http("POST", "/Tables", status=201, body='{"TableName": "uttable0123456"}', body_length=31)
HASH = {
    "TableName": "t1",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
AT = "/uttable0123456(PartitionKey='pk',RowKey='rk')"

CASES: list[tuple[str, str, list[dict[str, Any]], dict[str, Any], str, str]] = [
    # id, service, sequence, what the cloud said, verdict, words of the reason
    (
        "agrees",
        "s3",
        [MAKE, PUT, op("GetObject", Bucket="b1", Key="k")],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "references",
        "s3",
        [
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
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "reference to nothing",
        "s3",
        [MAKE, PUT, op("GetObject", Bucket="b1", Key="k", VersionId="${2.VersionId}")],
        {"ok": True, "status": 200},
        "not comparable",
        "gave no VersionId",
    ),
    (
        "expected failure before",
        "s3",
        [MAKE, PUT, op("DeleteBucket", Bucket="b1"), op("HeadObject", Bucket="b1", Key="k")],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "not in the file",
        "s3",
        [op("GetObject", Bucket="made-by-somebody", Key="k")],
        {"ok": True, "status": 200},
        "not comparable",
        "not made by the sequence",
    ),
    (
        "not there for both",
        "s3",
        [op("GetObject", Bucket="made-by-nobody", Key="k")],
        {"ok": False, "status": 404, "error_code": "NoSuchBucket"},
        "agrees",
        "",
    ),
    (
        "refused by the SDK's own checks",
        "s3",
        [MAKE, op("PutObject", Bucket="b1", Key="k", Body="x", ACL=None)],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "name with an odd character",
        "s3",
        [op("CreateBucket", Bucket="not valid!")],
        {"ok": False, "status": 400, "error_code": "InvalidBucketName"},
        "differs",
        "success",
    ),
    (
        "unknown operation",
        "s3",
        [op("MakeCoffee")],
        {"ok": True},
        "not comparable",
        "no operation MakeCoffee",
    ),
    (
        "settings of an account",
        "s3",
        [MAKE, PUT, op("GetObject", Bucket="b1", Key="k")],
        {"ok": False, "status": 403, "error_code": "AccessDenied"},
        "not comparable",
        "account",
    ),
    (
        "lock explains the refusal",
        "s3",
        [
            op("CreateBucket", Bucket="b1", ObjectLockEnabledForBucket=True),
            PUT,
            op("PutObjectLegalHold", Bucket="b1", Key="k", LegalHold={"Status": "ON"}),
            op("DeleteObject", Bucket="b1", Key="k", VersionId="${2.VersionId}"),
        ],
        {"ok": False, "status": 403, "error_code": "AccessDenied"},
        "agrees",
        "",
    ),
    (
        "region of the client",
        "s3",
        [op("CreateBucket", Bucket="test-bucket-0123456")],
        {"ok": False, "status": 400, "error_code": "IllegalLocationConstraintException"},
        "agrees",
        "",
    ),
    (
        "not modified since",
        "s3",
        [
            MAKE,
            PUT,
            op(
                "GetObject",
                Bucket="b1",
                Key="k",
                IfModifiedSince={"__datetime__": "2022-01-01T00:00:00.5+00:00"},
            ),
        ],
        {"ok": False, "status": 304, "error_code": "304"},
        "agrees",
        "",
    ),
    (
        "checksum that botocore cannot compute",
        "s3",
        [MAKE, op("PutObject", Bucket="b1", Key="k", Body="x", ChecksumAlgorithm="CRC32C")],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "wanting parameters",
        "dynamodb",
        [op("CreateTable", TableName="abc;")],
        {"ok": False, "status": 400, "error_code": "ValidationException"},
        "differs",
        "status",
    ),
    (
        "parameters that no SDK writes",
        "dynamodb",
        [op("GetItem", TableName="abc", Strange=[1], Key={})],
        {"ok": False, "status": 400, "error_code": "ResourceNotFoundException"},
        "agrees",
        "",
    ),
    (
        "bytes as they go over the wire",
        "dynamodb",
        [
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
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "there already",
        "dynamodb",
        [op("CreateTable", **HASH)],
        {"ok": False, "status": 400, "error_code": "ResourceInUseException"},
        "not comparable",
        "already",
    ),
    (
        "tag that matched",
        "blob",
        [
            BOX,
            BLOB,
            http("GET", "/utcontainer0123456/blob1", status=200, headers={"If-Match": '"0x8DA6C38147C2BFA"'}),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "modified since, by now",
        "blob",
        [
            BOX,
            BLOB,
            http(
                "GET",
                "/utcontainer0123456/blob1",
                status=412,
                headers={"If-Unmodified-Since": "Wed, 13 Jul 2022 23:59:53 GMT"},
            ),
        ],
        {"ok": False, "status": 412, "error_code": "ConditionNotMet"},
        "agrees",
        "",
    ),
    (
        "unmodified since, then",
        "blob",
        [
            BOX,
            BLOB,
            http(
                "GET",
                "/utcontainer0123456/blob1",
                status=200,
                headers={"If-Unmodified-Since": "Wed, 13 Jul 2022 23:59:53 GMT"},
            ),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "bytes that are written as the text that they are",
        "dynamodb",
        [op("CreateTable", **HASH), op("PutItem", TableName="t1", Item={"id": {"S": "a"}, "b": {"B": "é!"}})],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "bytes that are no base64",
        "dynamodb",
        [op("CreateTable", **HASH), op("PutItem", TableName="t1", Item={"id": {"S": "a"}, "b": {"B": "é!"}})],
        {"ok": False, "status": 400, "error_code": "SerializationException"},
        "differs",
        "500",
    ),
    (
        "a version of the reference that is copied from",
        "s3",
        [
            MAKE,
            op("PutBucketVersioning", Bucket="b1", VersioningConfiguration={"Status": "Enabled"}),
            PUT,
            op("CopyObject", Bucket="b1", Key="k2", CopySource="b1/k?versionId=Xb3kYr0Zr2y6OZ"),
            op("GetObject", Bucket="b1", Key="k2"),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "a version that nobody has",
        "s3",
        [
            MAKE,
            op("PutBucketVersioning", Bucket="b1", VersioningConfiguration={"Status": "Enabled"}),
            PUT,
            op("GetObject", Bucket="b1", Key="k", VersionId="Xb3kYr0Zr2y6OZ"),
        ],
        {"ok": False, "status": 400, "error_code": "InvalidArgument"},
        "differs",
        "NoSuchVersion",
    ),
    (
        "a change since a time that lay ahead",
        "s3",
        [
            MAKE,
            PUT,
            op("GetObject", Bucket="b1", Key="k", IfModifiedSince={"__datetime__": "2024-05-02T10:00:00Z"}),
            op("GetObject", Bucket="b1", Key="k", IfModifiedSince={"__datetime__": "2024-05-03T10:00:00Z"}),
        ],
        {"ok": True, "status": 200},
        "differs",
        "304",
    ),
    (
        "a parameter that an address needs",
        "s3",
        [MAKE, op("GetObject", Bucket="b1")],
        {"ok": True, "status": 200},
        "not comparable",
        "it has no Key",
    ),
    (
        "cut off, data",
        "blob",
        [
            BOX,
            http(
                "PUT",
                "/utcontainer0123456/blob1",
                status=201,
                headers=BLOCK,
                body={"length": 5000, "head": "{looks like JSON"},
                body_length=5000,
            ),
            http("GET", "/utcontainer0123456/blob1", status=206, headers={"x-ms-range": "bytes=4000-4999"}),
        ],
        {"ok": True, "status": 206},
        "agrees",
        "",
    ),
    (
        "cut off, data with a checksum that was right",
        "blob",
        [
            BOX,
            http(
                "PUT",
                "/utcontainer0123456/blob1",
                status=201,
                headers=BLOCK | {"Content-MD5": "MWRlMjQyYTk0ZjE3YTY4Mg=="},
                body={"length": 5000, "head": "abc"},
                body_length=5000,
            ),
        ],
        {"ok": True, "status": 201},
        "agrees",
        "",
    ),
    (
        "cut off, data with a checksum that was wrong",
        "blob",
        [
            BOX,
            http(
                "PUT",
                "/utcontainer0123456/blob1",
                status=400,
                code="Md5Mismatch",
                headers=BLOCK | {"Content-MD5": "MDAwMDAwMDAwMDAwMDAwMA=="},
                body={"length": 5000, "head": "abc"},
                body_length=5000,
            ),
        ],
        {"ok": False, "status": 400, "error_code": "Md5Mismatch"},
        "differs",
        "error code",
    ),
    (
        "cut off, meaning",
        "blob",
        [
            http(
                "PUT",
                "/",
                "restype=service&comp=properties",
                status=400,
                body={"length": 999, "head": "<?xml version='1.0'?><Storage"},
                body_length=999,
            )
        ],
        {"ok": False, "status": 400, "error_code": "InvalidXmlDocument"},
        "not comparable",
        "999",
    ),
    (
        "went another way before",
        "blob",
        [
            BOX,
            http("PUT", "/utcontainer0123456", "restype=container", status=201),
            http("GET", "/utcontainer0123456", "restype=container", status=200),
        ],
        {"ok": True, "status": 200},
        "not comparable",
        "call 2",
    ),
    (
        "signed by a user",
        "blob",
        [
            BOX,
            http("GET", "/utcontainer0123456", "restype=container&comp=list&sp=l&skoid=y&sig=x", status=200),
        ],
        {"ok": True, "status": 200},
        "not comparable",
        "token of a user",
    ),
    (
        "snapshot",
        "blob",
        [
            BOX,
            BLOB,
            http("PUT", "/utcontainer0123456/blob1", "comp=snapshot", status=201),
            http("GET", "/utcontainer0123456/blob1", "snapshot=2022-07-22T23%3A15%3A19.0254762Z", status=200),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "made by the real service",
        "blob",
        [
            BOX,
            BLOB,
            http("GET", "/utcontainer0123456/blob1", "versionid=2022-07-22T23%3A15%3A19.02Z", status=200),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "copy",
        "blob",
        [
            BOX,
            BLOB,
            http(
                "PUT",
                "/utcontainer0123456/blob2",
                status=202,
                headers={"x-ms-copy-source": "https://acc.blob.core.windows.net/utcontainer0123456/blob1"},
            ),
        ],
        {"ok": True, "status": 202},
        "agrees",
        "",
    ),
    (
        "copy from elsewhere",
        "blob",
        [
            BOX,
            http(
                "PUT",
                "/utcontainer0123456/blob2",
                status=202,
                headers={"x-ms-copy-source": "https://acc.blob.core.windows.net/elsewhere/blob1"},
            ),
        ],
        {"ok": True, "status": 202},
        "not comparable",
        "does not make",
    ),
    (
        "public methods",
        "blob",
        [
            op("ContainerClient.create_container", container="c1"),
            op("BlobClient.upload_blob", container="c1", blob="b", data="text"),
            op("BlobClient.download_blob", container="c1", blob="b"),
        ],
        {"ok": True},
        "agrees",
        "",
    ),
    (
        "public method, not done",
        "blob",
        [
            op("ContainerClient.create_container", container="c1"),
            op("BlobClient.upload_blob", container="c1", blob="b", data="text"),
            op(
                "BlobClient.stage_block_from_url",
                container="c1",
                blob="d",
                block_id="1",
                source_url="<url of c1/b>",
            ),
        ],
        {"ok": True},
        "differs",
        "success",
    ),
    (
        "a hole in the file",
        "blob",
        [
            op("ContainerClient.create_container", container="c1"),
            op("ContainerClient.delete_container", container="c1", lease="<lease id>"),
        ],
        {"ok": True},
        "not comparable",
        "lease",
    ),
    (
        "a message and its receipt",
        "queue",
        [
            QUEUE,
            http("POST", "/pyqueue0123456/messages", status=201, body=MESSAGE, body_length=len(MESSAGE)),
            http("GET", "/pyqueue0123456/messages", status=200),
            http(
                "DELETE",
                "/pyqueue0123456/messages/2bd5e1e3-0f16-4d8a-b30b-0c6d1c0a4b5e",
                "popreceipt=AgAAAAMAAAAAAAAA%2BxyzKg%3D%3D",
                status=204,
            ),
        ],
        {"ok": True, "status": 204},
        "agrees",
        "",
    ),
    (
        "settings are put back",
        "queue",
        [
            http(
                "PUT",
                "/",
                "restype=service&comp=properties",
                status=202,
                body="<?xml version='1.0' encoding='utf-8'?><StorageServiceProperties><Logging>"
                "<Version>1.0</Version>"
                "<Delete>true</Delete><Read>true</Read><Write>true</Write><RetentionPolicy><Enabled>false</Enabled>"
                "</RetentionPolicy></Logging></StorageServiceProperties>",
            )
        ],
        {"ok": True, "status": 202},
        "agrees",
        "",
    ),
    (
        "an entity of which the keys are known",
        "table",
        [
            TABLE,
            http(
                "POST",
                "/uttable0123456",
                status=201,
                body_length=742,
                body={"length": 742, "head": '{"PartitionKey": "pk", "PartitionKey@odata.type": "Edm.St'},
            ),
            http(
                "DELETE",
                AT,
                status=412,
                headers={"If-Match": "W/\"datetime'2012-06-15T22%3A51%3A44.9662825Z'\""},
            ),
        ],
        {"ok": False, "status": 412, "error_code": "UpdateConditionNotSatisfied"},
        "agrees",
        "",
    ),
    (
        "an entity with its tag",
        "table",
        [
            TABLE,
            http("POST", "/uttable0123456", status=201, body='{"PartitionKey": "pk", "RowKey": "rk"}'),
            http("GET", AT, status=200),
            http(
                "DELETE",
                AT,
                status=204,
                headers={"If-Match": "W/\"datetime'2022-06-15T22%3A51%3A44.9662825Z'\""},
            ),
        ],
        {"ok": True, "status": 204},
        "agrees",
        "",
    ),
    (
        "methods of a service's client",
        "blob",
        [
            op("BlobServiceClient.create_container", container="c1"),
            op("BlobServiceClient.get_service_properties"),
        ],
        {"ok": True},
        "agrees",
        "",
    ),
    (
        "something of another service",
        "s3",
        [
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
        ],
        {"ok": True, "status": 200},
        "not comparable",
        "arn:aws:sqs",
    ),
    (
        "signed for the account of the recording",
        "blob",
        [
            BOX,
            BLOB,
            http(
                "GET",
                "/utcontainer0123456/blob1",
                "se=2019-10-25T19%3A09%3A17Z&sp=r&sv=2019-02-02&sr=b&sig=x",
                status=200,
            ),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "signed for less than it asks",
        "blob",
        [
            BOX,
            BLOB,
            http(
                "DELETE",
                "/utcontainer0123456/blob1",
                "se=2019-10-25&sp=r&sv=2019-02-02&sr=b&sig=x",
                status=403,
                code="AuthorizationPermissionMismatch",
            ),
        ],
        {"ok": False, "status": 403, "error_code": "AuthorizationPermissionMismatch"},
        "agrees",
        "",
    ),
    (
        "a source that is signed",
        "blob",
        [
            BOX,
            BLOB,
            http(
                "PUT",
                "/utcontainer0123456/blob2",
                status=202,
                headers={
                    "x-ms-copy-source": "https://a.blob.core.windows.net/utcontainer0123456/blob1"
                    "?se=2019-10-25&sp=r&sv=2019-02-02&sr=b&sig=x"
                },
            ),
        ],
        {"ok": True, "status": 202},
        "agrees",
        "",
    ),
    (
        "an entity's own tag, of whose body only the head is left",
        "table",
        [
            TABLE,
            http(
                "POST",
                "/uttable0123456",
                status=201,
                body={
                    "length": 742,
                    "head": '{"PartitionKey": "pk", "PartitionKey@odata.type": "Edm.String"',
                },
            ),
            http("DELETE", AT, status=204, headers={"If-Match": "W/\"datetime'2021-05-26T15%3A47%3A58Z'\""}),
        ],
        {"ok": True, "status": 204},
        "agrees",
        "",
    ),
    (
        "a read that went another way changed nothing",
        "blob",
        [BOX, http("GET", "/", "comp=nothing", status=200), BLOB],
        {"ok": True, "status": 201},
        "agrees",
        "",
    ),
    (
        "an object that came past the SDK",
        "s3",
        [MAKE, PUT, op("GetObject", Bucket="b1", Key="posted.txt")],
        {"ok": True, "status": 200},
        "not comparable",
        "not made by the sequence",
    ),
    (
        "a lock until a time that has passed since",
        "s3",
        [
            op("CreateBucket", Bucket="b1", ObjectLockEnabledForBucket=True),
            op(
                "PutObject",
                Bucket="b1",
                Key="k",
                ObjectLockMode="GOVERNANCE",
                ObjectLockRetainUntilDate={"__datetime__": "2024-01-01T00:00:00"},
            ),
            op("DeleteObject", Bucket="b1", Key="k", VersionId="${2.VersionId}"),
        ],
        {"ok": False, "status": 403, "error_code": "AccessDenied"},
        "agrees",
        "",
    ),
    (
        "tables that are not even named",
        "dynamodb",
        [op("BatchGetItem", RequestItems=None)],
        {"ok": False, "status": 400, "error_code": "SerializationException"},
        "differs",
        "",
    ),
    (
        "an ARN of another account",
        "dynamodb",
        [
            op("CreateTable", **HASH),
            op(
                "GetItem",
                TableName="arn:aws:dynamodb:us-west-2:999999999999:table/t1",
                Key={"id": {"S": "1"}},
            ),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "a method that keeps the code to itself",
        "table",
        [
            op("TableServiceClient.create_table", table_name="handtable"),
            op("TableClient.create_entity", table="handtable", entity={"PartitionKey": "p", "RowKey": "r"}),
            op("TableClient.create_entity", table="handtable", entity={"PartitionKey": "p", "RowKey": "r"}),
        ],
        {"ok": False, "status": 409, "error_code": "EntityAlreadyExists"},
        "agrees",
        "",
    ),
    ("nobody knows", "s3", [MAKE], {"ok": None}, "not comparable", "does not say"),
    (
        "a container's name may be written with percent signs",
        "azure-blob",
        [
            http("PUT", "/%24web", "restype=container", status=201),
            http("GET", "/%24web", "restype=container", status=200),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "a signature for a scope of encryption is one on the candidate, too",
        "azure-blob",
        [
            BOX,
            http(
                "PUT",
                "/utcontainer0123456/blob1",
                "se=2022-07-08T01%3A01%3A41Z&sp=rw&sv=2021-08-06&sr=c&ses=scope1&sig=Sanitized",
                status=201,
                headers=BLOCK,
                body="hello",
                body_length=5,
            ),
        ],
        {"ok": True, "status": 201},
        "differs",
        "FeatureNotSupported",
    ),
    (
        "nothing is copied from elsewhere in the world",
        "azure-blob",
        [
            BOX,
            http(
                "PUT",
                "/utcontainer0123456/blob2",
                status=404,
                code="CannotVerifyCopySource",
                headers={"x-ms-copy-source": "https://example.org/files/a.txt"},
            ),
        ],
        {"ok": False, "status": 404, "error_code": "CannotVerifyCopySource"},
        "not comparable",
        "example.org",
    ),
    (
        "what was stored under an encoding that it does not have",
        "azure-blob",
        [
            BOX,
            http(
                "PUT",
                "/utcontainer0123456/blob1",
                status=201,
                headers=BLOCK | {"x-ms-blob-content-encoding": "gzip"},
                body="hello",
                body_length=5,
            ),
            http("GET", "/utcontainer0123456/blob1", status=200),
        ],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "a call that the reference refused is not needed for the state",
        "azure-table",
        [
            TABLE,
            http(
                "PATCH",
                AT,
                status=400,
                code="InvalidInput",
                body={"length": 1400, "head": '{"PartitionKey": "pk", "PartitionKey@odata.type"'},
                body_length=1400,
            ),
            http("DELETE", "/Tables('uttable0123456')", status=204),
        ],
        {"ok": True, "status": 204},
        "agrees",
        "",
    ),
    (
        "a read that cannot be sent is not needed for the state",
        "s3",
        [MAKE, op("GetObject", Bucket="b1", Key="${1.Nothing}"), PUT],
        {"ok": True, "status": 200},
        "agrees",
        "",
    ),
    (
        "a message that was taken is not a mere read",
        "azure-queue",
        [
            QUEUE,
            http("GET", "/pyqueue0123456/messages", status=404, code="QueueNotFound"),
            http("GET", "/pyqueue0123456", "comp=metadata", status=200),
        ],
        {"ok": True, "status": 200},
        "not comparable",
        "already went another way",
    ),
    (
        "a bucket made twice, the second time from another region",
        "s3",
        [
            MAKE,
            op("CreateBucket", Bucket="b1", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}),
        ],
        {"ok": False, "status": 409, "error_code": "BucketAlreadyOwnedByYou"},
        "agrees",
        "",
    ),
    (
        "blobs that a method takes by position",
        "azure-blob",
        [
            op("ContainerClient.create_container", container="c1"),
            op("BlobClient.upload_blob", container="c1", blob="b1", data="x"),
            op(
                "ContainerClient.set_standard_blob_tier_blobs",
                container="c1",
                standard_blob_tier="Cool",
                blobs=["b1"],
            ),
            op("ContainerClient.delete_blobs", container="c1", blobs=["b1"]),
        ],
        {"ok": True, "status": 202},
        "agrees",
        "",
    ),
    (
        "a method that sends nothing agrees with nobody",
        "azure-blob",
        [
            op("ContainerClient.create_container", container="c1"),
            op("ContainerClient.delete_blobs", container="c1"),
        ],
        {"ok": True},
        "not comparable",
        "sends nothing",
    ),
    (
        "models of the SDK, written as their fields",
        "azure-blob",
        [
            op("ContainerClient.create_container", container="c1"),
            op(
                "BlobClient.create_page_blob",
                container="c1",
                blob="b1",
                size=512,
                content_settings={"content_type": "text/plain"},
            ),
        ],
        {"ok": True, "status": 201},
        "agrees",
        "",
    ),
    (
        "a policy of the SDK, written as its fields",
        "azure-table",
        [
            op("TableClient.create_table", table="t1"),
            op(
                "TableClient.set_table_access_policy",
                table="t1",
                signed_identifiers={"id": {"permission": "r", "start": "2011-10-11", "expiry": "2031-10-11"}},
            ),
        ],
        {"ok": True, "status": 204},
        "agrees",
        "",
    ),
    (
        "what a method returned",
        "azure-queue",
        [
            op("QueueClient.create_queue", queue="q1"),
            op("QueueClient.send_message", queue="q1", content="x"),
            op("QueueClient.delete_message", queue="q1", message="${2.id}", pop_receipt="${2.pop_receipt}"),
        ],
        {"ok": True, "status": 204},
        "agrees",
        "",
    ),
    (
        "a method that needs a user",
        "azure-blob",
        [op("BlobServiceClient.get_user_delegation_key", key_start_time="x", key_expiry_time="y")],
        {"ok": True, "status": 200},
        "not comparable",
        "token of a user",
    ),
    (
        "what was read before with a token of the reference",
        "azure-table",
        [
            TABLE,
            http("GET", "/Tables", "NextTableName=1!48!bXl0YWJsZQ--", status=200),
            http("DELETE", "/Tables('uttable0123456')", status=400, code="InvalidInput"),
        ],
        {"ok": False, "status": 400, "error_code": "InvalidInput"},
        "differs",
        "success",
    ),
]
