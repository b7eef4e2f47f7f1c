"""asyncio: aiobotocore and the tasks that a test gathers."""

from __future__ import annotations

import asyncio
import contextvars
from typing import Any
from uuid import uuid4

import aioboto3
import boto3
import pytest
from moto import mock_aws

from likewise.model import Result, Returned

pytestmark = pytest.mark.server


def client(url: str) -> Any:
    return aioboto3.Session().client("s3", endpoint_url=url)


async def scenario(url: str, bucket: str) -> None:
    async with client(url) as s3:
        await s3.create_bucket(Bucket=bucket)
        puts = (s3.put_object(Bucket=bucket, Key=f"k{i}", Body=b"v%d" % i) for i in range(3))
        await asyncio.gather(*puts)
        answer = await s3.get_object(Bucket=bucket, Key="k1")
        assert await answer["Body"].read() == b"v1"
        answer = await s3.get_object(Bucket=bucket, Key="k2")
        async with answer["Body"] as stream:
            assert await stream.read(1) == b"v"


def test_gathered_tasks_belong_to_the_test_in_lanes_of_their_own(
    studio: Any, moto_server: str, aws_keys: None
) -> None:
    trace = studio.record("t", lambda: asyncio.run(scenario(moto_server, f"b{uuid4().hex}")))
    names = [each.operation.name for each in trace.interactions]
    assert names == ["CreateBucket"] + ["PutObject"] * 3 + ["GetObject"] * 2
    puts = trace.interactions[1:4]
    assert sorted(each.arguments["body"] for each in puts) == [b"v0", b"v1", b"v2"]
    assert len({each.lane for each in puts}) == 3
    assert trace.interactions[0].lane == trace.interactions[4].lane == "task-1"
    assert trace.interactions[4].outcome == Returned(value=b"v1")
    assert trace.interactions[5].outcome == Returned(value=b"v")
    assert trace.interactions[5].wire["unread"] == "1 of 2 bytes were read"
    assert trace.is_clear


def test_a_task_left_behind_makes_its_test_unclear(studio: Any, moto_server: str, aws_keys: None) -> None:
    loop = asyncio.new_event_loop()
    left: list[asyncio.Task[Any]] = []

    async def later() -> None:
        await asyncio.sleep(0.05)
        async with client(moto_server) as s3:
            await s3.list_buckets()

    async def body() -> None:
        left.append(asyncio.ensure_future(later()))

    studio.record("one", lambda: loop.run_until_complete(body()))
    studio.record("two", lambda: loop.run_until_complete(left[0]))
    traces = studio.traces
    loop.close()
    assert traces["one"].unclear == ("a call arrived after the test had ended: s3.ListBuckets",)
    assert traces["two"].unclear == ("a call of one arrived during this test: s3.ListBuckets",)


def test_a_fixture_finished_in_its_old_context_belongs_to_the_test_that_runs(studio: Any) -> None:
    """As plugins for asyncio do it: set up in a copy of the first test's context, finished there later."""

    async def call() -> None:
        boto3.client("s3", region_name="us-east-1").list_buckets()

    with mock_aws(), asyncio.Runner() as runner:
        studio.recorder.begin("one")
        context = contextvars.copy_context()
        runner.run(call(), context=context)
        studio.recorder.end(result=Result.PASSED)
        studio.record("two", lambda: runner.run(call(), context=context))
    traces = studio.traces
    assert traces["one"].is_clear
    assert traces["two"].is_clear
    assert [len(traces[name].interactions) for name in ("one", "two")] == [1, 1]


def test_work_in_the_loops_executor_belongs_to_the_test(studio: Any) -> None:
    async def body() -> None:
        s3 = boto3.client("s3", region_name="us-east-1")
        await asyncio.get_running_loop().run_in_executor(None, s3.list_buckets)
        await asyncio.to_thread(s3.list_buckets)

    with mock_aws():
        trace = studio.record("t", lambda: asyncio.run(body()))
    assert len(trace.interactions) == 2
    assert {each.lane for each in trace.interactions} <= {"thread-1", "thread-2"}
    assert trace.is_clear
