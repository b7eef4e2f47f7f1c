"""Each injected difference, in front of real servers, as the real SDKs see it."""

from __future__ import annotations

import io
import json
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from azure.core.exceptions import (
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
    ServiceResponseError,
)
from azure.data.tables import TableServiceClient
from azure.storage.blob import BlobServiceClient
from azure.storage.queue import QueueServiceClient
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

from likewise.cloud import rewriting, targets
from likewise.cloud.marks import AZURITE_KEY
from likewise.cloud.rewriting import RewritingServer, Rule
from likewise.cloud.rewriting.messages import Request, error
from likewise.cloud.targets.running import AZURITE_ACCOUNT
from likewise.model import Role

pytestmark = pytest.mark.server

Aws = Callable[..., tuple[RewritingServer, Any]]


@pytest.fixture(scope="module")
def moto() -> Iterator[targets.Running]:
    spec = targets.find("moto")
    if targets.locate(spec, targets.default_cache()) is None:
        pytest.skip(f"moto is not installed: {targets.install_command(spec)}")
    with targets.start(spec, role=Role.CANDIDATE) as running:
        yield running


@pytest.fixture
def aws(moto: targets.Running) -> Iterator[Aws]:
    """A client of a service behind a server with these rules; moto is emptied first."""
    moto.reset()
    opened: list[RewritingServer] = []

    def connect(
        service: str, *rules: Rule, secret: str = "testing", **config: Any
    ) -> tuple[RewritingServer, Any]:
        server = RewritingServer(str(moto.endpoint(service)), rules).start()
        opened.append(server)
        return server, client(service, server.url, secret=secret, **config)

    yield connect
    for server in opened:
        server.stop()
        assert server.failures == []


def client(service: str, url: str, *, secret: str = "testing", **config: Any) -> Any:
    config = {"retries": {"max_attempts": 0}, "connect_timeout": 5, "read_timeout": 20} | config
    return boto3.client(
        service,
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="testing",
        aws_secret_access_key=secret,
        config=Config(**config),
    )


@pytest.fixture(scope="module")
def azurite() -> Iterator[targets.Running]:
    spec = targets.find("azurite")
    if targets.locate(spec, targets.default_cache()) is None:
        pytest.skip(f"azurite is not installed: {targets.install_command(spec)}")
    with targets.start(spec, role=Role.CANDIDATE) as running:
        yield running


Azure = Callable[..., tuple[RewritingServer, Any]]


@pytest.fixture
def azure(azurite: targets.Running) -> Iterator[Azure]:
    """A client of an Azure service behind a server with these rules; Azurite is emptied first."""
    azurite.reset()
    opened: list[RewritingServer] = []
    kinds = {"blob": BlobServiceClient, "queue": QueueServiceClient, "table": TableServiceClient}

    def connect(service: str, *rules: Rule, key: str = AZURITE_KEY) -> tuple[RewritingServer, Any]:
        server = RewritingServer(str(azurite.endpoint(service)), rules, service=service).start()
        opened.append(server)
        text = (
            f"DefaultEndpointsProtocol=http;AccountName={AZURITE_ACCOUNT};AccountKey={key};"
            f"{service.capitalize()}Endpoint={server.url};"
        )
        return server, kinds[service].from_connection_string(text, retry_total=0)

    yield connect
    for server in opened:
        server.stop()
        assert server.failures == []


def code_of(refused: pytest.ExceptionInfo[ClientError]) -> str:
    return str(refused.value.response["Error"]["Code"])


def bucket(s3: Any, *keys: str) -> None:
    s3.create_bucket(Bucket="box")
    for key in keys:
        s3.put_object(Bucket="box", Key=key, Body=key.encode())


def table(dynamodb: Any, *ids: str) -> None:
    dynamodb.create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    for each in ids:
        dynamodb.put_item(TableName="t", Item={"id": {"S": each}, "n": {"N": "1"}})


