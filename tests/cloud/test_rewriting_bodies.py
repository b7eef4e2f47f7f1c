"""Rules change what they can read of a message, and nothing else."""

from __future__ import annotations

import pytest

from likewise.cloud.rewriting import Request, trees
from likewise.cloud.rewriting.states import container_of, identity


@pytest.mark.parametrize(
    "body", [b"<!doctype html><title>500</title>", b"<half", b'{"half": ', b"[1, 2", b"text", b""]
)
def test_what_is_neither_json_nor_xml_passes_unchanged(body: bytes) -> None:
    assert trees.change(body, "Code", lambda _: "other") == body
    assert trees.reverse(body, "Code") == trees.without_last(body, "Code") == body
    assert trees.add(body, "Code", "1") == body


@pytest.mark.parametrize("body", [b"{", b'{"TableName": ["t"], "Item": 1}', b"[]"])
def test_what_a_strange_request_is_about_can_be_asked(body: bytes) -> None:
    target = (("X-Amz-Target", "DynamoDB_20120810.PutItem"),)
    request = Request(method="POST", target="/", headers=target, body=body, service_hint="dynamodb")
    assert isinstance(container_of(request), str)
    assert isinstance(identity(request), frozenset)
