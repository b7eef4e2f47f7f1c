"""A reference that is down, dies, throttles, refuses the keys, or keeps what was created on it."""

from __future__ import annotations

import pytest
from kind_project import Project, Reference, suite

from likewise.cloud.rewriting import die_after, reject, require_signature, throttle

pytestmark = [pytest.mark.server, pytest.mark.slow]

LOCATION = "    bucket.get_bucket_location(Bucket=BUCKET)\n"
"""A call that no test made when the ledger was filled."""


def test_a_reference_that_is_down_costs_nothing_but_the_proof(project: Project, reference: Reference) -> None:
    project.write(suite("one", "three"))
    project.configure(reference="s3+dynamodb+http://KEY:SECRET@127.0.0.1:9")
    ran = project.verify()
    assert ran.exit_code == 1, ran.output
    assert "Nothing is proved in this run: nobody answers at http://127.0.0.1:9" in ran.said
    assert "2 tests had to be proved and could not be: the run counts as failed." in ran.said
    assert "Start the server, or correct the URL." in ran.said
    assert "next: Do what the notes say and run again" in ran.said
    assert ran.said.count("[target-unavailable]") == 1
    assert ran.standing("undecided") == ["one", "three"]
    assert project.recorded() == [["test_it.py::test_one", "test_it.py::test_three"]]
    project.configure(reference=reference.target)
    later = project.verify()
    assert later.standing("trusted") == ["one"], later.output
    assert later.standing("proved") == ["three"]


def test_a_reference_that_is_down_is_no_matter_where_nothing_has_to_be_proved(project: Project) -> None:
    project.write(suite("one", "two"))
    project.configure(reference="s3+dynamodb+http://KEY:SECRET@127.0.0.1:9")
    assert project.verify().exit_code == 1
    assert project.run().exit_code == 0
    project.write("def test_nothing(): pass")
    ran = project.verify()
    assert ran.exit_code == 0, ran.output
    assert "nobody answers at http://127.0.0.1:9" in ran.said
    assert ran.standing("trusted") == ["nothing"]


def test_a_reference_that_dies_in_a_replay_keeps_what_was_proved_and_lists_what_is_left(
    project: Project, reference: Reference
) -> None:
    project.write(suite("one", "two", "three", more=LOCATION))
    # What three puts is new, and comes after the bucket that it is put into was created.
    reference.front.rules.append(die_after(0, "s3.PutObject"))
    ran = project.verify()
    assert ran.exit_code == 1, ran.output
    assert "closed the connection" in ran.said
    assert "What was proved so far is kept; run again when it is back." in ran.said
    assert ran.standing("proved") == ["one", "two"]
    assert ran.standing("undecided") == ["three"]
    (left,) = project.left()
    assert left.removeprefix("s3 bucket ") in reference.buckets()
    assert "delete with: likewise clean" in ran.said
    reference.front.rules.clear()
    before = reference.front.count
    later = project.verify()
    assert later.standing("trusted") == ["one", "two"], later.output
    assert later.standing("proved") == ["three"]
    assert reference.front.count - before == later.reference_calls < later.content["spending"]["calls"]
    assert project.likewise("clean", "--yes").exit_code == 0
    assert reference.buckets() == []
    assert project.left() == []


def test_a_reference_that_dies_in_a_whole_test_is_no_failure_of_the_test(
    bare: Project, reference: Reference
) -> None:
    bare.write(suite("one", "two"))
    reference.front.rules.append(die_after(9))
    ran = bare.verify()
    assert ran.exit_code == 1, ran.output
    assert "The reference did not answer 1 test (s3.GetObject:" in ran.said
    assert "Such results count for nothing; what was proved is kept. Run again when it is back." in ran.said
    assert ran.standing("proved") == ["one"]
    assert ran.standing("undecided") == ["two"]
    assert bare.proved() == {"one"}
    # The test could not delete its bucket any more, so it is listed; whose it is only people know.
    assert bare.left() == ["a test's s3 bucket kindness-in-a-bucket"]
    assert "aws s3 rb s3://kindness-in-a-bucket --force --endpoint-url" in ran.said
    refused = bare.likewise("clean", "--yes")
    assert refused.exit_code == 1
    assert "1 thing made by tests that ran there" in refused.said
    assert "then note it with: likewise clean --forget" in refused.said
    assert reference.buckets() == ["kindness-in-a-bucket"]
    reference.front.rules.clear()
    reference.client().delete_object(Bucket="kindness-in-a-bucket", Key="two")
    reference.client().delete_bucket(Bucket="kindness-in-a-bucket")
    later = bare.verify()
    assert later.standing("trusted") == ["one"], later.output
    assert later.standing("proved") == ["two"]
    assert bare.left() == []


