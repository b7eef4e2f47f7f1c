"""What the user wrote under `[tool.likewise]`, checked, and where each value came from."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from likewise.model import ConfigurationError

PROJECT = "pyproject.toml"
OWN = "likewise.toml"
POLICIES = ("context", "api", "sequence", "combined")
ISOLATIONS = ("auto", "reset", "none")
DEFAULT = "default"

Choice = str | dict[str, str]
"""One target for everything, or one for each service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Every setting of a project. Paths are absolute; a ledger's URL stays what it is."""

    root: Path
    candidate: Choice | None = None
    reference: Choice | None = None
    services: tuple[str, ...] = ()
    """Empty: whatever the candidate serves."""
    policy: str = "context"
    budget: int = 10_000
    """Reference calls that one run may make."""
    ledger: str = ".likewise/ledger.sqlite"
    expiry_days: float = 30.0
    audit_share: float = 0.02
    audit_budget: int = 50
    isolation: str = "auto"
    reroute: tuple[str, ...] = ()
    """Endpoints written into the suite's code that stand for the candidate: requests there are sent on."""
    keep_runs: int = 20
    """Runs whose recordings are kept, the last ones; 0: all of them."""
    prices: str | None = None
    extra_secrets: tuple[str, ...] = ()
    discrepant: tuple[str, ...] = ()
    seed: int = 0
    boards: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What managed tests run on, by name; each with its `kind` and what that understands."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where each value that is not a default came from."""

    def target(self, role: str, service: str) -> str | None:
        """The name of the candidate or the reference for a service."""
        choice: Choice | None = self.candidate if role == "candidate" else self.reference
        return choice.get(service) if isinstance(choice, dict) else choice

    def describe(self) -> list[tuple[str, object, str]]:
        """Every key with its value and where that came from, fit to be shown: without passwords."""
        return [(key, _shown(getattr(self, key)), self.sources.get(key, DEFAULT)) for key in KEYS]


def _shown(value: object) -> object:
    return re.sub(r"(://[^/@]*?):[^/]*@", r"\1:…@", value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class _Wrong(Exception):
    expected: str


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _Wrong("a text")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise _Wrong("a list of texts")
    return tuple(each.strip() for each in value)


def _choice(value: object) -> Choice:
    if isinstance(value, str) and value.strip():
        return value
    if (
        isinstance(value, dict)
        and value
        and all(isinstance(each, str) and each.strip() for each in value.values())
    ):
        return dict(value)
    raise _Wrong('the name of a target, or a table such as {s3 = "moto"}')


def _one_of(*allowed: str) -> Callable[[object], str]:
    def check(value: object) -> str:
        if value not in allowed:
            raise _Wrong("one of " + ", ".join(f'"{each}"' for each in allowed))
        return str(value)

    return check


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _Wrong("a whole number, 0 or more")
    return value


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Wrong("a whole number")
    return value


def _positive(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise _Wrong("a number above 0")
    return float(value)


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _Wrong("a number from 0 to 1")
    return float(value)


def _tables(value: object) -> dict[str, dict[str, Any]]:
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise _Wrong('tables, such as [tool.likewise.boards.NAME] kind = "unicorn"')
    return dict(value)


KEYS: dict[str, Callable[[object], Any]] = {
    "candidate": _choice,
    "reference": _choice,
    "services": _texts,
    "policy": _one_of(*POLICIES),
    "budget": _whole,
    "ledger": _text,
    "expiry_days": _positive,
    "audit_share": _share,
    "audit_budget": _whole,
    "isolation": _one_of(*ISOLATIONS),
    "reroute": _texts,
    "keep_runs": _whole,
    "prices": _text,
    "extra_secrets": _texts,
    "discrepant": _texts,
    "boards": _tables,
    "seed": _integer,
}

ENVIRONMENT = {
    "LIKEWISE_CANDIDATE": "candidate",
    "LIKEWISE_REFERENCE": "reference",
    "LIKEWISE_LEDGER": "ledger",
    "LIKEWISE_BUDGET": "budget",
}


def load(root: Path, *, environment: Mapping[str, str] | None = None) -> Configuration:
    """The configuration of the project at `root`; all defaults where it has none.

    Read from `likewise.toml`, or else from `[tool.likewise]` in `pyproject.toml`; a value in the
    environment wins over both.
    """
    root = root.absolute()
    values, sources = {}, {}
    where, table = _find(root)
    for key, value in table.items():
        values[key] = _checked(key, value, where=where)
        sources[key] = where
    for variable, key in ENVIRONMENT.items():
        text = (os.environ if environment is None else environment).get(variable)
        if text:
            values[key] = _checked(key, _from_text(key, text), where=variable)
            sources[key] = variable
    _derive(values, sources, root)
    return Configuration(root=root, sources=sources, **values)


def _find(root: Path) -> tuple[str, dict[str, Any]]:
    own, project = root / OWN, root / PROJECT
    in_project = _read(project).get("tool", {}).get("likewise") if project.is_file() else None
    if own.is_file():
        if in_project is not None:
            raise ConfigurationError(
                f"there is also a [tool.likewise] in {PROJECT}",
                where=str(own),
                why="only one of them can count",
                todo="Move everything into one of them and remove the other.",
            )
        return str(own), _read(own)
    where = f"{project} [tool.likewise]"
    if in_project is not None and not isinstance(in_project, dict):
        raise ConfigurationError(
            "expected a table", where=where, todo="Write [tool.likewise] above the keys."
        )
    return where, in_project or {}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            "not a TOML file", where=str(path), why=str(error), todo="Correct it at the place named."
        ) from error
    except OSError as error:
        raise ConfigurationError(
            "cannot be read", where=str(path), why=error.strerror or str(error), todo="Check its permissions."
        ) from error


def _checked(key: str, value: object, *, where: str) -> Any:
    if key not in KEYS:
        near = difflib.get_close_matches(key.replace("-", "_"), KEYS, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "Known keys: " + ", ".join(KEYS) + "."
        raise ConfigurationError(f"unknown key {key!r}", where=where, todo=hint)
    try:
        return KEYS[key](value)
    except _Wrong as wrong:
        raise ConfigurationError(
            f"wrong value for {key!r}",
            where=where,
            why=f"expected {wrong.expected}, got {value!r}",
            todo="Correct it, or leave the key out to use the default.",
        ) from None


def _from_text(key: str, text: str) -> object:
    """An environment variable as TOML would have it: numbers where numbers belong, else the text."""
    if KEYS[key] is _whole:
        try:
            return int(text)
        except ValueError:
            return text
    parts = [part.strip() for part in text.split(",")]
    if KEYS[key] is _choice and all(re.match(r"\w+=", part) for part in parts):
        return dict(part.split("=", 1) for part in parts)
    return text


def _derive(values: dict[str, Any], sources: dict[str, str], root: Path) -> None:
    """What follows from other keys, and what is relative to the project."""
    if "services" not in values:
        for key in ("candidate", "reference"):
            if isinstance(values.get(key), dict):
                values["services"] = tuple(values[key])
                sources["services"] = f"derived from {key}"
                break
    defaults = {each.name: each.default for each in fields(Configuration)}
    for key in ("ledger", "prices"):
        value = values.get(key, defaults[key])
        if isinstance(value, str) and "://" not in value:
            values[key] = str(root / Path(value).expanduser())
