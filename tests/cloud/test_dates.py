"""Dates vary from run to run; which date it is, that does not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter

NOW = datetime(2026, 5, 4, 3, 2, 1, 123456, tzinfo=UTC)
TABLE = "http://127.0.0.1:10002/devstoreaccount1/rows"
BLOB = "http://127.0.0.1:10000/devstoreaccount1/box/k"


def http(when: datetime) -> str:
    return format_datetime(when, usegmt=True)


def iso(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def call(interpreter: Interpreter, method: str, url: str, **more: Any) -> Any:
    headers = {"x-ms-date": http(NOW), "x-ms-blob-type": "BlockBlob", **more.pop("headers", {})}
    told = {"date": http(NOW), "content-type": "application/json", **more.pop("told", {})}
    hint = "table" if "10002" in url else "blob"
    exchange = Exchange(
        method=method,
        url=url,
        headers=headers,
        response_headers=told,
        status=more.pop("status", 200),
        service_hint=hint,
        **more,
    )
    return interpreter.interpret(exchange, order=0)


def kept(sent: datetime, answered: datetime) -> Any:
    """What a table says of a date that it was given."""
    world = Interpreter()
    body = f'{{"PartitionKey": "p", "RowKey": "r", "at": "{iso(sent)}"}}'.encode()
    call(world, "POST", TABLE, body=body, status=201)
    answer = f'{{"at": "{iso(answered)}"}}'.encode()
    entity = call(world, "GET", f"{TABLE}(PartitionKey='p',RowKey='r')", response_body=answer)
    return entity.outcome.value["body"]["at"].partition("2026")[0]


def test_a_date_that_comes_back_is_the_one_that_was_sent_or_another() -> None:
    assert kept(NOW, NOW) == kept(NOW - timedelta(hours=2), NOW - timedelta(hours=2)) == "= "
    assert kept(NOW, NOW + timedelta(hours=1)) != "= "
    assert kept(NOW, NOW.replace(microsecond=123000)) == ""


def test_what_happened_before_anything_was_done_is_not_of_now() -> None:
    """A server in another time zone tells hours that have passed, or are to come."""

    def told(away: timedelta) -> str:
        stored = call(Interpreter(), "PUT", BLOB, status=201, told={"last-modified": http(NOW + away)})
        return str(stored.outcome.value["headers"]["last-modified"]).partition("Mon")[0]

    assert told(timedelta()) == told(timedelta(seconds=-50)) == ""
    assert len({told(timedelta(hours=hours)) for hours in (-20, -1, 0, 1)}) == 4


def test_what_was_made_long_ago_in_a_long_session_is_of_now() -> None:
    world = Interpreter()
    call(world, "PUT", BLOB, status=201)
    later = NOW + timedelta(hours=9)
    read = call(world, "HEAD", BLOB, told={"date": http(later), "last-modified": http(NOW)})
    assert read.outcome.value["headers"]["last-modified"] == http(NOW)


def test_what_was_told_to_who_changed_it_is_told_to_who_looks() -> None:
    def told(stored: datetime, shown: datetime, *between: str) -> str:
        world = Interpreter()
        call(world, "PUT", BLOB, status=201, told={"last-modified": http(stored)})
        for query in between:
            call(world, "PUT", BLOB + query, status=200)
        read = call(world, "HEAD", BLOB, told={"last-modified": http(shown)})
        return str(read.outcome.value["headers"]["last-modified"]).partition("Mon")[0]

    assert told(NOW, NOW) == "= "
    assert told(NOW, NOW - timedelta(seconds=3)) == ""
    # Two changes may happen in the same second or not, so that nothing is told by the first.
    assert told(NOW, NOW, "?comp=tags") == ""


def test_a_server_without_a_clock_tells_the_same_date_again_as_one_with() -> None:
    """A mock inside the process answers without saying when."""

    def told(clock: dict[str, str]) -> Any:
        world = Interpreter()
        call(world, "PUT", BLOB, body=b"x", status=201, told={"last-modified": http(NOW), **clock})
        got = call(world, "HEAD", BLOB, told={"last-modified": http(NOW), **clock})
        return got.outcome.value["headers"]["last-modified"]

    assert told({"date": ""}) == told({}) == f"= {http(NOW)}"


def test_a_server_that_tells_the_present_does_so_however_slow_it_is() -> None:
    """Whether that is the second in which the thing was changed is a matter of chance."""

    def told(*, after: float, stored: float = 0.0) -> str:
        world = Interpreter()
        later = http(NOW + timedelta(seconds=after))
        call(world, "PUT", BLOB, status=201, told={"last-modified": http(NOW + timedelta(seconds=stored))})
        read = call(world, "HEAD", BLOB, told={"date": later, "last-modified": later})
        return str(read.outcome.value["headers"]["last-modified"])[:2]

    assert told(after=0) == told(after=1) == told(after=3) == "= "
    assert told(after=1, stored=4) != "= ", "who changed it was told another date than this"


def asked_since(when: datetime, modified: datetime = NOW) -> Any:
    world = Interpreter()
    call(world, "PUT", BLOB, status=201, told={"last-modified": http(modified)})
    read = call(world, "GET", BLOB, headers={"if-modified-since": http(when)})
    return read.arguments["headers"]["if-modified-since"].partition("Mon")[0].partition("Sun")[0]


def test_a_condition_on_the_very_date_that_was_told_is_told_apart() -> None:
    own, past, future = (asked_since(NOW + timedelta(hours=hours)) for hours in (0, -1, 1))
    assert len({own, past, future}) == 3
    assert asked_since(NOW - timedelta(hours=-1, seconds=9)) == future


def test_dates_in_a_filter_are_as_far_off_as_they_are() -> None:
    def asked(hours: int) -> str:
        url = f"{TABLE}()?$filter=at%20gt%20datetime'{iso(NOW + timedelta(hours=hours))}'"
        text = call(Interpreter(), "GET", url).arguments["query"]["$filter"]
        return str(text).partition("2026")[0]

    assert len({asked(hours) for hours in (-30, -1, 0, 1)}) == 4


def test_a_date_is_of_the_time_when_something_was_done_to_the_thing() -> None:
    """However long a session goes on: what was changed an hour ago was not changed a minute later."""

    def told(modified: timedelta, *, path: str = BLOB) -> str:
        world, later = Interpreter(), NOW + timedelta(hours=1)
        call(world, "PUT", BLOB, status=201)
        call(world, "PUT", f"{BLOB}2", status=201, told={"date": http(NOW + timedelta(minutes=30))})
        answers = {"date": http(later), "last-modified": http(NOW + modified)}
        got = call(world, "GET", path, told=answers)
        return str(got.outcome.value["headers"]["last-modified"]).partition("Mon")[0]

    assert told(timedelta()) == told(timedelta(seconds=50)) == ""
    assert told(timedelta(minutes=30)) == "‹ "
    assert told(timedelta(minutes=30), path=f"{BLOB}2") == ""
    assert told(timedelta(minutes=60)) == ""  # of now: whoever looks may have changed it
    assert told(timedelta(minutes=30), path=f"{BLOB}3") == ""  # nobody knows of any change


def test_dates_that_are_numbers_count_as_well() -> None:
    """DynamoDB writes them so, apart from what users have there, which are texts."""

    def told(away: timedelta) -> str:
        made = (NOW + away).timestamp()
        exchange = Exchange(
            method="POST",
            url="http://h/",
            headers={"x-amz-target": "DynamoDB_20120810.DescribeTable"},
            body=b'{"TableName": "t"}',
            status=200,
            response_headers={"date": http(NOW), "content-type": "application/x-amz-json-1.0"},
            response_body=f'{{"Table": {{"CreationDateTime": {made}, "ItemCount": 1500000000}}}}'.encode(),
            service_hint="dynamodb",
        )
        table: Any = Interpreter().interpret(exchange, order=0).outcome
        assert table.value["body"]["Table"]["ItemCount"] == 1500000000
        return str(table.value["body"]["Table"]["CreationDateTime"]).partition("17")[0]

    assert told(timedelta()) == told(timedelta(seconds=-50)) == ""
    assert len({told(timedelta(minutes=minutes)) for minutes in (-120, 0, 10)}) == 3
