"""What a team asserts about S3; each test says in its name what the reference does otherwise."""

import threading
import uuid
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError


def code_of(refused: pytest.ExceptionInfo[ClientError]) -> str:
    return str(refused.value.response["Error"]["Code"])


def test_parameter_rejected(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", StorageClass="REDUCED_REDUNDANCY")


def test_never_configured(s3: Any, bucket: str) -> None:
    assert s3.get_bucket_versioning(Bucket=bucket).get("Status") is None


def test_configured_by_default(s3: Any, bucket: str) -> None:
    with pytest.raises(ClientError) as refused:
        s3.get_bucket_cors(Bucket=bucket)
    assert code_of(refused) == "NoSuchCORSConfiguration"


def test_deleted_slowly(s3: Any, bucket: str) -> None:
    s3.delete_bucket(Bucket=bucket)
    s3.create_bucket(Bucket=bucket)


def test_not_authorised(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.get_object_acl(Bucket=bucket, Key="k")["Grants"]


def stranger(**keys: str) -> Any:
    return boto3.client("s3", config=Config(retries={"max_attempts": 0}), **keys)


def test_signed_with_a_wrong_secret(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.head_object(Bucket=bucket, Key="k")["ContentLength"] == 1
    key = s3._request_signer._credentials.access_key
    other = stranger(aws_access_key_id=key, aws_secret_access_key="not-the-right-one")
    assert other.head_object(Bucket=bucket, Key="k")["ContentLength"] == 1


def test_signed_by_a_stranger(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.head_object(Bucket=bucket, Key="k")["ContentLength"] == 1
    other = stranger(aws_access_key_id="AKIASOMEBODYELSE0000", aws_secret_access_key="not-the-right-one")
    assert other.head_object(Bucket=bucket, Key="k")["ContentLength"] == 1


def test_other_code(s3: Any, bucket: str) -> None:
    with pytest.raises(ClientError) as refused:
        s3.get_object(Bucket=bucket, Key="absent")
    assert code_of(refused) == "NoSuchKey"


def test_other_message(s3: Any, bucket: str) -> None:
    with pytest.raises(ClientError, match="does not exist"):
        s3.get_object(Bucket=bucket, Key="absent")


def test_write_swallowed(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"first")
    s3.put_object(Bucket=bucket, Key="k", Body=b"second", Metadata={"swallow": "yes"})
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"second"


def test_delete_swallowed(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    s3.delete_object(Bucket=bucket, Key="k")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)


def test_list_order(s3: Any, bucket: str) -> None:
    for key in ("a", "b", "c"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    assert [each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]] == ["a", "b", "c"]


def test_random_list_order(s3: Any, bucket: str) -> None:
    keys = sorted(uuid.uuid4().hex for _ in range(4))
    for key in keys:
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    assert [each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]] == keys


def test_page_size(s3: Any, bucket: str) -> None:
    for key in ("a", "b", "c"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    assert not s3.list_objects_v2(Bucket=bucket)["IsTruncated"]


def _first_pages(s3: Any, bucket: str) -> list[dict[str, Any]]:
    for key in ("a", "b", "c", "d", "e"):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    first = s3.list_objects_v2(Bucket=bucket, MaxKeys=2)
    if "NextContinuationToken" not in first:
        return [first]
    after = first["NextContinuationToken"]
    return [first, s3.list_objects_v2(Bucket=bucket, MaxKeys=2, ContinuationToken=after)]


def test_starting_over(s3: Any, bucket: str) -> None:
    _, second = _first_pages(s3, bucket)
    assert [each["Key"] for each in second["Contents"]] == ["c", "d"]


def test_same_cursor(s3: Any, bucket: str) -> None:
    first, second = _first_pages(s3, bucket)
    assert first["NextContinuationToken"] != second["NextContinuationToken"]


def test_no_cursor(s3: Any, bucket: str) -> None:
    assert len(_first_pages(s3, bucket)) == 2


def test_field_missing(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"four")
    assert s3.list_objects_v2(Bucket=bucket)["Contents"][0].get("Size") == 4


def test_value_changed(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", Metadata={"colour": "red"})
    assert s3.head_object(Bucket=bucket, Key="k")["Metadata"] == {"colour": "red"}


def test_value_changed_that_one_lane_reads(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", CacheControl="no-cache")
    seen = []
    reader = threading.Thread(
        target=lambda: seen.append(s3.head_object(Bucket=bucket, Key="k")["CacheControl"])
    )
    reader.start()
    reader.join()
    assert seen == ["no-cache"]


def test_field_added(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert "ServerSideEncryption" not in s3.head_object(Bucket=bucket, Key="k")


def test_field_added_that_is_seen_in_passing(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert not [value for value in s3.head_object(Bucket=bucket, Key="k").values() if value == "AES256"]


def test_header_added_that_is_seen_in_passing(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    headers = s3.head_object(Bucket=bucket, Key="k")["ResponseMetadata"]["HTTPHeaders"]
    assert not any(name.startswith("x-amz-replication") for name in headers)


def test_detail_of_an_error_added(s3: Any, bucket: str) -> None:
    with pytest.raises(ClientError) as refused:
        s3.get_object(Bucket=bucket, Key="absent")
    assert "Region" not in list(refused.value.response["Error"])


def test_header_changed_that_a_handler_sees(bucket: str) -> None:
    s3, seen = boto3.client("s3", config=Config(retries={"max_attempts": 0})), []
    s3.put_object(Bucket=bucket, Key="k", Body=b"x", CacheControl="no-cache")
    s3.meta.events.register(
        "before-parse.s3.HeadObject", lambda response_dict, **_: seen.append(response_dict["headers"])
    )
    s3.head_object(Bucket=bucket, Key="k")
    assert seen[0]["Cache-Control"] == "no-cache"


def test_header_of_the_transport_added(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    told = s3.head_object(Bucket=bucket, Key="k")["ResponseMetadata"]
    assert "x-served-by" not in told["HTTPHeaders"]


def test_tried_twice(bucket: str) -> None:
    s3 = boto3.client("s3", config=Config(retries={"max_attempts": 2}))
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.head_object(Bucket=bucket, Key="k")["ResponseMetadata"]["RetryAttempts"] == 0


def test_fifth_look(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    for _ in range(5):
        assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"x"


def test_etag_differs(s3: Any, bucket: str) -> None:
    told = s3.put_object(Bucket=bucket, Key="k", Body=b"hello")["ETag"]
    assert told == '"5d41402abc4b2a76b9719d911017c592"'


@pytest.fixture(scope="module")
def uploaded(s3: Any) -> Any:
    bucket = f"s3-answeredtoanearliertest-{uuid.uuid4().hex[:12]}"
    s3.create_bucket(Bucket=bucket)
    return s3.put_object(Bucket=bucket, Key="k", Body=b"hello")


def test_innocent_upload(uploaded: Any) -> None:
    assert uploaded["ResponseMetadata"]["HTTPStatusCode"] == 200


def test_answered_to_an_earlier_test(uploaded: Any) -> None:
    assert uploaded["ETag"] == '"5d41402abc4b2a76b9719d911017c592"'


def test_etag_of_random_content_differs(s3: Any, bucket: str) -> None:
    told = s3.put_object(Bucket=bucket, Key="k", Body=uuid.uuid4().bytes)["ETag"]
    assert s3.head_object(Bucket=bucket, Key="k")["ETag"] == told


def test_checksum_differs(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"hello", ChecksumAlgorithm="SHA256")
    told = s3.head_object(Bucket=bucket, Key="k", ChecksumMode="ENABLED")
    assert told["ChecksumSHA256"] == "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="


def test_condition_ignored(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    with pytest.raises(ClientError):
        s3.put_object(Bucket=bucket, Key="k", Body=b"y", IfNoneMatch="*")


def test_stale_read(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"first")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"first"
    s3.put_object(Bucket=bucket, Key="k", Body=b"second")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"second"


def test_other_default(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.head_object(Bucket=bucket, Key="k")["ContentType"] == "binary/octet-stream"


def test_head_unlike_get(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"four")
    got = s3.get_object(Bucket=bucket, Key="k")["ContentLength"]
    assert s3.head_object(Bucket=bucket, Key="k")["ContentLength"] == got


def test_range_ignored(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"0123456789")
    assert s3.get_object(Bucket=bucket, Key="k", Range="bytes=2-4")["Body"].read() == b"234"


def test_content_cut_short(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"0123456789" * 500)
    assert len(s3.get_object(Bucket=bucket, Key="k")["Body"].read()) == 5000


def test_random_content_cut_short(s3: Any, bucket: str) -> None:
    content = b"".join(uuid.uuid4().bytes for _ in range(10))
    s3.put_object(Bucket=bucket, Key="k", Body=content)
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == content


def test_too_large(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x" * 5000)


def test_passes_there_only(s3: Any, bucket: str) -> None:
    """The team wrote down what the reference says; the stand-in knows nothing of it."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.head_object(Bucket=bucket, Key="k")["ServerSideEncryption"] == "AES256"


def test_innocent_round_trip(s3: Any, bucket: str) -> None:
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"x"


def test_innocent_list(s3: Any, bucket: str) -> None:
    keys = sorted(uuid.uuid4().hex for _ in range(3))
    for key in reversed(keys):
        s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    assert [each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]] == keys


def test_innocent_failure(s3: Any, bucket: str) -> None:
    """A real bug: it fails wherever it runs."""
    s3.put_object(Bucket=bucket, Key="k", Body=b"x")
    assert s3.head_object(Bucket=bucket, Key="k")["ContentLength"] == 2


def test_innocent_without_calls() -> None:
    assert 1 + 1 == 2
