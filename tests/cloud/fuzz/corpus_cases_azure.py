"""Shapes that recorded cases of Blob, Queue and Table have."""

from __future__ import annotations

from typing import Any

from corpus_cases import OK, Call, CorpusCase, accepted, agrees, differs, incomparable, op, refused


def http(
    method: str, path: str, query: str = "", *, status: int, code: str | None = None, **params: Any
) -> Call:
    return {
        "op": f"{method} {path}",
        "params": params,
        "http": {"method": method, "path": path, "query": query, "x-ms-version": "2021-08-06"},
        "real_status": status,
        "real_error_code": code,
    }


BOX = http("PUT", "/utcontainer0123456", "restype=container", status=201)
BLOCK = {"x-ms-blob-type": "BlockBlob"}
BLOB = http("PUT", "/utcontainer0123456/blob1", status=201, headers=BLOCK, body="hello", body_length=5)
QUEUE = http("PUT", "/pyqueue0123456", status=201)
MESSAGE = "<QueueMessage><MessageText>x</MessageText></QueueMessage>"
TABLE = http("POST", "/Tables", status=201, body='{"TableName": "uttable0123456"}', body_length=31)
AT = "/uttable0123456(PartitionKey='pk',RowKey='rk')"
INNER = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: 0\r\n\r\n"
REMOVAL = (
    f"--batch_1\r\n{INNER}DELETE /utcontainer0123456/blob1? HTTP/1.1\r\n"
    "x-ms-date: Thu, 14 Jul 2022 00:00:00 GMT\r\nAuthorization: SharedKey storagename:fake=\r\n"
    "Content-Length: 0\r\n\r\n\r\n--batch_1--\r\n"
)
ENTITY = '{"PartitionKey": "pk", "RowKey": "rk"}'
INSERTION = (
    "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_2\r\n\r\n"
    f"--changeset_2\r\n{INNER}POST https://storagename.table.core.windows.net/uttable0123456 HTTP/1.1\r\n"
    f"Content-Type: application/json\r\nContent-Length: {len(ENTITY)}\r\nx-ms-version: 2019-02-02\r\n"
    f"Accept: application/json;odata=minimalmetadata\r\n\r\n{ENTITY}\r\n"
    "--changeset_2--\r\n\r\n--batch_1--\r\n"
)

