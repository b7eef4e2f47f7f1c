"""Clients whose endpoint is written into the code are sent to where the suite is meant to run."""

from __future__ import annotations

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError

from likewise.cloud.recorder import Recorder, Routes
from likewise.model import Result, Role, Trace

HERE = {"s3": "http://127.0.0.1:4000", "blob": "http://127.0.0.1:4001/devstoreaccount1"}


def test_a_listed_endpoint_is_replaced_and_the_rest_of_the_request_stays() -> None:
    routes = Routes(["http://localhost:5555/"], HERE.get)
    assert (
        routes.route("http://localhost:5555/b/k?list-type=2", "s3") == "http://127.0.0.1:4000/b/k?list-type=2"
    )


def test_a_bucket_before_a_listed_host_moves_into_the_path() -> None:
    routes = Routes(["http://localhost:5555"], HERE.get)
    assert routes.route("http://b.localhost:5555/k", "s3") == "http://127.0.0.1:4000/b/k"


def test_azure_s_service_is_told_by_the_port_or_by_the_source() -> None:
    url = "http://127.0.0.1:{}/devstoreaccount1/c?restype=container"
    assert Routes(["http://127.0.0.1:10000"], HERE.get).route(url.format(10000)) == url.format(4001)
    assert Routes(["blob+http://127.0.0.1:7"], HERE.get).route(url.format(7)) == url.format(4001)
    assert Routes(["http://127.0.0.1:*"], HERE.get).route(url.format(10000)) == url.format(4001)


def test_other_endpoints_and_services_without_a_target_stay() -> None:
    routes = Routes(["http://localhost:5555"], HERE.get)
    for url, service in (("http://localhost:5556/b", "s3"), ("http://localhost:5555/", "dynamodb")):
        assert routes.route(url, service) == url
    assert not Routes([], HERE.get)


def test_a_call_to_where_nobody_is_belongs_to_no_side() -> None:
    traces: list[Trace] = []
    recorder = Recorder(
        role=Role.CANDIDATE,
        world="w",
        on_trace=traces.append,
        expected_endpoints=frozenset({"127.0.0.1:4000"}),
    )
    recorder.install()
    try:
        recorder.begin("t")
        client = boto3.client(
            "s3",
            endpoint_url="http://127.0.0.1:1",
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
            config=Config(retries={"total_max_attempts": 1}),
        )
        with pytest.raises(EndpointConnectionError):
            client.list_buckets()
        recorder.end(result=Result.PASSED)
        recorder.drain()
    finally:
        recorder.uninstall()
    assert [(trace.interactions, trace.unclear) for trace in traces] == [((), ())]


def test_any_port_of_a_host() -> None:
    routes = Routes(["http://127.0.0.1:*", "blob+http://azurite:*", "http://127.0.0.1:10001"], HERE.get)
    assert routes.route("http://127.0.0.1:39417/photos/1", "s3") == "http://127.0.0.1:4000/photos/1"
    assert routes.route("http://photos.127.0.0.1:39417/1", "s3") == "http://127.0.0.1:4000/photos/1"
    assert routes.route("http://azurite:5/a/b") == "http://127.0.0.1:4001/a/b"
    assert routes.route("http://127.0.0.2:39417/photos", "s3") == "http://127.0.0.2:39417/photos"
