"""Live objects as stable data, without running more of anybody's code than has to be.

One `Values` for each test: opaque objects are numbered per test and type.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import threading
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from likewise.library import reading
from likewise.library.patience import Patience, TooLong
from likewise.model import Mapping, Value

DEEP = 6
"""Levels of containers that are looked into."""
LONG = 2_000
"""Characters or bytes of a text that are kept whole."""
HEAD = 200
MANY = 100
"""Items of a container that are kept."""
NODES = 1_500
"""Parts of one value that are looked at."""
HELD = 5_000
"""Objects without weak references that are kept alive in a test so that their numbers stay theirs."""
_PLAIN = frozenset({type(None), bool})
_BIG = 1 << 63


class _Walk(threading.local):
    """How many parts of the value that a thread is looking at it has seen."""

    nodes = 0


class Values:
    """Makes data of objects; keeps the numbers of the opaque ones. Any thread may ask."""

    def __init__(self) -> None:
        self._numbers: dict[int, tuple[str, int, object]] = {}
        self._labels: dict[int, str] = {}
        self._counts: dict[str, Iterator[int]] = {}
        self._gone: set[str] = set()
        """Types of which an object has died: a new one may be the same thing again, such as a proxy."""
        self._held = 0
        self._walk = _Walk()
        self.odd = 0
        """How often something came that JSON cannot say as it stands: bytes, infinity, a name with "$"."""
        self.trouble: dict[str, int] = {}
        """What could not be read, and how often."""

    def data(self, thing: object) -> Value:
        """An object as data. Never raises: what cannot be read says so."""
        kind = type(thing)
        if kind in _PLAIN or (kind is str and len(thing) <= LONG):  # type: ignore[arg-type]
            return thing  # type: ignore[return-value]
        self._walk.nodes = 0
        try:
            return self.value(thing, kind, ())
        except RecursionError:
            return self._lost("recursion", kind)
        except Exception as error:
            return self._lost(type(error).__name__, kind)

    def names(self, names: Iterable[str]) -> None:
        """Take note of names that the client or the library chose."""
        for name in names:
            if name[:1] == "$":
                self.odd += 1

    def label(self, thing: object) -> str:
        """The name of an opaque object in this test: its type and number."""
        known = self._labels.get(id(thing))
        if known is None:
            name, number = self._number(thing, type(thing))
            known = f"{name}#{number}"
            if number:
                self._labels[id(thing)] = known
        return known

    def release(self) -> None:
        """Let go of every object: the test is over, and nobody asks for their numbers any more."""
        self._numbers.clear()
        self._labels.clear()

    def _lost(self, why: str, kind: type) -> Value:
        text = f"{kind.__name__}: {why}"
        self.trouble[text] = self.trouble.get(text, 0) + 1
        return {"is": "lost", "why": why}

    def value(self, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
        if kind in _PLAIN:
            return thing  # type: ignore[no-any-return]
        if kind is float:
            if thing - thing != 0.0:  # infinite, or no number
                self.odd += 1
            return thing  # type: ignore[no-any-return]
        if kind is str:
            return thing if len(thing) <= LONG else long_text(thing)
        if kind is int:
            return thing if -_BIG <= thing < _BIG else long_int(thing)
        if kind is bytes:
            self.odd += 1
            return thing if len(thing) <= LONG else long_bytes(thing)
        walk = self._walk
        walk.nodes += 1
        if len(above) >= DEEP or walk.nodes > NODES:
            return {"is": "deep", "type": kind.__qualname__}
        if id(thing) in above:
            return {"is": "again", "up": len(above) - above.index(id(thing))}
        reader = reading.READERS.get(id(kind)) or reading.learn(kind)
        return reader(self, thing, kind, above)

    def opaque(self, thing: Any, kind: type) -> Value:
        """An object that nothing is known about but its type and its identity."""
        is_new = id(thing) not in self._numbers
        name, number = self._number(thing, kind)
        made: Mapping = {"is": "object", "type": name, "id": number}
        if is_new and name in self._gone:
            made["late"] = True
        return made

    def items(self, things: Any, kind: type, above: tuple[int, ...]) -> Value:
        inner = (*above, id(things))
        if len(things) <= MANY:
            return [self.value(each, type(each), inner) for each in things]
        head = [self.value(each, type(each), inner) for each in _first(things)]
        return {
            "is": "many",
            "type": kind.__name__,
            "length": len(things),
            "digest": _digest_of(things),
            "items": head,
        }

    def pairs(self, thing: dict[Any, Any], above: tuple[int, ...]) -> Value:
        inner = (*above, id(thing))
        if len(thing) <= MANY:
            return {
                "is": "dict",
                "items": [
                    [self.value(key, type(key), inner), self.value(part, type(part), inner)]
                    for key, part in thing.items()
                ],
            }
        return self.items(list(thing.items()), dict, above)

    def unordered(self, thing: Any, kind: type, above: tuple[int, ...]) -> Value:
        inner = (*above, id(thing))
        if len(thing) > 20 * MANY:
            return {"is": "many", "type": kind.__name__, "length": len(thing), "digest": "", "items": []}
        made = sorted((self.value(each, type(each), inner) for each in thing), key=repr)
        if len(made) <= MANY:
            return {"is": kind.__name__, "items": made}
        digest = _digest(unnumbered(repr(made)).encode("utf-8", "surrogatepass"))
        return {
            "is": "many",
            "type": kind.__name__,
            "length": len(made),
            "digest": digest,
            "items": made[:MANY],
        }

    def exception(self, error: BaseException, above: tuple[int, ...] = ()) -> Value:
        """An exception: type, message, arguments, cause."""
        inner = (*above, id(error))
        cause = error.__cause__
        made: Mapping = {
            "is": "exception",
            "type": type(error).__qualname__,
            "message": message_of(error),
            "args": [self.value(each, type(each), inner) for each in _ARGS(error)],
        }
        if cause is not None and len(above) < DEEP:
            made["cause"] = self.value(cause, type(cause), inner)
        return made

    def _number(self, thing: object, kind: type) -> tuple[str, int]:
        key = id(thing)
        known = self._numbers.get(key)
        if known is not None:
            return known[0], known[1]
        name = kind.__qualname__
        # Another thread may come between any two of these lines, also with the same object.
        number = next(self._counts.get(name) or self._counts.setdefault(name, itertools.count(1)))
        holder: object
        try:
            holder = weakref.ref(thing, self._forget(key, name))
        except TypeError:
            if self._held >= HELD:
                return name, 0
            self._held += 1
            holder = thing
        known = self._numbers.setdefault(key, (name, number, holder))
        return known[0], known[1]

    def _forget(self, key: int, name: str) -> Callable[[object], None]:
        numbers, labels, gone = self._numbers, self._labels, self._gone

        def forget(_: object) -> None:
            numbers.pop(key, None)
            labels.pop(key, None)
            gone.add(name)

        return forget


_PATIENCE = Patience()
_ARGS: Callable[[BaseException], tuple[Any, ...]] = vars(BaseException)["args"].__get__
_HASHED = frozenset({str, int, float, bool, type(None), bytes})
_NESTED = frozenset({tuple, list})


_NUMBERED = re.compile(r"(?:'type': '[^']*', )?'id': \d+(?:, 'late': True)?")


def unnumbered(text: str) -> str:
    """Data as text without the numbers of objects, which threads and tasks come to in any order.

    Nor with the names of their types: another name of a private one is no change, and cannot be told here.
    """
    return _NUMBERED.sub("'id': 0", text) if "'id': " in text else text


def is_changed(before: Value, now: Value) -> bool:
    """Whether data of one object, taken twice, differs; what is new the first time need not be the second."""
    return before != now and _settled(before) != _settled(now)


def _settled(value: Value) -> Value:
    if isinstance(value, dict):
        is_object = value.get("is") == "object"
        return {key: _settled(each) for key, each in value.items() if not (is_object and key == "late")}
    return [_settled(each) for each in value] if isinstance(value, list) else value


def message_of(error: BaseException) -> str:
    """The text of an exception; one that cannot say it says so."""
    try:
        is_builtin = type(type(error).__str__) is types.WrapperDescriptorType
        text = str(error) if is_builtin else _PATIENCE.run(lambda: str(error))
        return text if len(text) <= LONG else text[: LONG - 1] + "…"
    except (Exception, TooLong) as trouble:
        return f"(no text: {type(trouble).__name__})"


def _digest_of(things: Any) -> str:
    """A digest of a large container: of everything where it holds plain things only."""
    if not _is_plain(things):
        return ""
    return _digest(repr(list(things)).encode("utf-8", "surrogatepass"))


def _is_plain(things: Any, *, levels: int = 3) -> bool:
    for each in things:
        kind = type(each)
        if kind in _HASHED:
            continue
        if kind not in _NESTED or not levels or not _is_plain(each, levels=levels - 1):
            return False
    return True


def _first(things: Any) -> list[Any]:
    return [each for each, _ in zip(things, range(MANY), strict=False)]


def long_int(number: int) -> Mapping:
    """A number that not everybody can read."""
    return {"is": "value", "type": "int", "text": hex(number)}


def long_text(text: str) -> Mapping:
    """A text of which only the head is kept."""
    digest = _digest(text.encode("utf-8", "surrogatepass"))
    return {"is": "text", "length": len(text), "digest": digest, "head": text[:HEAD]}


def long_bytes(content: bytes) -> Mapping:
    """The same of bytes."""
    return {"is": "blob", "length": len(content), "digest": _digest(content), "head": content[:HEAD]}


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=12).hexdigest()