def test_wrong_or_expired_keys_in_a_replay_say_what_to_do(project: Project, reference: Reference) -> None:
    project.write(suite("one", "two", more=LOCATION))
    reference.front.rules.append(require_signature("another secret"))
    ran = project.verify()
    assert ran.exit_code == 1, ran.output
    assert "did not accept the credentials (SignatureDoesNotMatch" in ran.said
    assert "sign in again (aws sso login, az login)" in ran.said
    assert "What was proved so far is kept." in ran.said
    assert ran.standing("undecided") == ["one", "two"]
    assert ran.reference_calls == 1
    assert project.left() == reference.buckets() == []
    assert project.proved() == {"one", "two"}


def test_expired_keys_in_a_whole_test_are_no_failure_of_the_test(bare: Project, reference: Reference) -> None:
    code = "ExpiredToken"
    bare.write(suite("one", own_keys=False))
    reference.front.rules.append(reject("s3.*", 403, code, "The token is of no use."))
    ran = bare.verify()
    assert ran.exit_code == 1, ran.output
    assert f"did not accept the credentials of 1 test (s3.CreateBucket: {code}: The token is of no use)" in (
        ran.said
    )
    assert "Sign in again (aws sso login, az login)" in ran.said
    assert ran.standing("undecided") == ["one"]
    reference.front.rules.clear()
    later = bare.verify()
    assert later.standing("proved") == ["one"], later.output


def test_a_suite_that_brings_keys_which_the_reference_does_not_know_is_told_so(
    bare: Project, reference: Reference
) -> None:
    """As moto's documentation recommends: a fixture that sets keys which mean nothing."""
    bare.write(suite("one"))
    reference.front.rules.append(reject("s3.*", 403, "InvalidAccessKeyId", "Nobody has this key."))
    ran = bare.verify()
    assert ran.exit_code == 1, ran.output
    assert "the clients had keys of their own" in ran.said
    assert "a fixture that sets AWS_ACCESS_KEY_ID" in ran.said
    assert ran.standing("undecided") == ["one"]


def test_no_credentials_at_all_are_noticed_before_the_first_call(project: Project) -> None:
    nothing = project.root / "nothing"
    nothing.touch()
    project.environment.update(
        AWS_CONFIG_FILE=str(nothing),
        AWS_SHARED_CREDENTIALS_FILE=str(nothing),
        AWS_EC2_METADATA_DISABLED="true",
    )
    project.write(suite("one"))
    project.configure(reference="aws")
    ran = project.verify()
    assert ran.exit_code == 1, ran.output
    assert "Nothing is proved in this run: the default credential chain: there are no AWS credentials" in (
        ran.said
    )
    assert "Run: aws configure; or set AWS_PROFILE" in ran.said
    assert ran.reference_calls == 0
    assert project.proved() == {"one"}


def test_calls_that_are_throttled_now_and_then_are_made_again_and_are_no_difference(
    bare: Project, reference: Reference
) -> None:
    bare.write(suite("one", "two"))
    reference.front.rules.append(throttle(3))
    ran = bare.verify()
    assert ran.exit_code == 0, ran.output
    assert reference.front.hits["throttle"] > 0
    assert ran.standing("proved") == ["one", "two"]
    assert "SlowDown" not in ran.output
    assert ran.reference_calls > ran.content["spending"]["calls"]
    reference.front.rules.clear()
    later = bare.verify()
    assert later.standing("trusted") == ["one", "two"], later.output
    assert later.reference_calls == 0


def test_throttling_that_does_not_end_is_named_and_leaves_the_test_undecided(
    bare: Project, reference: Reference
) -> None:
    bare.write(suite("one"))
    reference.front.rules.append(throttle(1))
    ran = bare.verify()
    assert ran.exit_code == 1, ran.output
    assert "The reference throttled 1 test to the end (s3.CreateBucket: SlowDown" in ran.said
    assert "Give the SDK more retries, or raise the reference's limits" in ran.said
    assert ran.standing("undecided") == ["one"]
    assert ran.reference_calls == reference.front.count
    reference.front.rules.clear()
    later = bare.verify()
    assert later.exit_code == 0, later.output
    assert later.standing("proved") == ["one"], "nothing of it was remembered as a failure"


def test_what_a_whole_test_leaves_on_the_reference_is_listed(bare: Project, reference: Reference) -> None:
    bare.write(suite("one").replace("    s3.delete_bucket(Bucket=BUCKET)\n", ""))
    ran = bare.verify()
    assert ran.exit_code == 0, ran.output
    assert "made by a test that did not delete it" in ran.said
    assert bare.left() == ["a test's s3 bucket kindness-in-a-bucket"]
    listed = bare.likewise("clean", "--list")
    assert "aws s3 rb s3://kindness-in-a-bucket" in listed.said
    done = bare.likewise("clean", "--forget", "a test's s3 bucket kindness-in-a-bucket")
    assert done.exit_code == 0
    assert bare.left() == []
