"""A short way to say what went over the wire."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.model import Interaction

Send = Callable[..., Interaction]


@pytest.fixture
def world() -> Interpreter:
    return Interpreter()


@pytest.fixture
def send(world: Interpreter) -> Send:
    """Interpret one exchange in the test's world: send("PUT", url, …, answer=b"…", status=200)."""

    def one(
        method: str,
        url: str,
        body: bytes | None = None,
        *,
        headers: dict[str, str] | None = None,
        status: int | None = 200,
        answer: bytes | None = b"",
        answered: dict[str, str] | None = None,
        service: str = "",
        operation: str = "",
        failure: str = "",
        reason: str = "",
    ) -> Interaction:
        exchange = Exchange(
            method=method,
            url=url,
            headers=headers or {},
            body=body,
            status=status,
            reason=reason,
            response_headers=answered or {},
            response_body=answer,
            service_hint=service,
            operation_hint=operation,
            failure=failure,
        )
        return world.interpret(exchange, order=0)

    return one


def touched(interaction: Interaction) -> list[str]:
    """Touches as short text: "absorb s3/bucket/key", "read s3/bucket/**", "write … timed"."""
    return [
        f"{touch.effect} {'/'.join(touch.resource)}"
        + ("/**" if touch.scope == "subtree" else "")
        + (" timed" if touch.timed else "")
        for touch in interaction.touches
    ]


@pytest.fixture(name="touched")
def touched_fixture() -> Callable[[Interaction], list[str]]:
    return touched
