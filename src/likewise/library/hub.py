"""Where both helpers report: names what crosses, and hands it to the recorder.

Nothing here calls the library or the client on their behalf; that is left to the helper, so that
no frame of ours is between them.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, CodeType, ModuleType
from typing import Any

from likewise.library import handing
from likewise.library.crossing import Kind
from likewise.library.naming import is_at_home, module_of
from likewise.library.recorder import Folded, Recorder, Token
from likewise.library.targets import NOTHING, Standing, Targets
from likewise.model import Operation

MOST_GENERATORS = 10_000
NEUTRAL, CLIENT, LIBRARY = 0, 1, 2
"""Whose a source file is; the numbers are those of native.c."""
_NAMESPACES = (ModuleType, type)
_REMEMBERING = type(functools.lru_cache(lambda: None))
"""A function that is remembered is a function: noted when it is called."""
_ENDS = (StopAsyncIteration, StopIteration, GeneratorExit)
_KINDS = {kind.value: kind for kind in Kind}
_INVERSE = {"__bool__": "__len__", "__str__": "__repr__", "__format__": "__str__", "__contains__": "__iter__"}
"""What stands in where a class lacks the method that an operator asks for first."""
_UNREAD = frozenset(
    """__class__ __dict__ __doc__ __name__ __qualname__ __module__ __file__ __path__ __spec__ __mro__
    __all__ __bases__ __base__ __annotations__ __wrapped__ __code__ __defaults__
    __weakref__ __slots__ __builtins__ __cached__ __loader__ __package__""".split()  # noqa: SIM905
)
"""How something is built, which no library promises."""


class Hub:
    """Decides precisely what the helpers decided roughly. Never raises: what fails is counted."""

    def __init__(self, recorder: Recorder, targets: Targets) -> None:
        self.recorder, self.targets = recorder, targets
        self.client_files = recorder.client_files = targets.client_files
        self.stored: set[str] = set()
        """Names of attributes that the client's own code sets somewhere."""
        self.awaited: dict[str, Callable[[], None]] = {}
        """Modules that matter once somebody imports them, and what is to be done then."""
        self._reads: dict[int, dict[str, Operation | None]] = {}
        self._class_reads: dict[int, dict[str, Operation | None]] = {}
        self._known_stored = 0
        self._members: dict[int, dict[tuple[str, str], Operation | None]] = {}
        targets.tables.extend((self._reads, self._class_reads, self._members))
        self._roots: list[str] = []
        self._modules: dict[str, str] = {}
        self._generators: dict[int, tuple[Any, Operation | None]] = {}
        self.wrap: Callable[[str, Any], Any] = lambda at, thing: thing
        self.own: Callable[[Any], Any] = lambda thing: None
        self.hand: Callable[[str, Any], Any] = lambda at, thing: thing
        self.items: Callable[[str, Any], Any] = lambda at, thing: thing

    def standing(self, kind: type) -> int:
        """What a type is to the boundary."""
        return int(self.targets.standing(kind))

    def owner(self, module: str) -> int:
        """Whether a module is the library's."""
        return 1 if self.targets.naming.owner(module) else 0

    def file(self, code: CodeType) -> int:
        """Whose the file of some code is."""
        name = code.co_filename
        if name in self.client_files:
            return CLIENT
        return LIBRARY if name.startswith(tuple(self._library_roots())) else NEUTRAL

    def _library_roots(self) -> list[str]:
        if not self._roots:
            for name in self.targets.naming.libraries:
                try:
                    spec = importlib.util.find_spec(name)
                except (ImportError, ValueError):
                    continue
                for place in (spec and spec.submodule_search_locations) or ():
                    self._roots.append(str(place).rstrip("/\\") + ("\\" if "\\" in str(place) else "/"))
                if spec and not spec.submodule_search_locations and spec.origin:
                    self._roots.append(spec.origin)
        return self._roots or ["\0"]

    def begin_call(self, at: str, callee: Any, args: tuple[Any, ...], kwargs: Any) -> Token | Folded | None:
        """A call begins."""
        try:
            found = self.targets.find(callee)
            if found is None:
                return None
            if type(callee).__name__ == "partial":
                args = (*callee.args, *args)
                kwargs = {**callee.keywords, **(kwargs or {})}
            kind = Kind.DRAW if self.targets.is_draw(callee) else Kind.CALL
            token = self.recorder.begin(at, kind, found[0], found[1], args, kwargs)
            if token is not None and isinstance(callee, type):
                token.makes = True
            return token
        except Exception as error:
            self._miss("call", callee, error)
            return None

    def begin_member(
        self, at: str, kind: str, holder: Any, name: str, args: tuple[Any, ...]
    ) -> Token | Folded | None:
        """An operator, a subscript, a store or the like begins."""
        try:
            operation = self._member(holder, name, kind)
            if operation is None:
                return None
            if type(holder) in handing.CONTAINERS:
                holder, args = NOTHING, (holder, *args)
            return self.recorder.begin(at, _KINDS[kind], operation, holder, args, None)
        except Exception as error:
            self._miss(name, holder, error)
            return None

    def _member(self, holder: Any, name: str, kind: str) -> Operation | None:
        of = type(holder)
        if isinstance(holder, _NAMESPACES):
            if kind == Kind.CALL:  # an operator on a class is its metaclass's
                return self.targets.member(of, name)
            return self._of_namespace(holder, name)
        if of in handing.CONTAINERS:
            inner = handing.held(self, holder)
            shown = "__repr__" if name in ("__str__", "__format__") else name
            return None if inner is None else self._member(inner, shown, kind)
        known = self._members.get(id(of))
        if known is not None and (kind, name) in known:
            return known[kind, name]
        if self.targets.standing(of) is Standing.CONTEXT:
            return self._of_generator(holder.gen, name)
        if known is None:
            self.targets.remember(of)
            known = self._members.setdefault(id(of), {})
        found = known[kind, name] = self._of_type(of, name, kind)
        return found

    def _of_type(self, of: type, name: str, kind: str) -> Operation | None:
        if name == "__rmod__" and self.targets.member(of, name) is None:
            name = "__str__"  # the right side of a text's %
        if kind in ("store", "delete"):
            is_own = self.targets.standing(of) is Standing.OWN
            return self.targets.named(of, name) if is_own else self.targets.member(of, name)
        found = self.targets.member(of, name)
        other = name
        while found is None and other in _INVERSE:
            other = _INVERSE[other]
            if self.targets.member(of, other) is not None:
                found = self.targets.named(of, name)
        return found

    def _of_namespace(self, holder: Any, name: str) -> Operation | None:
        naming = self.targets.naming
        if isinstance(holder, type):
            if not self.targets.touches(holder):
                return self.targets.member(type(holder), name)
            declared = next((each for each in holder.__mro__ if name in vars(each)), None)
            if declared is not None and not (naming.owner(module_of(declared)) and is_at_home(declared)):
                return None
            return self.targets.named(holder, name)
        module = holder.__name__
        library = naming.owner(module)
        path = module[len(library) :].strip(".")
        return self.targets.operation(library, f"{path}.{name}" if path else name) if library else None

    def never(self, kind: str, holder: Any, name: str) -> bool:
        """Whether what is done so with instances of a type is not the library's business, now or later."""
        of = type(holder)
        if of in handing.CONTAINERS or not self.targets.touches(of):
            return False
        if kind == Kind.READ:
            return self.read_operation(holder, name) is None
        return self._member(holder, name, kind) is None

    def read(self, at: str, holder: Any, name: str, value: object, error: BaseException | None) -> bool:
        """An attribute was read; of a client's class only those are the library's that it never sets.

        Whether it was.
        """
        try:
            operation = self.read_operation(holder, name)
            if operation is None:
                return False
            if type(value).__module__ != "importlib.util" and type(value) is not _REMEMBERING:
                receiver = NOTHING if isinstance(holder, ModuleType) else holder
                self._note(at, Kind.READ, operation, receiver, value, error)
        except Exception as trouble:
            self._miss(name, holder, trouble)
        return True

    def _note(
        self,
        at: str,
        kind: Kind,
        operation: Operation,
        receiver: Any,
        value: object,
        error: BaseException | None,
    ) -> None:
        """Something began and ended at once."""
        token = self.recorder.begin(at, kind, operation, receiver, (), None)
        if token is not None:
            if error is None:
                self.recorder.end(token, value)
            else:
                self.recorder.fail(token, error)

    def read_operation(self, holder: Any, name: str) -> Operation | None:
        """Which operation it is to read an attribute; None where that is not the library's business."""
        if isinstance(holder, ModuleType):
            return None if name in _UNREAD else self._of_namespace(holder, name)
        if self._known_stored != len(self.stored):  # more of the client has been imported
            self._reads.clear()
            self._class_reads.clear()
            self._known_stored = len(self.stored)
        is_class = isinstance(holder, type)
        kind = holder if is_class else type(holder)
        table = self._class_reads if is_class else self._reads
        known = table.get(id(kind))
        if known is None:
            self.targets.remember(kind)
            known = table.setdefault(id(kind), {})
        if name not in known:
            known[name] = self._find_read(kind, name, is_class=is_class)
        return known[name]

    def _find_read(self, kind: type, name: str, *, is_class: bool) -> Operation | None:
        if name in _UNREAD:
            return None
        if is_class:
            return self._of_namespace(kind, name)
        if self.targets.standing(kind) is Standing.OWN or self.targets.is_declared(kind, name):
            return self.targets.member(kind, name)
        return None if name in self.stored else self.targets.named(kind, name)

    def item(self, at: str, source: Any, value: object, error: BaseException | None) -> None:
        """An iterator or generator of the library gave something."""
        try:
            operation = self._step(source)
            if operation is not None:
                self._note(at, Kind.ITEM, operation, source, value, error)
        except Exception as trouble:
            self._miss("item", source, trouble)

    def begin_step(self, at: str, source: Any, origin: Any) -> Token | Folded | None:
        """A coroutine or awaitable of the library is awaited."""
        try:
            operation = self._step(origin if not isinstance(origin, str) else source)
            if operation is None:
                return None
            return self.recorder.begin(at, Kind.ITEM, operation, NOTHING, (), None)
        except Exception as error:
            self._miss("await", source, error)
            return None

    def _step(self, source: Any) -> Operation | None:
        of = type(source)
        if self.targets.touches(of):
            for name in ("__iter__", "__next__", "__await__", "__aiter__", "__anext__", "__getitem__"):
                found = self.targets.member(of, name)
                if found is not None:
                    return found
            return None
        return self._of_generator(source, "")

    def _of_generator(self, source: Any, name: str) -> Operation | None:
        known = self._generators.get(id(source))
        if known is None or known[0]() is not source:
            found = self._code_of(source)
            known = self._generators[id(source)] = (weakref.ref(source), found)
            if len(self._generators) > MOST_GENERATORS:
                self._generators = {key: each for key, each in self._generators.items() if each[0]()}
        found = known[1]
        return (
            found
            if found is None or not name
            else self.targets.operation(found.service, f"{found.name}.{name}")
        )

    def _code_of(self, source: Any) -> Operation | None:
        """The function that a generator or coroutine runs; a method by the class of its object."""
        for attribute in ("gi_code", "cr_code", "ag_code"):
            code = getattr(source, attribute, None)
            if isinstance(code, CodeType):
                module = self._module(code.co_filename)
                library = self.targets.naming.owner(module)
                if not library:
                    return None
                frame = getattr(source, attribute[:3] + "frame", None)
                holder = frame.f_locals.get("self") if frame is not None and code.co_argcount else None
                if holder is not None and self.targets.touches(type(holder)) and "." in code.co_qualname:
                    return self.targets.named(type(holder), code.co_name)
                return self.targets.operation(library, self.targets.naming.public(module, code.co_qualname))
        return None

    def _module(self, file: str) -> str:
        if file not in self._modules:
            owner = self.targets.naming.owner
            for name, module in list(sys.modules.items()):
                place = getattr(module, "__file__", None) if owner(name) else None
                if isinstance(place, str):
                    self._modules[place] = name
            self._modules.setdefault(file, "")
        return self._modules[file]

    def prepare(
        self, at: str, callee: Any, args: tuple[Any, ...], kwargs: Any
    ) -> tuple[Any, tuple[Any, ...], Any] | None:
        """Something foreign is handed things of the library: what to hand it instead, and what it means."""
        try:
            return handing.prepare(self, at, callee, args, kwargs)
        except Exception as error:
            self._miss(getattr(callee, "__name__", "call"), callee, error)
            return None

    def entry(self, site: tuple[str, str, tuple[str, ...]], args: tuple[Any, ...], kind: str = "") -> Any:
        """The library calls a function of the client, or is given an item by a generator of the client."""
        try:
            at, name, names = site
            library = self._calling() or self.targets.naming.libraries[0]
            operation = self.targets.operation(library, f"callback {name}")
            given = dict(zip(names, args, strict=False)) if args else {}
            receiver = given.pop("self", NOTHING)
            how = _KINDS[kind] if kind else Kind.CALLBACK
            return self.recorder.begin(at, how, operation, receiver, (), given)
        except Exception as error:
            self._miss("callback", site, error)
            return None

    def _calling(self) -> str:
        if len(self.targets.naming.libraries) == 1:
            return ""
        frame = sys._getframe(2)
        for _ in range(40):
            found = self.targets.naming.owner(frame.f_globals.get("__name__"))
            if found or frame.f_back is None:
                return found
            frame = frame.f_back
        return ""

    def imported(self, at: str, module: str, names: tuple[str, ...], values: tuple[Any, ...]) -> None:
        """Constants were imported from a module of the library."""
        holder = sys.modules.get(module)
        if holder is None:
            return
        for name, value in zip(names, values, strict=False):
            if type(value) is BuiltinFunctionType:
                self.adopt(module, name, value)
            elif not callable(value) and not isinstance(value, ModuleType):
                self.read(at, holder, name, value, None)

    def adopt(self, module: str, name: str, thing: Any) -> None:
        """Take a compiled function for the library's that a client found in a module of the library."""
        if self.targets.adopt(module, name, thing):
            self.own(thing)

    def made(self, at: str) -> Callable[[Any], Any]:
        """Notes that a class was made, where the library had a hand in it; the innermost decorator."""

        def note(made: Any) -> Any:
            try:
                operation = self._making(made)
                if operation is not None:
                    token = self.recorder.begin(at, Kind.CALL, operation, NOTHING, (made.__name__,), None)
                    if token is not None:
                        self.recorder.end(token, made)
            except Exception as error:
                self._miss("class", made, error)
            return made

        return note

    def _making(self, made: Any) -> Operation | None:
        if not isinstance(made, type):
            return None
        if self.targets.touches(type(made)):
            return self.targets.named(type(made), "__new__")
        if self.targets.standing(made) is Standing.DERIVED:
            parent = next((each for each in made.__mro__[1:] if "__init_subclass__" in vars(each)), object)
            if self.targets.naming.owner(module_of(parent)):
                return self.targets.named(parent, "__init_subclass__")
        return None

    def end(self, token: Token | Folded, value: object) -> None:
        """What began came back with a value."""
        try:
            self.recorder.end(token, value)
        except Exception as error:
            self._miss(token.operation.name, value, error)

    def fail(self, token: Token | Folded, error: BaseException) -> None:
        """What began came back with an exception."""
        try:
            if isinstance(error, _ENDS):
                self.recorder.drop(token)
            else:
                self.recorder.fail(token, error)
        except Exception as trouble:
            self._miss(token.operation.name, error, trouble)

    def failed(self, what: str | Token, thing: object, error: Exception) -> None:
        """Count what could not be noted; of an attribute its name, of anything else what began."""
        self._miss(what if isinstance(what, str) else what.operation.name, thing, error)

    def _miss(self, what: str, thing: object, error: Exception) -> None:
        self.recorder.miss(f"{what} on {type(thing).__name__}: {type(error).__name__}")
