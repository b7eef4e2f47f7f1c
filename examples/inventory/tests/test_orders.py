"""Orders: transactions, idempotent retries, and the worker that polls."""

import time
import uuid
from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError
from inventory import Items, Orders, OutOfStock, Worker


def wait_until(condition: Callable[[], bool], *, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened in time"
        time.sleep(0.02)


def test_a_placed_order_is_pending(orders: Orders) -> None:
    number = orders.place("saw-1", 2)
    assert [order["order"] for order in orders.in_state("pending")] == [number]


def test_an_order_number_is_used_once(orders: Orders) -> None:
    orders.place("saw-1", 1, order="order-1")
    with pytest.raises(ClientError) as caught:
        orders.place("glue-1", 1, order="order-1")
    assert caught.value.response["Error"]["Code"] == "ConditionalCheckFailedException"


def test_fulfilling_takes_from_the_stock(orders: Orders, stocked: Items) -> None:
    number = orders.place("saw-1", 5)
    orders.fulfil(number)
    assert orders.get(number)["state"] == "done"
    assert stocked.get("saw-1")["stock"] == 7


def test_an_order_beyond_the_stock_changes_nothing(orders: Orders, stocked: Items) -> None:
    number = orders.place("glue-1", 4)
    with pytest.raises(OutOfStock):
        orders.fulfil(number)
    assert orders.get(number)["state"] == "pending"
    assert stocked.get("glue-1")["stock"] == 3


def test_a_closed_order_is_not_fulfilled_again(orders: Orders, stocked: Items) -> None:
    number = orders.place("saw-1", 5)
    orders.fulfil(number)
    with pytest.raises(ClientError) as caught:
        orders.fulfil(number)
    assert caught.value.response["Error"]["Code"] == "TransactionCanceledException"
    assert stocked.get("saw-1")["stock"] == 7


def test_a_retried_reservation_takes_once(orders: Orders, stocked: Items) -> None:
    token = str(uuid.uuid4())
    orders.reserve("saw-1", 2, token=token)
    orders.reserve("saw-1", 2, token=token)
    assert stocked.get("saw-1")["stock"] == 10


def test_the_worker_serves_what_is_there_and_what_comes_later(orders: Orders, stocked: Items) -> None:
    orders.place("bolt-8", 100)
    with Worker(orders) as worker:
        wait_until(lambda: len(orders.in_state("done")) == 1)
        orders.place("nut-8", 50)
        wait_until(lambda: len(orders.in_state("done")) == 2)
    assert worker.polls >= 2
    assert stocked.get("bolt-8")["stock"] == 800
    assert stocked.get("nut-8")["stock"] == 800


def test_the_worker_rejects_what_cannot_be_served(orders: Orders, stocked: Items) -> None:
    greedy = orders.place("glue-1", 500)
    with Worker(orders):
        wait_until(lambda: orders.get(greedy)["state"] == "rejected")
    assert stocked.get("glue-1")["stock"] == 3
