"""Fresh names look like the old ones and come back as them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.cloud.replay.names import Names, fresh_name, fresh_names
from likewise.model import Effect, Interaction, Operation, Raised, ReplayImpossible, Returned, Touch


def kind(letter: str) -> str:
    if not letter.isascii() or not letter.isalnum():
        return letter
    return "0" if letter.isdigit() else "a" if letter.islower() else "A"


@given(st.from_regex(r"[a-z][A-Za-z0-9.-]{9,60}[a-z0-9]", fullmatch=True), st.text(max_size=5))
def test_a_fresh_name_has_the_form_of_the_old_one(name: str, salt: str) -> None:
    try:
        fresh = fresh_name(name, salt)
    except ReplayImpossible:
        assert sum(letter.isalnum() for letter in name) < 8 + 12
        return
    assert [*map(kind, fresh)] == [*map(kind, name)]
    assert fresh_name(name, salt) == fresh
    assert fresh_name(name, salt + "1") != fresh


@pytest.mark.parametrize("name", ["short", "a-b-c-d-e", "192.168.100.200", "$webwebwebweb"])
def test_a_name_without_enough_to_change_or_with_a_meaning_is_refused(name: str) -> None:
    with pytest.raises(ReplayImpossible, match="fresh name"):
        fresh_name(name, "")


def test_what_decides_whether_a_name_is_valid_stays() -> None:
    assert fresh_name("my-long-bucket-s3alias", "").endswith("-s3alias")
    assert fresh_name("xn--long-bucket-name", "").startswith("xn--")


def call(name: str, operation: str = "CreateBucket", effect: Effect = Effect.WRITE) -> Interaction:
    return Interaction(
        operation=Operation("s3", operation),
        arguments={"resource": [name] if name else []},
        outcome=Returned(value=None),
        touches=(Touch(resource=("s3", name) if name else ("s3", "?buckets"), effect=effect),),
    )


def test_names_change_where_they_are_whole_words_only() -> None:
    names = Names({"orders-12345678": "orders-xxxxxxxx"})
    assert names.forward("arn:aws:s3:::orders-12345678/a") == "arn:aws:s3:::orders-xxxxxxxx/a"
    assert names.forward("no bucket orders-12345678.") == "no bucket orders-xxxxxxxx."
    for longer in ("orders-12345678-copy", "my.orders-12345678", "orders-12345678.net", "orders-123456789"):
        assert names.forward(longer) == longer


def test_a_name_in_another_case_keeps_that_case() -> None:
    names = Names({"MyTable12345": "MyTrwqp67890"})
    assert names.forward("mytable12345") == "mytrwqp67890"


def test_names_come_back_in_values_keys_and_messages_but_not_in_kinds() -> None:
    names = Names({"old-12345678": "new-12345678"})
    there = Raised(
        kind="new-12345678", message="no new-12345678", value={"new-12345678": ["new-12345678", 1]}
    )
    assert names.back(there) == Raised(
        kind="new-12345678", message="no old-12345678", value={"old-12345678": ["old-12345678", 1]}
    )


def test_on_a_real_cloud_only_what_the_slice_makes_is_touched() -> None:
    made, read = call("made-by-the-slice"), call("made-by-the-slice", "GetObject", Effect.READ)
    assert set(fresh_names([made, read], salt="", real=True).fresh) == {"made-by-the-slice"}
    for other in (call("owned-by-the-user", "GetObject", Effect.READ), call("", "ListBuckets", Effect.READ)):
        with pytest.raises(ReplayImpossible, match="not the slice's own"):
            fresh_names([made, other], salt="", real=True)


def test_nowhere_is_the_account_itself_changed() -> None:
    with pytest.raises(ReplayImpossible, match="the whole account"):
        fresh_names([call("", "SetEverything")], salt="", real=False)


def test_elsewhere_what_the_slice_does_not_make_gets_a_name_that_nothing_has() -> None:
    fresh = fresh_names([call("owned-by-the-user", "GetObject", Effect.READ)], salt="", real=False).fresh
    assert fresh["owned-by-the-user"] != "owned-by-the-user"


@pytest.mark.parametrize(
    ("prefix", "is_part"), [("made-by", True), ("made-by-the-slice", False), ("other", False)]
)
def test_what_lists_by_the_beginning_of_a_name_is_not_replayed(prefix: str, is_part: bool) -> None:
    """Fresh names begin otherwise: the list would be empty."""
    made = call("made-by-the-slice")
    listing = replace(call("", "ListBuckets", Effect.READ), arguments={"query": {"prefix": prefix}})
    if not is_part:
        assert fresh_names([made, listing], salt="", real=False).fresh
        return
    with pytest.raises(ReplayImpossible, match="begins with 'made-by'"):
        fresh_names([made, listing], salt="", real=False)


def asked(
    service: str, operation: str, body: bytes = b"", url: str = "http://h/", top: str = "pics"
) -> Interaction:
    return Interaction(
        operation=Operation(service, operation),
        arguments={"resource": [top] if top else []},
        outcome=Returned(value=None),
        touches=(Touch(resource=(service, top) if top else (service, "?all"), effect=Effect.READ),),
        wire={"url": url, "headers": {}, "body": body},
    )


def test_a_short_name_is_made_longer_and_begins_as_it_did() -> None:
    fresh = fresh_names([call("pics"), call("Pics-2024-long-enough")], salt="1", real=True).fresh
    assert fresh["pics"].startswith("pics")
    assert len(fresh["pics"]) == 18
    assert len(fresh["Pics-2024-long-enough"]) == 21


@pytest.mark.parametrize("name", ["ab", "ab-", "1.2.3.4", "$web", "xn--ab", "ab--x-s3"])
def test_a_short_name_that_is_invalid_or_means_something_is_refused(name: str) -> None:
    """With more letters it might be valid."""
    with pytest.raises(ReplayImpossible, match="fresh name"):
        fresh_names([call(name)], salt="", real=True)


@pytest.mark.parametrize(
    "other",
    [
        asked("s3", "PutBucketPolicy", b'{"Resource": "arn:aws:s3:::pics/*"}'),
        asked("s3", "PutBucketLogging", b"<TargetBucket>pics</TargetBucket>"),
        asked("s3", "ListBuckets", url="http://h/?prefix=pics", top=""),
        asked("dynamodb", "ListTables", b'{"ExclusiveStartTableName": "pics"}', top=""),
        asked("dynamodb", "ExecuteStatement", b'{"Statement": "select * from pics"}'),
        asked("dynamodb", "GetItem", b"{pics"),
    ],
)
def test_where_a_short_name_may_be_meant_or_not_nothing_is_replayed(other: Interaction) -> None:
    with pytest.raises(ReplayImpossible, match="or use the word otherwise"):
        fresh_names([call("pics"), other], salt="", real=False)


def test_a_short_name_may_stand_anywhere_in_what_is_the_users() -> None:
    made = [
        asked("s3", "PutObject", b"{pics"),
        asked("dynamodb", "PutItem", b'{"Item": {"pics": {"S": "pics"}}}'),
    ]
    assert set(fresh_names([call("pics"), *made], salt="", real=False).fresh) == {"pics"}


def test_names_that_differ_in_case_only_get_fresh_ones_that_do() -> None:
    """To Azure's tables they are the same."""
    small, large = (fresh_name(name, "salt") for name in ("twice81d4fae7dec", "Twice81d4fae7dec"))
    assert small != large
    assert small.lower() == large.lower()
