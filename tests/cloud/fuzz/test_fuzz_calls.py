"""The seam of the fuzzer: calls with names and references, executed through the real SDKs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from likewise.cloud import targets
from likewise.cloud.fuzz.calls import Answer, Call, Name, Ref, Side, Text, Unresolved, resolve
from likewise.cloud.fuzz.sides import open_side
from likewise.cloud.fuzz.sides.azure import _header
from likewise.model import Role


def test_names_and_references_are_replaced_wherever_they_stand() -> None:
    earlier = Answer(success=True, fields={"Uploads": [{"UploadId": "u-1"}]})
    params = {
        "Bucket": Name("bucket"),
        "Parts": [{"Upload": Ref(0, ("Uploads", 0, "UploadId"))}],
        "CopySource": Text(("/", Name("bucket"), "/key")),
        Name("bucket"): 7,
    }
    assert resolve(params, {Name("bucket"): "box"}, [earlier]) == {
        "Bucket": "box",
        "Parts": [{"Upload": "u-1"}],
        "CopySource": "/box/key",
        "box": 7,
    }


@pytest.mark.parametrize("path", [("Missing",), ("Uploads", 3), ("Uploads", "x")])
def test_a_reference_to_nothing_is_said_to_be_one(path: tuple[str | int, ...]) -> None:
    earlier = Answer(success=True, fields={"Uploads": [1]})
    with pytest.raises(Unresolved, match="call 0 gave no"):
        resolve(Ref(0, path), {}, [earlier])


@pytest.fixture(scope="module")
def sides() -> Iterator[dict[str, Side]]:
    opened: dict[str, Side] = {}
    running = []
    for name, services in (("moto", ("s3", "dynamodb")), ("azurite", ("blob", "queue", "table"))):
        spec = targets.find(name)
        if targets.locate(spec, targets.default_cache()) is None:
            pytest.skip(f"{name} is not installed: {targets.install_command(spec)}")
        running.append(targets.start(spec, role=Role.CANDIDATE))
        opened |= {service: open_side(running[-1], service) for service in services}
    yield opened
    for each in running:
        each.stop()


@pytest.mark.server
class TestServices:
    """The five services answer a write, a read, and a read of what is not there."""

    def ask(self, side: Side, operation: str, **params: object) -> Answer:
        return side.call(Call(service=side.service, operation=operation, params=params))

    def test_s3(self, sides: dict[str, Side]) -> None:
        s3 = sides["s3"]
        assert self.ask(s3, "CreateBucket", Bucket="box").success
        assert self.ask(s3, "PutObject", Bucket="box", Key="k", Body=b"hello").success
        assert self.ask(s3, "GetObject", Bucket="box", Key="k").fields["Body"] == "hello"
        missing = self.ask(s3, "GetObject", Bucket="box", Key="none")
        assert (missing.success, missing.status, missing.code) == (False, 404, "NoSuchKey")
        sent = s3.sent
        assert "Key" in self.ask(s3, "GetObject", Bucket="box").refused
        assert s3.sent == sent, "what the SDK refuses is not sent"

    def test_dynamodb(self, sides: dict[str, Side]) -> None:
        assert self.ask(sides["dynamodb"], "ListTables").fields == {"TableNames": []}
        assert self.ask(sides["dynamodb"], "DescribeTable", TableName="none").code == (
            "ResourceNotFoundException"
        )

    def test_blob(self, sides: dict[str, Side]) -> None:
        blob = sides["blob"]
        assert self.ask(blob, "Container_Create", container="box").status == 201
        uploaded = self.ask(
            blob, "BlockBlob_Upload", container="box", blob="a/b c", body=b"hi", metadata={"x": "1"}
        )
        assert uploaded.status == 201
        found = self.ask(blob, "Blob_Download", container="box", blob="a/b c")
        assert found.fields["body"] == "hi"
        assert found.fields["headers"]["x-ms-meta-x"] == "1"
        assert self.ask(blob, "Blob_Download", container="box", blob="none").code == "BlobNotFound"
        assert self.ask(blob, "Blob_Download", container="box", blob="a", timeout="soon").refused

    def test_queue(self, sides: dict[str, Side]) -> None:
        queue = sides["queue"]
        assert self.ask(queue, "Queue_Create", queue="line").status == 201
        message = {"QueueMessage": {"MessageText": "<hi>"}}
        assert self.ask(queue, "Messages_Enqueue", queue="line", body=message).status == 201
        (got,) = self.ask(queue, "Messages_Dequeue", queue="line").fields["body"]["QueueMessagesList"][
            "QueueMessage"
        ]
        assert got["MessageText"] == "<hi>"

    def test_table(self, sides: dict[str, Side]) -> None:
        table = sides["table"]
        assert self.ask(table, "Table_Create", body={"json": {"TableName": "people"}}).status == 201
        entity = {"json": {"PartitionKey": "p", "RowKey": "r", "age": 7}}
        assert self.ask(table, "Table_InsertEntity", table="people", body=entity).status == 201
        again = self.ask(table, "Table_InsertEntity", table="people", body=entity)
        assert (again.status, again.code) == (409, "EntityAlreadyExists")


def test_metadata_keeps_the_letters_that_it_was_given() -> None:
    assert _header("x-ms-meta-Size_2") == _header("X-Ms-Meta-Size_2") == "x-ms-meta-Size_2"
    assert _header("X-Ms-Lease-State") == "x-ms-lease-state"
