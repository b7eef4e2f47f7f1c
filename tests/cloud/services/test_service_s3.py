"""S3 requests and answers become named, normalised interactions with their touches."""

from __future__ import annotations

from base64 import b64encode
from hashlib import md5, sha256
from typing import Any
from zlib import crc32

import pytest

from likewise.model import Opaque, Raised, Returned

SIGNED = {"authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20240101/eu-west-1/s3/aws4_request, Signature=f"}
HOST = "http://127.0.0.1:5005"
TAG = f'"{md5(b"hello").hexdigest()}"'


def test_a_put_is_named_and_normalised(send: Any, touched: Any) -> None:
    put = send(
        "PUT",
        f"{HOST}/photos/a%20b/%C3%BC.txt?x-id=PutObject",
        b"hello",
        headers={
            **SIGNED,
            "host": "127.0.0.1:5005",
            "content-type": "text/plain",
            "content-length": "5",
            "user-agent": "Boto3/1.43",
            "amz-sdk-invocation-id": "1f",
            "amz-sdk-request": "attempt=1",
            "x-amz-date": "20240101T000000Z",
            "x-amz-content-sha256": sha256(b"hello").hexdigest(),
            "x-amz-meta-colour": "blue",
            "if-none-match": "*",
            "expect": "100-continue",
        },
        answered={"etag": TAG, "x-amz-request-id": "R", "x-amz-id-2": "I", "date": "now", "server": "s"},
    )
    assert str(put.operation) == "s3.PutObject"
    assert put.receiver == ""
    assert put.arguments == {
        "resource": ["photos", "a b/ü.txt"],
        "query": {},
        "headers": {"content-type": "text/plain", "x-amz-meta-colour": "blue", "if-none-match": "*"},
        "body": "hello",
    }
    assert put.outcome == Returned(value={"status": 200, "headers": {"etag": TAG}, "body": None})
    assert touched(put) == ["absorb s3/photos/a b/ü.txt", "read s3/photos/?versioning"]
    assert put.wire["body"] == b"hello"
    assert "authorization" not in put.wire["headers"]


@pytest.mark.parametrize(
    "url",
    [
        "https://photos.s3.amazonaws.com/one/two",
        "https://photos.s3.eu-west-1.amazonaws.com/one/two",
        "https://photos.s3-eu-west-1.amazonaws.com/one/two",
        "https://s3.eu-west-1.amazonaws.com/photos/one/two",
        "http://photos.s3.localhost.localstack.cloud:4566/one/two",
        "http://localhost:9000/photos/one/two",
        "http://photos.localhost:9000/one/two",
    ],
)
def test_every_way_to_address_an_object_names_the_same_one(send: Any, url: str) -> None:
    assert send("GET", url, headers=SIGNED).arguments["resource"] == ["photos", "one/two"]


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize("name", ["content-md5", "x-amz-checksum-crc32", "x-amz-checksum-sha256"])
def test_of_a_checksum_that_is_right_only_that_it_is_there_counts(send: Any, name: str, right: bool) -> None:
    body = b"content"
    digests = {
        "content-md5": md5(body).digest(),
        "x-amz-checksum-crc32": crc32(body).to_bytes(4, "big"),
        "x-amz-checksum-sha256": sha256(body).digest(),
    }
    text = b64encode(digests[name] if right else b"0" * 16).decode()
    put = send("PUT", f"{HOST}/photos/k", body, headers={**SIGNED, name: text})
    assert put.arguments["headers"] == {name: "<right>" if right else {"wrong": text}}


def test_a_wrong_body_hash_is_kept(send: Any) -> None:
    hashed = sha256(b"something else").hexdigest()
    put = send("PUT", f"{HOST}/photos/k", b"content", headers={**SIGNED, "x-amz-content-sha256": hashed})
    assert put.arguments["headers"] == {"x-amz-content-sha256": {"wrong": hashed}}


