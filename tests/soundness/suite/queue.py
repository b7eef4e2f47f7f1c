"""What a team asserts about queues; each test says in its name what the reference does otherwise."""

from typing import Any

import pytest
from azure.core.exceptions import HttpResponseError


def test_deleted_slowly(queues: Any, queue: Any) -> None:
    queue.delete_queue()
    queues.create_queue(queue.queue_name)


def test_message_hidden(queue: Any) -> None:
    queue.send_message("hello")
    assert [each.content for each in queue.receive_messages()] == ["hello"]


def test_message_peeked_too_early(queue: Any) -> None:
    queue.send_message("hello", visibility_timeout=60)
    assert queue.peek_messages() == []


def test_counted_differently(queue: Any) -> None:
    for word in ("one", "two"):
        queue.send_message(word)
    assert queue.get_queue_properties().approximate_message_count == 2


def test_dequeue_count(queue: Any) -> None:
    queue.send_message("hello")
    assert queue.receive_message().dequeue_count == 1


def test_too_large(queue: Any) -> None:
    queue.send_message("x" * 5000)


def test_delete_swallowed(queue: Any) -> None:
    queue.send_message("hello")
    message = queue.receive_message(visibility_timeout=30)
    queue.delete_message(message)
    assert queue.get_queue_properties().approximate_message_count == 0


def test_other_message(queues: Any, name: str) -> None:
    with pytest.raises(HttpResponseError, match="does not exist"):
        queues.get_queue_client(name).send_message("hello")


def test_sent_twice(queue: Any) -> None:
    queue.send_message("hello")
    assert len(queue.peek_messages(max_messages=5)) == 1


def test_innocent_order(queue: Any) -> None:
    for word in ("one", "two"):
        queue.send_message(word)
    for message in queue.receive_messages(messages_per_page=2):
        queue.delete_message(message)
    assert queue.receive_message() is None