AZURE_CASES: list[CorpusCase] = [
    agrees(
        "tag that matched",
        "blob",
        BOX,
        BLOB,
        http("GET", "/utcontainer0123456/blob1", status=200, headers={"If-Match": '"0x8DA6C38147C2BFA"'}),
    ),
    agrees(
        "modified since, by now",
        "blob",
        BOX,
        BLOB,
        http(
            "GET",
            "/utcontainer0123456/blob1",
            status=412,
            headers={"If-Unmodified-Since": "Wed, 13 Jul 2022 23:59:53 GMT"},
        ),
        said=refused(412, "ConditionNotMet"),
    ),
    agrees(
        "unmodified since, then",
        "blob",
        BOX,
        BLOB,
        http(
            "GET",
            "/utcontainer0123456/blob1",
            status=200,
            headers={"If-Unmodified-Since": "Wed, 13 Jul 2022 23:59:53 GMT"},
        ),
    ),
    agrees(
        "cut off, data",
        "blob",
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
        said=accepted(206),
    ),
    agrees(
        "cut off, data with a checksum that was right",
        "blob",
        BOX,
        http(
            "PUT",
            "/utcontainer0123456/blob1",
            status=201,
            headers=BLOCK | {"Content-MD5": "MWRlMjQyYTk0ZjE3YTY4Mg=="},
            body={"length": 5000, "head": "abc"},
            body_length=5000,
        ),
        said=accepted(201),
    ),
    differs(
        "cut off, data with a checksum that was wrong",
        "blob",
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
        said=refused(400, "Md5Mismatch"),
        how="error code",
    ),
    incomparable(
        "cut off, meaning",
        "blob",
        http(
            "PUT",
            "/",
            "restype=service&comp=properties",
            status=400,
            body={"length": 999, "head": "<?xml version='1.0'?><Storage"},
            body_length=999,
        ),
        said=refused(400, "InvalidXmlDocument"),
        because="999",
    ),
    incomparable(
        "went another way before",
        "blob",
        BOX,
        http("PUT", "/utcontainer0123456", "restype=container", status=201),
        http("GET", "/utcontainer0123456", "restype=container", status=200),
        because="call 2",
    ),
    incomparable(
        "signed by a user",
        "blob",
        BOX,
        http("GET", "/utcontainer0123456", "restype=container&comp=list&sp=l&skoid=y&sig=x", status=200),
        because="token of a user",
    ),
    agrees(
        "snapshot",
        "blob",
        BOX,
        BLOB,
        http("PUT", "/utcontainer0123456/blob1", "comp=snapshot", status=201),
        http("GET", "/utcontainer0123456/blob1", "snapshot=2022-07-22T23%3A15%3A19.0254762Z", status=200),
    ),
    agrees(
        "made by the real service",
        "blob",
        BOX,
        BLOB,
        http("GET", "/utcontainer0123456/blob1", "versionid=2022-07-22T23%3A15%3A19.02Z", status=200),
    ),
    agrees(
        "copy",
        "blob",
        BOX,
        BLOB,
        http(
            "PUT",
            "/utcontainer0123456/blob2",
            status=202,
            headers={"x-ms-copy-source": "https://acc.blob.core.windows.net/utcontainer0123456/blob1"},
        ),
        said=accepted(202),
    ),
    incomparable(
        "copy from elsewhere",
        "blob",
        BOX,
        http(
            "PUT",
            "/utcontainer0123456/blob2",
            status=202,
            headers={"x-ms-copy-source": "https://acc.blob.core.windows.net/elsewhere/blob1"},
        ),
        said=accepted(202),
        because="does not make",
    ),
    agrees(
        "public methods",
        "blob",
        op("ContainerClient.create_container", container="c1"),
        op("BlobClient.upload_blob", container="c1", blob="b", data="text"),
        op("BlobClient.download_blob", container="c1", blob="b"),
        said=OK,
    ),
    differs(
        "public method, not done",
        "blob",
        op("ContainerClient.create_container", container="c1"),
        op("BlobClient.upload_blob", container="c1", blob="b", data="text"),
        op(
            "BlobClient.stage_block_from_url",
            container="c1",
            blob="d",
            block_id="1",
            source_url="<url of c1/b>",
        ),
        said=OK,
        how="success",
    ),
    incomparable(
        "a hole in the file",
        "blob",
        op("ContainerClient.create_container", container="c1"),
        op("ContainerClient.delete_container", container="c1", lease="<lease id>"),
        said=OK,
        because="lease",
    ),
    agrees(
        "a message and its receipt",
        "queue",
        QUEUE,
        http("POST", "/pyqueue0123456/messages", status=201, body=MESSAGE, body_length=len(MESSAGE)),
        http("GET", "/pyqueue0123456/messages", status=200),
        http(
            "DELETE",
            "/pyqueue0123456/messages/2bd5e1e3-0f16-4d8a-b30b-0c6d1c0a4b5e",
            "popreceipt=AgAAAAMAAAAAAAAA%2BxyzKg%3D%3D",
            status=204,
        ),
        said=accepted(204),
    ),
    agrees(
        "settings are put back",
        "queue",
        http(
            "PUT",
            "/",
            "restype=service&comp=properties",
            status=202,
            body="<?xml version='1.0' encoding='utf-8'?><StorageServiceProperties><Logging>"
            "<Version>1.0</Version>"
            "<Delete>true</Delete><Read>true</Read><Write>true</Write><RetentionPolicy><Enabled>false</Enabled>"
            "</RetentionPolicy></Logging></StorageServiceProperties>",
        ),
        said=accepted(202),
    ),
    agrees(
        "an entity of which the keys are known",
        "table",
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
        said=refused(412, "UpdateConditionNotSatisfied"),
    ),
    agrees(
        "an entity with its tag",
        "table",
        TABLE,
        http("POST", "/uttable0123456", status=201, body='{"PartitionKey": "pk", "RowKey": "rk"}'),
        http("GET", AT, status=200),
        http(
            "DELETE",
            AT,
            status=204,
            headers={"If-Match": "W/\"datetime'2022-06-15T22%3A51%3A44.9662825Z'\""},
        ),
        said=accepted(204),
    ),
    agrees(
        "methods of a service's client",
        "blob",
        op("BlobServiceClient.create_container", container="c1"),
        op("BlobServiceClient.get_service_properties"),
        said=OK,
    ),
    agrees(
        "signed for the account of the recording",
        "blob",
        BOX,
        BLOB,
        http(
            "GET",
            "/utcontainer0123456/blob1",
            "se=2019-10-25T19%3A09%3A17Z&sp=r&sv=2019-02-02&sr=b&sig=x",
            status=200,
        ),
    ),
    agrees(
        "signed for less than it asks",
        "blob",
        BOX,
        BLOB,
        http(
            "DELETE",
            "/utcontainer0123456/blob1",
            "se=2019-10-25&sp=r&sv=2019-02-02&sr=b&sig=x",
            status=403,
            code="AuthorizationPermissionMismatch",
        ),
        said=refused(403, "AuthorizationPermissionMismatch"),
    ),
    agrees(
        "a source that is signed",
        "blob",
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
        said=accepted(202),
    ),
    agrees(
        "an entity's own tag, of whose body only the head is left",
        "table",
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
        said=accepted(204),
    ),
    agrees(
        "a read that went another way changed nothing",
        "blob",
        BOX,
        http("GET", "/", "comp=nothing", status=200),
        BLOB,
        said=accepted(201),
    ),
    agrees(
        "a method that keeps the code to itself",
        "table",
        op("TableServiceClient.create_table", table_name="handtable"),
        op("TableClient.create_entity", table="handtable", entity={"PartitionKey": "p", "RowKey": "r"}),
        op("TableClient.create_entity", table="handtable", entity={"PartitionKey": "p", "RowKey": "r"}),
        said=refused(409, "EntityAlreadyExists"),
    ),
    agrees(
        "a container's name may be written with percent signs",
        "azure-blob",
        http("PUT", "/%24web", "restype=container", status=201),
        http("GET", "/%24web", "restype=container", status=200),
    ),
    differs(
        "a signature for a scope of encryption is one on the candidate, too",
        "azure-blob",
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
        said=accepted(201),
        how="FeatureNotSupported",
    ),
    incomparable(
        "nothing is copied from elsewhere in the world",
        "azure-blob",
        BOX,
        http(
            "PUT",
            "/utcontainer0123456/blob2",
            status=404,
            code="CannotVerifyCopySource",
            headers={"x-ms-copy-source": "https://example.org/files/a.txt"},
        ),
        said=refused(404, "CannotVerifyCopySource"),
        because="example.org",
    ),
    agrees(
        "what was stored under an encoding that it does not have",
        "azure-blob",
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
    ),
    agrees(
        "a call that the reference refused is not needed for the state",
        "azure-table",
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
        said=accepted(204),
    ),
    incomparable(
        "a message that was taken is not a mere read",
        "azure-queue",
        QUEUE,
        http("GET", "/pyqueue0123456/messages", status=404, code="QueueNotFound"),
        http("GET", "/pyqueue0123456", "comp=metadata", status=200),
        because="already went another way",
    ),
    agrees(
        "blobs that a method takes by position",
        "azure-blob",
        op("ContainerClient.create_container", container="c1"),
        op("BlobClient.upload_blob", container="c1", blob="b1", data="x"),
        op(
            "ContainerClient.set_standard_blob_tier_blobs",
            container="c1",
            standard_blob_tier="Cool",
            blobs=["b1"],
        ),
        op("ContainerClient.delete_blobs", container="c1", blobs=["b1"]),
        said=accepted(202),
    ),
    incomparable(
        "a method that sends nothing agrees with nobody",
        "azure-blob",
        op("ContainerClient.create_container", container="c1"),
        op("ContainerClient.delete_blobs", container="c1"),
        said=OK,
        because="sends nothing",
    ),
    agrees(
        "models of the SDK, written as their fields",
        "azure-blob",
        op("ContainerClient.create_container", container="c1"),
        op(
            "BlobClient.create_page_blob",
            container="c1",
            blob="b1",
            size=512,
            content_settings={"content_type": "text/plain"},
        ),
        said=accepted(201),
    ),
    agrees(
        "a policy of the SDK, written as its fields",
        "azure-table",
        op("TableClient.create_table", table="t1"),
        op(
            "TableClient.set_table_access_policy",
            table="t1",
            signed_identifiers={"id": {"permission": "r", "start": "2011-10-11", "expiry": "2031-10-11"}},
        ),
        said=accepted(204),
    ),
    agrees(
        "what a method returned",
        "azure-queue",
        op("QueueClient.create_queue", queue="q1"),
        op("QueueClient.send_message", queue="q1", content="x"),
        op("QueueClient.delete_message", queue="q1", message="${2.id}", pop_receipt="${2.pop_receipt}"),
        said=accepted(204),
    ),
    incomparable(
        "a method that needs a user",
        "azure-blob",
        op("BlobServiceClient.get_user_delegation_key", key_start_time="x", key_expiry_time="y"),
        because="token of a user",
    ),
    differs(
        "what was read before with a token of the reference",
        "azure-table",
        TABLE,
        http("GET", "/Tables", "NextTableName=1!48!bXl0YWJsZQ--", status=200),
        http("DELETE", "/Tables('uttable0123456')", status=400, code="InvalidInput"),
        said=refused(400, "InvalidInput"),
        how="success",
    ),
    agrees(
        "requests in a request, each signed",
        "blob",
        BOX,
        BLOB,
        http("POST", "/", "comp=batch", status=202, body=REMOVAL, body_length=len(REMOVAL)),
        http("GET", "/utcontainer0123456/blob1", status=404, code="BlobNotFound"),
        said=refused(404, "BlobNotFound"),
    ),
    agrees(
        "requests in a request, at the address of the recording",
        "table",
        TABLE,
        http("POST", "/$batch", status=202, body=INSERTION, body_length=len(INSERTION)),
        http("GET", AT, status=200),
    ),
]
