"""A pytest plugin that knows nothing of the recorder: counts crossings with profile and trace hooks.

Loaded with `-p oracle`; LIKEWISE_ORACLE names the file to write, LIKEWISE_ORACLE_LIBRARIES the
libraries, and with LIKEWISE_ORACLE_EMPTY set it only pays for the hook (for the cost benchmark).
"""

from __future__ import annotations

import collections
import dis
import inspect
import json
import os
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

LIBRARIES = tuple(os.environ.get("LIKEWISE_ORACLE_LIBRARIES", "").split(","))
counts: collections.Counter[str] = collections.Counter()
test = ""
root = ""


def is_library(module: object) -> bool:
    return isinstance(module, str) and any(
        module == each or module.startswith(each + ".") for each in LIBRARIES
    )


def is_client(frame: FrameType | None) -> bool:
    if frame is None:
        return False
    name = frame.f_code.co_filename
    return (
        name.startswith(root)
        and "site-packages" not in name
        and not is_library(frame.f_globals.get("__name__"))
    )


def note(kind: str, frame: FrameType, line: int) -> None:
    file = Path(frame.f_code.co_filename).relative_to(root).as_posix()
    counts["\t".join((test, kind, file, str(line)))] += 1


inside: list[FrameType] = []
"""Client frames that wait for compiled code of the library: what that calls is the library's own business."""
awaited: set[int] = set()
resumed: set[int] = set()
"""Generators of the library that a client has asked for the next item."""
instructions: collections.Counter[int] = collections.Counter()
"""Executed so far by each client frame: what one sets off is one crossing, in however many calls."""
seen: set[tuple[str, int, int]] = set()


def trace(frame: FrameType, event: str, arg: Any) -> Any:
    """Count the instructions that client frames execute."""
    if event == "call":
        if not test or not is_client(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
    instructions[id(frame)] += 1
    return trace


def is_known(kind: str, frame: FrameType) -> bool:
    """Whether the instruction that a client's frame is at has been counted."""
    key = (kind, id(frame), instructions[id(frame)])
    if key in seen:
        return True
    seen.add(key)
    return False


def is_further_step(frame: FrameType) -> bool:
    """Whether an awaited coroutine goes on, or an awaitable is only asked for its iterator."""
    if frame.f_code.co_name == "__await__" and not frame.f_code.co_flags & inspect.CO_GENERATOR:
        return True
    if frame.f_code.co_flags & inspect.CO_COROUTINE:
        if id(frame) in awaited:
            return True
        awaited.add(id(frame))
    return False


def watch(frame: FrameType, event: str, arg: Any) -> None:
    if not test:
        return
    if event == "call":
        watch_call(frame)
    elif event == "return":
        watch_item(frame)
    elif event.startswith("c_") and is_client(frame):
        holder = getattr(arg, "__self__", None)
        is_function = holder is None or isinstance(holder, ModuleType)
        if is_library(arg.__module__ if is_function else type(holder).__module__):
            if event == "c_call":
                if not is_known("call", frame):
                    note("call", frame, frame.f_lineno)
                inside.append(frame)
            elif inside and inside[-1] is frame:
                inside.pop()


def watch_call(frame: FrameType) -> None:
    back, name = frame.f_back, frame.f_code.co_name
    if back is None or (name.startswith("<") and name != "<lambda>"):
        return
    if name == "__del__":
        return  # whoever lets the last reference go did not call anything
    if is_library(frame.f_globals.get("__name__")):
        if not is_client(back) or (inside and inside[-1] is back) or is_further_step(frame):
            return
        if frame.f_code.co_flags & inspect.CO_GENERATOR:
            if at(frame) == "RESUME":  # otherwise it is told to end
                resumed.add(id(frame))
        elif not is_known("call", back):
            note("call", back, back.f_lineno)
    elif is_library(back.f_globals.get("__name__")) and is_client(frame) and not is_further_step(frame):
        note("callback", frame, frame.f_code.co_firstlineno)


def watch_item(frame: FrameType) -> None:
    """A generator of the library stops: where it gives something, that is a crossing; its end is none."""
    if id(frame) in resumed:
        resumed.discard(id(frame))
        back = frame.f_back
        if back is not None and at(frame) == "YIELD_VALUE" and not is_known("call", back):
            note("call", back, back.f_lineno)


def at(frame: FrameType) -> str:
    """The instruction that a frame is at."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]]


def nothing(frame: FrameType, event: str, arg: Any) -> None:
    """The price of the hook itself."""


def pytest_configure(config: pytest.Config) -> None:
    global root
    root = str(config.rootpath) + "/"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Any:
    global test
    test = item.nodeid
    is_empty = bool(os.environ.get("LIKEWISE_ORACLE_EMPTY"))
    before = sys.gettrace()
    sys.settrace(before if is_empty else trace)
    sys.setprofile(nothing if is_empty else watch)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        sys.settrace(before)
        test = ""
        inside.clear()
        awaited.clear()
        resumed.clear()
        seen.clear()


def pytest_sessionfinish() -> None:
    if place := os.environ.get("LIKEWISE_ORACLE"):
        Path(place).write_text(json.dumps(counts))
