"""botocore: every call is recorded in its test, with what was sent and what the client read."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
import pytest
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.endpoint import Endpoint
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

from likewise.model import Lost, Raised, Result, Returned, Trace

pytestmark = pytest.mark.server


def names(trace: Trace) -> list[str]:
    return [interaction.operation.name for interaction in trace.interactions]


@pytest.fixture
def bucket(s3: Any) -> str:
    name = f"b{uuid4().hex}"
    s3.create_bucket(Bucket=name)
    return name


def test_calls_are_recorded_in_order_with_request_and_answer(studio: Any, s3: Any, bucket: str) -> None:
    def body() -> None:
        s3.put_object(Bucket=bucket, Key="k", Body=b"hello")
        assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"hello"
        with pytest.raises(ClientError):
            s3.get_object(Bucket=bucket, Key="absent")

    trace = studio.record("t", body)
    assert names(trace) == ["PutObject", "GetObject", "GetObject"]
    put, get, absent = trace.interactions
    assert put.arguments["body"] == b"hello"
    assert get.outcome == Returned(value=b"hello")
    assert isinstance(absent.outcome, Raised)
    assert b"NoSuchKey" in absent.outcome.value
    assert [each.order for each in trace.interactions] == [0, 1, 2]
    assert {each.lane for each in trace.interactions} == {"main"}
    assert put.started < put.ended <= get.started
    assert trace.is_clear
    assert trace.world == "w"


def test_an_unread_stream_stays_unread_and_is_recorded_so(studio: Any, s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"0123456789")
    kept = {}

    def body() -> None:
        kept["unread"] = s3.get_object(Bucket=bucket, Key="k")["Body"]
        kept["part"] = s3.get_object(Bucket=bucket, Key="k")["Body"]
        assert kept["part"].read(4) == b"0123"

    unread, part = studio.record("t", body).interactions
    assert unread.outcome == Returned(value=None)
    assert unread.wire["unread"] == "0 of 10 bytes were read"
    assert part.outcome == Returned(value=b"0123")
    assert part.wire["unread"] == "4 of 10 bytes were read"
    assert kept["unread"].read() == b"0123456789"
    assert kept["part"].read() == b"456789"


@pytest.mark.parametrize(
    "read",
    [
        lambda body: body.read(),
        lambda body: b"".join(body.iter_chunks(3)),
        lambda body: b"".join(body),
        lambda body: b"\n".join(body.iter_lines()) + b"\n",
        lambda body: b"".join(body.readlines()),
        lambda body: b"".join(iter(lambda: body.read(2), b"")),
        lambda body: body.__enter__().read(),
    ],
    ids=["read", "chunks", "iteration", "lines", "readlines", "pieces", "context"],
)
def test_a_stream_is_recorded_however_it_is_read(
    studio: Any, s3: Any, bucket: str, read: Callable[[Any], bytes]
) -> None:
    content = b"one\ntwo\nthree\n"
    s3.put_object(Bucket=bucket, Key="k", Body=content)
    got = []
    trace = studio.record("t", lambda: got.append(read(s3.get_object(Bucket=bucket, Key="k")["Body"])))
    assert got == [content]
    assert trace.interactions[0].outcome == Returned(value=content)
    assert "unread" not in trace.interactions[0].wire


def test_files_are_captured_from_where_they_stand_and_sent_whole(
    studio: Any, s3: Any, bucket: str, tmp_path: Path
) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"skipped" + b"content" * 10)

    def body() -> None:
        with path.open("rb") as file:
            s3.put_object(Bucket=bucket, Key="file", Body=file)
        s3.put_object(Bucket=bucket, Key="memory", Body=io.BytesIO(b"in memory"))
        s3.put_object(Bucket=bucket, Key="array", Body=bytearray(b"array"))

    trace = studio.record("t", body)
    assert [each.arguments["body"] for each in trace.interactions] == [
        b"skipped" + b"content" * 10,
        b"in memory",
        b"array",
    ]
    assert s3.get_object(Bucket=bucket, Key="file")["Body"].read() == path.read_bytes()
    assert s3.get_object(Bucket=bucket, Key="memory")["Body"].read() == b"in memory"


def test_a_changed_buffer_does_not_change_the_recording(studio: Any, s3: Any, bucket: str) -> None:
    buffer = bytearray(b"before")

    def body() -> None:
        s3.put_object(Bucket=bucket, Key="k", Body=buffer)
        buffer[:] = b"after!"

    assert studio.record("t", body).interactions[0].arguments["body"] == b"before"


def test_a_multipart_transfer_belongs_to_its_test_and_its_progress_is_undisturbed(
    studio: Any, s3: Any, bucket: str, tmp_path: Path
) -> None:
    path = tmp_path / "big"
    path.write_bytes(bytes(range(256)) * 4096 * 11)
    progress: list[int] = []

    def body() -> None:
        config = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20, max_concurrency=3)
        s3.upload_file(str(path), bucket, "big", Config=config, Callback=progress.append)
        s3.download_file(bucket, "big", str(tmp_path / "back"), Config=config)

    trace = studio.record("t", body)
    assert sum(progress) == path.stat().st_size
    assert all(step > 0 for step in progress)
    assert (tmp_path / "back").read_bytes() == path.read_bytes()
    found = names(trace)
    assert found.count("UploadPart") == 3
    assert found.count("GetObject") == 3
    assert found[0] == "CreateMultipartUpload"
    parts = [each for each in trace.interactions if each.operation.name == "UploadPart"]
    assert sum(len(each.arguments["body"]) for each in parts) == path.stat().st_size
    assert any(each.lane.startswith("thread-") for each in parts)
    assert trace.is_clear, trace.unclear


def test_threads_and_pools_belong_to_the_test_that_started_them(studio: Any, s3: Any, bucket: str) -> None:
    def body() -> None:
        threads = [threading.Thread(target=s3.list_objects_v2, kwargs={"Bucket": bucket}) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda _: s3.head_bucket(Bucket=bucket), range(3)))

    trace = studio.record("t", body)
    assert sorted(names(trace)) == ["HeadBucket"] * 3 + ["ListObjectsV2"] * 2
    lanes = {each.lane for each in trace.interactions}
    assert {"thread-1", "thread-2"} <= lanes
    assert "main" not in lanes
    assert trace.is_clear


def test_a_pool_that_outlives_its_test_serves_the_next_one(studio: Any, s3: Any, bucket: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        one = studio.record("one", lambda: pool.submit(s3.head_bucket, Bucket=bucket).result())
        two = studio.record("two", lambda: pool.submit(s3.list_objects_v2, Bucket=bucket).result())
    assert names(one) == ["HeadBucket"]
    assert names(two) == ["ListObjectsV2"]
    assert one.is_clear
    assert two.is_clear


def test_a_call_after_the_end_makes_its_test_and_the_running_one_unclear(
    studio: Any, s3: Any, bucket: str
) -> None:
    go = threading.Event()

    def late() -> None:
        go.wait(10)
        s3.put_object(Bucket=bucket, Key="late", Body=b"x")

    thread = threading.Thread(target=late)
    first = studio.record("first", thread.start)
    assert first.is_clear

    def body() -> None:
        go.set()
        thread.join()

    second = studio.record("second", body)
    corrected = studio.traces["first"]
    assert corrected.unclear == ("a call arrived after the test had ended: s3.PutObject",)
    assert names(corrected) == ["PutObject"]
    assert second.interactions == ()
    assert second.unclear == ("a call of first arrived during this test: s3.PutObject",)


def test_a_call_that_is_still_running_at_the_end_makes_the_test_unclear(
    studio: Any, slow_server: Any
) -> None:
    client = boto3.client("s3", endpoint_url=slow_server.url)
    thread = threading.Thread(target=lambda: client.list_buckets())

    def body() -> None:
        thread.start()
        slow_server.entered.wait(10)

    trace = studio.record("t", body)
    assert trace.unclear == ("a call was still running when the test ended: s3.ListBuckets",)
    assert isinstance(trace.interactions[0].outcome, Lost)
    slow_server.release.set()
    thread.join()
    corrected = studio.traces["t"]
    assert isinstance(corrected.interactions[0].outcome, Returned)
    assert not corrected.is_clear


def test_a_thread_from_outside_makes_the_running_test_unclear(studio: Any, s3: Any, bucket: str) -> None:
    go = threading.Event()
    thread = threading.Thread(target=lambda: (go.wait(10), s3.head_bucket(Bucket=bucket)))
    thread.start()

    def body() -> None:
        go.set()
        thread.join()

    trace = studio.record("t", body)
    assert trace.unseen == ("a call came from a thread or task that belongs to no test: s3.HeadBucket",)


def test_calls_outside_any_test_are_kept_as_a_trace_of_their_own(studio: Any, s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    studio.record("t", lambda: s3.head_bucket(Bucket=bucket))
    s3.delete_object(Bucket=bucket, Key="k")
    studio.recorder.drain()
    assert [names(trace) for trace in studio.recorder.unplaced] == [
        ["CreateBucket", "PutObject"],
        ["DeleteObject"],
    ]
    assert [trace.test for trace in studio.handed] == ["", "t", ""]


def test_a_refused_connection_is_recorded_with_every_retry(studio: Any, aws_keys: None) -> None:
    config = Config(retries={"total_max_attempts": 2, "mode": "standard"})
    client = boto3.client("s3", endpoint_url="http://127.0.0.1:9", config=config)

    def body() -> None:
        with pytest.raises(EndpointConnectionError):
            client.list_buckets()

    trace = studio.record("t", body)
    assert names(trace) == ["ListBuckets"] * 2
    assert all("EndpointConnectionError" in each.outcome.reason for each in trace.interactions)


def test_a_timeout_is_recorded(studio: Any, slow_server: Any) -> None:
    config = Config(read_timeout=0.1, retries={"total_max_attempts": 1})
    client = boto3.client("s3", endpoint_url=slow_server.url, config=config)

    def body() -> None:
        with pytest.raises(ReadTimeoutError):
            client.list_buckets()

    trace = studio.record("t", body)
    assert "ReadTimeoutError" in trace.interactions[0].outcome.reason
    slow_server.release.set()


def test_throttling_answers_are_recorded_before_the_retry_that_succeeds(
    studio: Any, throttling_server: Any
) -> None:
    config = Config(retries={"total_max_attempts": 3, "mode": "standard"})
    client = boto3.client("s3", endpoint_url=throttling_server.url, config=config)
    trace = studio.record("t", client.list_buckets)
    assert [type(each.outcome) for each in trace.interactions] == [Raised, Returned]


def test_uninstall_restores_everything(make_studio: Any) -> None:
    before = (Endpoint.__dict__["_do_get_response"], threading.Thread.start, ThreadPoolExecutor.submit)
    studio = make_studio()
    studio.recorder.install()
    assert Endpoint.__dict__["_do_get_response"] is not before[0]
    studio.recorder.uninstall()
    studio.recorder.uninstall()
    after = (Endpoint.__dict__["_do_get_response"], threading.Thread.start, ThreadPoolExecutor.submit)
    assert after == before


def test_attempts_at_one_test_are_told_apart(studio: Any, s3: Any, bucket: str) -> None:
    for attempt in range(2):
        studio.recorder.begin("t", attempt=attempt)
        s3.head_bucket(Bucket=bucket)
        studio.recorder.end(result=Result.FAILED, failure="boom")
    studio.recorder.drain()
    placed = [trace for trace in studio.handed if trace.test]
    assert [(trace.attempt, trace.result, trace.failure) for trace in placed] == [
        (0, Result.FAILED, "boom"),
        (1, Result.FAILED, "boom"),
    ]
