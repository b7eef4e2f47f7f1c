"""What of a library a suite reaches, as its probe found it."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from likewise.library.environments import Environment
from likewise.library.mutation.operators import Function, functions
from likewise.library.mutation.probe import VARIABLE
from likewise.library.runs import Finished, Runner, explain
from likewise.model import LikewiseError

_LOCATE = """
import importlib.util, json, sys
found = {}
for name in sys.argv[1:]:
    spec = importlib.util.find_spec(name)
    if spec is not None:
        found[name] = list(spec.submodule_search_locations or ()) or [spec.origin]
print("LIKEWISE" + json.dumps(found))
"""


class LibraryUnlocated(LikewiseError):
    """A library's files cannot be found."""

    slug = "library-unlocated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """One function of the library that the suite reaches."""

    file: Path
    module: str
    qualname: str
    boundary: bool
    """Whether the client calls it directly."""
    lines: frozenset[int]
    tests: frozenset[str]
    types: frozenset[str]
    values: frozenset[str]

    @property
    def operation(self) -> str:
        """The function's full name."""
        return f"{self.module}.{self.qualname}"


def locate(environment: Environment, libraries: Iterable[str]) -> dict[str, tuple[Path, ...]]:
    """Where the modules of libraries lie in an environment."""
    names = list(libraries)
    done = subprocess.run(
        [str(environment.python), "-c", _LOCATE, *names],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    _, mark, answer = done.stdout.rpartition("LIKEWISE")
    found = json.loads(answer) if mark else {}
    for name in names:
        if not found.get(name):
            raise LibraryUnlocated(
                f"there is no module {name!r}",
                where=str(environment.python),
                todo="Install the library there, or name it as it is imported.",
            )
    return {name: tuple(Path(each) for each in places if each) for name, places in found.items()}


def probe(runner: Runner, places: dict[str, tuple[Path, ...]], into: Path) -> tuple[list[Reached], Finished]:
    """Run the suite once with the probe, and read what it found."""
    folders = [f"{each}/" if each.is_dir() else str(each) for some in places.values() for each in some]
    into.parent.mkdir(parents=True, exist_ok=True)
    into.unlink(missing_ok=True)
    wanted = json.dumps({"folders": folders, "into": str(into)})
    finished = runner.run(
        ["-p", "likewise.library.mutation.probe", "-p", "no:cacheprovider"], variables={VARIABLE: wanted}
    )
    if not into.is_file():
        raise explain(finished, where="probe")
    modules = {each: name for name, some in places.items() for each in some}
    return [_reached(raw, modules) for raw in json.loads(into.read_text()) if _is_named(raw)], finished


def _is_named(raw: dict[str, object]) -> bool:
    name = str(raw["qualname"])
    unnamed = ("<module>", "<lambda>", "comp>", "<genexpr>", "<locals>")
    return not any(part in name for part in unnamed)


def _reached(raw: dict[str, object], modules: dict[Path, str]) -> Reached:
    file = Path(str(raw["file"]))
    lines, tests, types, values = (raw[key] for key in ("lines", "tests", "types", "values"))
    assert isinstance(lines, list)
    assert isinstance(tests, list)
    assert isinstance(types, list)
    assert isinstance(values, list)
    return Reached(
        file=file,
        module=_module(file, modules),
        qualname=str(raw["qualname"]),
        boundary=bool(raw["boundary"]),
        lines=frozenset(lines),
        tests=frozenset(tests),
        types=frozenset(types),
        values=frozenset(values),
    )


def _module(file: Path, modules: dict[Path, str]) -> str:
    for place, name in modules.items():
        if file == place:
            return name
        if file.is_relative_to(place):
            parts = file.relative_to(place).with_suffix("").parts
            return ".".join([name, *(part for part in parts if part != "__init__")])
    return file.stem


def sources(reached: Iterable[Reached]) -> dict[Path, dict[str, Function]]:
    """The functions of their modules; one that cannot be parsed has no functions that could be changed."""
    found: dict[Path, dict[str, Function]] = {}
    for each in reached:
        if each.file in found or not each.file.is_file():
            continue
        try:
            tree = ast.parse(each.file.read_bytes(), filename=str(each.file))
        except (SyntaxError, ValueError):
            continue
        found[each.file] = functions(tree)
    return found
