"""Builtins and functions of the standard library that act on what they are handed: `len`, `map`, `gather`, …

Calling them is no crossing; what they do with a library's object, callable or coroutine is.
"""

from __future__ import annotations

import builtins
import copy
import datetime
import functools
import itertools
import sys
import threading
from collections.abc import Coroutine
from types import BuiltinFunctionType, CoroutineType, GeneratorType, ModuleType
from typing import TYPE_CHECKING, Any

from likewise.library.crossing import Kind
from likewise.library.targets import NOTHING, ZONED

if TYPE_CHECKING:
    from likewise.library.hub import Hub

Prepared = tuple[Any, tuple[Any, ...], Any]

OPERATIONS: dict[Any, str] = {
    len: "__len__",
    str: "__str__",
    repr: "__repr__",
    bool: "__bool__",
    int: "__int__",
    float: "__float__",
    complex: "__complex__",
    bytes: "__bytes__",
    abs: "__abs__",
    hash: "__hash__",
    round: "__round__",
    divmod: "__divmod__",
    pow: "__pow__",
    format: "__format__",
    reversed: "__reversed__",
    iter: "__iter__",
    next: "__next__",
    copy.copy: "__copy__",
    copy.deepcopy: "__deepcopy__",
}
"""What each asks its first argument for."""
ATTRIBUTES: dict[Any, Kind] = {
    getattr: Kind.READ,
    hasattr: Kind.READ,
    setattr: Kind.STORE,
    delattr: Kind.DELETE,
}
ITERATING: tuple[Any, ...] = (
    list,
    tuple,
    set,
    frozenset,
    dict,
    sorted,
    sum,
    any,
    all,
    enumerate,
    zip,
    map,
    filter,
    min,
    max,
    itertools.chain,
    itertools.islice,
    functools.reduce,
)
"""These go through an iterable to the end, or as far as somebody asks."""
CALLING: set[Any] = {
    map,
    filter,
    sorted,
    min,
    max,
    functools.reduce,
    itertools.starmap,
    itertools.takewhile,
    itertools.dropwhile,
    itertools.accumulate,
    itertools.groupby,
    threading.Thread,
    threading.Timer,
}
"""These call what they are given. A library's callable is wrapped for these and for nobody else."""
AWAITING: set[Any] = set()
"""These run the coroutines that they are given."""
COMPARING: dict[Any, str] = {sorted: "__lt__", min: "__lt__", max: "__gt__", sum: "__radd__"}
"""What these ask the items of a builtin container for, where they are given nothing else to go by."""
SHOWING: dict[str, str] = {"print": "__str__", "format": "__format__"}
"""`print` and `str.format` ask each of their arguments for its text."""
CONTAINERS: frozenset[type] = frozenset({list, tuple, dict, set, frozenset})
FEW = 16
"""Items of a builtin container that are looked at; native.c has the same number."""
THROUGH = frozenset(
    {str, repr, hash, format, copy.copy, copy.deepcopy, print, map, filter, functools.reduce, *COMPARING}
)
"""What these ask a builtin container for, the container asks its items for."""
SPECIAL = {print, *OPERATIONS, *ATTRIBUTES, *ITERATING, *CALLING}
"""All of them, those of asyncio and of executors once they have been met."""
NAMES = frozenset(
    name for name, thing in vars(builtins).items() if callable(thing) and thing in SPECIAL and name != "type"
)
"""The builtins among them, as a client spells them."""
_THROUGH_NAMES = frozenset(OPERATIONS[each] for each in THROUGH if each in OPERATIONS)


def meet_asyncio() -> frozenset[Any]:
    """Know asyncio's, too, now that somebody has imported it: which they are. Most suites never do."""
    asyncio: Any = sys.modules["asyncio"]
    loop: Any = asyncio.base_events.BaseEventLoop
    calling = {asyncio.to_thread, loop.run_in_executor, loop.call_soon}
    calling.add(asyncio.AbstractEventLoop.run_in_executor)
    awaiting = {asyncio.create_task, asyncio.ensure_future, asyncio.gather, asyncio.wait_for, asyncio.shield}
    awaiting |= {asyncio.run, asyncio.as_completed, loop.create_task, loop.run_until_complete}
    CALLING.update(calling)
    AWAITING.update(awaiting)
    SPECIAL.update(calling, awaiting)
    return frozenset(calling | awaiting)


