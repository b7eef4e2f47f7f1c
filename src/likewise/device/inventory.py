"""The boards of a project: `[tool.likewise.boards.NAME]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from likewise.device.kinds import open_testee
from likewise.device.testee import Limits, Testee
from likewise.model import ConfigurationError, Role

DEFAULT_NAME, DEFAULT_KIND = "unicorn", "unicorn"
EMULATED = frozenset({"unicorn", "qemu", "wasm"})
"""Kinds of which every process starts one of its own, so that nobody has to wait."""
LIMITS = tuple(Limits.__dataclass_fields__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One board of the inventory."""

    name: str
    kind: str
    role: Role = Role.CANDIDATE
    exclusive: bool = True
    """Whether only one process may use it at a time."""
    limits: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    """What its kind understands."""

    def open(self) -> Testee:
        """A testee for it, not yet connected."""
        return open_testee(self.name, self.kind, self.options)

    def limited(self, limits: Limits) -> Limits:
        """Time limits, with the board's own where it has some."""
        return Limits(**{name: self.limits.get(name, getattr(limits, name)) for name in LIMITS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """All boards by name, in the order in which they were written."""

    boards: Mapping[str, Board]

    def choose(self, names: Sequence[str]) -> list[Board]:
        """The boards of these names, the default board where none is named."""
        if not names:
            return [next(iter(self.boards.values()))]
        missing = [name for name in names if name not in self.boards]
        if missing:
            known = ", ".join(self.boards)
            raise ConfigurationError(
                f"unknown board {missing[0]!r}",
                where="[tool.likewise.boards]",
                todo=f"Known boards: {known}. Add it as [tool.likewise.boards.{missing[0]}] with its kind.",
            )
        return [self.boards[name] for name in dict.fromkeys(names)]


def project_root(folder: Path) -> Path:
    """The nearest folder, upwards, that is configured; else the one asked about."""
    folder = folder.absolute()
    for each in (folder, *folder.parents):
        if (each / "likewise.toml").is_file():
            return each
        try:
            text = (each / "pyproject.toml").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if "[tool.likewise" in text:
            return each
    return folder


def read_inventory(tables: Mapping[str, object], *, root: Path, where: str = "") -> Inventory:
    """The boards of a configuration; without any, Unicorn in this process.

    Paths in options are written from the project's root; the testees get it as option `root`.
    """
    place = where or "[tool.likewise.boards]"
    boards = {name: _board(name, table, root=root, where=f"{place} {name}") for name, table in tables.items()}
    if DEFAULT_NAME not in boards:
        boards[DEFAULT_NAME] = Board(
            name=DEFAULT_NAME, kind=DEFAULT_KIND, exclusive=False, options={"root": str(root)}
        )
    return Inventory(boards=boards)


def _board(name: str, table: object, *, root: Path, where: str) -> Board:
    if not isinstance(table, Mapping) or not isinstance(table.get("kind"), str):
        raise ConfigurationError(
            "a board needs a kind",
            where=where,
            todo=f'Write for example: [tool.likewise.boards.{name}] kind = "qemu" machine = "lm3s6965evb"',
        )
    rest = dict(table)
    kind = rest.pop("kind")
    role, exclusive, limits = (
        rest.pop("role", "candidate"),
        rest.pop("exclusive", kind not in EMULATED),
        rest.pop("limits", {}),
    )
    if role not in (Role.REFERENCE.value, Role.CANDIDATE.value):
        raise ConfigurationError(
            f"wrong role {role!r}", where=where, todo='Write role = "reference" or "candidate".'
        )
    if not isinstance(exclusive, bool):
        raise ConfigurationError(
            f"wrong value {exclusive!r} for exclusive", where=where, todo="Write true or false."
        )
    return Board(
        name=name,
        kind=kind,
        role=Role(role),
        exclusive=exclusive,
        limits=_limits(limits, where=where),
        options={"root": str(root), **rest},
    )


def _limits(table: object, *, where: str) -> dict[str, float]:
    if not isinstance(table, Mapping):
        raise ConfigurationError("limits must be a table", where=where, todo="Write limits = {step = 5.0}.")
    for key, value in table.items():
        if key not in LIMITS:
            raise ConfigurationError(
                f"unknown limit {key!r}", where=where, todo=f"Known limits: {', '.join(LIMITS)}."
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < inf:
            raise ConfigurationError(
                f"wrong limit {key} = {value!r}", where=where, todo="Give seconds above 0."
            )
    return {key: float(value) for key, value in table.items()}


def read_options(
    options: Mapping[str, object], known: Mapping[str, object], *, where: str
) -> dict[str, object]:
    """A board's options over the defaults of its kind. Raises ConfigurationError for others and wrong types.

    A default of None takes a text; `root` is always there.
    """
    result = dict(known)
    for key, value in options.items():
        if key == "root":
            result[key] = value
            continue
        if key not in known:
            raise ConfigurationError(
                f"unknown option {key!r}",
                where=f"board {where!r}",
                todo=f"Known options: {', '.join(known)}.",
            )
        default = known[key]
        expected = str if default is None else type(default)
        if not isinstance(value, expected) and not (expected is float and isinstance(value, int)):
            raise ConfigurationError(
                f"wrong value {value!r} for {key!r}",
                where=f"board {where!r}",
                why=f"expected {expected.__name__}",
            )
        result[key] = value
    return result
