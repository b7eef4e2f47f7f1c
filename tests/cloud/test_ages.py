"""Dates lose their identity; that they are hours, days or years off they do not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from likewise.cloud.ages import aged, may_have_dates, moment
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
