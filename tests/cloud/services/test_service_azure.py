"""Azure Blob, Queue and Table requests become named, normalised interactions with their touches."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import md5
from typing import Any

import pytest

SIGNED = {"x-ms-version": "2021-08-06", "authorization": "SharedKey devstoreaccount1:c2ln"}
BLOB = "http://127.0.0.1:10000/devstoreaccount1"
QUEUE = "http://127.0.0.1:10001/devstoreaccount1"
TABLE = "http://127.0.0.1:10002/devstoreaccount1"
UPLOAD = {**SIGNED, "x-ms-blob-type": "BlockBlob"}


@pytest.mark.parametrize(
    ("method", "url", "headers", "operation"),
    [
        ("GET", "https://acct.blob.core.windows.net/?comp=list", {}, "blob.Service_ListContainersSegment"),
        ("PUT", "https://acct.queue.core.windows.net/jobs", {}, "queue.Queue_Create"),
        ("GET", "https://acct-secondary.table.core.windows.net/Tables", {}, "table.Table_Query"),
        ("PUT", "http://127.0.0.1/devstoreaccount1/jobs", {"host": "127.0.0.1:10001"}, "queue.Queue_Create"),
        ("PUT", "http://localhost:4000/acct/box?restype=container", {}, "blob.Container_Create"),
        ("POST", "http://localhost:4000/acct/jobs/messages", {}, "queue.Messages_Enqueue"),
        ("PUT", "http://localhost:4000/acct/jobs?comp=metadata", {}, "queue.Queue_SetMetadata"),
        (
            "POST",
            "http://localhost:4000/acct/Tables",
            {"accept": "application/json;odata=x"},
            "table.Table_Create",
        ),
        ("POST", "http://localhost:4000/acct/$batch", {}, "table.Table_Batch"),
        ("DELETE", "http://localhost:4000/acct/Tables('t')", {}, "table.Table_Delete"),
        (
            "GET",
            "http://localhost:4000/acct/t(PartitionKey='a',RowKey='b')",
            {},
            "table.Table_QueryEntitiesWithPartitionAndRowKey",
        ),
    ],
)
def test_the_three_services_are_told_apart(
    send: Any, method: str, url: str, headers: dict[str, str], operation: str
) -> None:
    assert str(send(method, url, headers={**SIGNED, **headers}).operation) == operation


def test_the_server_says_which_service_it_is(send: Any) -> None:
    answered = {"server": "Azurite-Queue/3.35.0"}
    call = send("GET", "http://localhost:4000/devstoreaccount1/?comp=list", answered=answered)
    assert str(call.operation) == "queue.Service_ListQueuesSegment"


def test_the_account_is_the_receiver_and_no_part_of_the_resource(send: Any) -> None:
    emulated = send("GET", f"{BLOB}/box/a%20b", headers=SIGNED)
    hosted = send("GET", "https://acct.blob.core.windows.net/box/a%20b", headers=SIGNED)
    assert (emulated.receiver, hosted.receiver) == ("devstoreaccount1", "acct")
    assert emulated.arguments == hosted.arguments
    assert emulated.arguments["resource"] == ["box", "a b"]


def test_an_upload_is_normalised(send: Any, touched: Any) -> None:
    digest = b64encode(md5(b"hello").digest()).decode()
    upload = send(
        "PUT",
        f"{BLOB}/box/k?timeout=30",
        b"hello",
        headers={
            **UPLOAD,
            "x-ms-date": "Mon, 01 Jan 2024 00:00:00 GMT",
            "x-ms-client-request-id": "c",
            "x-ms-blob-content-md5": digest,
            "x-ms-meta-colour": "blue",
            "content-type": "application/octet-stream",
        },
        status=201,
        answered={"etag": '"0x1"', "content-md5": digest, "x-ms-request-id": "r", "x-ms-version": "v"},
    )
    assert upload.arguments["query"] == {"timeout": "30"}
    assert upload.arguments["headers"] == {
        "x-ms-version": "2021-08-06",
        "x-ms-blob-type": "BlockBlob",
        "x-ms-blob-content-md5": "<right>",
        "x-ms-meta-colour": "blue",
        "content-type": "application/octet-stream",
    }
    assert upload.outcome.value["headers"] == {
        "etag": '"0x1"',
        "content-md5": "<right>",
        "x-ms-request-id": "<id>",
    }
    blob = "blob/devstoreaccount1/box/k"
    assert touched(upload) == [f"absorb {blob}/**", "read blob/devstoreaccount1/box/?leases/k"]


def test_a_checksum_that_repeats_the_content_counts_by_being_there(send: Any) -> None:
    """Its value varies with the content; whether there is one, clients see."""

    def read(**answered: str) -> Any:
        headers = {name.replace("_", "-"): text for name, text in answered.items()}
        return send("GET", f"{BLOB}/box/k", headers=SIGNED, answer=b"hello", answered=headers).outcome

    right, wrong = b64encode(md5(b"hello").digest()).decode(), b64encode(md5(b"other").digest()).decode()
    assert read(content_md5=right).value["headers"] == {"content-md5": "<right>"}
    assert read(content_md5=wrong).value["headers"] == {"content-md5": wrong}
    assert read().value["headers"] == {}


def test_what_the_status_line_of_a_refusal_says_counts(send: Any) -> None:
    """The SDK shows it to its users, and has no other message where there is no body."""
    gone = "The specified blob does not exist."
    absent = send("HEAD", f"{BLOB}/box/k", headers=SIGNED, status=404, reason=gone)
    assert absent.outcome.value["reason"] == gone
    assert "reason" not in send("HEAD", f"{BLOB}/box/k", headers=SIGNED, reason="OK").outcome.value


SHARED = "sv=2021-08-06&sr=c&sig=c2ln"


def test_a_policy_replaces_the_one_before_and_matters_to_those_without_the_key(
    send: Any, touched: Any
) -> None:
    for base, ask, method in ((BLOB, "restype=container&comp=acl", "GET"), (QUEUE, "comp=acl", "GET")):
        setting = send("PUT", f"{base}/box?{ask}", b"", headers=SIGNED)
        (policy,) = [each for each in touched(setting) if each.endswith(("?properties/policy", "?policy"))]
        assert policy.startswith("absorb ")
        inside = f"{base}/box/{'messages' if base is QUEUE else 'k'}"
        assert policy.replace("absorb", "read") in touched(send(method, f"{inside}?{SHARED}"))
        assert not any("policy" in each for each in touched(send(method, inside, headers=SIGNED)))
    assert "read blob/devstoreaccount1/box/?properties/**" in touched(
        send("HEAD", f"{BLOB}/box?restype=container", headers=SIGNED)
    )


def test_a_lease_outlives_an_overwrite(send: Any, touched: Any) -> None:
    headers = {**SIGNED, "x-ms-lease-action": "acquire", "x-ms-lease-duration": "15"}
    lease = send("PUT", f"{BLOB}/box/k?comp=lease", headers=headers, status=201)
    upload = send("PUT", f"{BLOB}/box/k", b"1", headers=UPLOAD, status=201)
    assert "write blob/devstoreaccount1/box/?leases/k timed" in touched(lease)
    assert "read blob/devstoreaccount1/box/?leases/k" in touched(upload)


def test_a_lease_says_how_long_it_lasts(send: Any) -> None:
    def lasting(action: str, **headers: str) -> float | None:
        sent = {**SIGNED, "x-ms-lease-action": action, **headers}
        call = send("PUT", f"{BLOB}/box/k?comp=lease", headers=sent, status=200)
        [touch] = [touch for touch in call.touches if touch.timed]
        return touch.lasts

    assert lasting("renew") is None
    assert lasting("acquire", **{"x-ms-lease-duration": "15"}) == 15
    assert lasting("renew") == 15
    assert lasting("break") is None
    assert (lasting("acquire", **{"x-ms-lease-duration": "-1"}) or 0) > 1e6
    assert (lasting("release") or 0) > 1e6


def test_a_hidden_message_says_until_when(send: Any) -> None:
    def lasting(query: str, method: str = "GET", body: bytes = b"") -> float | None:
        url = f"{QUEUE}/jobs/messages{query}"
        call = send(method, url, body, headers=SIGNED, answer=MESSAGE)
        [touch] = [touch for touch in call.touches if touch.timed]
        return touch.lasts

    body = b"<QueueMessage><MessageText>hi</MessageText></QueueMessage>"
    assert lasting("") == 30
    assert lasting("?visibilitytimeout=7") == 7
    assert lasting("?visibilitytimeout=5&messagettl=3", "POST", body) == 3
    assert lasting("/m?popreceipt=p&visibilitytimeout=0", "PUT", body) is None


def test_a_refused_lease_settles_nothing(send: Any, touched: Any) -> None:
    headers = {**SIGNED, "x-ms-lease-action": "acquire", "x-ms-lease-duration": "15"}
    answered = {"x-ms-error-code": "LeaseAlreadyPresent"}
    lease = send("PUT", f"{BLOB}/box/k?comp=lease", headers=headers, status=409, answered=answered)
    assert lease.outcome.kind == "LeaseAlreadyPresent"
    assert all(line.startswith("read") and "timed" not in line for line in touched(lease))


def test_a_snapshot_keeps_what_is_overwritten(send: Any, touched: Any) -> None:
    upload = lambda: touched(send("PUT", f"{BLOB}/box/k", b"1", headers=UPLOAD, status=201))[0]  # noqa: E731
    assert upload().startswith("absorb")
    send("PUT", f"{BLOB}/box/k?comp=snapshot", headers=SIGNED, status=201)
    assert upload().startswith("write")


def test_what_is_made_of_blocks_depends_on_them(send: Any, touched: Any) -> None:
    stage = send("PUT", f"{BLOB}/box/k?comp=block&blockid=MQ%3D%3D", b"1", headers=SIGNED, status=201)
    body = b"<BlockList><Latest>MQ==</Latest></BlockList>"
    commit = send("PUT", f"{BLOB}/box/k?comp=blocklist", body, headers=SIGNED, status=201)
    blob = "blob/devstoreaccount1/box/k"
    assert touched(stage)[0] == f"write {blob}/?blocks/MQ=="
    assert f"read {blob}/?blocks/**" in touched(commit)
    assert touched(send("GET", f"{BLOB}/box/k", headers=SIGNED))[0] == f"read {blob}/**"


def test_a_copy_reads_its_source_and_is_timed_only_while_it_lasts(send: Any, touched: Any) -> None:
    headers = {**SIGNED, "x-ms-copy-source": "http://127.0.0.1:10000/devstoreaccount1/box/a%20b?sv=1&sig=s"}
    slow = send("PUT", f"{BLOB}/box/k", headers=headers, status=202, answered={"x-ms-copy-status": "pending"})
    fast = send("PUT", f"{BLOB}/box/k", headers=headers, status=202, answered={"x-ms-copy-status": "success"})
    seen = send("HEAD", f"{BLOB}/box/k", headers=SIGNED, answered={"x-ms-copy-status": "success"})
    blob = "blob/devstoreaccount1/box/k"
    assert slow.arguments["headers"]["x-ms-copy-source"] == ["box", "a b"]
    assert "read blob/devstoreaccount1/box/a b/**" in touched(slow)
    assert touched(slow)[0] == f"write {blob}/** timed"
    assert touched(fast)[0] == f"absorb {blob}/**"
    assert touched(seen)[0] == f"read {blob}/** timed"


def test_where_a_blob_was_copied_from_does_not_depend_on_the_host(send: Any) -> None:
    answered = {"x-ms-copy-source": "https://acct.blob.core.windows.net/box/a%20b"}
    seen = send("HEAD", f"{BLOB}/box/k", headers=SIGNED, answered=answered)
    assert seen.outcome.value["headers"] == {"x-ms-copy-source": ["box", "a b"]}


def test_a_batch_whose_answers_were_not_recorded_wipes_nothing(send: Any, touched: Any) -> None:
    batch = send(
        "POST",
        f"{BLOB}/box?restype=container&comp=batch",
        _multipart("DELETE /devstoreaccount1/box/a HTTP/1.1\r\n"),
        headers={**SIGNED, "content-type": "multipart/mixed; boundary=B"},
        status=202,
        answer=None,
    )
    assert touched(batch)[0] == "write blob/devstoreaccount1/box/a/**"


SPOKEN = {"x-ms-version": "2024-08-04"}


def test_what_permits_a_shared_access_matters_and_its_secret_does_not(send: Any) -> None:
    url = f"{BLOB}/box/k?sv=2021&se=2030-01-01&sr=b&sp=r&sig=c2VjcmV0"
    got = send("GET", url)
    query = got.arguments["query"]
    assert isinstance(query, dict)
    assert set(str(query.pop("se"))) == {"›"}
    assert query == {"sv": "2021", "sr": "b", "sp": "r"}
    assert got.arguments["identity"] == "shared access"


def test_on_what_terms_a_shared_access_is_given_matters(send: Any) -> None:
    """A server may want links to be good for a short time, from one address, or over one protocol only."""

    def asked(terms: str) -> Any:
        headers = {"x-ms-date": "Mon, 01 Jan 2024 00:00:00 GMT"}
        return send("GET", f"{BLOB}/box/k?sp=r&sig=c2VjcmV0&{terms}", headers=headers).arguments["query"]

    assert asked("se=2024-01-01T01:00:00Z") == asked("se=2024-01-01T01:00:09Z")
    terms = ["se=2024-01-01T01:00:00Z", "se=2024-02-01", "se=2023-12-31T23:00:00Z", "st=2023-12-31T23:00Z"]
    terms += ["spr=https", "spr=https,http", "sip=127.0.0.1"]
    assert len({str(asked(each)) for each in terms}) == len(terms)


def test_the_version_of_the_protocol_is_part_of_what_is_asked_only(send: Any) -> None:
    got = send("GET", f"{BLOB}/box/k", headers={**SIGNED, "x-ms-version": "2019-12-12"}, answered=SPOKEN)
    assert got.arguments["headers"] == {"x-ms-version": "2019-12-12"}
    assert got.outcome.value["headers"] == {}


def test_whether_a_copied_source_was_signed_matters(send: Any) -> None:
    def copied(terms: str) -> Any:
        headers = {**SIGNED, "x-ms-copy-source": f"{BLOB}/box/a{terms}"}
        return send("PUT", f"{BLOB}/box/k", headers=headers, status=202).arguments["headers"]

    assert copied("?sp=r&sig=abc") == copied("?sp=r&sig=xyz") != copied("")


def test_that_an_answer_has_a_date_and_an_id_counts(send: Any) -> None:
    """The SDK hands both to the client; what they are varies."""
    answered = {"x-ms-request-id": "r", "date": "Mon, 01 Jan 2024 00:00:00 GMT"}
    both = send("GET", f"{BLOB}/box/k", headers=SIGNED, answered=answered).outcome
    assert both.value["headers"] == {"x-ms-request-id": "<id>", "date": "<now>"}
    odd = send("GET", f"{BLOB}/box/k", headers=SIGNED, answered={"date": "soon"}).outcome
    assert odd.value["headers"] == {}


def test_a_refusal_loses_its_request_id_and_time(send: Any) -> None:
    refused = send(
        "GET",
        f"{BLOB}/box/k",
        headers=SIGNED,
        status=404,
        answer=b"\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?><Error><Code>BlobNotFound</Code><Message>"
        b"The specified blob does not exist.\nRequestId:1-2\nTime:2024-01-01T00:00:00Z</Message></Error>",
    )
    assert refused.outcome.kind == "BlobNotFound"
    assert refused.outcome.message == "The specified blob does not exist."


def test_creating_what_exists_looks_no_further_than_the_container(send: Any, touched: Any) -> None:
    again = send("PUT", f"{BLOB}/box?restype=container", headers=SIGNED, status=409)
    gone = send("DELETE", f"{BLOB}/box?restype=container", headers=SIGNED, status=202)
    assert touched(again)[0] == "read blob/devstoreaccount1/box"
    assert touched(gone)[0] == "absorb blob/devstoreaccount1/box/** timed"


def test_an_unknown_component_is_not_taken_for_a_plain_request(send: Any, touched: Any) -> None:
    call = send("PUT", f"{BLOB}/box?restype=container&comp=novelty", headers=SIGNED)
    assert touched(call) == ["write blob/**"]


def test_a_listing_hides_where_it_was_asked(send: Any) -> None:
    answer = (
        b'<EnumerationResults ServiceEndpoint="http://127.0.0.1:10000/devstoreaccount1" ContainerName="box">'
        b"<Blobs><Blob><Name>k</Name></Blob></Blobs><NextMarker/></EnumerationResults>"
    )
    listing = send("GET", f"{BLOB}/box?restype=container&comp=list", headers=SIGNED, answer=answer)
    assert listing.outcome.value["body"]["EnumerationResults"] == {
        "@ServiceEndpoint": "<endpoint>",
        "@ContainerName": "box",
        "Blobs": {"Blob": [{"Name": "k"}]},
        "NextMarker": "",
    }


def _multipart(*parts: str) -> bytes:
    return (
        "".join(f"--B\r\nContent-Type: application/http\r\n\r\n{part}\r\n" for part in parts) + "--B--"
    ).encode()


def test_a_blob_batch_touches_what_each_part_did(send: Any, touched: Any) -> None:
    batch = send(
        "POST",
        f"{BLOB}/box?restype=container&comp=batch",
        _multipart(
            "DELETE /devstoreaccount1/box/a HTTP/1.1\r\nauthorization: SharedKey x:y\r\n",
            "DELETE /devstoreaccount1/box/b HTTP/1.1\r\nauthorization: SharedKey x:y\r\n",
        ),
        headers={**SIGNED, "content-type": "multipart/mixed; boundary=B"},
        status=202,
        answer=_multipart(
            "HTTP/1.1 202 Accepted\r\nx-ms-request-id: 1\r\n",
            "HTTP/1.1 404 Not here\r\nx-ms-error-code: BlobNotFound\r\n",
        ),
        answered={"content-type": "multipart/mixed; boundary=B"},
    )
    assert [part["resource"] for part in batch.arguments["body"]] == [["box", "a"], ["box", "b"]]
    assert [part["status"] for part in batch.outcome.value["body"]] == [202, 404]
    assert touched(batch) == [
        "absorb blob/devstoreaccount1/box/a/**",
        "absorb blob/devstoreaccount1/box/?leases/a",
        "read blob/devstoreaccount1/box/b/**",
        "read blob/devstoreaccount1/box/?leases/b",
    ]


MESSAGE = (
    b"<QueueMessagesList><QueueMessage><MessageId>m</MessageId><PopReceipt>p</PopReceipt>"
    b"<MessageText>hi</MessageText></QueueMessage></QueueMessagesList>"
)


def test_receiving_nothing_changes_nothing(send: Any, touched: Any) -> None:
    messages = "queue/devstoreaccount1/jobs/messages"
    url = f"{QUEUE}/jobs/messages"
    received = send("GET", url, headers=SIGNED, answer=MESSAGE)
    assert touched(received) == [f"read {messages}/**", f"write {messages}/m timed"]
    nothing = send("GET", url, headers=SIGNED, answer=b"<QueueMessagesList/>")
    assert touched(nothing) == [f"read {messages}/**"]
    peek = send("GET", f"{url}?peekonly=true", headers=SIGNED, answer=MESSAGE)
    assert touched(peek) == [f"read {messages}/**"]
    assert peek.touches[0].attempted, "a server may take it for receiving"
    empty = send("GET", f"{url}?peekonly=true", headers=SIGNED, answer=b"<QueueMessagesList />")
    assert not empty.touches[0].attempted, "where there was nothing, nothing can be taken away"


def test_a_message_is_a_thing_of_its_own_that_comes_after_the_others(send: Any, touched: Any) -> None:
    messages = "queue/devstoreaccount1/jobs/messages"
    url = f"{QUEUE}/jobs/messages"
    body = b"<QueueMessage><MessageText>hi</MessageText></QueueMessage>"
    sent = send("POST", url, body, headers=SIGNED, status=201, answer=MESSAGE)
    hidden = send("POST", f"{url}?visibilitytimeout=5", body, headers=SIGNED, status=201, answer=MESSAGE)
    deleted = send("DELETE", f"{url}/m?popreceipt=p", headers=SIGNED, status=204)
    cleared = send("DELETE", url, headers=SIGNED, status=204)
    assert sent.arguments["body"] == {"QueueMessage": {"MessageText": "hi"}}
    assert touched(sent) == [f"read {messages}/**", f"absorb {messages}/m"]
    assert touched(hidden) == [f"read {messages}/**", f"absorb {messages}/m timed"]
    at_once = send("POST", f"{url}?visibilitytimeout=0", body, headers=SIGNED, status=201, answer=MESSAGE)
    assert touched(at_once) == touched(sent)
    assert touched(deleted) == [f"remove {messages}/m"]
    assert deleted.arguments["resource"] == ["jobs", "m"]
    assert touched(cleared) == [f"absorb {messages}/**"]


def test_what_is_refused_for_a_message_may_have_to_do_with_any(send: Any, touched: Any) -> None:
    messages = "queue/devstoreaccount1/jobs/messages"
    refused = send("DELETE", f"{QUEUE}/jobs/messages/m?popreceipt=p", headers=SIGNED, status=404)
    assert touched(refused) == [f"read {messages}/**"]


def test_a_message_that_the_answer_does_not_name_may_be_any(send: Any, touched: Any) -> None:
    messages = "queue/devstoreaccount1/jobs/messages"
    body = b"<QueueMessage><MessageText>hi</MessageText></QueueMessage>"
    sent = send("POST", f"{QUEUE}/jobs/messages", body, headers=SIGNED, status=201, answer=b"")
    assert f"write {messages}/**" in touched(sent)


def test_a_queue_that_was_there_just_so_is_only_read(send: Any, touched: Any) -> None:
    created = send("PUT", f"{QUEUE}/jobs", headers=SIGNED, status=201)
    again = send("PUT", f"{QUEUE}/jobs", headers=SIGNED, status=204)
    assert touched(created)[0] == "absorb queue/devstoreaccount1/jobs/**"
    assert all(line.startswith("read") for line in touched(again))


ENTITY = {"PartitionKey": "p", "RowKey": "r", "Age": 5}


def test_entities_are_touched_below_their_partition(send: Any, touched: Any) -> None:
    body = json.dumps(ENTITY).encode()
    insert = send("POST", f"{TABLE}/People", body, headers=SIGNED, status=201)
    merge = send("PATCH", f"{TABLE}/People(PartitionKey='p',RowKey='r')", body, headers=SIGNED, status=204)
    legacy = send("MERGE", f"{TABLE}/People(PartitionKey='p',RowKey='r')", body, headers=SIGNED, status=204)
    entity = "table/devstoreaccount1/people/p/r"
    assert touched(insert) == [f"absorb {entity}"]
    assert touched(merge) == touched(legacy) == [f"write {entity}"]
    assert str(legacy.operation) == "table.Table_MergeEntity"


def test_a_tunnelled_method_counts(send: Any) -> None:
    headers = {**SIGNED, "x-http-method": "MERGE"}
    call = send("POST", f"{TABLE}/People(PartitionKey='p',RowKey='r')", b"{}", headers=headers, status=204)
    assert str(call.operation) == "table.Table_MergeEntity"


def test_quotes_in_keys_are_undone(send: Any) -> None:
    url = f"{TABLE}/People(PartitionKey='it%27%27s',RowKey='a%2Fb')"
    assert send("GET", url, headers=SIGNED).arguments["resource"] == ["People", "it's", "a/b"]


@pytest.mark.parametrize(
    ("condition", "reach"),
    [
        ("PartitionKey eq 'p'", "people/p/**"),
        ("PartitionKey eq 'p' and RowKey eq 'r'", "people/p/r/**"),
        ("PartitionKey eq 'p' and Age gt 3", "people/p/**"),
        ("PartitionKey eq 'this or that' and Age gt 3", "people/this or that/**"),
        ("PartitionKey eq 'p' or Age gt 3", "people/**"),
        ("not (PartitionKey eq 'p')", "people/**"),
        ("Age gt 3", "people/**"),
        ("", "people/**"),
    ],
)
def test_a_query_reaches_as_far_as_its_filter(send: Any, touched: Any, condition: str, reach: str) -> None:
    suffix = f"?$filter={condition.replace(' ', '%20')}" if condition else ""
    query = send("GET", f"{TABLE}/People(){suffix}", headers=SIGNED)
    assert touched(query) == [f"read table/devstoreaccount1/{reach}"]


def _change_set(*parts: str) -> bytes:
    inner = (
        "".join(f"--C\r\nContent-Type: application/http\r\n\r\n{part}\r\n" for part in parts) + "--C--\r\n"
    )
    return f"--B\r\nContent-Type: multipart/mixed; boundary=C\r\n\r\n{inner}--B--\r\n".encode()


@pytest.mark.parametrize("refused", [False, True])
def test_a_table_batch_is_all_or_nothing(send: Any, touched: Any, refused: bool) -> None:
    parts = [
        f"POST {TABLE}/People HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"
        + json.dumps({**ENTITY, "RowKey": row})
        for row in ("1", "2")
    ]
    no = (
        "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\n\r\n"
        '{"odata.error": {"code": "EntityAlreadyExists",'
        ' "message": {"value": "1:No.\\nRequestId:9\\nTime:8"}}}'
    )
    answer = _change_set(no) if refused else _change_set(*["HTTP/1.1 204 No Content\r\n"] * 2)
    mixed = "multipart/mixed; boundary=B"
    batch = send(
        "POST",
        f"{TABLE}/$batch",
        _change_set(*parts),
        headers={**SIGNED, "content-type": mixed},
        status=202,
        answer=answer,
        answered={"content-type": mixed},
    )
    verb = "read" if refused else "absorb"
    assert [part["body"]["RowKey"] for part in batch.arguments["body"]] == ["1", "2"]
    own = [each for each in touched(batch) if not each.endswith("?policy")]  # parts carry no signature
    assert own == [f"{verb} table/devstoreaccount1/people/p/{row}" for row in "12"]
    if refused:
        (part,) = batch.outcome.value["body"]
        assert part["body"] == {"code": "EntityAlreadyExists", "message": "1:No.", "detail": None}


def test_links_in_an_entity_lose_host_and_account(send: Any) -> None:
    answer = json.dumps({"odata.metadata": f"{TABLE}/$metadata#People/@Element", **ENTITY}).encode()
    got = send("GET", f"{TABLE}/People(PartitionKey='p',RowKey='r')", headers=SIGNED, answer=answer)
    assert got.outcome.value["body"]["odata.metadata"] == "/$metadata#People/@Element"


def test_how_long_a_message_is_kept_and_hidden_counts_whenever_it_was_sent(send: Any) -> None:
    def sent(start: str, hidden: str, end: str, method: str = "POST") -> Any:
        dates = f"<InsertionTime>{start}</InsertionTime><ExpirationTime>{end}</ExpirationTime>"
        if hidden:
            dates += f"<TimeNextVisible>{hidden}</TimeNextVisible>"
        message = f"<QueueMessage><MessageId>m</MessageId>{dates}</QueueMessage>"
        answer = f"<QueueMessagesList>{message}</QueueMessagesList>".encode()
        call = send(method, f"{QUEUE}/line/messages", headers=SIGNED, status=201, answer=answer)
        entry = call.outcome.value["body"]["QueueMessagesList"]["QueueMessage"][0]
        return {name: entry.get(name) for name in ("keptFor", "hiddenFor")}

    day = "04 May 2026 03:00"
    start, shown, end = (f"Mon, {day}:{second} GMT" for second in ("01", "01", "31"))
    assert sent(start, shown, end) == {"keptFor": 30, "hiddenFor": 0}
    assert sent(start, end, "Fri, 31 Dec 9999 23:59:59 GMT") == {"keptFor": "ever", "hiddenFor": 30}
    assert sent(start, shown, end, method="GET") == {"keptFor": 30, "hiddenFor": None}