def test_a_chunked_upload_is_its_payload(send: Any) -> None:
    body = b"5;chunk-signature=ab\r\nhello\r\n6\r\n world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n"
    put = send(
        "PUT",
        f"{HOST}/photos/k",
        body,
        headers={
            **SIGNED,
            "content-encoding": "aws-chunked,gzip",
            "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
            "x-amz-trailer": "x-amz-checksum-crc32",
            "x-amz-decoded-content-length": "11",
        },
    )
    assert put.arguments["body"] == "hello world"
    assert put.arguments["headers"] == {"content-encoding": "gzip"}
    assert put.wire["body"] == body, "what is repeated is what was sent"


def test_user_content_stays_opaque_whatever_it_claims_to_be(send: Any) -> None:
    document = b'{"a": [' + b"1, " * 200 + b"1]}"
    headers = {**SIGNED, "content-type": "application/json"}
    put = send("PUT", f"{HOST}/photos/k", document, headers=headers)
    got = send("GET", f"{HOST}/photos/k", headers=SIGNED, answer=document, answered=headers)
    assert isinstance(put.arguments["body"], Opaque)
    assert got.outcome.value["body"] == put.arguments["body"]


def test_a_recorder_without_bodies_leaves_the_length(send: Any) -> None:
    put = send("PUT", f"{HOST}/photos/k", None, headers={**SIGNED, "content-length": "7"})
    assert put.arguments["body"] == {"length": 7}


def test_a_refusal_is_an_error_without_request_ids_and_changes_nothing(send: Any, touched: Any) -> None:
    refused = send(
        "DELETE",
        f"{HOST}/photos",
        headers=SIGNED,
        status=409,
        answer=b"<?xml version='1.0'?><Error><Code>BucketNotEmpty</Code><Message>Not empty.</Message>"
        b"<BucketName>photos</BucketName><RequestId>R</RequestId><HostId>H</HostId></Error>",
        answered={"content-type": "application/xml", "x-amz-request-id": "R"},
    )
    assert refused.outcome == Raised(
        kind="BucketNotEmpty",
        message="Not empty.",
        value={
            "status": 409,
            "headers": {"content-type": "application/xml"},
            "body": {"BucketName": "photos"},
        },
    )
    assert touched(refused) == ["read s3/photos/**", "read s3/?buckets/photos"]


def test_a_bare_refusal_goes_by_its_status(send: Any) -> None:
    assert send("HEAD", f"{HOST}/photos/k", headers=SIGNED, status=404).outcome.kind == "404"


def test_an_overwrite_in_a_versioned_bucket_keeps_history(send: Any, touched: Any) -> None:
    put = lambda: touched(send("PUT", f"{HOST}/photos/k", b"1", headers=SIGNED))[0]  # noqa: E731
    assert put() == "absorb s3/photos/k"
    enable = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    versioning = send("PUT", f"{HOST}/photos?versioning", enable, headers=SIGNED)
    assert touched(versioning) == ["absorb s3/photos/?versioning"]
    assert put() == "write s3/photos/k"
    assert touched(send("DELETE", f"{HOST}/photos/k", headers=SIGNED, status=204))[0] == "write s3/photos/k"
    send("DELETE", f"{HOST}/photos", headers=SIGNED, status=204)
    assert put() == "absorb s3/photos/k", "a new bucket of the name starts without versions"


def test_a_version_in_the_answer_tells_of_versioning_set_elsewhere(send: Any, touched: Any) -> None:
    answered = {"x-amz-version-id": "3sL4kqtJlcpXroDTDmJ"}
    put = send("PUT", f"{HOST}/photos/k", b"1", headers=SIGNED, answered=answered)
    assert touched(put)[0] == "write s3/photos/k"


def test_parts_of_an_upload_commute_and_its_end_takes_them_all(send: Any, touched: Any) -> None:
    started = send(
        "POST",
        f"{HOST}/photos/k?uploads",
        headers=SIGNED,
        answer=b"<InitiateMultipartUploadResult><Bucket>photos</Bucket><Key>k</Key>"
        b"<UploadId>u1</UploadId></InitiateMultipartUploadResult>",
    )
    part = send("PUT", f"{HOST}/photos/k?partNumber=2&uploadId=u1", b"x", headers=SIGNED)
    done = send("POST", f"{HOST}/photos/k?uploadId=u1", b"<CompleteMultipartUpload/>", headers=SIGNED)
    assert touched(started)[0] == "write s3/photos/k/upload:u1"
    assert touched(part) == ["absorb s3/photos/k/upload:u1/part:2"]
    assert touched(done)[:2] == ["write s3/photos/k/upload:u1/**", "absorb s3/photos/k"]


