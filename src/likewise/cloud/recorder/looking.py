"""Answers that remember which of their fields were asked for.

A parsed answer of botocore is a dictionary. Handing out one that notes every look tells which fields
the client, and the SDK on its behalf, can have used: a field that nobody asked for cannot have
influenced a test. Whoever takes a dictionary as a whole (prints, compares, copies, iterates it) looks at
all of it, and at what is not there. Compiled code may read it without asking: see `readers`; so may who
listens to the SDK's events: see `handlers`. What stays unnoticed is Python that goes round the methods on
purpose (`dict.get(answer, …)`, `self.__dict__ = answer`).

Code that tells types apart by more than `isinstance` would take such a dictionary for something else. So it
has the name of a plain one (jmespath goes by that), YAML is told to write it as one, and what users put into
a service and get back (an item, metadata) is handed out plain, as seen in all its fields: it is what suites
work on, and give back in their next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from likewise.cloud.marks import ALL_FIELDS, ALL_HEADERS, BY_NAME, DATA, TOLD_ANYWAY
from likewise.cloud.recorder.patches import Patches

SERVICES = frozenset({"s3", "dynamodb"})
"""Whose answers are observed: of others nobody knows which field stands for what."""
_HEADERS = "HTTPHeaders"
_METADATA = "ResponseMetadata"


class Look:
    """What was asked for in the answer to one call.

    `late` is told once, with the call, of a field first asked for after `close`. It lives as long as
    somebody has a part of the answer, and can still look.
    """

    __slots__ = ("__weakref__", "_call", "_is_closed", "_is_late", "_late", "names")

    def __init__(self, late: Callable[[Any], None], call: Any = None) -> None:
        self.names: dict[str, None] = {}  # which the collector has nothing to look for in
        self._late, self._call = late, call
        self._is_closed = self._is_late = False

    def note(self, name: object) -> None:
        """Somebody asked for a field."""
        if name not in self.names:
            self.names[str(name)] = None
            if self._is_closed:
                self.doubt()

    def note_all(self, value: object) -> None:
        """Somebody took a value as a whole."""
        if isinstance(value, dict):
            for name in dict.keys(value):
                self.note(name)
                if name == _HEADERS:
                    self.note(ALL_HEADERS)
                self.note_all(dict.__getitem__(value, name))
        elif isinstance(value, list):
            for item in value:
                self.note_all(item)

    def keep(self, names: frozenset[str]) -> None:
        """Forget what was asked for but these."""
        for name in self.names.keys() - names:
            del self.names[name]

    def close(self) -> tuple[str, ...]:
        """The names asked for; a later one is late."""
        self._is_closed = True
        return tuple(sorted(self.names))

    def doubt(self) -> None:
        """Somebody may have looked who does not ask."""
        if not self._is_late:
            self._is_late = True
            self._late(self._call)


def _unheeded(_: Any) -> None:
    """Nobody wants to know."""


class Observed(dict[str, Any]):
    """A dictionary that notes what is asked of it, and is a plain one to everybody else."""

    __slots__ = ("_look",)
    _extent = ALL_FIELDS

    def __getattr__(self, name: str) -> Any:
        """Who makes another one of this type, which is a dictionary to him, is not watched."""
        if name != "_look":
            raise AttributeError(f"'dict' object has no attribute {name!r}")
        self._look = Look(_unheeded)
        return self._look

    def __getitem__(self, name: str) -> Any:
        self._look.note(name)
        return self._inner(name, super().__getitem__(name))

    def get(self, name: str, default: Any = None) -> Any:
        self._look.note(name)
        return self[name] if super().__contains__(name) else default

    def __contains__(self, name: object) -> bool:
        self._look.note(name)
        return super().__contains__(name)

    def pop(self, name: str, *default: Any) -> Any:
        self._look.note(name)
        if super().__contains__(name):
            self[name]
        return super().pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        self._take()
        return super().popitem()

    def setdefault(self, name: str, default: Any = None) -> Any:
        self._look.note(name)
        super().setdefault(name, default)
        return self[name]

    def __iter__(self) -> Iterator[str]:
        self._list()
        return super().__iter__()

    def __reversed__(self) -> Iterator[str]:
        self._list()
        return super().__reversed__()

    def __len__(self) -> int:
        self._list()
        return super().__len__()

    def __bool__(self) -> bool:
        self._list()
        return super().__len__() > 0

    def keys(self) -> Any:
        self._list()
        return super().keys()

    def values(self) -> Any:
        self._wrap()
        return super().values()

    def items(self) -> Any:
        self._wrap()
        return super().items()

    def copy(self) -> dict[str, Any]:
        self._wrap()
        return dict(super().items())

    def __eq__(self, other: object) -> bool:
        self._take(other)
        return super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        self._take(other)
        return super().__ne__(other)

    __hash__ = None

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __repr__(self) -> str:
        self._take()
        return super().__repr__()

    def __reduce_ex__(self, _: Any) -> Any:
        self._take()
        return dict, (plain(self),)

    def __class_getitem__(cls, item: Any) -> Any:
        return dict.__class_getitem__(item)

    def _inner(self, name: str, value: Any) -> Any:
        """A value inside, itself observed; replaced in place so that it stays the same object."""
        if name in DATA:
            self._look.note_all(value)
        elif type(value) is dict:
            value = observe(value, self._look, _KINDS.get(name, Observed))
            super().__setitem__(name, value)
        elif type(value) is list:
            self._inner_list(value)
        return value

    def _inner_list(self, items: list[Any]) -> None:
        for number, item in enumerate(items):
            if type(item) is dict:
                items[number] = observe(item, self._look)
            elif type(item) is list:
                self._inner_list(item)

    def _list(self) -> None:
        self._look.note(self._extent)
        for name in super().__iter__():
            self._look.note(name)

    def _wrap(self) -> None:
        self._look.note(self._extent)
        for name, value in list(super().items()):
            self._look.note(name)
            self._inner(name, value)

    def _take(self, other: object = None) -> None:
        self._look.note(self._extent)
        self._look.note_all(self)
        if isinstance(other, Observed):
            other._take()


class ObservedByName(Observed):
    """What nobody cares for but who asks for it by its name: that is noted apart from taking all there is."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        self._ask(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._ask(name)
        return super().get(name, default)

    def __contains__(self, name: object) -> bool:
        self._ask(name)
        return super().__contains__(name)

    def pop(self, name: str, *default: Any) -> Any:
        self._ask(name)
        return super().pop(name, *default)

    def _ask(self, name: object) -> None:
        if name not in TOLD_ANYWAY:
            self._look.note(f"{BY_NAME}{name}")