class TestPassingOn:
    """What no rule touches is as it was."""

    def test_large_objects_with_expect_and_checksums_come_back_whole(self, aws: Aws) -> None:
        server, s3 = aws("s3")
        content = bytes(range(256)) * 40_000
        bucket(s3)
        s3.put_object(Bucket="box", Key="large", Body=content)
        assert s3.get_object(Bucket="box", Key="large")["Body"].read() == content
        assert server.count == 3
        assert server.requests == ["s3.CreateBucket", "s3.PutObject", "s3.GetObject"]
        assert not server.hits

    def test_a_stream_in_chunks_comes_back_whole(self, aws: Aws) -> None:
        _, s3 = aws("s3", s3={"addressing_style": "path"})
        bucket(s3)
        s3.upload_fileobj(io.BytesIO(b"x" * 9_000_000), "box", "parts")
        assert s3.head_object(Bucket="box", Key="parts")["ContentLength"] == 9_000_000

    def test_chunked_messages_pass_in_both_directions(self) -> None:
        """The server below gets chunks again; the client gets the same content with its length."""
        received = bytearray()

        def once(listener: socket.socket) -> None:
            link, _ = listener.accept()
            with link:
                while not received.endswith(b"0\r\n\r\n"):
                    received.extend(link.recv(65536))
                link.sendall(
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    b"3\r\nfou\r\n1;x=y\r\nr\r\n0\r\n\r\n"
                )

        with socket.create_server(("127.0.0.1", 0)) as listener:
            below = threading.Thread(target=once, args=(listener,))
            below.start()
            with RewritingServer(f"http://127.0.0.1:{listener.getsockname()[1]}") as server:
                pieces = (piece for piece in (b"one,", b"two"))
                request = urllib.request.Request(f"{server.url}/box/k", data=pieces, method="PUT")
                with urllib.request.urlopen(request) as answer:
                    assert answer.read() == b"four"
                    assert answer.headers["Content-Length"] == "4"
            below.join()
        assert received.endswith(b"\r\n\r\n7\r\none,two\r\n0\r\n\r\n")

    def test_an_answer_of_a_length_that_is_no_number_is_none(self) -> None:
        def once(listener: socket.socket) -> None:
            link, _ = listener.accept()
            with link:
                link.recv(65536)
                link.sendall(b"HTTP/1.1 206 Partial Content\r\nContent-Length: NaN\r\n\r\n")

        with socket.create_server(("127.0.0.1", 0)) as listener:
            below = threading.Thread(target=once, args=(listener,))
            below.start()
            with RewritingServer(f"http://127.0.0.1:{listener.getsockname()[1]}") as server:
                with pytest.raises(OSError):
                    urllib.request.urlopen(f"{server.url}/box/k")
                assert server.losses
            below.join()

    def test_head_has_a_length_and_no_body(self, aws: Aws) -> None:
        _, s3 = aws("s3")
        bucket(s3, "key")
        assert s3.head_object(Bucket="box", Key="key")["ContentLength"] == 3
        with pytest.raises(ClientError) as refused:
            s3.head_object(Bucket="box", Key="absent")
        assert code_of(refused) == "404"

    def test_one_connection_serves_many_requests(self, aws: Aws) -> None:
        server, _ = aws("s3")
        parts = urlsplit(server.url)
        with socket.create_connection((str(parts.hostname), parts.port or 0), timeout=10) as link:
            for _ in range(3):
                link.sendall(b"GET /moto-api/ HTTP/1.1\r\nHost: x\r\n\r\n")
                received = b""
                while b"</html>" not in received.lower():
                    piece = link.recv(65536)
                    assert piece
                    received += piece
                assert received.startswith(b"HTTP/1.1 200")
        assert server.count == 3

    def test_a_server_below_that_is_down_closes_the_connection(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with RewritingServer(url) as server, pytest.raises(BotoCoreError):
            client("s3", server.url).list_buckets()
        assert len(server.losses) == 1

    def test_azure_signatures_stay_valid(self, azure: Azure) -> None:
        """Azurite verifies them, so passing on must not change what they cover."""
        _, blobs = azure("blob")
        container = blobs.create_container("box")
        container.upload_blob("a/b c.txt", b"content" * 1000)
        assert container.download_blob("a/b c.txt").readall() == b"content" * 1000
        _, queues = azure("queue")
        queue = queues.create_queue("line")
        queue.send_message("hello")
        assert [message.content for message in queue.receive_messages()] == ["hello"]
        _, tables = azure("table")
        things = tables.create_table("things")
        things.create_entity({"PartitionKey": "p", "RowKey": "r 1", "n": 1})
        assert things.get_entity("p", "r 1")["n"] == 1
        assert things.submit_transaction(
            [("upsert", {"PartitionKey": "p", "RowKey": str(n)}) for n in range(3)]
        )

    def test_a_wrong_azure_key_is_still_refused(self, azure: Azure) -> None:
        _, blobs = azure("blob", key="d3Jvbmc=")
        with pytest.raises(HttpResponseError) as refused:
            blobs.create_container("box")
        assert refused.value.status_code == 403

    @pytest.mark.parametrize("service", ["blob", "queue", "table"])
    def test_a_changed_request_is_let_in_only_if_it_was_before(self, azure: Azure, service: str) -> None:
        def changed(request: Request) -> Request:
            return request.with_header("x-ms-client-request-id", "another")

        rule = Rule(name="changed", matches=lambda _: True, on_request=changed)
        _, right = azure(service, rule)
        _, wrong = azure(service, rule, key="d3Jvbmc=")
        right.get_service_properties()
        with pytest.raises(HttpResponseError) as refused:
            wrong.get_service_properties()
        assert refused.value.status_code == 403

    def test_a_mistake_in_a_rule_reaches_the_test(self, moto: targets.Running) -> None:
        def broken(request: Request) -> Request:
            raise ZeroDivisionError

        rule = Rule(name="broken", matches=lambda _: True, on_request=broken)
        with (
            pytest.raises(ZeroDivisionError),
            RewritingServer(str(moto.endpoint("s3")), [rule]) as server,
            pytest.raises(BotoCoreError),
        ):
            client("s3", server.url).list_buckets()

    def test_stopping_twice_is_stopping_once(self, moto: targets.Running) -> None:
        server = RewritingServer(str(moto.endpoint("s3"))).start()
        server.stop()
        server.stop()
        with pytest.raises(OSError):
            urllib.request.urlopen(server.url, timeout=2)


class TestRefusals:
    def test_reject_speaks_xml_to_s3(self, aws: Aws) -> None:
        server, s3 = aws(
            "s3", rewriting.reject("s3.PutObject", 400, "InvalidStorageClass", "No such <class>.")
        )
        bucket(s3)
        with pytest.raises(ClientError) as refused:
            s3.put_object(Bucket="box", Key="k", Body=b"")
        assert code_of(refused) == "InvalidStorageClass"
        assert refused.value.response["Error"]["Message"] == "No such <class>."
        assert server.hits == {"reject": 1}

    def test_reject_speaks_json_to_dynamodb(self, aws: Aws) -> None:
        _, dynamodb = aws(
            "dynamodb", rewriting.reject("dynamodb.PutItem", 400, "ValidationException", "Too odd.")
        )
        table(dynamodb)
        with pytest.raises(dynamodb.exceptions.ClientError, match="Too odd") as refused:
            dynamodb.put_item(TableName="t", Item={"id": {"S": "1"}})
        assert code_of(refused) == "ValidationException"

    @pytest.mark.parametrize(
        ("service", "operation", "call"),
        [
            ("blob", "blob.Container_Create", lambda each: each.create_container("box")),
            ("queue", "queue.Queue_Create", lambda each: each.create_queue("line")),
            ("table", "table.Table_Create", lambda each: each.create_table("things")),
        ],
    )
    def test_reject_speaks_as_each_azure_service(
        self, azure: Azure, service: str, operation: str, call: Callable[[Any], Any]
    ) -> None:
        server, connected = azure(service, rewriting.reject(operation, 409, "AccountIsBusy", "Not now."))
        with pytest.raises(HttpResponseError) as refused:
            call(connected)
        assert refused.value.status_code == 409
        assert "AccountIsBusy" in str(refused.value)
        assert "Not now." in str(refused.value)
        assert server.hits["reject"] == 1

    def test_reject_only_some_arguments(self, aws: Aws) -> None:
        rule = rewriting.reject("s3.PutObject", 400, "KeyTooOdd", when=lambda request: "odd" in request.path)
        _, s3 = aws("s3", rule)
        bucket(s3, "even")
        with pytest.raises(ClientError):
            s3.put_object(Bucket="box", Key="odd", Body=b"")

    def test_reject_parameter_in_header_query_or_body(self, aws: Aws) -> None:
        _, s3 = aws(
            "s3",
            rewriting.reject_parameter("s3.PutObject", "x-amz-storage-class"),
            rewriting.reject_parameter("s3.ListObjectsV2", "delimiter"),
        )
        bucket(s3, "k")
        s3.list_objects_v2(Bucket="box")
        for refused in (
            lambda: s3.put_object(Bucket="box", Key="k", Body=b"", StorageClass="GLACIER"),
            lambda: s3.list_objects_v2(Bucket="box", Delimiter="/"),
        ):
            with pytest.raises(ClientError, match="InvalidArgument"):
                refused()
        _, dynamodb = aws("dynamodb", rewriting.reject_parameter("dynamodb.Scan", "IndexName"))
        table(dynamodb)
        dynamodb.scan(TableName="t")
        with pytest.raises(ClientError, match="IndexName is not allowed"):
            dynamodb.scan(TableName="t", IndexName="index")

    def test_limit_size(self, aws: Aws) -> None:
        _, s3 = aws("s3", rewriting.limit_size("s3.PutObject", 1000))
        bucket(s3, "small")
        with pytest.raises(ClientError, match="EntityTooLarge"):
            s3.put_object(Bucket="box", Key="large", Body=b"x" * 1001)

    def test_deny_in_the_words_of_each(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.deny("s3.GetObject"))
        bucket(s3, "k")
        with pytest.raises(ClientError, match="AccessDenied") as refused:
            s3.get_object(Bucket="box", Key="k")
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
        _, dynamodb = aws("dynamodb", rewriting.deny("dynamodb.ListTables"))
        with pytest.raises(ClientError, match="AccessDeniedException"):
            dynamodb.list_tables()
        _, blobs = azure("blob", rewriting.deny("blob.*"))
        with pytest.raises(HttpResponseError, match="AuthorizationPermissionMismatch"):
            blobs.create_container("box")

    def test_require_signature_lets_the_right_key_pass_and_no_other(self, aws: Aws) -> None:
        rule = rewriting.require_signature("right")
        _, s3 = aws("s3", rule, secret="right", signature_version="s3v4")
        bucket(s3, "a key/with + odd (signs)~ü")
        assert s3.list_objects_v2(Bucket="box", Prefix="a key/")["KeyCount"] == 1
        link = s3.generate_presigned_url(
            "get_object", Params={"Bucket": "box", "Key": "a key/with + odd (signs)~ü"}
        )
        with urllib.request.urlopen(link) as answer:
            assert answer.status == 200
        with pytest.raises(OSError, match="403"):
            urllib.request.urlopen(link.replace("Signature=", "Signature=0"))
        server, wrong = aws("s3", rule, secret="wrong")
        with pytest.raises(ClientError, match="SignatureDoesNotMatch"):
            wrong.list_buckets()
        assert server.hits["require_signature"] == 1
        _, dynamodb = aws("dynamodb", rule, secret="right")
        table(dynamodb, "1")
        _, wrong = aws("dynamodb", rule, secret="wrong")
        with pytest.raises(ClientError, match="UnrecognizedClientException"):
            wrong.list_tables()

    def test_throttle_every_third(self, aws: Aws) -> None:
        server, s3 = aws("s3", rewriting.throttle(3))
        bucket(s3, "one")
        with pytest.raises(ClientError, match="SlowDown"):
            s3.put_object(Bucket="box", Key="two", Body=b"")
        s3.put_object(Bucket="box", Key="two", Body=b"")
        assert server.hits["throttle"] == 1
        _, dynamodb = aws("dynamodb", rewriting.throttle(1))
        with pytest.raises(ClientError, match="ProvisionedThroughputExceededException"):
            dynamodb.list_tables()


class TestOtherAnswers:
    def test_forgive_takes_what_is_refused_below(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.forgive("s3.DeleteBucket"))
        s3.delete_bucket(Bucket="never-made")
        _, queues = azure("queue", rewriting.forgive("queue.Queue_Delete", status=204))
        queues.delete_queue("never-made")

    def test_change_status(self, azure: Azure) -> None:
        server, queues = azure("queue", rewriting.change_status("queue.Queue_Create", 201, 204))
        with pytest.raises(ResourceExistsError):  # which is what 204 means there
            queues.create_queue("line")
        assert server.hits["change_status"] == 1

    def test_change_code_in_all_three_forms(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.change_code("s3.*", "NoSuchBucket", "NotFoundAtAll"))
        with pytest.raises(ClientError) as refused:
            s3.list_objects_v2(Bucket="absent")
        assert code_of(refused) == "NotFoundAtAll"
        rule = rewriting.change_code("dynamodb.*", "ResourceNotFoundException", "TableNotFoundException")
        _, dynamodb = aws("dynamodb", rule)
        with pytest.raises(ClientError) as refused:
            dynamodb.describe_table(TableName="absent")
        assert code_of(refused) == "TableNotFoundException"
        _, blobs = azure("blob", rewriting.change_code("blob.*", "ContainerNotFound", "NoContainer"))
        with pytest.raises(ResourceNotFoundError) as missing:
            blobs.delete_container("absent")
        assert missing.value.error_code == "NoContainer"
        _, tables = azure("table", rewriting.change_code("table.*", "TableNotFound", "NoTable"))
        with pytest.raises(HttpResponseError, match="NoTable"):
            tables.get_table_client("absent").get_entity("p", "r")

    def test_change_message_leaves_the_code(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.change_message("*", "Said otherwise."))
        with pytest.raises(ClientError, match=r"NoSuchBucket.*Said otherwise\."):
            s3.list_objects_v2(Bucket="absent")
        _, dynamodb = aws("dynamodb", rewriting.change_message("*", "Said otherwise."))
        with pytest.raises(ClientError, match=r"ResourceNotFoundException.*Said otherwise\."):
            dynamodb.describe_table(TableName="absent")
        _, tables = azure("table", rewriting.change_message("*", "Said otherwise."))
        with pytest.raises(HttpResponseError, match=r"Said otherwise\."):
            tables.get_table_client("absent").get_entity("p", "r")

    def test_drop_field_of_body_and_header(self, aws: Aws) -> None:
        _, s3 = aws(
            "s3",
            rewriting.drop_field("s3.ListObjectsV2", "Contents.ETag"),
            rewriting.drop_field("s3.HeadObject", "header:ETag"),
        )
        bucket(s3, "k")
        (listed,) = s3.list_objects_v2(Bucket="box")["Contents"]
        assert "ETag" not in listed
        assert listed["Key"] == "k"
        assert "ETag" not in s3.head_object(Bucket="box", Key="k")
        _, dynamodb = aws("dynamodb", rewriting.drop_field("dynamodb.GetItem", "Item.n"))
        table(dynamodb, "1")
        assert dynamodb.get_item(TableName="t", Key={"id": {"S": "1"}})["Item"] == {"id": {"S": "1"}}

    def test_change_field_to_a_constant_or_by_a_function(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws(
            "s3",
            rewriting.change_field("s3.ListObjectsV2", "Contents.Size", "77"),
            rewriting.change_field("s3.ListObjectsV2", "Contents.Key", str.upper),
        )
        bucket(s3, "k")
        (listed,) = s3.list_objects_v2(Bucket="box")["Contents"]
        assert (listed["Size"], listed["Key"]) == (77, "K")
        _, dynamodb = aws("dynamodb", rewriting.change_field("dynamodb.Scan", "Count", 5))
        table(dynamodb, "1")
        assert dynamodb.scan(TableName="t")["Count"] == 5
        _, tables = azure("table", rewriting.change_field("table.Table_QueryEntities*", "n", 8))
        things = tables.create_table("things")
        things.create_entity({"PartitionKey": "p", "RowKey": "r", "n": 1})
        assert things.get_entity("p", "r")["n"] == 8

    def test_add_field(self, aws: Aws) -> None:
        server, dynamodb = aws(
            "dynamodb", rewriting.add_field("dynamodb.ListTables", "LastEvaluatedTableName", "t")
        )
        assert dynamodb.list_tables()["LastEvaluatedTableName"] == "t"
        assert server.hits["add_field"] == 1
        _, s3 = aws(
            "s3",
            rewriting.add_field("s3.ListObjectsV2", "StartAfter", "a"),
            rewriting.add_field("s3.HeadBucket", "header:x-amz-bucket-region", "mars-1"),
        )
        bucket(s3)
        assert s3.list_objects_v2(Bucket="box")["StartAfter"] == "a"
        assert s3.head_bucket(Bucket="box")["BucketRegion"] == "mars-1"

    def test_reverse_list_and_drop_last(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.reverse_list("s3.ListObjectsV2", "Contents"))
        bucket(s3, "a", "b", "c")
        assert [each["Key"] for each in s3.list_objects_v2(Bucket="box")["Contents"]] == ["c", "b", "a"]
        _, dynamodb = aws("dynamodb", rewriting.reverse_list("dynamodb.Scan", "Items"))
        table(dynamodb, "1", "2")
        (plain,) = dynamodb.get_paginator("scan").paginate(TableName="t", PaginationConfig={"PageSize": 10})
        assert [each["id"]["S"] for each in plain["Items"]] == ["2", "1"]
        _, blobs = azure("blob", rewriting.drop_last("blob.Container_ListBlobFlatSegment", "Blob"))
        container = blobs.create_container("box")
        for name in "abc":
            container.upload_blob(name, b"")
        assert [each.name for each in container.list_blobs()] == ["a", "b"]

    def test_page_size_makes_more_pages_and_loses_nothing(self, aws: Aws, azure: Azure) -> None:
        server, s3 = aws("s3", rewriting.page_size(2))
        bucket(s3, *"abcde")
        pages = list(s3.get_paginator("list_objects_v2").paginate(Bucket="box"))
        assert [len(page["Contents"]) for page in pages] == [2, 2, 1]
        assert server.hits["page_size"] == 3
        _, dynamodb = aws("dynamodb", rewriting.page_size(2))
        table(dynamodb, *"12345")
        scanned = list(dynamodb.get_paginator("scan").paginate(TableName="t"))
        assert max(len(page["Items"]) for page in scanned) == 2
        assert sum(len(page["Items"]) for page in scanned) == 5
        assert len(dynamodb.scan(TableName="t", Limit=1)["Items"]) == 1
        _, blobs = azure("blob", rewriting.page_size(2))
        container = blobs.create_container("box")
        for name in "abc":
            container.upload_blob(name, b"")
        assert [len(list(page)) for page in container.list_blobs().by_page()] == [2, 1]
        _, tables = azure("table", rewriting.page_size(2))
        things = tables.create_table("things")
        for name in "abc":
            things.create_entity({"PartitionKey": "p", "RowKey": name})
        assert [len(list(page)) for page in things.list_entities().by_page()] == [2, 1]
        with pytest.raises(HttpResponseError):
            list(things.list_entities(results_per_page=-1))  # what is no number of items stays one

    def test_change_body_of_an_object(self, aws: Aws) -> None:
        _, s3 = aws("s3", rewriting.change_body("s3.GetObject", lambda body: body[:2]))
        bucket(s3, "object")
        assert s3.get_object(Bucket="box", Key="object")["Body"].read() == b"ob"

    def test_missing_configuration_is_404_until_it_is_set(self, aws: Aws) -> None:
        rule = rewriting.missing_configuration("s3.GetBucketAcl", "NoSuchAcl")
        _, s3 = aws("s3", rule)
        bucket(s3)
        with pytest.raises(ClientError, match="NoSuchAcl"):
            s3.get_bucket_acl(Bucket="box")
        s3.put_bucket_acl(Bucket="box", ACL="private")
        assert s3.get_bucket_acl(Bucket="box")["Grants"]

    def test_default_configuration_fills_in_for_404(self, aws: Aws) -> None:
        default = (
            b"<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>"
        )
        _, s3 = aws("s3", rewriting.default_configuration("s3.GetBucketCors", default))
        bucket(s3)
        assert s3.get_bucket_cors(Bucket="box")["CORSRules"] == [{"AllowedMethods": ["GET"]}]


class TestOtherState:
    def test_change_argument_stores_something_else(self, aws: Aws, azure: Azure) -> None:
        _, dynamodb = aws("dynamodb", rewriting.change_argument("dynamodb.PutItem", "Item.n.N", "2"))
        table(dynamodb, "1")
        assert dynamodb.get_item(TableName="t", Key={"id": {"S": "1"}})["Item"]["n"] == {"N": "2"}
        _, s3 = aws("s3", rewriting.change_argument("s3.PutObject", "header:Content-Type", "text/other"))
        bucket(s3)
        s3.put_object(Bucket="box", Key="k", Body=b"", ContentType="text/plain")
        assert s3.head_object(Bucket="box", Key="k")["ContentType"] == "text/other"
        server, tables = azure("table", rewriting.change_argument("table.Table_InsertEntity", "n", 2))
        things = tables.create_table("things")
        things.create_entity({"PartitionKey": "p", "RowKey": "r", "n": 1})
        assert things.get_entity("p", "r")["n"] == 2
        assert server.hits["change_argument"] == 1

    def test_swallow_write_says_yes_and_does_nothing(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.swallow_write("s3.PutObject"))
        bucket(s3, "k")
        assert s3.list_objects_v2(Bucket="box")["KeyCount"] == 0
        _, dynamodb = aws("dynamodb", rewriting.swallow_write("dynamodb.DeleteItem"))
        table(dynamodb, "1")
        dynamodb.delete_item(TableName="t", Key={"id": {"S": "1"}})
        assert dynamodb.scan(TableName="t")["Count"] == 1
        _, blobs = azure("blob", rewriting.swallow_write("blob.Blob_Delete"))
        container = blobs.create_container("box")
        container.upload_blob("k", b"1")
        container.delete_blob("k")
        assert container.download_blob("k").readall() == b"1"
        _, tables = azure("table", rewriting.swallow_write("table.Table_InsertEntity"))
        things = tables.create_table("things")
        things.create_entity({"PartitionKey": "p", "RowKey": "r"})
        assert list(things.list_entities()) == []

    def test_repeat_write_does_it_twice(self, azure: Azure) -> None:
        server, queues = azure("queue", rewriting.repeat_write("queue.Messages_Enqueue"))
        queue = queues.create_queue("line")
        queue.send_message("once")
        assert len(list(queue.receive_messages())) == 2
        assert server.hits["repeat_write"] == 1

    def test_lose_answer_does_it_and_says_nothing(self, aws: Aws) -> None:
        server, s3 = aws("s3", rewriting.lose_answer("s3.PutObject"))
        s3.create_bucket(Bucket="box")
        with pytest.raises(BotoCoreError):
            s3.put_object(Bucket="box", Key="k", Body=b"1")
        assert server.hits["lose_answer"] == 1
        assert s3.get_object(Bucket="box", Key="k")["Body"].read() == b"1"

    def test_delay_recreation_in_all_five(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.delay_recreation(2))
        s3.create_bucket(Bucket="box")
        s3.delete_bucket(Bucket="box")
        for _ in range(2):
            with pytest.raises(ClientError, match="OperationAborted"):
                s3.create_bucket(Bucket="box")
        s3.create_bucket(Bucket="box")
        _, dynamodb = aws("dynamodb", rewriting.delay_recreation(1))
        table(dynamodb)
        dynamodb.delete_table(TableName="t")
        with pytest.raises(ClientError, match="ResourceInUseException"):
            table(dynamodb)
        table(dynamodb)
        _, blobs = azure("blob", rewriting.delay_recreation(1))
        blobs.create_container("box")
        blobs.delete_container("box")
        blobs.create_container("another")
        with pytest.raises(ResourceExistsError, match="ContainerBeingDeleted"):
            blobs.create_container("box")
        blobs.create_container("box")
        _, queues = azure("queue", rewriting.delay_recreation(1))
        queues.create_queue("line")
        queues.delete_queue("line")
        with pytest.raises(ResourceExistsError, match="QueueBeingDeleted"):
            queues.create_queue("line")
        _, tables = azure("table", rewriting.delay_recreation(1))
        tables.create_table("things")
        tables.delete_table("things")
        with pytest.raises(HttpResponseError, match="TableBeingDeleted"):
            tables.create_table("things")
        tables.create_table("things")

    def test_delay_visibility_hides_what_is_new(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.delay_visibility(1))
        bucket(s3, "k")
        with pytest.raises(ClientError, match="NoSuchKey"):
            s3.get_object(Bucket="box", Key="k")
        assert s3.get_object(Bucket="box", Key="k")["Body"].read() == b"k"
        _, dynamodb = aws("dynamodb", rewriting.delay_visibility(1))
        table(dynamodb, "1", "2")
        for each in "12":
            key = {"id": {"S": each}}
            assert "Item" not in dynamodb.get_item(TableName="t", Key=key)
            assert "Item" in dynamodb.get_item(TableName="t", Key=key)
        _, blobs = azure("blob", rewriting.delay_visibility(1))
        container = blobs.create_container("box")
        container.upload_blob("k", b"1")
        with pytest.raises(ResourceNotFoundError):
            container.download_blob("k")
        assert container.download_blob("k").readall() == b"1"
        _, queues = azure("queue", rewriting.delay_visibility(1))
        queue = queues.create_queue("line")
        queue.send_message("late")
        assert list(queue.receive_messages()) == []
        assert [each.content for each in queue.receive_messages()] == ["late"]
        _, tables = azure("table", rewriting.delay_visibility(1))
        things = tables.create_table("things")
        things.create_entity({"PartitionKey": "p", "RowKey": "r"})
        with pytest.raises(ResourceNotFoundError):
            things.get_entity("p", "r")
        assert things.get_entity("p", "r")["RowKey"] == "r"

    def test_stale_read_gives_the_value_before(self, aws: Aws) -> None:
        _, s3 = aws("s3", rewriting.stale_read(1, "s3.GetObject"))
        bucket(s3, "k")
        assert s3.get_object(Bucket="box", Key="k")["Body"].read() == b"k"
        s3.put_object(Bucket="box", Key="k", Body=b"new")
        assert [s3.get_object(Bucket="box", Key="k")["Body"].read() for _ in range(2)] == [b"k", b"new"]


class TestServersInTrouble:
    def test_die_after(self, aws: Aws) -> None:
        server, s3 = aws("s3", rewriting.die_after(2))
        s3.list_buckets()
        s3.list_buckets()
        for _ in range(2):
            with pytest.raises(BotoCoreError):
                s3.list_buckets()
        assert server.hits["die_after"] == 2

    def test_hang(self, aws: Aws) -> None:
        _, s3 = aws("s3", rewriting.hang("s3.GetObject"), read_timeout=0.3)
        with pytest.raises(ReadTimeoutError):
            s3.get_object(Bucket="box", Key="k")

    def test_garbage(self, aws: Aws, azure: Azure) -> None:
        _, s3 = aws("s3", rewriting.garbage())
        with pytest.raises(BotoCoreError):
            s3.list_buckets()
        _, blobs = azure("blob", rewriting.garbage())
        with pytest.raises(ServiceResponseError):
            blobs.create_container("box")

    def test_garbage_that_is_http_and_no_answer(self, aws: Aws) -> None:
        page = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<html><p>"
        _, s3 = aws("s3", rewriting.garbage(data=page))
        with pytest.raises((BotoCoreError, ClientError)):
            s3.list_buckets()


def test_rules_apply_in_their_order_and_count_only_when_they_change_something(aws: Aws) -> None:
    server, s3 = aws(
        "s3",
        rewriting.change_code("s3.*", "NoSuchBucket", "First"),
        rewriting.change_code("s3.*", "First", "Second"),
        rewriting.drop_field("s3.*", "NoSuchField"),
    )
    with pytest.raises(ClientError, match="Second"):
        s3.list_objects_v2(Bucket="absent")
    assert server.hits == {"change_code": 2}


def test_an_error_without_a_known_service_is_plain_xml() -> None:
    told = error(Request(method="GET", target="/", headers=(("Host", "x"),)), 500, "Oops", "a & b")
    assert b"<Message>a &amp; b</Message>" in told.body
    assert json.loads(told.header("Content-Length")) == len(told.body)
