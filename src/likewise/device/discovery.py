"""Find the suites in a Python file."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path

from likewise.device.scenario import Scenario, Suite, SuiteWrong
from likewise.model import LikewiseError


class SuiteUnreadable(LikewiseError):
    """A file with a suite cannot be imported."""

    slug = "suite-unreadable"


def suites_in(path: Path) -> list[Suite]:
    """The suites of a file, their programs looked for beside it."""
    path = path.absolute()
    if not path.is_file():
        raise SuiteUnreadable(
            "there is no such file", where=str(path), todo="Name a Python file with a Suite."
        )
    name = f"likewise_suite_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SuiteUnreadable("not a Python file", where=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    except LikewiseError:
        raise
    except (Exception, SystemExit) as error:  # a file that ends the process has no suite that passed
        raise SuiteUnreadable(
            "the suite cannot be imported",
            where=_place(error, path),
            why=f"{type(error).__name__}: {error}",
            todo="Correct it at the place named.",
        ) from error
    finally:
        sys.path.remove(str(path.parent))
    found = [each.beside(path.parent) for each in gather(vars(module), title=path.stem)]
    if not found:
        raise SuiteWrong(
            "there is no suite",
            where=str(path),
            todo="Write suite = Suite(scenarios=[…]), or scenarios as variables of the file.",
        )
    return found


def _place(error: BaseException, path: Path) -> str:
    """The line of the file that an error came from."""
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == str(path)]
    if isinstance(error, SyntaxError) and error.filename == str(path):
        lines.append(error.lineno)
    return f"{path}:{lines[-1]}" if lines else str(path)


def gather(names: Mapping[str, object], *, title: str) -> list[Suite]:
    """The suites among some names; scenarios outside of any suite make one of their own."""
    suites: list[Suite] = []
    loose: list[Scenario] = []
    for value in names.values():
        if isinstance(value, Suite) and not any(value is each for each in suites):
            suites.append(value)
        elif isinstance(value, Scenario):
            loose.append(value)
        elif isinstance(value, list | tuple) and value and all(isinstance(each, Scenario) for each in value):
            loose += value
    taken = {id(each) for suite in suites for each in suite.scenarios}
    loose = list({id(each): each for each in loose if id(each) not in taken}.values())
    if loose:
        suites.append(Suite(title=title, scenarios=loose))
    return suites
