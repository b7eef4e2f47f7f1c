"""Every argument that a condition may name shows in a recorded call that has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fake_side import Nowhere

from likewise.cloud.exchange import Exchange
from likewise.cloud.fuzz.calls import Call, Name, Ref, Text
from likewise.cloud.fuzz.catalogue.known import UNSEEN
from likewise.cloud.fuzz.grammar import Member, OperationShape, load
from likewise.cloud.fuzz.hints import hints_of
from likewise.cloud.fuzz.planning.plans import Planner
from likewise.cloud.fuzz.sides import open_side
from likewise.cloud.interpret import Interpreter
from likewise.decide import Discrepant
from likewise.model import Interaction

KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
HOST = "http://127.0.0.1:9"
URL = f"{HOST}/devstoreaccount1"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "a",
    "AWS_SECRET_ACCESS_KEY": "b",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AZURE_STORAGE_CONNECTION_STRING": "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;"
    f"AccountKey={KEY};BlobEndpoint={URL};QueueEndpoint={URL};TableEndpoint={URL};",
}
PLAIN = {"string": "abc", "integer": 3, "float": 1.5, "boolean": True, "blob": b"abc"}
MOMENT = "2024-01-01T00:00:00Z"


class Unreached(Nowhere):
    """A target at which no request arrives."""

    def endpoint(self, service: str) -> str:
        return HOST if service in ("s3", "dynamodb") else URL

    def environment(self) -> dict[str, str]:
        return ENVIRONMENT

    def apply(self, environment: Any) -> dict[str, str]:
        return {**environment, **ENVIRONMENT}


def value(member: Member, depth: int = 4) -> Any:
    """Some value of a parameter."""
    inner = member.members if depth else ()
    match member.kind:
        case _ if member.enum:
            return member.enum[0]
        case "timestamp":
            return MOMENT
        case "list":
            return [value(each, depth - 1) for each in inner] or ["a"]
        case "map":
            return {"k": value(inner[-1], depth - 1) if inner else "v"}
        case "structure":
            return {each.name: value(each, depth - 1) for each in inner[:3]}
    return PLAIN.get(member.kind, "abc")


def plain(given: Any) -> Any:
    """A parameter with some text wherever an earlier call would have to give one."""
    if isinstance(given, Name | Ref | Text):
        return "lwname"
    if isinstance(given, dict):
        return {plain(key): plain(inner) for key, inner in given.items()}
    return [plain(inner) for inner in given] if isinstance(given, list | tuple) else given


class Requests:
    """What the SDK would send."""

    def __init__(self, service: str) -> None:
        self.service = service
        self.side: Any = open_side(Unreached(), service, timeout=1)  # type: ignore[arg-type]
        self.caught: list[Exchange] = []
        if service in ("s3", "dynamodb"):
            self.side._client.meta.events.register("before-send", self._catch)

    def of(self, call: Call) -> Interaction | None:
        """A call as it would be recorded; nothing where the SDK refuses it."""
        self.caught.clear()
        if self.service in ("s3", "dynamodb"):
            self.side.call(call)
        else:
            try:
                self._catch(self.side._build(call))
            except Exception:
                return None
        return Interpreter().interpret(self.caught[-1], order=0) if self.caught else None

    def _catch(self, request: Any, **_: object) -> None:
        body = request.body if hasattr(request, "body") else request.content
        body = body.read() if hasattr(body, "read") else body
        text = {name.lower(): _text(each) for name, each in request.headers.items()}
        content = body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else b""
        self.caught.append(
            Exchange(
                method=request.method,
                url=request.url,
                headers=text,
                body=content,
                status=200,
                service_hint=self.service,
            )
        )
        if self.service in ("s3", "dynamodb"):
            raise ConnectionError


def _text(header: Any) -> str:
    return header.decode() if isinstance(header, bytes) else str(header)


def optional(service: str) -> Iterator[tuple[OperationShape, Member]]:
    for shape in load(service):
        for member in shape.members:
            if not member.required and member.wire and member.wire.lower() not in UNSEEN:
                yield shape, member


@pytest.mark.parametrize("service", ["s3", "dynamodb", "blob", "queue", "table"])
def test_an_argument_that_a_condition_names_is_seen_where_it_is_given(service: str) -> None:
    planner, requests, tried = Planner(load(service), hints_of(service)), Requests(service), 0
    for shape, member in optional(service):
        usual = planner.typical(shape.name)
        params = plain({member.name: value(member), **usual})
        made = requests.of(Call(service=service, operation=shape.name, params=params))
        if made is not None:
            tried += 1
            only = Discrepant(names=frozenset(), only_with={str(made.operation): frozenset({member.wire})})
            assert not only.excuses(made), f"{shape.name} {member.name}"
    assert tried > 20
