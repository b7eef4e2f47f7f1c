"""Tables that are still being made are waited for; where they are ready at once, nobody asks."""

from __future__ import annotations

import pytest

from likewise.cloud.fuzz.calls import Answer, Call
from likewise.cloud.fuzz.sides import readiness
from likewise.cloud.fuzz.sides.readiness import SURE, Readiness


class Server:
    """Makes tables that are ready after so many looks."""

    def __init__(self, looks: int) -> None:
        self.looks, self.asked = looks, 0
        self.left: dict[str, int] = {}
        self.tables = Readiness(self.send)

    def send(self, call: Call) -> Answer:
        self.asked += 1
        name = str(call.params["TableName"])
        if call.operation == "CreateTable":
            self.left[name] = self.looks
            return Answer(success=True, fields={"TableDescription": self._table(name, "CREATING")})
        if call.operation == "DescribeBackup":
            return Answer(success=False, code="ResourceNotFoundException")
        is_ready = self.left[name] <= 0
        self.left[name] -= 1
        if call.operation == "DescribeTable":
            return Answer(
                success=True, fields={"Table": self._table(name, "ACTIVE" if is_ready else "CREATING")}
            )
        return Answer(success=True) if is_ready else Answer(success=False, code="ResourceNotFoundException")

    def _table(self, name: str, state: str) -> dict[str, str]:
        return {"TableName": name, "TableStatus": state}

    def ask(self, operation: str, name: str) -> Answer:
        call = Call(service="dynamodb", operation=operation, params={"TableName": name})
        self.tables.leave(call)
        return self.tables.settled(call, self.send(call))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness.time, "sleep", lambda _: None)


def test_a_table_is_looked_at_until_it_is_ready() -> None:
    server = Server(looks=4)
    for number in range(10):
        assert server.ask("CreateTable", f"t{number}").success
        assert server.left[f"t{number}"] < 0, "it was seen to be ready"


def test_nobody_looks_where_tables_are_always_ready_at_once() -> None:
    server = Server(looks=0)
    for number in range(10):
        server.ask("CreateTable", f"t{number}")
    assert server.asked == 10 + SURE


@pytest.mark.parametrize("operation", ["PutItem", "DescribeTable"])
def test_a_table_that_was_not_ready_after_all_is_waited_for(operation: str) -> None:
    server = Server(looks=0)
    for number in range(5):
        server.ask("CreateTable", f"t{number}")
    server.looks = 3
    server.ask("CreateTable", "late")
    answer = server.ask(operation, "late")
    assert answer.success
    assert answer.fields.get("Table", {}).get("TableStatus") in (None, "ACTIVE")


def test_for_a_refusal_that_waiting_never_changes_nobody_waits() -> None:
    server = Server(looks=0)
    for number in range(20):
        server.ask("CreateTable", f"t{number}")
        assert not server.ask("DescribeBackup", f"t{number}").success
    assert server.asked <= 3 * 20 + SURE + SURE, "each refusal is asked for once more, few tables looked at"


def test_what_was_mostly_refused_for_other_reasons_is_asked_for_again_all_the_same() -> None:
    """The table may be ready a moment later, on a busy machine now on one side and now on the other."""
    server = Server(looks=0)
    for number in range(2 * SURE):
        server.ask("CreateTable", f"t{number}")
        server.left[f"t{number}"] = 100
        assert not server.ask("PutItem", f"t{number}").success
    server.ask("CreateTable", "late")
    server.left["late"] = 1
    assert server.ask("PutItem", "late").success


@pytest.mark.parametrize("operation", ["DescribeTable", "TagResource"])
def test_a_table_that_is_about_to_vanish_is_left_alone_by_all(
    monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(readiness.time, "sleep", slept.append)
    tables = Readiness(lambda call: Answer(success=False, code="ResourceNotFoundException"))
    for number in range(SURE + 1):
        gone = {"TableDescription": {"TableName": f"t{number}", "TableStatus": "DELETING"}}
        call = Call(service="dynamodb", operation="DeleteTable", params={"TableName": f"t{number}"})
        tables.settled(call, Answer(success=True, fields=gone))
    before = len(slept)
    tables._quiet = 1.0
    tables.leave(Call(service="dynamodb", operation=operation, params={"Name": f"t{SURE}"}))
    assert len(slept) > before


def test_tables_are_left_alone_only_as_long_as_they_need() -> None:
    server = Server(looks=0)
    for number in range(SURE):
        server.ask("CreateTable", f"t{number}")
    assert server.tables._quiet < readiness.QUIET


def test_a_table_that_was_not_ready_for_a_while_is_said_to_have_been_so() -> None:
    """Where the answer to its creation said nothing of that, nobody has waited for it."""
    slow, quick = Server(looks=0), Server(looks=0)
    for server, looks in ((slow, 5), (quick, 1)):
        server.left["t"] = looks
    assert slow.ask("DescribeTable", "t").between == "CREATING"
    assert quick.ask("DescribeTable", "t").between == ""


def test_a_table_that_is_made_or_deleted_late_is_said_to_have_been_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(readiness.time, "monotonic", lambda: next(clock))
    assert Server(looks=4).ask("CreateTable", "late").between == "CREATING"
    monkeypatch.setattr(readiness.time, "monotonic", lambda: 1.0)
    assert Server(looks=4).ask("CreateTable", "soon").between == ""
