"""Dates lose their identity; that they are hours, days or years off they do not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from likewise.cloud.ages import aged, days_off, may_have_dates, moment, reach, span
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
SERVED = format_datetime(NOW, usegmt=True)


def marks(away: timedelta) -> str:
    found = aged(format_datetime(NOW + away, usegmt=True), NOW.timestamp())
    assert isinstance(found, str)
    return found.partition(" ")[0] if found[:1] in "≪›" else ""


@pytest.mark.parametrize("away", [timedelta(), timedelta(hours=-20), timedelta(seconds=60)])
def test_what_is_of_now_is_as_it_was(away: timedelta) -> None:
    assert marks(away) == ""


def test_spans_that_people_ask_for_are_told_apart_and_may_be_a_little_off() -> None:
    spans = [
        timedelta(days=-400),
        timedelta(),
        timedelta(minutes=5),
        timedelta(minutes=15),
        timedelta(hours=1),
        timedelta(hours=6),
        timedelta(days=1),
        timedelta(days=2),
        timedelta(days=7),
        timedelta(days=30),
        timedelta(days=365),
    ]
    found = [marks(span) for span in spans]
    assert len(set(found)) == len(spans)
    assert found == [marks(span - timedelta(seconds=20)) for span in spans]


ASKED = [
    *(timedelta(minutes=minutes) for minutes in (5, 15, 30, 60, 100)),
    *(timedelta(hours=hours) for hours in (3, 8, 11, 24)),
    *(timedelta(days=days) for days in (2, 4, 7, 10, 12, 30, 90, 365)),
]


def test_what_a_client_asks_for_is_told_apart_finely_however_late_it_is_used() -> None:
    ahead, back = (
        [span(each.total_seconds()) for each in ASKED],
        [span(-each.total_seconds()) for each in ASKED],
    )
    assert len({*ahead, *back, span(0)}) == 2 * len(ASKED) + 1
    late = timedelta(seconds=60)
    assert [span((each - late).total_seconds()) for each in ASKED] == ahead
    assert [span((-each - late).total_seconds()) for each in ASKED] == back


def test_a_whole_day_is_as_far_off_in_the_morning_as_in_the_evening() -> None:
    day = datetime(2026, 5, 14, tzinfo=UTC).timestamp()
    assert (
        len({reach(days_off(day, (NOW + timedelta(hours=hours)).timestamp())) for hours in (0, 9, 20)}) == 1
    )
    assert reach(days_off(day + 60, NOW.timestamp())) == reach(9.9 * 86400)


def test_dates_that_a_client_sends_say_how_far_they_are_off() -> None:
    def sent(away: timedelta) -> str:
        due = (NOW + away).isoformat()
        exchange = Exchange(
            method="POST",
            url="http://127.0.0.1:10002/devstoreaccount1/rows",
            headers={"content-type": "application/json", "x-ms-date": SERVED},
            body=f'{{"PartitionKey": "p", "RowKey": "r", "due": "{due}"}}'.encode(),
            status=204,
            service_hint="table",
        )
        body = Interpreter().interpret(exchange, order=0).arguments["body"]
        assert isinstance(body, dict)
        return str(body["due"]).removesuffix(due)

    assert sent(timedelta(seconds=-30)) == sent(timedelta(days=-2)) == ""
    assert len({sent(timedelta(days=days)) for days in (10, 12, -10)}) == 3


@pytest.mark.parametrize("text", ["", "Monday", "2026-05-04", "2026-99-04T00:00:00Z", "x" * 29, "1777863721"])
def test_what_is_no_point_in_time_stays(text: str) -> None:
    assert moment(text) is None
    assert aged(text, 0.0) is text


def test_nothing_is_copied_without_need() -> None:
    value = {"a": [SERVED, 1, None], "b": {"c": "d"}}
    assert aged(value, NOW.timestamp()) is value
    assert may_have_dates(SERVED.encode())
    assert may_have_dates(b"<T>2026-05-04T03:02:01Z</T>")
    assert not may_have_dates(b"2026-05-04")


def test_answers_tell_dates_that_are_not_of_now() -> None:
    """By the server's clock; without one, nothing is told."""

    def read(**answered: str) -> object:
        exchange = Exchange(
            method="HEAD",
            url="http://127.0.0.1:10000/devstoreaccount1/box/k",
            status=200,
            response_headers={"last-modified": "Wed, 01 Jan 2020 00:00:00 GMT", **answered},
            service_hint="blob",
        )
        outcome = Interpreter().interpret(exchange, order=0).outcome
        return outcome.value["headers"]["last-modified"]  # type: ignore[union-attr,index,call-overload]

    assert read(date=SERVED) == "≪ Wed, 01 Jan 2020 00:00:00 GMT"
    assert read(date="Wed, 01 Jan 2020 00:00:09 GMT") == "Wed, 01 Jan 2020 00:00:00 GMT"
    assert read() == "Wed, 01 Jan 2020 00:00:00 GMT"
