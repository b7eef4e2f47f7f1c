"""The recorder notices what it cannot vouch for, and never breaks a test."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from moto import mock_aws

from likewise.cloud.exchange import Exchange
from likewise.cloud.recorder.endpoints import Endpoints
from likewise.model import Interaction, Lost, Result

pytestmark = pytest.mark.usefixtures("aws_keys")


def test_a_hard_wired_client_is_named_with_its_place(make_studio: Any, throttling_server: Any) -> None:
    studio = make_studio(expected_endpoints=frozenset({"http://127.0.0.1:4566"}))
    client = boto3.client("s3", endpoint_url=throttling_server.url)
    line = _line() + 1
    trace = studio.record("t", lambda: client.list_buckets())
    (why,) = trace.unclear
    assert why.startswith("client at ")
    assert f"test_recorder_care.py:{line} is hard-wired to {throttling_server.url} and bypasses" in why
    again = studio.record("again", lambda: client.list_buckets())
    assert again.unclear == (why,)


def _line() -> int:
    return sys._getframe(1).f_lineno


@pytest.mark.parametrize(
    ("url", "is_expected"),
    [
        ("http://127.0.0.1:4566/b/k", True),
        ("http://localhost:4566/b", True),
        ("http://bucket.localhost:4566/k", True),
        ("https://s3.amazonaws.com/b", False),
        ("http://127.0.0.1:4567/b", False),
        ("http://127.0.0.1:45660/b", False),
    ],
)
def test_hosts_are_compared_with_port_and_buckets_in_front_are_accepted(url: str, is_expected: bool) -> None:
    endpoints = Endpoints({"http://127.0.0.1:4566", "localhost:4566"})
    assert (endpoints.objection(url) == "") is is_expected
    assert Endpoints(()).objection(url) == ""


def test_what_the_mock_answers_bypasses_nothing(make_studio: Any) -> None:
    studio = make_studio(expected_endpoints=frozenset({"http://127.0.0.1:4566"}))
    with mock_aws():
        trace = studio.record("t", lambda: boto3.client("s3").list_buckets())
    assert trace.is_clear


class Failing:
    """An interpreter with a fault."""

    def interpret(self, exchange: Exchange, *, order: int) -> Interaction:
        raise ValueError("out of order")


@mock_aws
def listing() -> None:
    boto3.client("s3").list_buckets()


def test_a_suite_that_counts_how_often_it_sleeps_counts_itself_only(
    make_studio: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    studio = make_studio()
    studio.recorder.begin("t")
    listing()
    studio.recorder.end(result=Result.PASSED)
    deadline = time.monotonic() + 60
    while not studio.handed and time.monotonic() < deadline:  # without drain, which hurries
        threading.Event().wait(0.01)
    assert len(studio.traces["t"].interactions) == 1
    assert not slept


def test_a_fault_in_the_interpreter_marks_the_trace_and_keeps_the_call(make_studio: Any) -> None:
    trace = make_studio(interpreter=Failing).record("t", listing)
    assert trace.unclear == ("s3.ListBuckets could not be interpreted: ValueError: out of order",)
    assert trace.interactions[0].outcome == Lost(reason="not interpreted: ValueError")


def test_a_fault_in_the_hook_marks_the_trace_and_lets_the_call_pass(
    studio: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(call: object) -> None:
        raise RuntimeError("no place")

    monkeypatch.setattr(studio.recorder._placement, "place", fail)
    trace = studio.record("t", listing)
    assert trace.unclear == ("a call was not recorded: RuntimeError: no place",)


def test_what_the_consumer_raises_comes_out_of_drain(make_studio: Any) -> None:
    studio = make_studio()

    def refuse(trace: object) -> None:
        raise OSError("disk full")

    studio.recorder._on_trace = refuse
    studio.recorder.begin("t")
    studio.recorder.end(result=Result.PASSED)
    with pytest.raises(OSError, match="disk full"):
        studio.recorder.drain()
    studio.recorder.drain()


def test_a_forked_child_records_nothing_and_makes_the_test_unclear(studio: Any) -> None:
    def body() -> None:
        listing()
        child = os.fork()
        if child == 0:
            try:
                listing()
            finally:
                os._exit(0)
        os.waitpid(child, 0)

    trace = studio.record("t", body)
    assert len(trace.interactions) == 1
    assert trace.unclear == ("a forked child process made calls that are not in this trace",)


def test_a_forked_child_that_makes_no_call_changes_nothing(studio: Any) -> None:
    def body() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    assert studio.record("t", body).is_clear


def test_a_body_that_can_be_read_once_is_sent_and_recorded(studio: Any, make_server: Any) -> None:
    class Once:
        def __init__(self) -> None:
            self.parts = [b"one ", b"two"]

        def read(self, size: int = -1) -> bytes:
            return self.parts.pop(0) if self.parts else b""

    server = make_server(lambda count, body: (200, b""))
    client = boto3.client("s3", endpoint_url=server.url, config=_unsigned())

    def body() -> None:
        client.put_object(Bucket="bucket", Key="k", Body=Once(), ContentLength=7)

    trace = studio.record("t", body)
    assert server.bodies == [b"one two"]
    assert trace.interactions[0].arguments["body"] == b"one two"


def _unsigned() -> Config:
    return Config(
        signature_version=UNSIGNED,
        request_checksum_calculation="when_required",
        s3={"addressing_style": "path"},
        retries={"total_max_attempts": 1},
    )


def test_an_ended_test_is_let_go(studio: Any) -> None:
    ends: list[weakref.ref[Any]] = []

    def body() -> None:
        ends.append(weakref.ref(studio.recorder._placement.current.get()))
        listing()

    studio.record("one", body)
    studio.record("two", listing)
    gc.collect()
    assert ends[0]() is None


def test_a_test_inside_a_test_gives_way_to_the_outer_one(studio: Any) -> None:
    studio.recorder.begin("outer")
    listing()
    studio.recorder.begin("inner")
    listing()
    studio.recorder.end(result=Result.PASSED)
    listing()
    studio.recorder.end(result=Result.FAILED)
    traces = studio.traces
    assert [len(traces[name].interactions) for name in ("outer", "inner")] == [2, 1]
    assert traces["outer"].result is Result.FAILED


def test_a_test_that_never_ends_is_handed_over_as_unfinished(studio: Any) -> None:
    studio.recorder.begin("t")
    listing()
    assert studio.traces["t"].result is Result.UNFINISHED


def test_what_the_sdk_calls_sensitive_is_known_after_drain(studio: Any) -> None:
    studio.record("t", listing)
    assert {"s3:ssecustomerkey", "s3:x-amz-server-side-encryption-customer-key"} <= studio.recorder.sensitive


def test_every_request_is_counted_once_wherever_it_belongs(studio: Any) -> None:
    listing()
    studio.record("t", lambda: (listing(), listing()))
    assert studio.recorder.calls == 3


def test_end_without_begin_does_nothing(studio: Any) -> None:
    studio.recorder.end(result=Result.PASSED)
    studio.recorder.drain()
    assert studio.handed == []


def test_a_thread_subclass_with_its_own_run_belongs_to_the_test(studio: Any) -> None:
    class Mine(threading.Thread):
        def run(self) -> None:
            listing()

    def body() -> None:
        thread = Mine()
        thread.start()
        thread.join()
        assert "run" not in vars(thread)

    trace = studio.record("t", body)
    assert [each.lane for each in trace.interactions] == ["thread-1"]


def test_recording_goes_on_after_a_test_that_raised(studio: Any) -> None:
    def run(test: str, body: Callable[[], None]) -> None:
        studio.recorder.begin(test)
        try:
            body()
        except ZeroDivisionError as error:
            studio.recorder.end(result=Result.FAILED, failure=str(error))
        else:
            studio.recorder.end(result=Result.PASSED)

    run("one", lambda: (listing(), 1 / 0))
    run("two", listing)
    traces = studio.traces
    assert traces["one"].failure == "division by zero"
    assert len(traces["one"].interactions) == len(traces["two"].interactions) == 1
