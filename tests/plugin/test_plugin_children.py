"""Whole tests run again in a process of their own: which ones, on which side, what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugin_suites import MOCKED, SERVED, WAITING, Suite

from likewise.model import CredentialsMissing, LikewiseError, Role
from likewise.plugin.child import Order
from likewise.plugin.identity import Run

pytest_plugins = ["pytester"]


@pytest.mark.slow
def test_a_child_runs_the_ordered_tests_only_whatever_selected_them(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_a=MOCKED + "def test_one(aws): aws.list_buckets()\ndef test_two(aws): aws.list_buckets()\n",
        test_b="def test_three(): pass\n",
        test_c="raise RuntimeError('never collected by the child')\n",
    )
    suite.order(reruns=[[["test_b.py::test_three", "test_a.py::test_two"], "candidate"]])
    result = suite.run(
        "--likewise", "-k", "not one", "-x", "--junitxml=junit.xml", "--ignore=test_c.py", "-n", "1"
    )
    assert result.ret == 0
    (rerun,) = suite.concluded["reruns"]
    assert [each["test"] for each in rerun["traces"]] == ["test_b.py::test_three", "test_a.py::test_two"]
    assert rerun["traces"][1]["operations"] == ["s3.ListBuckets"]
    assert rerun["run"] == suite.concluded["run"]
    assert rerun["code"] == suite.concluded["code"]
    assert rerun["complete"]
    assert 'tests="2"' in (suite.root / "junit.xml").read_text(), "the child replaced the parent's file"


@pytest.mark.slow
def test_a_child_does_not_change_what_the_user_would_rerun_next(suite: Suite) -> None:
    suite.pytester.makepyfile(test_it="def test_bad(): assert False\ndef test_ok(): pass\n")
    suite.order(reruns=[[["test_it.py::test_ok"], "candidate"]])
    suite.run("--likewise")
    again = suite.run("--lf", "-q")
    again.assert_outcomes(failed=1)


@pytest.mark.server
@pytest.mark.slow
def test_on_the_reference_mock_aws_does_nothing_and_the_reference_answers(suite: Suite) -> None:
    suite.configure(candidate="mock_aws", reference="moto")
    suite.pytester.makepyfile(
        test_it=MOCKED
        + """
def test_one(aws):
    aws.create_bucket(Bucket="a-bucket")
    assert [each["Name"] for each in aws.list_buckets()["Buckets"]] == ["a-bucket"]

def test_two(aws):
    import os
    assert ("127.0.0.1" in aws.meta.endpoint_url) == ("AWS_ENDPOINT_URL" in os.environ)
"""
    )
    suite.order(reruns=[[["test_it.py::test_one", "test_it.py::test_two"], "reference"]])
    assert suite.run("--likewise").ret == 0
    (rerun,) = suite.concluded["reruns"]
    assert [each["result"] for each in rerun["traces"]] == ["passed", "passed"]
    assert {each["role"] for each in rerun["traces"]} == {"reference"}
    assert rerun["targets"][0].startswith("moto ")
    assert rerun["traces"][0]["operations"] == ["s3.CreateBucket", "s3.ListBuckets"]
    assert rerun["traces"][0]["unclear"] == []


def test_a_child_that_crashes_is_reported_with_its_log_and_what_it_recorded_counts(suite: Suite) -> None:
    suite.pytester.makepyfile(
        test_it=WAITING
        + """
import sys

IS_CHILD = any("--likewise-child" in each for each in sys.argv)

def test_one(): pass
def test_two():
    if IS_CHILD:
        wait_for_trace(".likewise/recordings/*/reruns/*.jsonl")
        os.write(2, b"the last words")
        os._exit(7)
"""
    )
    suite.order(reruns=[[["test_it.py::test_one", "test_it.py::test_two"], "candidate"]])
    result = suite.run("--likewise", "-s")
    assert result.ret == 0
    (rerun,) = suite.concluded["reruns"]
    assert [each["test"] for each in rerun["traces"]] == ["test_it.py::test_one"]
    assert not rerun["complete"]
    text = " ".join(result.stdout.str().split())
    assert "ended with exit code 7" in text
    assert "the last words" in text


def test_a_reference_that_cannot_be_reached_is_one_message_and_no_traceback(suite: Suite) -> None:
    suite.configure(candidate="mock_aws", reference="http://127.0.0.1:9")
    suite.pytester.makepyfile(test_it="def test_one(): pass\n")
    suite.order(reruns=[[["test_it.py::test_one"], "reference"]])
    result = suite.run("--likewise", "--likewise-verify")
    assert result.ret == 1, "what was asked for could not be done"
    text = " ".join((result.stdout.str() + result.stderr.str()).split())
    assert "nobody answers at http://127.0.0.1:9" in text
    assert "[target-unavailable]" in text
    assert "Traceback" not in text
    assert "1 test recorded, kept in" in text


def test_an_error_of_the_child_comes_back_as_what_it_was(tmp_path: Path) -> None:
    run = Run(id="r", started=1.0, code="c", codes={}, folder=tmp_path)
    order = Order(role=Role.REFERENCE, tests=("a::b",), recording=tmp_path / "x.jsonl", run=run)
    assert order.reported() is None
    error = CredentialsMissing("there are none", where="profile p", why="expired", todo="Sign in.")
    order.report(error)
    back = order.reported()
    assert isinstance(back, LikewiseError)
    assert type(back) is CredentialsMissing
    assert str(back) == str(error)
    order.write(tmp_path / "order.json")
    assert Order.read(tmp_path / "order.json") == order


def test_a_served_suite_meets_the_emulator_of_the_environment(suite: Suite) -> None:
    """Without the flag the plugin leaves the suite alone."""
    suite.pytester.makepyfile(
        test_it=SERVED + "def test_it():\n    import os\n    assert 'AWS_ENDPOINT_URL' not in os.environ\n"
    )
    assert suite.run().ret == 0
    assert not suite.is_concluded
    assert not (suite.root / ".likewise").exists()


@pytest.mark.slow
@pytest.mark.server
def test_a_child_uses_the_emulator_that_the_run_has_started(suite: Suite) -> None:
    suite.configure(candidate="moto", reference="ministack")
    suite.pytester.makepyfile(
        test_it=SERVED
        + """
import os

def test_one():
    with open("where", "a") as where:
        where.write(os.environ["AWS_ENDPOINT_URL"] + "\\n")
    s3 = boto3.client("s3")
    assert s3.list_buckets()["Buckets"] == []
    s3.create_bucket(Bucket="left-behind")
"""
    )
    suite.order(reruns=[[["test_it.py::test_one"], "candidate"]] * 2)
    assert suite.run("--likewise").ret == 0
    first, *others = (suite.root / "where").read_text().split()
    assert others == [first, first]
    results = [trace["result"] for rerun in suite.concluded["reruns"] for trace in rerun["traces"]]
    assert results == ["passed", "passed"]