def meet_executors() -> frozenset[Any]:
    """The same for the executors that run what they are given in threads."""
    executor: Any = sys.modules["concurrent.futures.thread"].ThreadPoolExecutor
    calling = {executor.submit, executor.map}
    CALLING.update(calling)
    SPECIAL.update(calling)
    return frozenset(calling)


UNASKED = frozenset({"replace", "date", "time", "timetz", "combine", "weekday", "isoweekday", "toordinal"})
"""These methods of a date or time do not ask its time zone."""
ASKED = {
    "dst": "dst",
    "tzname": "tzname",
    "astimezone": "fromutc",
    "now": "fromutc",
    "fromtimestamp": "fromutc",
}
"""What these methods of a date or time ask its time zone for; all others ask for the offset."""


def is_zoned(callee: Any) -> bool:
    """Whether something is a method of the standard library's dates and times."""
    if not isinstance(callee, BuiltinFunctionType):
        return False
    holder = callee.__self__
    return issubclass(holder if isinstance(holder, type) else type(holder), ZONED)


def zone_of(hub: Hub, callee: Any, args: tuple[Any, ...], kwargs: Any) -> Any:
    """The library's time zone that a method of a date or time will ask, or None."""
    given = next(
        (each for each in (*args, *(kwargs or {}).values()) if isinstance(each, datetime.tzinfo)), None
    )
    zone = getattr(callee.__self__, "tzinfo", None) if given is None else given
    return zone if isinstance(zone, datetime.tzinfo) and hub.targets.touches(type(zone)) else None


def _zoned(hub: Hub, at: str, callee: Any, args: tuple[Any, ...], kwargs: Any) -> Prepared | None:
    zone = zone_of(hub, callee, args, kwargs)
    if zone is None or callee.__name__ in UNASKED:
        return None
    operation = hub.targets.named(type(zone), ASKED.get(callee.__name__, "utcoffset"))
    if operation is None:
        return None
    holder = () if isinstance(callee.__self__, type) else (callee.__self__,)
    token = hub.recorder.begin(at, Kind.CALL, operation, zone, (*holder, *args), kwargs)
    return None if token is None else (token, args, kwargs)


def prepare(hub: Hub, at: str, callee: Any, args: tuple[Any, ...], kwargs: Any) -> Prepared | None:
    """A token for the crossing, if the whole is one, and the arguments to call with instead."""
    if is_zoned(callee):
        return _zoned(hub, at, callee, args, kwargs)
    if callee in ATTRIBUTES:
        return _attribute(hub, at, callee, args)
    if callee in OPERATIONS and args:
        token = _operate(hub, at, OPERATIONS[callee], args)
        return None if token is None else (token, args, kwargs)
    if callee is print or type(getattr(callee, "__self__", None)) is str:
        return _show(hub, at, callee, args, kwargs)
    if callee in COMPARING and args and type(args[0]) in CONTAINERS and "key" not in (kwargs or {}):
        token = hub.begin_member(at, Kind.CALL.value, args[0], COMPARING[callee], args[1:])
        return None if token is None else (token, args, kwargs)
    function = getattr(callee, "__func__", callee)
    if function in AWAITING:
        return None, tuple(_watched(hub, at, each) for each in args), kwargs
    given = list(args)
    if function in CALLING:
        given = [_wrapped(hub, at, each) for each in given]
        kwargs = {name: _wrapped(hub, at, each) for name, each in (kwargs or {}).items()}
    if function in ITERATING:
        # A dict is made from a mapping by its keys, and only from anything else by its items.
        whole = function is dict
        given = [each if whole and hasattr(type(each), "keys") else _items(hub, at, each) for each in given]
    return None, tuple(given), kwargs or None


