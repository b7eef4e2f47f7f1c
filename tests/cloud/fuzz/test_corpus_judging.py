"""A verdict compares success, status and error code where they were recorded, and the message apart."""

from __future__ import annotations

from typing import Any

import pytest

from likewise.cloud.fuzz.calls import Answer
from likewise.cloud.fuzz.corpus.cases import Agrees, Case, Differs, Recorded, Step, judge, same_message
from likewise.model import Implication

OK = Answer(success=True, status=200)


def case(**recorded: Any) -> Case:
    return Case(id="c", service="s3", steps=(Step(operation="GetObject"),), recorded=Recorded(**recorded))


def refused(status: int, code: str = "", message: str = "") -> Answer:
    return Answer(success=False, status=status, code=code, message=message)


@pytest.mark.parametrize(
    ("recorded", "answer"),
    [
        ({"ok": True, "status": 200}, OK),
        ({"ok": True, "status": None}, Answer(success=True, status=204)),
        ({"ok": False, "status": 404, "code": "NoSuchKey"}, refused(404, "NoSuchKey")),
        ({"ok": False, "status": None, "code": "NoSuchKey"}, refused(404, "NoSuchKey")),
        ({"ok": False, "status": 400, "code": None}, refused(400, "Anything")),
        ({"ok": False}, refused(501)),
        ({"ok": True, "status": 304}, refused(304, "304")),
        ({"status": 404, "code": "NoSuchKey"}, refused(404, "NoSuchKey")),
    ],
)
def test_what_was_not_recorded_is_not_compared(recorded: dict[str, Any], answer: Answer) -> None:
    assert isinstance(judge(case(**recorded), answer), Agrees)


@pytest.mark.parametrize(
    ("recorded", "answer", "implication"),
    [
        ({"ok": False, "status": 412, "code": "PreconditionFailed"}, OK, Implication.UNSAFE),
        ({"ok": False, "code": "NoSuchKey"}, OK, Implication.UNSAFE),
        ({"ok": True, "status": None}, refused(500), Implication.FALSE_ALARM),
        ({"ok": True, "status": 206}, OK, Implication.WRONG_RESULT),
        ({"ok": False, "status": 404, "code": "A"}, refused(404, "B"), Implication.MISLEADING),
        ({"ok": False, "status": 404, "code": "A"}, refused(400, "A"), Implication.MISLEADING),
        ({"ok": False, "status": 400, "code": "A"}, refused(400, ""), Implication.MISLEADING),
    ],
)
def test_a_difference_says_what_it_means(
    recorded: dict[str, Any], answer: Answer, implication: Implication
) -> None:
    found = judge(case(**recorded), answer)
    assert isinstance(found, Differs)
    assert found.implication is implication


@pytest.mark.parametrize(
    ("recorded", "message", "same"),
    [
        (None, "anything", True),
        ("The key box-1 is gone", "The key lw-77 is gone", True),
        ("No bucket <bucket-name:1> here", "No bucket abc here", True),
        ("No bucket <bucket-name:1> here", "No bucket abc there", False),
        ("The <region-3> location is wrong", "The eu-west-1 location is wrong", True),
        ("One thing", "Another", False),
        ("It is so.\nRequestId:1\nTime:2", "It is so.", True),
        ({"regex": "^Invalid .* error; "}, "Invalid X: Syntax error; y", True),
        ({"regex": "^Invalid"}, "Not valid", False),
        ({"all_of": ["a", "b"]}, "b and a", True),
        ({"all_of": ["a", "c"]}, "b and a", False),
    ],
)
def test_messages_are_compared_by_what_was_asserted_of_them(
    recorded: object, message: str, same: bool
) -> None:
    assert same_message(recorded, message, {"lw-77": "box-1"}) is same


def test_a_message_is_the_same_in_another_account_and_region() -> None:
    recorded = "no policy for arn:aws:dynamodb:eu-west-1:111111111111:table/box-1"
    said = "no policy for arn:aws:dynamodb:us-east-1:123456789012:table/"
    assert same_message(recorded, said + "lw-77", {"lw-77": "box-1"})
    assert not same_message(recorded, said + "other", {"lw-77": "box-1"})
    assert same_message("not in <region>", "not in us-east-1", {})


def test_another_message_alone_is_no_difference() -> None:
    found = judge(case(ok=False, status=404, code="A", message="one"), refused(404, "A", "two"))
    assert isinstance(found, Agrees)
    assert found.message_differs


@pytest.mark.parametrize(
    ("recorded", "answer", "reason"),
    [
        ({"ok": True, "status": 200}, OK, "both: success (200)"),
        ({"ok": True}, OK, "both: success (the candidate: success (200))"),
        ({"ok": False}, refused(501, "NotOffered"), "both: failure (the candidate: 501 NotOffered)"),
        ({"ok": False, "status": 400}, refused(400, "A"), "both: 400 (the candidate: 400 A)"),
    ],
)
def test_what_both_said_is_no_more_than_was_recorded(
    recorded: dict[str, Any], answer: Answer, reason: str
) -> None:
    assert judge(case(**recorded), answer).reason == reason
