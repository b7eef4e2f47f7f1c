"""WebAssembly's core tests become a suite: wast2json takes the scripts apart, each module is a scenario.

A module whose assertions concern only itself is an ordinary program with ordinary calls, so that any testee
for WebAssembly can run it. Where modules import from each other or are named, the script stays together as
one scenario with the commands of `likewise.device.wasm.commands`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from likewise.device.commands import Command, Invoke
from likewise.device.expectations import Fails
from likewise.device.program import Program, ProgramRefused
from likewise.device.scenario import Scenario, Step, Suite
from likewise.device.values import KINDS, Nan, NanClass, Number
from likewise.device.wasm import traps
from likewise.device.wasm.assembling import run_tool
from likewise.device.wasm.commands import Instantiate, InvokeIn, ReadGlobal, ReadNothing, Register, Validate
from likewise.model import LikewiseError


class ScriptRefused(LikewiseError):
    """A script of core tests cannot be read."""

    slug = "script-refused"


@dataclass(frozen=True, slots=True)
class Omitted:
    """What of a script is not in the suite, and why."""

    script: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class CoreTests:
    """The scenarios of some scripts, and what is left out of them."""

    scenarios: tuple[Scenario, ...]
    omitted: tuple[Omitted, ...]

    def suite(self, title: str = "WebAssembly core tests", **options: Any) -> Suite:
        """All of it as one suite."""
        return Suite(title=title, scenarios=self.scenarios, **options)


def import_core_tests(folder: Path | str, *, limit: float = 60.0, flags: Sequence[str] = ()) -> CoreTests:
    """Every .wast script in a folder. A script that wabt does not take is omitted, with what it says."""
    scenarios: list[Scenario] = []
    omitted: list[Omitted] = []
    paths = sorted(Path(folder).rglob("*.wast"))
    if not paths:
        raise ScriptRefused("no .wast script is there", where=str(folder))
    for path in paths:
        try:
            found = import_script(path, limit=limit, flags=flags)
        except (ScriptRefused, ProgramRefused) as error:
            omitted.append(Omitted(path.name, 0, str(error)))
            continue
        scenarios += found.scenarios
        omitted += found.omitted
    return CoreTests(tuple(scenarios), tuple(omitted))


def import_script(path: Path, *, limit: float = 60.0, flags: Sequence[str] = ()) -> CoreTests:
    """One .wast script."""
    with tempfile.TemporaryDirectory(prefix="likewise-wast-") as folder:
        target = Path(folder, "script.json")
        done = run_tool("wast2json", [*flags, str(path), "-o", str(target)], limit, path.name)
        if done.returncode != 0:
            why = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise ScriptRefused("wabt does not take it", where=path.name, why=why[0] if why else "")
        return read_script(target, path.name)


def read_script(target: Path, name: str) -> CoreTests:
    """What wast2json made of a script, with the modules beside it."""
    try:
        listed = json.loads(target.read_text(encoding="utf-8"))["commands"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ScriptRefused("this is not what wast2json writes", where=str(target), why=str(error)) from error
    reader = _Reader(name, target.parent)
    scenarios = reader.together(listed) if _is_entangled(listed) else reader.apart(listed)
    return CoreTests(tuple(scenarios), tuple(reader.omitted))


def _is_entangled(listed: Sequence[dict[str, Any]]) -> bool:
    """Whether modules of the script have to do with each other."""
    return any(each["type"] == "register" or each.get("action", {}).get("module") for each in listed)


class _Reader:
    """Makes steps of commands."""

    def __init__(self, script: str, folder: Path) -> None:
        self._script, self._folder = script, folder
        self.omitted: list[Omitted] = []

    def apart(self, listed: Sequence[dict[str, Any]]) -> Iterator[Scenario]:
        """A scenario for each module with its assertions, and one for what is no module."""
        groups: list[tuple[dict[str, Any] | None, list[Step]]] = [(None, [])]
        loose: list[Step] = []
        for each in listed:
            if each["type"] == "module":
                groups.append((each, []))
            elif each["type"] in _REFUSALS:
                loose += self._steps(each, by_name=True)
            else:
                groups[-1][1].extend(self._steps(each, by_name=False))
        for module, steps in groups:
            if module is not None:
                first = Step(f"line {module['line']}: instantiated", ReadNothing())
                yield Scenario(f"{self._script}:{module['line']}", self._program(module), steps or [first])
        if loose:
            yield Scenario(f"{self._script}: what is no module", None, loose)

    def together(self, listed: Sequence[dict[str, Any]]) -> Iterator[Scenario]:
        """The whole script as one scenario."""
        steps = [step for each in listed for step in self._steps(each, by_name=True)]
        if steps:
            empty = Program(text="(module)", suffix=".wat", name="empty")
            yield Scenario(self._script, empty, steps)

    def _program(self, entry: dict[str, Any]) -> Program:
        file = self._folder / str(entry["filename"])
        suffix = Path(entry["filename"]).suffix
        return Program(text=file.read_bytes(), suffix=suffix, name=f"{self._script}:{entry['line']}{suffix}")

    def _steps(self, entry: dict[str, Any], *, by_name: bool) -> list[Step]:
        kind, line = entry["type"], entry["line"]
        title = f"line {line}: {kind.replace('_', ' ')}"
        try:
            if kind == "module":
                return [Step(title, Instantiate(self._program(entry), entry.get("name", "")))]
            if kind == "register":
                return [Step(title, Register(entry["as"], entry.get("name", "")))]
            if kind in ("assert_invalid", "assert_malformed"):
                return [Step(title, Validate(self._program(entry)), expect=Fails("invalid"))]
            if kind == "assert_unlinkable":
                return [Step(title, Instantiate(self._program(entry)), expect=Fails("unlinkable"))]
            if kind == "assert_uninstantiable":
                wanted = traps.named(entry["text"])
                return [Step(title, Instantiate(self._program(entry)), expect=Fails("trap", wanted))]
            command = self._action(entry["action"], by_name=by_name)
            title = f"{title} {entry['action']['field']!r}"
            if kind == "action":
                return [Step(title, command)]
            if kind in ("assert_trap", "assert_exhaustion"):
                return [Step(title, command, expect=Fails("trap", traps.named(entry["text"])))]
            if kind == "assert_return":
                return [Step(title, command, expect=_expected(entry["expected"]))]
        except (_Unsupported, KeyError, OSError) as error:
            self.omitted.append(Omitted(self._script, line, f"{kind}: {error}"))
            return []
        self.omitted.append(Omitted(self._script, line, f"{kind} is not known"))
        return []

    def _action(self, action: dict[str, Any], *, by_name: bool) -> Command:
        module = action.get("module", "")
        if action["type"] == "get":
            return ReadGlobal(action["field"], module)
        arguments = tuple(_number(each) for each in action["args"])
        if by_name:
            return InvokeIn(action["field"], arguments, module)
        return Invoke(action["field"], arguments)


_REFUSALS = ("assert_invalid", "assert_malformed", "assert_unlinkable", "assert_uninstantiable")


class _Unsupported(Exception):
    """A value of a type that no step can have."""


def _number(entry: dict[str, Any]) -> Number:
    kind = KINDS.get(entry["type"])
    if kind is None:
        raise _Unsupported(f"a value of type {entry['type']}")
    return kind.of(int(entry["value"]) & ((1 << kind.width) - 1))


def _value(entry: dict[str, Any]) -> Number | Nan:
    value = entry.get("value")
    if isinstance(value, str) and value.startswith("nan:") and entry["type"] in KINDS:
        return Nan(KINDS[entry["type"]], NanClass(value.removeprefix("nan:")))
    return _number(entry)


def _expected(entries: Sequence[dict[str, Any]]) -> object:
    """One value, several, or none at all."""
    values = [_value(each) for each in entries]
    return None if not values else values[0] if len(values) == 1 else values
