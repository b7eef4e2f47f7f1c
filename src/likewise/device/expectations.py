"""What a step expects of its answer: values bit for bit, changes, predicates, failures, at any path."""

from __future__ import annotations

import inspect
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from likewise.device import paths
from likewise.device.testee import Data, WithArguments
from likewise.device.values import Nan, NotRepresentable, Number
from likewise.model import LikewiseError

Why = str | None
"""Why an expectation does not hold; None where it does."""


class Trend(StrEnum):
    """How a value stands to the last one at the same path in the scenario."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    INCREASED = "increased"
    DECREASED = "decreased"


changed, unchanged, increased, decreased = Trend


@dataclass(frozen=True, slots=True)
class Equals:
    """A value, compared bit for bit. Only needed for a mapping, which would be taken for paths."""

    value: object


@dataclass(frozen=True, slots=True)
class Holds:
    """A predicate on the value as Python has it."""

    predicate: Callable[[Any], object]
    about: str = ""


@dataclass(frozen=True, slots=True)
class AllOf:
    """Several expectations on the same value."""

    parts: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Fails:
    """The command must be refused or crash; `kind` and `message` are parts of what is said then."""

    kind: str = ""
    message: str = ""


def equals(value: object) -> Equals:
    """Exactly this value, a mapping included."""
    return Equals(value)


def holds(predicate: Callable[[Any], object], about: str = "") -> Holds:
    """Something for which this predicate is true."""
    return Holds(predicate, about)


def all_of(*parts: object) -> AllOf:
    """All of these."""
    return AllOf(parts)


def fails(kind: str = "", message: str = "") -> Fails:
    """The command does not succeed; what it says contains these texts."""
    return Fails(kind, message)


Latest = dict[paths.Path, Data]
"""The last value at each path that some step of the scenario expects a trend of."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One expectation at one path."""

    path: paths.Path
    expected: object

    def check(self, data: Data, latest: Latest) -> Why:
        """Why it does not hold for this answer."""
        try:
            actual = paths.look_up(data, self.path)
        except paths.Absent as absent:
            return str(absent)
        if not self.path and isinstance(actual, WithArguments):
            actual = actual["result"]
        why = _judge(self.expected, actual, self.path, latest)
        return None if why is None else f"{paths.show(self.path)}: {why}" if self.path else why


class ExpectationWrong(LikewiseError):
    """An expectation cannot be meant as it is written."""

    slug = "expectation-wrong"


def claims(expected: object) -> tuple[Claim, ...]:
    """What was written after `expect=`, path by path. Raises PathWrong and ExpectationWrong."""
    if (isinstance(expected, Mapping) and not expected) or expected == AllOf(()):
        raise ExpectationWrong(
            "nothing is in the expectation",
            why="it would hold whatever the answer is",
            todo="Leave expect out, or write equals({}) for an empty mapping.",
        )
    if isinstance(expected, Mapping):
        return tuple(Claim(paths.parse(path), each) for path, each in expected.items())
    return (Claim((), expected),)


def trends(expected: object) -> bool:
    """Whether an expectation is about earlier values."""
    if isinstance(expected, AllOf):
        return any(trends(part) for part in expected.parts)
    return isinstance(expected, Trend)


def _judge(expected: object, actual: Data, path: paths.Path, latest: Latest) -> Why:
    if isinstance(expected, Trend):
        return _judge_trend(expected, actual, path, latest)
    if isinstance(expected, AllOf):
        for part in expected.parts:
            if (why := _judge(part, actual, path, latest)) is not None:
                return why
        return None
    if isinstance(expected, Holds):
        return _judge_predicate(expected, actual)
    if isinstance(expected, Equals):
        return differs(expected.value, actual)
    if callable(expected) and not isinstance(expected, Number | Nan):
        return _judge_predicate(Holds(expected), actual)
    return differs(expected, actual)


def _judge_trend(trend: Trend, actual: Data, path: paths.Path, latest: Latest) -> Why:
    if path not in latest:
        return f"expected to have {trend}, but no earlier step of the scenario has a value there"
    before = latest[path]
    same = is_same(before, actual)
    if trend is Trend.CHANGED:
        return f"expected to have changed, is still {show(actual)}" if same else None
    if trend is Trend.UNCHANGED:
        return None if same else f"expected to be unchanged, was {show(before)}, is {show(actual)}"
    old, new = plain(before), plain(actual)
    numeric = isinstance(old, int | float) and isinstance(new, int | float)
    if not numeric or isinstance(old, bool) or isinstance(new, bool):
        return f"expected to have {trend}, but {show(before)} and {show(actual)} have no order"
    assert isinstance(old, int | float)
    assert isinstance(new, int | float)
    if (new > old) if trend is Trend.INCREASED else (new < old):
        return None
    return f"expected to have {trend}, was {show(before)}, is {show(actual)}"