def _show(hub: Hub, at: str, callee: Any, args: tuple[Any, ...], kwargs: Any) -> Prepared | None:
    for each in (*args, *(kwargs or {}).values()):
        if hub.targets.touches(type(each)) or type(each) in CONTAINERS:
            token = hub.begin_member(at, Kind.CALL.value, each, SHOWING[callee.__name__], ())
            if token is not None:
                return token, args, kwargs
    return None


def held(hub: Hub, container: Any, *, deep: int = 2) -> Any:
    """An object of the library in a builtin container, or None."""
    items = container.values() if type(container) is dict else container
    for _, each in zip(range(FEW), items, strict=False):
        if hub.targets.touches(type(each)):
            return each
        if deep > 1 and type(each) in CONTAINERS:
            inner = held(hub, each, deep=deep - 1)
            if inner is not None:
                return inner
    return None


def _attribute(hub: Hub, at: str, callee: Any, args: tuple[Any, ...]) -> Prepared | None:
    if len(args) < 2 or not isinstance(args[1], str):
        return None
    holder, name = args[0], args[1]
    if callee is setattr or callee is delattr:
        token = hub.begin_member(at, ATTRIBUTES[callee].value, holder, name, tuple(args[2:]))
        return (token, args, None) if token is not None else None
    # A routine is recorded when it is called; whether it is one shows without running the library's code.
    found = vars(holder).get(name) if isinstance(holder, ModuleType | type) else None
    if found is None:
        found = next((vars(each)[name] for each in type(holder).__mro__ if name in vars(each)), None)
    if callee is getattr and (callable(found) or isinstance(found, classmethod | staticmethod)):
        return None
    operation = hub.read_operation(holder, name)
    if operation is None:
        return None
    given = {"default": args[2]} if len(args) > 2 else {}
    if callee is hasattr:
        operation = hub.targets.operation(operation.service, f"{operation.name} (exists)")
    token = hub.recorder.begin(at, Kind.READ, operation, holder, (), given)
    return (token, args, None) if token is not None else None


def _operate(hub: Hub, at: str, name: str, args: tuple[Any, ...]) -> Any:
    holder = args[0]
    if isinstance(holder, GeneratorType) or name == "__next__":
        operation = hub._step(holder)
        return hub.recorder.begin(at, Kind.ITEM, operation, holder, (), None) if operation else None
    if type(holder) in CONTAINERS:
        if name not in _THROUGH_NAMES:
            return None
    elif not hub.targets.touches(type(holder)) and not isinstance(holder, type):
        return None
    return hub.begin_member(at, Kind.CALL.value, holder, name, args[1:])


def _wrapped(hub: Hub, at: str, thing: Any) -> Any:
    """A callable of the library, made to be recorded when somebody else calls it."""
    try:
        is_builtin = thing in OPERATIONS
    except TypeError:
        is_builtin = False
    if is_builtin:
        return hub.hand(at, thing)
    if not callable(thing) or hub.targets.find(thing) is None:
        return thing
    return hub.wrap(at, thing)


def _items(hub: Hub, at: str, thing: Any) -> Any:
    is_crossing = hub.targets.touches(type(thing)) and hub._step(thing) is not None
    is_crossing = is_crossing or (isinstance(thing, GeneratorType) and hub._step(thing) is not None)
    if not is_crossing or isinstance(thing, type):
        return thing
    return hub.items(at, thing)


def _watched(hub: Hub, at: str, thing: Any) -> Any:
    """A coroutine of the library in one of ours with its name, so that its end is seen."""
    if not isinstance(thing, CoroutineType) or hub._step(thing) is None:
        return thing
    watching: Any = _watch(hub, at, thing)
    watching.__name__, watching.__qualname__ = thing.__name__, thing.__qualname__
    return watching


async def _watch(hub: Hub, at: str, inner: Coroutine[Any, Any, Any]) -> Any:
    token = hub.begin_step(at, inner, "item")
    try:
        value = await inner
    except BaseException as error:
        if token is not None:
            hub.fail(token, error)
        raise
    if token is not None:
        hub.end(token, value)
    return value


__all__ = ["NAMES", "NOTHING", "SPECIAL", "prepare"]