class ObservedHeaders(ObservedByName):
    """The headers of an answer: who goes through them sees that there are no others."""

    __slots__ = ()
    _extent = ALL_HEADERS


_KINDS: dict[str, type[Observed]] = {_HEADERS: ObservedHeaders, _METADATA: ObservedByName}


def observe(content: dict[str, Any], look: Look, kind: type[Observed] = Observed) -> Observed:
    """A dictionary with this content that notes what is asked of it."""
    observed = kind(content)  # made by dict itself: a constructor of ours would be a frame more
    observed._look = look
    return observed


for _kind in (Observed, ObservedByName, ObservedHeaders):
    _kind.__name__ = _kind.__qualname__ = dict.__name__
    _kind.__module__ = dict.__module__


def follow_yaml(module: ModuleType, patches: Patches, _: object) -> None:
    """Have `yaml.representer` write an observed dictionary as any other."""
    for kind in (module.SafeRepresenter, module.Representer):

        def make(known: Any) -> Any:
            return {**known, **dict.fromkeys((Observed, ObservedByName, ObservedHeaders), known[dict])}

        patches.replace(kind, "yaml_representers", make)


def plain(value: Any) -> Any:
    """The same value as plain dictionaries and lists, without looking."""
    if isinstance(value, Observed):
        return {name: plain(dict.__getitem__(value, name)) for name in dict.keys(value)}
    if type(value) is list:
        return [plain(item) for item in value]
    return value
