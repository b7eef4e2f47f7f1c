"""The house, executed: rings, pure rooms, small files, public names that exist and are documented."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import shutil
import subprocess
import sys
from dataclasses import fields, is_dataclass
from enum import EnumMeta
from pathlib import Path
from types import ModuleType

import pytest

import likewise
from likewise import model

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "likewise"
ROOMS = (
    "model",
    "canonical",
    "compare",
    "decide",
    "store",
    "run",
    "report",
    "cloud",
    "library",
    "device",
    "plugin",
    "cli",
)
LONGEST_FILE = 500
LONGEST_FUNCTION = 50

MODULES = sorted(SOURCE.rglob("*.py"))


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts against the package that lies in a folder."""
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    arguments = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    return subprocess.run(
        [sys.executable, "-c", command, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder), "PATH": ""},
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The package, to be spoiled."""
    shutil.copytree(SOURCE, tmp_path / "likewise", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_imports_point_inward_and_pure_rooms_are_pure() -> None:
    found = lint(SOURCE.parent)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "3 kept, 0 broken" in found.stdout


@pytest.mark.parametrize(
    ("path", "text", "named"),
    [
        ("kitchen/__init__.py", '"""A thirteenth room."""\n', "kitchen"),
        ("model/outward.py", "import likewise.decide\n", "likewise.model.outward -> likewise.decide"),
        ("canonical/sideways.py", "import likewise.compare\n", "likewise.canonical.sideways -> "),
        ("decide/impure.py", "import random\n", "likewise.decide.impure -> random"),
    ],
)
def test_the_contracts_notice(copied: Path, path: str, text: str, named: str) -> None:
    """A thirteenth room without a place, an import outward or sideways, and an impure room."""
    place = copied / "likewise" / path
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)
    found = lint(copied)
    assert found.returncode != 0, found.stdout
    assert named in found.stdout


def test_there_are_twelve_rooms() -> None:
    assert {path.parent.name for path in SOURCE.glob("*/__init__.py")} == set(ROOMS)


def test_no_file_outgrows_its_name() -> None:
    long = {
        str(path.relative_to(SOURCE)): count
        for path in MODULES
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE
    }
    assert long == {}


def test_functions_are_short() -> None:
    """About every fiftieth may be longer, as in the tidiest code of the field."""
    lengths = {
        f"{path.relative_to(SOURCE)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    long = {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION}
    assert len(long) <= len(lengths) * 0.02, long


def test_no_test_imports_a_conftest_by_that_name() -> None:
    """Whichever of them is imported first would be everybody's, where rooms are tested together."""
    files = Path(__file__).parent.rglob("test_*.py")
    assert [str(each) for each in files if "\nfrom conftest import" in each.read_text()] == []


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(SOURCE))
        for path in MODULES
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def public_places() -> list[ModuleType]:
    rooms = [importlib.import_module(f"likewise.{name}") for name in ROOMS]
    return [place for place in (likewise, *rooms) if hasattr(place, "__all__")]


@pytest.mark.parametrize("place", public_places(), ids=lambda place: place.__name__)
def test_public_names_exist_once_are_sorted_and_documented(place: ModuleType) -> None:
    names = list(place.__all__)
    assert len(names) == len(set(names))
    missing = [name for name in names if not hasattr(place, name)]
    assert missing == []
    silent = [
        name
        for name in names
        if isinstance(thing := getattr(place, name), type) or inspect.isfunction(thing)
        if not inspect.getdoc(thing) or (inspect.getdoc(thing) or "").startswith(f"{name}(")
    ]
    assert silent == []


@pytest.mark.parametrize("place", public_places(), ids=lambda place: place.__name__)
def test_no_module_of_a_room_has_the_name_of_something_imported_late(place: ModuleType) -> None:
    """Once anybody had imported the module, the name would be that."""
    if not hasattr(place, "__getattr__"):
        return
    modules = {module.name for module in pkgutil.iter_modules(place.__path__)}
    assert modules & set(place.__all__) == set()


@pytest.mark.parametrize("place", public_places(), ids=lambda place: place.__name__)
def test_what_a_room_imports_for_others_it_exports(place: ModuleType) -> None:
    """The other direction: no name lies in the doorway that is not public."""
    offered = {
        name
        for name, thing in vars(place).items()
        if not name.startswith("_")
        and not inspect.ismodule(thing)
        and getattr(thing, "__module__", "").startswith("likewise")
    }
    assert offered - set(place.__all__) == set()


def test_rooms_that_others_use_have_public_names() -> None:
    assert {place.__name__.rpartition(".")[2] for place in public_places()} >= {
        "model",
        "canonical",
        "compare",
        "decide",
        "store",
        "run",
        "report",
    }


def nouns() -> list[type]:
    found = []
    for module in pkgutil.iter_modules(model.__path__):
        inner = importlib.import_module(f"likewise.model.{module.name}")
        found += [
            thing
            for thing in vars(inner).values()
            if isinstance(thing, type) and thing.__module__ == inner.__name__
            if not getattr(thing, "_is_protocol", False)  # says what others are like, and is no noun itself
        ]
    return found


FOR_EVERY_CALL = {"Answer", "Keyed", "Passing", "Span"}
"""There is one of each for every call of a recording: these are tuples, which are made much faster."""


@pytest.mark.parametrize("noun", nouns(), ids=lambda noun: noun.__name__)
def test_nouns_are_public_and_frozen(noun: type) -> None:
    assert noun.__name__ in model.__all__
    if isinstance(noun, EnumMeta) or issubclass(noun, Exception):
        return
    assert (noun.__name__ in FOR_EVERY_CALL) == issubclass(noun, tuple)
    if issubclass(noun, tuple):
        assert vars(noun)["__slots__"] == ()
        return
    assert is_dataclass(noun)
    assert noun.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert not hasattr(noun, "__dict__") or "__slots__" in vars(noun)
    if noun.__name__ != "Operation":  # a name with two parts, and read as one
        assert all(each.kw_only for each in fields(noun))
