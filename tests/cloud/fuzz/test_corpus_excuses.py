"""Whether an answer that differs says something: what was there, who asked, what failed before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.cases import Case, Recorded, Step
from likewise.cloud.fuzz.corpus.excuses import excuse
from likewise.cloud.fuzz.corpus.stage import Stage

OK = Answer(success=True, status=200)


class Played(Stage):
    """A case that was played already."""

    texts: Mapping[str, str] = {}
    doubts: tuple[str, ...] = ()

    def send(self, step: Step, *, is_last: bool) -> Answer:
        """Never called."""
        raise AssertionError

    def clean(self) -> None:
        """Nothing was made."""


def failed(status: int, code: str) -> Answer:
    return Answer(success=False, status=status, code=code)


def call(name: str, **params: Any) -> Step:
    return Step(operation=name, params=params)


def reason(recorded: Recorded, *played: tuple[Step, Answer], service: str = "s3") -> str | None:
    case = Case(id="c", service=service, steps=tuple(step for step, _ in played), recorded=recorded)
    stage = Played(case)
    stage.answers += [answer for _, answer in played]
    return excuse(stage, stage.answers[-1])


MAKE = (call("CreateBucket", Bucket="bucket-1"), OK)
LOST = failed(404, "NoSuchKey")
GET = (call("GetObject", Bucket="bucket-1", Key="k"), LOST)


def put(key: str, answer: Answer) -> tuple[Step, Answer]:
    return call("PutObject", Bucket="bucket-1", Key=key), answer


def test_an_object_whose_upload_failed_says_nothing() -> None:
    broken = put("k", failed(400, "BadDigest"))
    assert "failed on the candidate" in str(reason(Recorded(status=200), MAKE, broken, GET))
    assert reason(Recorded(status=200), MAKE, broken, put("k", OK), GET) is None
    part = (call("UploadPart", Bucket="bucket-1", Key="k"), OK)
    whole = (call("CompleteMultipartUpload", Bucket="bucket-1", Key="k"), failed(400, "EntityTooSmall"))
    assert "CompleteMultipartUpload" in str(reason(Recorded(status=200), MAKE, part, whole, GET))


def test_a_failure_that_has_nothing_to_do_with_the_last_call_excuses_nothing() -> None:
    unset = (
        call("GetBucketEncryption", Bucket="bucket-1"),
        failed(404, "ServerSideEncryptionConfigurationNotFoundError"),
    )
    other = (call("PutBucketEncryption", Bucket="other"), failed(404, "NoSuchBucket"))
    removal = (call("DeleteBucketEncryption", Bucket="bucket-1"), failed(400, "InvalidRequest"))
    assert reason(Recorded(status=200), MAKE, other, removal, unset) is None
    setting = (call("PutBucketEncryption", Bucket="bucket-1"), failed(400, "MalformedXML"))
    assert "PutBucketEncryption" in str(reason(Recorded(status=200), MAKE, setting, unset))


def test_a_bucket_that_was_refused_first_and_made_then_is_there() -> None:
    refused = (MAKE[0], failed(400, "InvalidLocationConstraint"))
    last = (call("GetBucketAcl", Bucket="bucket-1"), failed(400, "InvalidRequest"))
    assert "CreateBucket" in str(reason(Recorded(status=200), refused, last))
    assert reason(Recorded(status=200), refused, MAKE, last) is None


def test_what_no_call_before_speaks_of_came_another_way() -> None:
    assert "not made by the sequence" in str(reason(Recorded(status=200), MAKE, GET))
    assert "not made by the sequence" in str(reason(Recorded(status=200), MAKE, GET, GET))
    assert reason(Recorded(status=200), MAKE, put("k", OK), GET) is None


def test_whoever_misses_a_backup_need_not_have_had_a_table() -> None:
    last = (call("DescribeBackup", BackupArn="arn:x"), failed(400, "ResourceNotFoundException"))
    missing = Recorded(status=400, code="BackupNotFoundException")
    assert reason(missing, last, service="dynamodb") is None
    key = (call("GetObject", Bucket="bucket-1", Key="k"), failed(404, "NoSuchBucket"))
    assert "not made by" in str(reason(Recorded(status=404, code="NoSuchKey"), key))
    assert "not made by" in str(reason(Recorded(status=403, code="403"), key))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("SignatureDoesNotMatch", "who asked"),
        ("AccessDenied", "nothing in the sequence forbids"),
        ("403", "nothing in the sequence forbids"),
        ("PermanentRedirect", "region"),
        ("SlowDown", "how the service was doing"),
        ("InternalError", "how the service was doing"),
        ("PublicAccessNotPermitted", "settings of the account"),
    ],
)
def test_an_answer_from_the_account_says_nothing(code: str, words: str) -> None:
    last = (call("GetObject", Bucket="bucket-1", Key="k"), OK)
    assert words in str(reason(Recorded(status=403, code=code), MAKE, put("k", OK), last))


def test_a_key_of_another_service_cannot_be_there() -> None:
    last = (
        call("PutObject", Bucket="bucket-1", Key="k", SSEKMSKeyId="1-2-3"),
        failed(400, "KMS.NotFoundException"),
    )
    assert "KMS" in str(reason(Recorded(status=200), MAKE, last))
    assert reason(Recorded(status=400, code="InvalidArgument"), MAKE, last) is None


def test_a_refusal_that_needs_a_table_says_that_there_was_one() -> None:
    last = (call("PutItem", TableName="t1", Item={}), failed(400, "ResourceNotFoundException"))
    unmet = Recorded(status=400, code="ConditionalCheckFailedException")
    assert "not made by" in str(reason(unmet, last, service="dynamodb"))
    text = "One or more parameter values were invalid: Missing the key id in the item"
    schema = Recorded(status=400, code="ValidationException", message=text)
    assert "not made by" in str(reason(schema, last, service="dynamodb"))
    syntax = Recorded(status=400, code="ValidationException", message="Invalid UpdateExpression")
    assert reason(syntax, last, service="dynamodb") is None


def test_a_condition_that_did_not_hold_says_that_there_was_a_bucket() -> None:
    last = (call("PutObject", Bucket="bucket-1", Key="k", IfMatch="x"), failed(404, "NoSuchBucket"))
    assert "not made by" in str(reason(Recorded(status=412, code="PreconditionFailed"), last))
    assert reason(Recorded(status=400, code="InvalidArgument"), last) is None


def test_what_the_candidate_did_not_remove_is_still_there() -> None:
    removal = (call("DeleteBucketPolicy", Bucket="bucket-1"), failed(400, "InvalidRequest"))
    last = (call("GetBucketPolicy", Bucket="bucket-1"), OK)
    gone = Recorded(status=404, code="NoSuchBucketPolicy")
    assert "DeleteBucketPolicy" in str(reason(gone, MAKE, removal, last))
    assert reason(gone, MAKE, (removal[0], OK), last) is None
    other = (call("DeleteBucketCors", Bucket="bucket-1"), failed(400, "InvalidRequest"))
    assert reason(gone, MAKE, other, last) is None


def test_what_an_answer_names_was_made_by_the_sequence() -> None:
    table = (call("CreateTable", TableName="table-1"), OK)
    arn = "${1.TableDescription.TableArn}"
    last = (call("GetResourcePolicy", ResourceArn=arn), failed(400, "PolicyNotFoundException"))
    assert reason(Recorded(status=200), table, last, service="dynamodb") is None
    other = (call("GetResourcePolicy", ResourceArn="arn:x"), failed(400, "PolicyNotFoundException"))
    assert "not made by" in str(reason(Recorded(status=200), table, other, service="dynamodb"))


CRASH = failed(500, "500")
HOLD = (call("PutObjectRetention", Bucket="bucket-1", Key="k"), CRASH)
GONE = (call("DeleteObject", Bucket="bucket-1", Key="k"), OK)


def test_a_call_that_broke_the_candidate_says_nothing_about_what_it_should_have_left() -> None:
    denied = Recorded(status=403, code="AccessDenied")
    assert "could not be carried out" in str(reason(denied, MAKE, put("k", OK), HOLD, GONE))
    other = (call("DeleteObject", Bucket="bucket-1", Key="other"), OK)
    assert "could not" not in str(reason(denied, MAKE, put("k", OK), HOLD, other))
    copied = (call("CopyObject", Bucket="b2", Key="k", CopySource="bucket-1/k"), failed(403, "AccessDenied"))
    assert "could not" in str(reason(Recorded(status=200), MAKE, HOLD, copied))


def test_what_is_wrong_with_a_request_alone_is_wrong_after_a_crash_too() -> None:
    malformed = Recorded(status=400, code="MalformedXML")
    assert reason(malformed, MAKE, put("k", OK), HOLD, GONE) is None
    assert "could not" in str(reason(Recorded(status=400, code="InvalidPart"), MAKE, HOLD, GONE))
    broken = (call("DeleteObject", Bucket="bucket-1", Key="k"), CRASH)
    assert reason(Recorded(status=204), MAKE, put("k", OK), HOLD, broken) is None
    table = (call("UpdateTable", TableName="t"), CRASH)
    query = (call("Query", TableName="t"), OK)
    invalid = Recorded(status=400, code="ValidationException", message="Value is too long")
    assert reason(invalid, table, query, service="dynamodb") is None
    unknown = Recorded(status=400, code="ValidationException", message="no such specified index")
    assert "could not" in str(reason(unknown, table, query, service="dynamodb"))


def test_a_wrong_checksum_that_the_file_does_not_hold_cannot_be_sent() -> None:
    wrong = Recorded(status=400, code="BadDigest")
    assert "checksum" in str(reason(wrong, MAKE, put("k", OK)))
    summed = (call("PutObject", Bucket="bucket-1", Key="k", ContentMD5="x"), OK)
    assert reason(wrong, MAKE, summed) is None


def test_a_bucket_that_the_sequence_made_is_somebody_elses_only_for_another_account() -> None:
    taken = Recorded(status=409, code="BucketAlreadyExists")
    assert "another account" in str(reason(taken, MAKE, MAKE))
    assert reason(taken, MAKE) is None


def test_an_account_that_only_the_recording_has_is_no_owner_on_the_candidate() -> None:
    denied = failed(403, "AccessDenied")
    asked = call("GetBucketAcl", Bucket="bucket-1", ExpectedBucketOwner="556677889900")
    assert "as the owner" in str(reason(Recorded(status=200), MAKE, (asked, denied)))
    plain = call("GetBucketAcl", Bucket="bucket-1")
    assert reason(Recorded(status=200), MAKE, (plain, denied)) is None


def test_a_limit_of_the_account_is_not_one_of_the_request() -> None:
    code, made = "LimitExceededException", (call("CreateTable", TableName="tab"), OK)
    several = "Only 10 tables can be created, updated, or deleted simultaneously"
    index = "Only 1 online index can be created or deleted simultaneously per table"
    for message, excused in ((several, True), (index, False)):
        recorded = Recorded(status=400, code=code, message=message)
        assert (reason(recorded, made, service="dynamodb") is not None) is excused, message