def test_a_copy_reads_its_source(send: Any, touched: Any) -> None:
    headers = {**SIGNED, "x-amz-copy-source": "/other/a%20b?versionId=v1"}
    copy = send("PUT", f"{HOST}/photos/k", headers=headers, answer=b"<CopyObjectResult/>")
    assert str(copy.operation) == "s3.CopyObject"
    assert copy.arguments["headers"] == {"x-amz-copy-source": ["other", "a b", "versionId=v1"]}
    assert "read s3/other/a b/**" in touched(copy)


def _copy(send: Any, source: str, target: str) -> Any:
    headers = {**SIGNED, "x-amz-copy-source": f"photos/{source}"}
    return send("PUT", f"{HOST}/photos/{target}", headers=headers, answer=b"<CopyObjectResult/>")


def test_whoever_reads_a_copy_depends_on_its_source_as_it_was(send: Any, touched: Any) -> None:
    put = lambda key: touched(send("PUT", f"{HOST}/photos/{key}", b"1", headers=SIGNED))[0]  # noqa: E731
    _copy(send, "a", "b")
    _copy(send, "b", "c")
    got = touched(send("GET", f"{HOST}/photos/c", headers=SIGNED))
    assert got == ["read s3/photos/c/**", "read s3/photos/b/**", "read s3/photos/a/**"]
    assert put("a") == "write s3/photos/a", "what the copy was made from must not be forgotten"
    assert put("b") == "write s3/photos/b"
    assert put("c") == "absorb s3/photos/c"
    assert touched(send("GET", f"{HOST}/photos/c", headers=SIGNED)) == ["read s3/photos/c/**"]
    assert put("b") == "absorb s3/photos/b"
    assert put("a") == "absorb s3/photos/a", "with the last copy gone nothing holds the source"


def test_a_copy_onto_itself_keeps_its_history(send: Any, touched: Any) -> None:
    assert touched(_copy(send, "a", "a"))[0] == "write s3/photos/a"


def test_deleting_everything_deletes_copies_and_sources_alike(send: Any, touched: Any) -> None:
    _copy(send, "a", "b")
    assert touched(send("DELETE", f"{HOST}/photos", headers=SIGNED, status=204))[0] == "absorb s3/photos/**"


def test_deleting_several_touches_each(send: Any, touched: Any) -> None:
    body = b"<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>"
    done = send("POST", f"{HOST}/photos?delete", body, headers=SIGNED, answer=b"<DeleteResult/>")
    assert touched(done)[:2] == ["absorb s3/photos/a", "absorb s3/photos/b"]
    failed = b"<DeleteResult><Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>"
    partly = send("POST", f"{HOST}/photos?delete", body, headers=SIGNED, answer=failed)
    assert touched(partly)[:2] == ["write s3/photos/a", "write s3/photos/b"]


def test_a_key_cannot_pass_for_configuration(send: Any, touched: Any) -> None:
    put = send("PUT", f"{HOST}/photos/%3Fversioning", b"1", headers=SIGNED)
    assert touched(put) == ["absorb s3/photos/=?versioning", "read s3/photos/?versioning"]


def test_a_policy_changes_the_bucket_and_tags_do_not(send: Any, touched: Any) -> None:
    policy = send("PUT", f"{HOST}/photos?policy", b'{"Statement": []}', headers=SIGNED, status=204)
    tags = send("PUT", f"{HOST}/photos?tagging", b"<Tagging/>", headers=SIGNED, status=204)
    assert policy.arguments["body"] == {"Statement": []}
    assert touched(policy) == ["absorb s3/photos/?policy", "write s3/photos"]
    assert touched(tags) == ["absorb s3/photos/?tagging"]


