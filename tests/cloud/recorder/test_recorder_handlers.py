"""Who listens to botocore's events is shown answers as they came: all of them counts as seen."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

import boto3
import pytest
from botocore.handlers import json_decode_policies

pytestmark = pytest.mark.server


def listen(**shown: Any) -> None:
    """A handler of a suite's own."""


def is_watched(studio: Any, client: Any) -> bool:
    """Whether an answer remembers what is asked of it; if not, all of it counts as seen."""
    answers: list[object] = []
    studio.record("t", lambda: answers.append(client.create_bucket(Bucket=f"b{uuid4().hex}")))
    return type(answers[0]) is not dict


@pytest.fixture
def session(aws_keys: None) -> Any:
    return boto3.session.Session(region_name="us-east-1")


@pytest.mark.parametrize(
    "event", ["after-call.s3.CreateBucket", "before-parse.s3", "response-received", "*.s3.CreateBucket"]
)
def test_all_is_seen_by_a_client_with_a_listener(
    studio: Any, session: Any, moto_server: str, event: str
) -> None:
    client = session.client("s3", endpoint_url=moto_server)
    assert is_watched(studio, client)
    client.meta.events.register(event, partial(listen))
    assert not is_watched(studio, client)


def test_a_listener_at_the_session_hears_its_clients_and_no_others(
    studio: Any, session: Any, moto_server: str
) -> None:
    other = session.client("s3", endpoint_url=moto_server)
    session.events.register("after-call", listen)
    assert not is_watched(studio, session.client("s3", endpoint_url=moto_server))
    assert is_watched(studio, other)


def test_the_sdk_itself_and_who_sees_requests_only_do_not_count(
    studio: Any, session: Any, moto_server: str
) -> None:
    client = session.client("s3", endpoint_url=moto_server)
    client.meta.events.register("before-sign.s3", listen)
    client.meta.events.register("after-call.iam", json_decode_policies)
    assert is_watched(studio, client)
