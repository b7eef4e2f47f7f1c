"""An entity tag that is not the MD5 of the content is said to be another, wherever it shows."""

from __future__ import annotations

from dataclasses import replace
from hashlib import md5
from typing import Any

import pytest

from likewise.cloud.observation import overlooks
from likewise.model import Difference, Discrepancy, Implication, Interaction, Returned

HOST = "http://127.0.0.1:5000"
SIGNED = {"authorization": "AWS4-HMAC-SHA256 Credential=K/20260101/us-east-1/s3/aws4_request, Signature=s"}
CONTENT = b"random"
RIGHT = f'"{md5(CONTENT).hexdigest()}"'
OTHER = '"0123456789abcdef0123456789abcdef"'


def said(call: Interaction) -> Any:
    assert isinstance(call.outcome, Returned)
    assert isinstance(call.outcome.value, dict)
    return call.outcome.value


def listing(tag: str) -> bytes:
    return (
        "<ListBucketResult><Name>b</Name><Contents><Key>k</Key>"
        f"<ETag>{tag.replace(chr(34), '&quot;')}</ETag></Contents></ListBucketResult>"
    ).encode()


@pytest.mark.parametrize("tag", [RIGHT, OTHER, RIGHT.upper()])
def test_a_tag_is_compared_with_the_content_wherever_it_shows(send: Any, tag: str) -> None:
    is_other = tag != RIGHT
    put = send("PUT", f"{HOST}/b/k", headers=SIGNED, body=CONTENT, answered={"etag": tag})
    head = send("HEAD", f"{HOST}/b/k", headers=SIGNED, answered={"etag": tag})
    copied = send(
        "PUT",
        f"{HOST}/b/copy",
        headers={**SIGNED, "x-amz-copy-source": "/b/k"},
        answer=f"<CopyObjectResult><ETag>{tag}</ETag></CopyObjectResult>".encode(),
    )
    part = send(
        "PUT",
        f"{HOST}/b/k?partNumber=1&uploadId=u",
        headers=SIGNED,
        body=CONTENT,
        answered={"etag": tag},
    )
    listed = send("GET", f"{HOST}/b?list-type=2", headers=SIGNED, answer=listing(tag))
    for call in (put, head, part):
        assert ("etag≢" in said(call)["headers"]) == is_other
    (entry,) = said(listed)["body"]["ListBucketResult"]["Contents"]
    assert ("ETag≢" in entry) == is_other
    assert ("ETag≢" in said(copied)["body"]["CopyObjectResult"]) == is_other


@pytest.mark.parametrize("is_other", [False, True])
@pytest.mark.parametrize("contents", [(b"one",), (b"one", b"two")])
def test_the_tag_of_an_object_sent_in_parts_is_made_of_theirs(
    send: Any, contents: tuple[bytes, ...], is_other: bool
) -> None:
    url = f"{HOST}/b/k?uploadId=u"
    for number, content in enumerate(contents, start=1):
        tag = f'"{md5(content).hexdigest()}"'
        send("PUT", f"{url}&partNumber={number}", headers=SIGNED, body=content, answered={"etag": tag})
    whole = md5(b"".join(md5(content).digest() for content in contents)).hexdigest()
    tag = f'"{whole}-{len(contents) + is_other}"'
    parts = "".join(
        f"<Part><PartNumber>{number}</PartNumber><ETag>x</ETag></Part>"
        for number, _ in enumerate(contents, start=1)
    )
    done = send(
        "POST",
        url,
        f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode(),
        headers=SIGNED,
        answer=f"<CompleteMultipartUploadResult><ETag>{tag}</ETag></CompleteMultipartUploadResult>".encode(),
    )
    head = send("HEAD", f"{HOST}/b/k", headers=SIGNED, answered={"etag": tag})
    assert ("ETag≢" in said(done)["body"]["CompleteMultipartUploadResult"]) == is_other
    assert ("etag≢" in said(head)["headers"]) == is_other


@pytest.mark.parametrize(
    ("method", "target"),
    [("POST", "/b/k?uploadId=u"), ("DELETE", "/b/k"), ("POST", "/b?delete"), ("DELETE", "/b")],
)
def test_what_the_content_is_now_may_not_be_known(send: Any, method: str, target: str) -> None:
    send("PUT", f"{HOST}/b/k", headers=SIGNED, body=CONTENT, answered={"etag": RIGHT})
    send(method, HOST + target, headers=SIGNED, status=204 if method == "DELETE" else 200)
    head = send("HEAD", f"{HOST}/b/k", headers=SIGNED, answered={"etag": '"x-2"'})
    assert "etag≢" not in said(head)["headers"]


def test_an_older_version_is_not_what_was_sent_last(send: Any) -> None:
    send("PUT", f"{HOST}/b/k", headers=SIGNED, body=CONTENT, answered={"etag": RIGHT})
    head = send("HEAD", f"{HOST}/b/k?versionId=v", headers=SIGNED, answered={"etag": OTHER})
    assert "etag≢" not in said(head)["headers"]


@pytest.mark.parametrize("seen", [("ETag",), ("ContentLength",)])
def test_who_never_looked_at_a_tag_has_not_seen_that_it_is_another(send: Any, seen: tuple[str, ...]) -> None:
    call = send("PUT", f"{HOST}/b/k", headers=SIGNED, body=CONTENT, answered={"etag": RIGHT})
    found = Discrepancy(
        operation=call.operation,
        difference=Difference.MISSING,
        place="headers.etag≢",
        reference="not the MD5 of the content",
        candidate=None,
        implication=Implication.WRONG_RESULT,
    )
    assert overlooks(replace(call, seen=seen), found) == ("ETag" not in seen)
