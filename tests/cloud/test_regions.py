"""What happens in another region than the suite's own happens elsewhere, and is repeated there."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from likewise.canonical import key_world
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.regions import default_region, moved
from likewise.cloud.replay.cleaning import Created, read_created
from likewise.cloud.replay.request import read_endpoint, rebuild
from likewise.cloud.replay.signing import AwsSigner
from likewise.model import Effect, Interaction, Role, Touch, Trace

HOME, AWAY = "eu-west-1", "ca-central-1"
Step = tuple[str, str, str]
"""An operation, its region, and the content of the item."""


def exchange(step: Step) -> Exchange:
    operation, region, content = step
    scope = f"K/20240101/{region}/dynamodb/aws4_request"
    item = {"id": {"S": "1"}}
    body = {"TableName": "orders", "Key": item}
    if operation == "PutItem":
        body = {"TableName": "orders", "Item": {**item, "content": {"S": content}}}
    return Exchange(
        method="POST",
        url="http://127.0.0.1:5000/",
        headers={
            "authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=f",
            "x-amz-target": f"DynamoDB_20120810.{operation}",
            "content-type": "application/x-amz-json-1.0",
        },
        body=json.dumps(body).encode(),
        status=200,
        response_headers={"content-type": "application/x-amz-json-1.0"},
        response_body=b"{}",
    )


def read(*steps: Step, home: str = HOME) -> tuple[Interaction, ...]:
    interpreter = Interpreter(home=home)
    return tuple(interpreter.interpret(exchange(step), order=order) for order, step in enumerate(steps))


def last_key(*steps: Step) -> str:
    trace = Trace(test="test", role=Role.CANDIDATE, interactions=read(*steps))
    return key_world([trace], {})[0][-1].key


def test_a_region_is_named_only_where_it_is_not_the_suites_own() -> None:
    at_home, away = read(("GetItem", HOME, ""), ("GetItem", AWAY, ""))
    assert "region" not in at_home.arguments
    assert away.arguments["region"] == AWAY


def test_where_the_suites_own_region_is_not_known_it_is_the_first_one_seen() -> None:
    first, second = read(("GetItem", AWAY, ""), ("GetItem", HOME, ""), home="")
    assert "region" not in first.arguments
    assert second.arguments["region"] == HOME


def test_a_write_elsewhere_does_not_make_what_was_written_here_irrelevant() -> None:
    """The same item of the same table, overwritten in another region: here it is what it was."""
    here = [("PutItem", HOME, "a"), ("PutItem", AWAY, "b"), ("GetItem", HOME, "")]
    other = [("PutItem", HOME, "c"), *here[1:]]
    assert last_key(*here) != last_key(*other)


def test_a_write_here_does_not_make_what_was_written_elsewhere_irrelevant() -> None:
    there = [("PutItem", AWAY, "a"), ("PutItem", HOME, "b"), ("GetItem", AWAY, "")]
    other = [("PutItem", AWAY, "c"), *there[1:]]
    assert last_key(*there) != last_key(*other)


@pytest.mark.parametrize(("written", "looked_at"), [(HOME, AWAY), (AWAY, HOME)])
def test_regions_may_replicate_each_other(written: str, looked_at: str) -> None:
    """A global table shows in one region what was written in another."""
    look = ("GetItem", looked_at, "")
    assert last_key(look) != last_key(("PutItem", written, "a"), look)


def test_an_item_elsewhere_has_nothing_to_do_with_another_one() -> None:
    """Regions replicate item by item; in a whole table, each one would depend on all written before."""
    look = ("GetItem", AWAY, "")
    other = read(("PutItem", AWAY, "a"))[0]
    other = replace(
        other, touches=tuple(replace(each, resource=(*each.resource[:-1], "S:2")) for each in other.touches)
    )
    written = [*read(("GetItem", AWAY, ""), ("PutItem", AWAY, "b"), look)]
    assert {len(touch.resource) for touch in written[1].touches} == {3, 4}
    keys = [
        key_world([Trace(test="test", role=Role.CANDIDATE, interactions=tuple(calls))], {})[0][-1].context
        for calls in (written, [written[0], other, *written[1:]])
    ]
    assert keys == [((0, 1),), ((0, 2),)]


def test_an_item_with_two_keys_may_show_anywhere_in_its_table() -> None:
    """A region that does not know which of the keys is the first has another place for it."""
    found = moved((Touch(resource=("dynamodb", "orders", "S:1", "N:2"), effect=Effect.ABSORB),), AWAY)
    joined = moved((Touch(resource=("dynamodb", "orders", "S:1 N:2"), effect=Effect.ABSORB),), AWAY)
    assert found[1].resource == joined[1].resource == ("dynamodb", "orders")


def test_a_repeated_call_is_signed_for_its_own_region() -> None:
    signer = AwsSigner(
        {"AWS_ACCESS_KEY_ID": "K", "AWS_SECRET_ACCESS_KEY": "S", "AWS_DEFAULT_REGION": HOME}, "dynamodb"
    )
    endpoint = read_endpoint("http://127.0.0.1:5001")
    for call, region in zip(read(("GetItem", HOME, ""), ("GetItem", AWAY, "")), (HOME, AWAY), strict=True):
        signed = signer.sign(rebuild(call, endpoint))
        assert f"/{region}/dynamodb/aws4_request" in signed.headers["authorization"]
    assert f"dynamodb.{AWAY}.amazonaws.com" in signer.endpoint(AWAY)


@pytest.mark.parametrize("created", [Created("dynamodb", "orders"), Created("dynamodb", "orders", AWAY)])
def test_what_was_created_can_be_read_back(created: Created) -> None:
    assert read_created(str(created)) == created


def test_the_default_region_is_that_of_the_environment_or_the_profile(tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text("[default]\nregion = eu-north-1\n[profile work]\nregion = sa-east-1\n")
    profile = {"AWS_CONFIG_FILE": str(file)}
    assert default_region({"AWS_CONFIG_FILE": str(tmp_path / "none")}) == "us-east-1"
    assert default_region(profile) == "eu-north-1"
    assert default_region({**profile, "AWS_PROFILE": "work"}) == "sa-east-1"
    assert default_region({**profile, "AWS_DEFAULT_REGION": HOME}) == HOME
    file.write_text("no section here\n")
    assert default_region(profile) == "us-east-1"
