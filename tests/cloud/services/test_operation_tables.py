"""Every operation of the SDKs' models has an entry, and its own requests are recognised as it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import botocore.session
import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.services import SERVICES, Call, blob, dynamodb, generated, queue, s3, table
from likewise.cloud.services.generate import HERE, render
from likewise.cloud.services.service import Service, rules
from likewise.model import Effect, Scope


def test_the_committed_table_is_what_the_installed_sdks_say() -> None:
    assert HERE.read_text() == render()


def _models(service: str) -> Any:
    return botocore.session.get_session().get_service_model(service)


def test_every_s3_operation_has_an_entry() -> None:
    names = set(_models("s3").operation_names)
    assert len(names) == 116
    assert names - set(s3.ALIASES) <= set(s3.OPERATIONS)
    assert set(s3.OPERATIONS) - names == {"PostObject"}, "the form upload is no SDK operation"


def test_every_dynamodb_operation_has_an_entry() -> None:
    names = set(_models("dynamodb").operation_names)
    assert len(names) == 58
    assert set(dynamodb.OPERATIONS) == names


@pytest.mark.parametrize(
    ("module", "named", "count", "renamed"),
    [
        (blob, generated.BLOB, 71, {}),
        (queue, generated.QUEUE, 17, queue.NAMES),
        (table, generated.TABLE, 14, table.NAMES),
    ],
    ids=["blob", "queue", "table"],
)
def test_every_azure_operation_has_an_entry(
    module: Any, named: dict[str, str], count: int, renamed: dict[str, str]
) -> None:
    assert len(named) == count
    names = {renamed.get(name, name) for name in named}
    assert len(names) == count
    assert names <= set(module.OPERATIONS)
    extra = set(module.OPERATIONS) - names
    assert all(name.endswith("WithHead") or name == "Table_Batch" for name in extra)


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_every_node_that_a_table_mentions_can_be_found(service: type[Service]) -> None:
    instance = service()
    for name, entry in service.operations.items():
        call = Call(
            method="PUT", host="h", path="/", query={}, headers={}, status=200, operation=name, account="a"
        )
        call.names = ["first", "second", "third"]
        for rule in entry:
            for resource, _ in instance.find(rule.node, call):
                assert resource[0] == service.name


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)
def test_a_name_that_reads_does_not_write(service: type[Service]) -> None:
    """Get, Head, List, Describe and Query change nothing, and everything else does, but for a few."""
    readers = ("Get", "Head", "List", "Describe", "Query", "Peek", "Filter", "Download", "Scan", "Search")
    others = {"BatchGetItem", "TransactGetItems", "SelectObjectContent", "CreateSession"}
    for name, entry in service.operations.items():
        reads = name.rpartition("_")[2].startswith(readers) or name in others
        assert all(rule.verb in ("read", "look", "from", "probe") for rule in entry) == reads, name


def test_a_table_with_an_unknown_verb_is_refused() -> None:
    with pytest.raises(ValueError, match="PutThing"):
        rules({"PutThing": "scribble bucket"})


def _example(shape: Any, depth: int = 0) -> Any:
    """The least that a shape's model accepts."""
    match shape.type_name:
        case "structure":
            names = shape.required_members or (list(shape.members)[:1] if shape.is_tagged_union else [])
            return {name: _example(shape.members[name], depth + 1) for name in names}
        case "list":
            return [_example(shape.member, depth + 1)]
        case "map":
            return {}
        case "integer" | "long" | "float" | "double":
            return 1
        case "boolean":
            return True
        case "timestamp":
            return 0
        case "blob":
            return b"content"
    text = shape.enum[0] if getattr(shape, "enum", None) else "example-name"
    return text.ljust(shape.metadata.get("min", 0), "x")


def _sent(style: str) -> Iterator[tuple[str, Exchange]]:
    """What botocore sends for each operation of S3."""
    caught: list[Any] = []

    def catch(request: Any, **_: Any) -> AWSResponse:
        caught.append(request)
        return AWSResponse(request.url, 200, {}, _Nothing())

    session = botocore.session.get_session()
    session.set_credentials("key", "secret")
    client = session.create_client(
        "s3", region_name="us-east-1", config=Config(s3={"addressing_style": style})
    )
    client.meta.events.register("before-send.s3", catch)
    for name in client.meta.service_model.operation_names:
        shape = client.meta.service_model.operation_model(name).input_shape
        parameters = _example(shape) if shape else {}
        if "Bucket" in parameters:
            parameters["Bucket"] = "example-bucket"
        if "CopySource" in parameters:
            parameters["CopySource"] = "example-bucket/source"
        caught.clear()
        try:
            client._make_api_call(name, parameters)
        except Exception:  # an empty answer is no answer to some; what was sent is what counts
            assert caught, name
        sent = caught[0]
        headers = {
            key.lower(): text.decode() if isinstance(text, bytes) else text
            for key, text in sent.headers.items()
        }
        yield name, Exchange(method=sent.method, url=sent.url, headers=headers, status=200)


