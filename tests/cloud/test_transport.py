"""What the transport says counts for those who ask for it by name, and for nobody else."""

from __future__ import annotations

from typing import Any

import pytest

from likewise.canonical import key_world
from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.marks import BY_NAME
from likewise.cloud.observation import overlooks
from likewise.cloud.transport import asked_for, retries_in
from likewise.compare import compare_outcomes
from likewise.model import Interaction, Keyed, Role, Trace

TOLD = {"server": "one", "date": "Mon, 04 May 2026 03:02:01 GMT", "x-amz-request-id": "A1"}


def head(*seen: str, told: dict[str, str] = TOLD, **more: Any) -> Interaction:
    exchange = Exchange(
        method="HEAD",
        url="http://h/b/k",
        headers=more.pop("headers", {}),
        status=200,
        response_headers=told,
        service_hint="s3",
        seen=seen,
        **more,
    )
    return Interpreter().interpret(exchange, order=0)


def keyed(call: Interaction) -> Keyed:
    ((found,),) = key_world([Trace(test="t", role=Role.CANDIDATE, interactions=(call,))], {})
    return found


def by_name(*names: str) -> tuple[str, ...]:
    return ("ResponseMetadata", "HTTPHeaders", *names, *(f"{BY_NAME}{name}" for name in names))


def test_who_takes_all_there_is_asks_for_nothing_by_name() -> None:
    assert asked_for(("ResponseMetadata", "HTTPHeaders*", "server")) == []
    assert asked_for(None) == []
    assert keyed(head("server")) == keyed(head(told={**TOLD, "server": "two"}))


def test_who_asks_has_a_key_of_its_own_and_is_told() -> None:
    asking, other = keyed(head(*by_name("server"))), keyed(head(*by_name("server"), told={}))
    assert asking.key != keyed(head()).key
    assert asking.key == other.key
    assert asking.answer != other.answer


def test_what_counts_for_everybody_needs_no_key_of_its_own() -> None:
    assert keyed(head(*by_name("etag", "x-amz-meta-a"))) == keyed(head())


@pytest.mark.parametrize("name", ["x-amz-request-id", "date", "RequestId"])
def test_what_is_new_each_time_is_only_there_or_not(name: str) -> None:
    later = {"server": "one", "date": "Tue, 05 May 2026 03:02:01 GMT", "x-amz-request-id": "B2"}
    told = keyed(head(*by_name(name)))
    assert told == keyed(head(*by_name(name), told=later))
    assert told.answer != keyed(head(*by_name(name), told={})).answer


def test_how_often_the_sdk_had_to_try_is_told_who_asks() -> None:
    asked = by_name("RetryAttempts")
    first = {"amz-sdk-request": "attempt=1; max=5"}
    second = {"amz-sdk-request": "attempt=2; max=5"}
    assert (retries_in({}), retries_in(first), retries_in(second)) == (0, 0, 1)
    assert keyed(head(*asked)) == keyed(head(*asked, headers=first))
    assert keyed(head(*asked)).answer != keyed(head(*asked, headers=second)).answer
    assert keyed(head(*asked, headers=second)) == keyed(head(*asked, retries=1))


def test_a_difference_there_is_seen() -> None:
    ours, theirs = head(*by_name("server")), head(*by_name("server"), told={})
    (found,) = compare_outcomes(
        operation=ours.operation,
        reference=theirs.outcome,
        candidate=ours.outcome,
        reference_form=theirs.outcome.value,  # type: ignore[union-attr]
        candidate_form=ours.outcome.value,  # type: ignore[union-attr]
    )
    assert found.place == "headers.server"
    assert not overlooks(ours, found)
