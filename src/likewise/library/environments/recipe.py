"""What a client's folder says about its own requirements."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from likewise.library.environments.hints import hinted
from likewise.model import LikewiseError

TESTING = ("test", "tests", "testing", "dev", "develop", "development")
"""What projects call the extra, or the group, that their tests need."""
FILES = (
    "requirements.txt",
    "requirements-test.txt",
    "requirements-tests.txt",
    "requirements-testing.txt",
    "requirements-dev.txt",
    "requirements_test.txt",
    "requirements_tests.txt",
    "requirements_dev.txt",
    "test-requirements.txt",
    "test_requirements.txt",
    "dev-requirements.txt",
    "dev_requirements.txt",
    "requirements/base.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
    "requirements/testing.txt",
    "requirements/dev.txt",
    "tests/requirements.txt",
)
_NAME = re.compile(r"[-_.]+")
_FIRST = re.compile(r"^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")


class RequirementsUnclear(LikewiseError):
    """What the client needs cannot be read."""

    slug = "requirements-unclear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What has to be installed before the client's tests can run, apart from the package in question."""

    root: Path
    files: tuple[Path, ...] = ()
    """Requirements files."""
    extras: tuple[str, ...] = ()
    """The project's extras that its tests need."""
    requirements: tuple[str, ...] = ()
    """Single requirements, such as those of a dependency group."""
    hints: tuple[str, ...] = ()
    """Requirements that are stated where no installer looks; done without where they cannot be met."""
    project: bool = False
    """Whether the client itself can be installed."""

    @property
    def is_empty(self) -> bool:
        """Whether the folder says nothing, so that the environment in use has to do."""
        return not (self.files or self.requirements or self.project)

    def describe(self) -> str:
        """The recipe in a few words."""
        parts = [
            str(path.relative_to(self.root)) if path.is_relative_to(self.root) else path.name
            for path in self.files
        ]
        if self.project:
            parts.insert(0, f"the project[{','.join(self.extras)}]" if self.extras else "the project")
        if self.requirements:
            parts.append(f"{len(self.requirements)} requirements of its groups")
        return ", ".join(parts) or "the environment in use"


def normal(name: str) -> str:
    """A distribution's name in the spelling in which two names can be compared."""
    return _NAME.sub("-", name).lower()


def find_recipe(
    root: Path,
    *,
    files: tuple[Path, ...] = (),
    extras: tuple[str, ...] = (),
    install_project: bool = True,
) -> Recipe:
    """The recipe of the client in this folder; what the caller names replaces what would be found."""
    pyproject = _read(root / "pyproject.toml")
    project = install_project and _is_installable(root, pyproject)
    declared = _declared_extras(root, pyproject)
    for each in extras:
        if project and declared is not None and normal(each) not in map(normal, declared):
            raise RequirementsUnclear(
                f"the client has no extra {each!r}",
                where=str(root),
                todo=f"It has: {', '.join(declared) or 'none'}.",
            )
    usual = () if files else tuple(name for name in declared or () if name.lower() in TESTING)
    chosen = extras or usual
    found = files or tuple(path for name in FILES if (path := root / name).is_file())
    for path in found:
        if not path.is_file():
            raise RequirementsUnclear("there is no such requirements file", where=str(path))
    return Recipe(
        root=root,
        files=found,
        extras=chosen if project else (),
        requirements=() if files else _groups(pyproject),
        hints=() if files or extras else hinted(root),
        project=project,
    )


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequirementsUnclear("not a TOML file", where=str(path), why=str(error)) from error


def _is_installable(root: Path, pyproject: dict[str, Any]) -> bool:
    """A pyproject with settings of tools only is no package."""
    if (root / "setup.py").is_file():
        return True
    if "project" in pyproject or "build-system" in pyproject:
        return True
    return (root / "setup.cfg").is_file() and "[metadata]" in (root / "setup.cfg").read_text(errors="replace")


def _declared_extras(root: Path, pyproject: dict[str, Any]) -> tuple[str, ...] | None:
    """The extras a project declares; None where only its build would tell."""
    project = pyproject.get("project", {})
    if "optional-dependencies" in project:
        return tuple(project["optional-dependencies"])
    poetry = pyproject.get("tool", {}).get("poetry", {})
    if "extras" in poetry:
        return tuple(poetry["extras"])
    if project and "optional-dependencies" not in project.get("dynamic", ()):
        return ()
    for name in ("setup.cfg", "setup.py"):
        text = (root / name).read_text(errors="replace") if (root / name).is_file() else ""
        if name == "setup.cfg" and (
            section := re.search(r"\[options\.extras_require\]\n((?:.*\n?)*?)(?=\n\[|\Z)", text)
        ):
            return tuple(re.findall(r"^([\w.-]+)\s*=", section[1], re.MULTILINE))
        if name == "setup.py" and (block := re.search(r"extras_require\s*=\s*\{(.*?)\}", text, re.DOTALL)):
            return tuple(re.findall(r"""["']([\w.-]+)["']\s*:""", block[1]))
    return None


def _groups(pyproject: dict[str, Any]) -> tuple[str, ...]:
    """The requirements of the dependency groups, and of poetry's groups, that tests need."""
    groups = pyproject.get("dependency-groups", {})
    found: list[str] = []
    for name in groups:
        if name.lower() in TESTING:
            found += _group(groups, name, seen=())
    poetry = pyproject.get("tool", {}).get("poetry", {})
    tables = [poetry.get("dev-dependencies", {})]
    tables += [
        group.get("dependencies", {})
        for name, group in poetry.get("group", {}).items()
        if name.lower() in TESTING
    ]
    for table in tables:
        found += [_from_poetry(name, wanted) for name, wanted in table.items() if name != "python"]
    return tuple(dict.fromkeys(each for each in found if each))


def _group(groups: dict[str, Any], name: str, *, seen: tuple[str, ...]) -> list[str]:
    if name in seen:
        raise RequirementsUnclear(f"the dependency group {name!r} includes itself")
    found: list[str] = []
    for each in groups.get(name, ()):
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict) and "include-group" in each:
            found += _group(groups, each["include-group"], seen=(*seen, name))
    return found


def _from_poetry(name: str, wanted: object) -> str:
    """A requirement in the common spelling; poetry's `^1.2` and `~1.2` name a first and a last version."""
    version = wanted.get("version", "*") if isinstance(wanted, dict) else wanted
    if not isinstance(version, str):
        return name
    if version in ("*", ""):
        return name
    if version[0] in "^~" and (numbers := re.findall(r"\d+", version)):
        place = 0 if version[0] == "^" and numbers[0] != "0" else min(1, len(numbers) - 1)
        last = [*map(int, numbers[:place]), int(numbers[place]) + 1]
        return f"{name}>={version[1:]},<{'.'.join(map(str, last))}"
    return f"{name}{version}" if version[0] in "<>=!" else f"{name}=={version}"


def named(requirement: str) -> str:
    """The distribution that a requirement is about, in its normal spelling; empty for a path or an option."""
    found = _FIRST.match(requirement)
    return normal(found[1]) if found else ""