class _Nothing:
    def stream(self, **_: Any) -> Iterator[bytes]:
        return iter(())

    def read(self, *_: Any) -> bytes:
        return b""


@pytest.mark.parametrize("style", ["path", "virtual"])
def test_every_s3_request_is_recognised_as_itself(style: str) -> None:
    wrong = {}
    count = 0
    for name, exchange in _sent(style):
        count += 1
        found = Interpreter().interpret(exchange, order=0)
        if str(found.operation) != f"s3.{s3.ALIASES.get(name, name)}":
            wrong[name] = f"{found.operation}: {exchange.method} {exchange.url}"
    assert not wrong
    assert count == 116


def _built(package: str, modules: list[str]) -> Iterator[tuple[str, Any]]:
    """The requests that an Azure SDK's own builders make from the least they accept."""
    for module in modules:
        loaded = import_module(f"{package}._generated.operations.{module}")
        for name, build in inspect.getmembers(loaded, inspect.isfunction):
            if not name.startswith("build_"):
                continue
            arguments = {}
            for parameter in inspect.signature(build).parameters.values():
                if (
                    parameter.default is inspect.Parameter.empty
                    and parameter.kind is not parameter.VAR_KEYWORD
                ):
                    kind = str(parameter.annotation)
                    arguments[parameter.name] = 1 if kind in ("int", "<class 'int'>") else "name"
            if 'kwargs.pop("content_type")' in inspect.getsource(build):
                arguments["content_type"] = "application/xml"
            if "ranges_diff" in name:
                arguments["prevsnapshot"] = "2024-01-01T00:00:00Z"
            for date in ("expires_on", "immutability_policy_expiry"):
                if arguments.get(date):
                    arguments[date] = None
            yield f"{module}.{name}", (build, arguments)


_BLOB_LEVELS = {"service": "", "container": "/names"}


def test_every_blob_request_is_recognised_as_itself() -> None:
    groups = ["service", "container", "blob", "block_blob", "append_blob", "page_blob"]
    found = set()
    for label, (build, arguments) in _built("azure.storage.blob", [f"_{g}_operations" for g in groups]):
        group = label.partition(".")[0].removeprefix("_").removesuffix("_operations")
        arguments["url"] = "https://account.blob.core.windows.net" + _BLOB_LEVELS.get(group, "/names/blob")
        request = build(**arguments)
        headers = {key.lower(): text for key, text in request.headers.items()}
        exchange = Exchange(method=request.method, url=request.url, headers=headers, status=200)
        interaction = Interpreter().interpret(exchange, order=0)
        wanted = "".join(
            part.capitalize() for part in label.rpartition("build_")[2].removesuffix("_request").split("_")
        )
        got = interaction.operation.name.replace("URL", "Url").replace("HTTP", "Http")
        wanted_group = "".join(part.capitalize() for part in group.split("_"))
        assert got == f"{wanted_group}_{wanted}", f"{request.method} {request.url}"
        found.add(interaction.operation.name)
    assert found == set(generated.BLOB)


@pytest.mark.parametrize(
    ("package", "host", "renamed", "named"),
    [
        ("azure.storage.queue", "https://account.queue.core.windows.net", queue.NAMES, generated.QUEUE),
        ("azure.data.tables", "https://account.table.core.windows.net", table.NAMES, generated.TABLE),
    ],
    ids=["queue", "table"],
)
def test_every_queue_and_table_request_is_recognised_as_itself(
    package: str, host: str, renamed: dict[str, str], named: dict[str, str]
) -> None:
    found = set()
    for label, (build, arguments) in _built(package, ["_operations"]):
        request = build(**arguments)
        name = label.rpartition("build_")[2].removesuffix("_request")
        inside = "/names" if package.endswith("queue") and name.startswith("queue") else ""
        headers = {key.lower(): text for key, text in request.headers.items()}
        exchange = Exchange(
            method=request.method, url=host + inside + request.url, headers=headers, status=200
        )
        operation = Interpreter().interpret(exchange, order=0).operation.name
        group, _, rest = name.partition("_")
        wanted = f"{group.capitalize()}_{''.join(part.capitalize() for part in rest.split('_'))}"
        assert operation == renamed.get(wanted, wanted), f"{request.method} {exchange.url}"
        found.add(wanted)
    assert found == set(named)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_operation_that_no_table_knows_may_have_changed_the_whole_service(method: str) -> None:
    exchange = Exchange(
        method=method,
        url="https://bucket.s3.amazonaws.com/?somethingNew",
        headers={"authorization": "AWS4-HMAC-SHA256 Credential=K/20240101/us-east-1/s3/aws4_request"},
        status=200,
    )
    found = Interpreter().interpret(exchange, order=0)
    (touch,) = found.touches
    assert str(found.operation) == f"s3.{method} /?somethingNew"
    assert (touch.resource, touch.effect, touch.scope) == (("s3",), Effect.WRITE, Scope.SUBTREE)
