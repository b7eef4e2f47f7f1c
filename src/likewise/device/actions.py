"""Run an action beside the testee, no longer than it may take."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from likewise.device.controls import CommandFailed, CommandUnsupported, Controls
from likewise.device.expectations import is_unfinished
from likewise.device.testee import Answer, Answered, Data, Refused, TimedOut
from likewise.device.values import Number


def run_action(action: Callable[[Controls], Any], controls: Controls, limit: float) -> Answer:
    """What an action returned, as an answer; its exception is a refusal, its silence a time-out.

    Python cannot end a thread: one that outlives its limit is left behind without the testee.
    """
    box: list[Answer] = []

    def work() -> None:
        try:
            result = action(controls)
            while inspect.isawaitable(result):
                result = asyncio.run(_awaited(result, limit))
            if isinstance(result, Future):
                result = result.result(limit)
            if is_unfinished(result):
                raise TypeError("a generator function was given as an action: nothing of it has run")
            box.append(Answered(data=as_data(result)))
        except TimeoutError as error:
            box.append(_refusal(error))
        except CommandUnsupported as error:
            box.append(error.answer)
        except BaseException as error:
            box.append(_refusal(error))

    thread = threading.Thread(target=work, name="action", daemon=True)
    thread.start()
    thread.join(limit)
    if not box:
        controls.retire()
        return TimedOut(after=limit)
    return controls.trouble or box[0]


async def _awaited(result: Any, limit: float) -> Any:
    return await asyncio.wait_for(result, limit)


def _refusal(error: BaseException) -> Answer:
    if isinstance(error, CommandFailed):
        return error.answer
    return Refused(kind=type(error).__name__, message=str(error))


def as_data(value: Any) -> Data:
    """What an action returned, as data that expectations can look into."""
    if value is None or isinstance(value, bool | int | float | str | bytes | Number):
        return value
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, dict):
        return {str(key): as_data(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(each) for each in value]
    return repr(value)