def test_owners_hosts_and_url_encoding_are_gone_from_a_listing(send: Any) -> None:
    listing = send(
        "GET",
        f"{HOST}/photos?list-type=2&encoding-type=url",
        headers=SIGNED,
        answer=b'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>photos</Name>'
        b"<EncodingType>url</EncodingType><Contents><Key>a%20b%2Bc</Key><Size>1</Size>"
        b"<Owner><ID>75aa57f09aa0</ID><DisplayName>me</DisplayName></Owner></Contents></ListBucketResult>",
    )
    (entry,) = listing.outcome.value["body"]["ListBucketResult"]["Contents"]
    assert entry == {"Key": "a b+c", "Size": "1", "Owner": {"ID": "<owner>", "DisplayName": "<owner>"}}


@pytest.mark.parametrize(
    "host", ["http://127.0.0.1:5005/photos", "https://photos.s3.eu-west-1.amazonaws.com"]
)
def test_the_place_of_a_finished_upload_does_not_depend_on_the_host(send: Any, host: str) -> None:
    answer = f"<CompleteMultipartUploadResult><Location>{host}/k</Location></CompleteMultipartUploadResult>"
    done = send("POST", f"{HOST}/photos/k?uploadId=u", b"<x/>", headers=SIGNED, answer=answer.encode())
    assert done.outcome.value["body"] == {"CompleteMultipartUploadResult": {"Location": "/photos/k"}}


def test_who_asks_matters_only_where_it_is_unusual(send: Any) -> None:
    assert "identity" not in send("GET", f"{HOST}/photos/k", headers=SIGNED).arguments
    answered = {"x-amz-request-id": "R"}
    assert send("GET", f"{HOST}/photos/k", answered=answered).arguments["identity"] == "anonymous"
    presigned = send(
        "GET",
        f"{HOST}/photos/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F2024%2Fr%2Fs3%2Faws4_request"
        "&X-Amz-Date=20240101T000000Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=0f"
        "&versionId=v",
    )
    assert str(presigned.operation) == "s3.GetObject"
    assert presigned.arguments["query"] == {"X-Amz-Expires": "60", "versionId": "v"}
    assert presigned.arguments["identity"] == "presigned"


def test_a_form_upload_stores_the_key_that_it_names(send: Any, touched: Any) -> None:
    body = (
        b'--B\r\nContent-Disposition: form-data; name="key"\r\n\r\nup/a.txt\r\n'
        b'--B\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhi\r\n--B--\r\n'
    )
    post = send(
        "POST",
        f"{HOST}/photos",
        body,
        headers={"content-type": "multipart/form-data; boundary=B"},
        status=204,
        answered={"x-amz-request-id": "R"},
    )
    assert str(post.operation) == "s3.PostObject"
    assert touched(post)[0] == "absorb s3/photos/up/a.txt"


def test_an_error_under_a_good_status_is_an_error(send: Any, touched: Any) -> None:
    answer = b"<Error><Code>InternalError</Code><Message>Try again.</Message></Error>"
    done = send("POST", f"{HOST}/photos/k?uploadId=u", b"<x/>", headers=SIGNED, answer=answer)
    assert done.outcome.kind == "InternalError"
    assert done.outcome.value["status"] == 200
    assert all(line.startswith("read") for line in touched(done))


def test_a_redirection_changes_nothing(send: Any, touched: Any) -> None:
    elsewhere = send("PUT", f"{HOST}/photos/k", b"1", headers=SIGNED, status=307)
    assert isinstance(elsewhere.outcome, Returned)
    assert touched(elsewhere)[0] == "read s3/photos/k"


def test_a_proxy_on_the_way_does_not_hide_the_bucket(send: Any) -> None:
    headers = {**SIGNED, "host": "photos.s3.amazonaws.com"}
    assert send("GET", f"{HOST}/one", headers=headers).arguments["resource"] == ["photos", "one"]


def test_whom_a_grant_names_matters_in_the_request(send: Any) -> None:
    policy = b"<P><Owner><ID>me</ID></Owner><AccessControlList><Grant><Grantee><ID>you</ID></Grantee></Grant>"
    put = send("PUT", f"{HOST}/photos?acl", policy + b"</AccessControlList></P>", headers=SIGNED)
    assert put.arguments["body"]["P"] == {
        "Owner": {"ID": "<owner>"},
        "AccessControlList": {"Grant": [{"Grantee": {"ID": "you"}}]},
    }
