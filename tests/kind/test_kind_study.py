"""The study mode, and a suite that is not pytest, as users meet them."""

from __future__ import annotations

import json
import sys

import pytest
from kind_project import Project, Reference, suite

from likewise.cloud.rewriting import reject

pytestmark = [pytest.mark.server, pytest.mark.slow]

LOCATION = "    bucket.get_bucket_location(Bucket=BUCKET)\n"


def test_the_study_mode_says_what_differs_and_what_fixing_it_would_clear(
    bare: Project, reference: Reference
) -> None:
    bare.write(
        suite("one", "two")
        + "\n"
        + suite("three", more=LOCATION).partition("delete_bucket(Bucket=BUCKET)\n")[2]
    )
    reference.front.rules[:] = [reject("s3.GetBucketLocation", 403, "AccessDenied")]
    ran = bare.run("--likewise-both")
    assert ran.exit_code == pytest.ExitCode.TESTS_FAILED, ran.output
    assert "test_it.py::test_three: passed on the candidate, failed on the reference" in ran.said
    assert "operations by tests that use them" in ran.said
    assert ran.standing("discrepant") == ["three"]
    assert ran.standing("proved") == ["one", "two"]
    shown = bare.likewise("report", "--study")
    assert shown.exit_code == 0, shown.output
    assert "3 tests on both sides: 1 discrepant (33.3 %); results: 1 unsafe, 0 false alarms" in shown.said
    assert "unsafe: test_it.py::test_three" in shown.said
    assert "operations by tests that use them" in shown.said
    study = json.loads(bare.likewise("report", "--study", "--json").output)
    assert study["unsafe"] == study["discrepant"] == ["test_it.py::test_three"]
    most = study["operations"][0]
    assert most["tests"] == 3
    assert "s3.GetBucketLocation" not in most["operation"]
    assert study["fixes"] == [{"operation": "s3.GetBucketLocation", "clears": 1, "cleared": 1}]
    (row,) = [line for line in shown.output.splitlines() if "s3.GetBucketLocation" in line and "!" in line]
    assert row.split()[-2] != "0"
    assert "1. s3.GetBucketLocation" in shown.said
    assert "1 of 1" in shown.said


CALL = """
import boto3
s3 = boto3.client("s3")
s3.create_bucket(Bucket="kindness-by-command")
print([each["Name"] for each in s3.list_buckets()["Buckets"]])
s3.delete_bucket(Bucket="kindness-by-command")
"""


def test_a_command_gets_the_side_in_its_environment_and_both_results_are_compared(
    bare: Project, reference: Reference
) -> None:
    bare.configure(candidate="moto", reference=reference.target)
    bare.write(CALL, "call.py")
    ran = bare.likewise("run", "--verify", "--test", "call", "--", sys.executable, "call.py")
    assert ran.exit_code == 0, ran.output
    assert ran.output.count("['kindness-by-command']") == 2
    assert "1 proved now" in ran.said
    assert "What call did is not known" in ran.said
    assert reference.front.count == 3
    reference.front.rules.append(reject("s3.ListBuckets", 403, "AccessDenied"))
    refused = bare.likewise("run", "--verify", "--test", "call", "--", sys.executable, "call.py")
    assert refused.exit_code == 1, refused.output
    assert "call: passed on the candidate, failed on the reference" in refused.said
