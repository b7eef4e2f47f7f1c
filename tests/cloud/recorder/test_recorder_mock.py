"""moto's mock_aws: recorded, a world of its own, and out of the way on the reference."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws
from moto.core.models import MockAWS

from likewise.cloud.recorder import neutralise_mock_aws
from likewise.cloud.recorder.mock import MODULE, follow_mock_aws
from likewise.cloud.recorder.patches import Patches

pytestmark = pytest.mark.usefixtures("aws_keys")


@mock_aws
def decorated() -> None:
    client = boto3.client("s3")
    client.create_bucket(Bucket="bucket")
    client.put_object(Bucket="bucket", Key="k", Body=b"x")
    assert client.get_object(Bucket="bucket", Key="k")["Body"].read() == b"x"


def test_calls_under_the_mock_are_recorded_and_each_reset_is_a_new_world(studio: Any) -> None:
    one, two = studio.record("one", decorated), studio.record("two", decorated)
    assert [each.operation.name for each in one.interactions] == ["CreateBucket", "PutObject", "GetObject"]
    assert one.interactions[2].outcome.value == b"x"
    assert one.world != two.world
    assert {one.world, two.world}.isdisjoint({"w"})
    assert one.is_clear
    assert two.is_clear


def test_a_mock_that_stays_on_keeps_its_world(studio: Any) -> None:
    with mock_aws():
        client = boto3.client("s3")
        one = studio.record("one", lambda: client.create_bucket(Bucket="bucket"))
        two = studio.record("two", lambda: client.list_objects_v2(Bucket="bucket"))
    assert one.world == two.world != "w"


def test_a_decorated_test_case_shares_its_world_between_set_up_and_test(studio: Any) -> None:
    @mock_aws
    class Case(unittest.TestCase):
        def setUp(self) -> None:
            boto3.client("s3").create_bucket(Bucket="bucket")

        def test_it(self) -> None:
            boto3.client("s3").head_bucket(Bucket="bucket")

    def body() -> None:
        result = unittest.TestResult()
        Case("test_it").run(result)
        assert result.wasSuccessful(), result.errors

    trace = studio.record("t", body)
    assert [each.operation.name for each in trace.interactions] == ["CreateBucket", "HeadBucket"]
    assert trace.is_clear


def test_two_states_in_one_test_are_unclear(studio: Any) -> None:
    def body() -> None:
        decorated()
        decorated()

    assert studio.record("t", body).unclear == (
        "the state behind the boundary was replaced in the middle of the test",
    )


def test_a_new_world_applies_outside_the_mock_and_after_it(studio: Any) -> None:
    with mock_aws():
        studio.recorder.new_world("w2")
        inside = studio.record("inside", lambda: boto3.client("s3").list_buckets())
    assert inside.world.startswith("w/mock")
    outside = studio.record("outside", lambda: None)
    assert outside.world == "w2"


def test_the_mock_does_nothing_once_neutralised(studio: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    originals = (MockAWS.start, MockAWS.stop)
    undo = neutralise_mock_aws()
    try:
        with mock_aws():
            assert os.environ["AWS_ACCESS_KEY_ID"] == "testing"
            with pytest.raises(EndpointConnectionError):
                boto3.client("s3").list_buckets()

        @mock_aws
        def function() -> str:
            return os.environ["AWS_SECRET_ACCESS_KEY"]

        assert function() == "testing"
    finally:
        undo()
    assert (MockAWS.start, MockAWS.stop) == originals
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    decorated()


LATE = """
import os, sys
os.environ.update(AWS_ACCESS_KEY_ID="t", AWS_SECRET_ACCESS_KEY="t", AWS_DEFAULT_REGION="us-east-1")
import likewise, likewise.cloud.recorder
heavy = {"boto3", "botocore", "moto", "azure", "aiohttp", "asyncio"} & set(sys.modules)
assert not heavy, heavy
from likewise.cloud.recorder import Recorder
from likewise.model import Role, Result
traces = []
recorder = Recorder(role=Role.CANDIDATE, world="w", on_trace=traces.append)
recorder.install()
assert not {"boto3", "botocore", "moto", "azure", "aiohttp", "asyncio"} & set(sys.modules)
recorder.begin("t")
import boto3
from concurrent.futures import ThreadPoolExecutor
from moto import mock_aws
with mock_aws(), ThreadPoolExecutor(1) as pool:
    pool.submit(boto3.client("s3").create_bucket, Bucket="bucket").result()
recorder.end(result=Result.PASSED)
recorder.drain()
recorder.uninstall()
(trace,) = traces
assert [str(each.operation) for each in trace.interactions] == ["s3.CreateBucket"], trace
assert trace.world == "w/mock-1" and trace.is_clear, trace
from botocore.endpoint import Endpoint
assert Endpoint._do_get_response.__module__ == "botocore.endpoint"
assert not any(type(each).__module__.startswith("likewise") for each in sys.meta_path)
"""


def test_sdks_are_neither_imported_nor_missed_when_they_come_late() -> None:
    subprocess.run([sys.executable, "-c", LATE], check=True, timeout=120)


class OlderBase:
    """As in moto 4: a mock for each service, each with a state of its own."""

    started = 0

    def __init__(self, service: str) -> None:
        self.backends = [service]

    def start(self) -> None:
        type(self).started += 1
        self.enable_patching(reset=True)

    def stop(self) -> None:
        type(self).started -= 1
        if not type(self).started:
            self.disable_patching()

    def reset(self) -> None: ...
    def enable_patching(self, reset: bool = True) -> None: ...
    def disable_patching(self) -> None: ...


def older_moto() -> Any:
    kinds = ("MockAWS", "ServerModeMockAWS", "ProxyModeMockAWS")
    own = ("enable_patching", "disable_patching")
    made = {kind: type(kind, (OlderBase,), {name: vars(OlderBase)[name] for name in own}) for kind in kinds}
    return SimpleNamespace(**made)


def test_a_mock_for_each_service_resets_that_alone() -> None:
    moto, patches, told = older_moto(), Patches(), list[object]()
    follow_mock_aws(moto, patches, told.append, lambda: told.append("left"))
    s3, dynamodb = moto.MockAWS("s3"), moto.MockAWS("dynamodb")
    for mock in (s3, dynamodb, s3):
        mock.start()
    for mock in (s3, dynamodb, s3):
        mock.stop()
    dynamodb.start()
    assert told == [True, False, True, "left", True]


def test_what_older_mocks_inherit_is_neutralised_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    moto = older_moto()
    monkeypatch.setitem(sys.modules, MODULE, moto)
    undo = neutralise_mock_aws()
    moto.MockAWS("s3").start()
    assert moto.MockAWS.started == 0
    undo()
    moto.MockAWS("s3").start()
    assert moto.MockAWS.started == 1
