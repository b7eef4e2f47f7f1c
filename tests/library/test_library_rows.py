"""What a recorder noted is written as it would be if each crossing had been made an interaction first."""

from __future__ import annotations

import math
from typing import Any

import pytest

from likewise.library.crossing import Kind
from likewise.library.recorder import Recorder
from likewise.library.targets import NOTHING
from likewise.model import Operation, Trace
from likewise.model.rows import Rows
from likewise.store import lines


class Name(str):
    __slots__ = ()


class Odd:
    """Its type goes by a name that is not quite a text."""


Odd.__qualname__ = Name("Odd")


def recorded(*args: Any, **kwargs: Any) -> Trace:
    traces: list[Trace] = []
    recorder = Recorder(on_trace=traces.append)
    recorder.open("test_a")
    token = recorder.begin("a.py:1:0", Kind.CALL, Operation("lib", "f"), NOTHING, args, kwargs)
    assert token is not None
    recorder.end(token, args[0] if args else None)
    recorder.close()
    return traces[0]


def reject(why: str) -> Any:
    raise AssertionError(why)


@pytest.mark.parametrize(
    ("args", "kwargs", "is_plain"),
    [
        ((1, "text", 2.5, None, [True]), {"key": {"a": (1,)}}, True),
        ((b"bytes",), {}, False),
        (([1, {"a": math.inf}],), {}, False),
        ((), {"$bytes": "looks like one of ours"}, False),
        ((Odd(),), {}, True),
        (("\ud800",), {}, True),
    ],
)
def test_rows_are_written_and_read_back_without_loss(
    args: tuple[Any, ...], kwargs: dict[str, Any], is_plain: bool
) -> None:
    trace = recorded(*args, **kwargs)
    assert isinstance(trace.interactions, Rows)
    assert trace.interactions.plain == [is_plain]
    back = lines.decode_line(lines.encode_trace_line(trace), reject=reject)
    assert isinstance(back, Trace)
    assert list(back.interactions) == list(trace.interactions)