def _judge_predicate(expected: Holds, actual: Data) -> Why:
    name = expected.about or getattr(expected.predicate, "__name__", "predicate")
    try:
        verdict = expected.predicate(plain(actual))
        if is_unfinished(verdict):
            getattr(verdict, "close", bool)()
            return f"{name} gives no verdict but {show(verdict)}, which is always true"
        return None if verdict else f"{name} does not hold for {show(actual)}"
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # pytest.fail() and sys.exit() too: no predicate ends the run
        return f"{name} raised {type(error).__name__}: {error} on {show(actual)}"


def is_unfinished(value: object) -> bool:
    """Whether a function that was called has not run yet: a coroutine or a generator."""
    return inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value)


def is_same(one: Data, other: Data) -> bool:
    """Whether two answers agree to the last bit."""
    return differs(one, other) is None


def differs(expected: object, actual: Data) -> Why:
    """Why a value is not the expected one."""
    if isinstance(expected, Number):
        if isinstance(actual, Number):
            return None if actual == expected else _unlike(expected, actual)
        return _differs_untyped(expected, actual)
    if isinstance(expected, Nan):
        number = _as_number(expected, actual)
        return None if number is not None and expected.accepts(number) else _unlike(expected, actual)
    if isinstance(expected, bool) or expected is None or isinstance(expected, str):
        if isinstance(expected, bool) and isinstance(actual, Number) and not actual.kind.is_float:
            return None if actual.bits == int(expected) else _unlike(expected, actual)
        return None if type(actual) is type(expected) and actual == expected else _unlike(expected, actual)
    if isinstance(expected, int | float):
        return _differs_from_python(expected, actual)
    return _differs_inside(expected, actual)


def _differs_untyped(expected: Number, actual: Data) -> Why:
    """A testee without machine types (an interpreter) is asked for a typed value."""
    if isinstance(actual, bool) or not isinstance(actual, int | float):
        return _unlike(expected, actual)
    if isinstance(actual, float) != expected.kind.is_float:
        return _unlike(expected, actual)
    try:
        number = expected.kind(actual)
    except NotRepresentable:
        return _unlike(expected, actual)
    exact = math.isnan(actual) or number.value == actual
    return None if exact and number == expected else _unlike(expected, actual)


def _differs_from_python(expected: float, actual: Data) -> Why:
    """An untyped number takes the type of the answer and must then agree bit for bit."""
    if isinstance(actual, Number):
        if isinstance(expected, float):
            if not actual.kind.is_float:
                return _unlike(expected, actual)
            if math.isnan(expected):
                return None if actual.is_nan else _unlike(expected, actual)
            number = actual.kind(expected)
            exact = math.isfinite(expected) == math.isfinite(number.value)  # 1e39 is no infinity of f32
            return None if exact and number == actual else _unlike(expected, actual)
        try:
            number = actual.kind(expected)
        except (NotRepresentable, OverflowError):
            return f"expected {expected}, which {actual.kind.name} cannot hold; is {show(actual)}"
        exact = not actual.kind.is_float or number.value == expected
        return None if exact and number == actual else _unlike(expected, actual)
    if type(actual) is not type(expected):
        return _unlike(expected, actual)
    if isinstance(expected, float):
        assert isinstance(actual, float)
        if math.isnan(expected) and math.isnan(actual):
            return None
        return None if struct.pack("<d", expected) == struct.pack("<d", actual) else _unlike(expected, actual)
    return None if expected == actual else _unlike(expected, actual)


def _differs_inside(expected: object, actual: Data) -> Why:
    if isinstance(expected, list | tuple):
        if not isinstance(actual, list):
            return _unlike(expected, actual)
        if len(expected) != len(actual):
            return f"expected {len(expected)} elements, is {show(actual)}"
        for index, (ours, theirs) in enumerate(zip(expected, actual, strict=True)):
            if (why := differs(ours, theirs)) is not None:
                return f"[{index}]: {why}"
        return None
    if isinstance(expected, Mapping):
        if not isinstance(actual, dict) or expected.keys() != actual.keys():
            return _unlike(expected, actual)
        for key, ours in expected.items():
            if (why := differs(ours, actual[key])) is not None:
                return f"{key}: {why}"
        return None
    if isinstance(expected, bytes | bytearray):
        return None if isinstance(actual, bytes) and actual == expected else _unlike(expected, actual)
    return _unlike(expected, actual)


def _as_number(expected: Nan, actual: Data) -> Number | None:
    if isinstance(actual, Number):
        return actual
    if isinstance(actual, float):
        return expected.kind.of(int.from_bytes(struct.pack(expected.kind.layout, actual), "little"))
    return None


def _unlike(expected: object, actual: Data) -> str:
    return f"expected {show(expected)}, is {show(actual)}"


def show(value: object, limit: int = 160) -> str:
    """A value in a message."""
    text = str(value) if isinstance(value, Number | Nan) else repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(data: Data) -> Any:
    """An answer as Python has it: machine numbers become ints and floats."""
    if isinstance(data, Number):
        return data.value
    if isinstance(data, list):
        return [plain(each) for each in data]
    if isinstance(data, dict):
        return {key: plain(each) for key, each in data.items()}
    return data
