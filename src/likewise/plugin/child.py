"""A child run: some tests, on one side, recorded to one file, nothing concluded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from likewise.model import LikewiseError, Role
from likewise.plugin.identity import Run

if TYPE_CHECKING:
    from likewise.cloud.targets.lending import Loan

_TAKEN_BACK: dict[str, object] = {
    # which tests, and when to stop
    "keyword": "",
    "markexpr": "",
    "deselect": None,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "cacheclear": False,
    "stepwise": False,
    "stepwise_skip": False,
    "stepwise_reset": False,
    "maxfail": 0,
    # where they run
    "numprocesses": 0,
    "dist": "no",
    "distload": False,
    "tx": [],
    "looponfail": False,
    "usepdb": False,
    "trace": False,
    # files of the parent's that a child would replace
    "basetemp": None,
    "xmlpath": None,
    "htmlpath": None,
    "report_log": None,
    "pastebin": None,
}
"""Options of pytest and well-known plugins that are the parent's business."""
_REMEMBERING = ("lfplugin", "nfplugin", "stepwiseplugin")
"""Plugins that remember results for the next run: a child's are not the user's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the parent wants done."""

    role: Role
    tests: tuple[str, ...]
    recording: Path
    run: Run
    lent: tuple[Loan, ...] = ()
    """Servers of the parent's that the child may use."""

    def write(self, path: Path) -> None:
        """Leave the order where the child will find it."""
        content = {
            "role": self.role.value,
            "tests": self.tests,
            "recording": str(self.recording),
            "run": self.run.to_plain(),
            "lent": [loan.to_plain() for loan in self.lent],
        }
        path.write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Order:
        """What `write` wrote."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                role=Role(content["role"]),
                tests=tuple(content["tests"]),
                recording=Path(content["recording"]),
                run=Run.from_plain(content["run"]),
                lent=_loans(content["lent"]),
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise pytest.UsageError(f"--likewise-child: {path} is not an order ({error})") from error

    @property
    def trouble(self) -> Path:
        """Where the child says what kept it from running."""
        return self.recording.with_suffix(".error.json")

    def report(self, error: LikewiseError) -> None:
        """Tell the parent why nothing ran."""
        parts = ("slug", "what", "where", "why", "todo")
        self.trouble.parent.mkdir(parents=True, exist_ok=True)
        self.trouble.write_text(json.dumps({part: getattr(error, part) for part in parts}), encoding="utf-8")

    def reported(self) -> LikewiseError | None:
        """What the child said, as the error it was."""
        try:
            content = json.loads(self.trouble.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        slug = content.pop("slug")
        kinds = {kind.slug: kind for kind in _descendants(LikewiseError)}
        return kinds.get(slug, LikewiseError)(content.pop("what"), **content)


def _loans(plain: Sequence[dict[str, Any]]) -> tuple[Loan, ...]:
    if not plain:
        return ()
    from likewise.cloud.targets.lending import Loan  # and all that servers need: not for every run

    return tuple(Loan.from_plain(each) for each in plain)


def _descendants(kind: type[LikewiseError]) -> list[type[LikewiseError]]:
    return [kind, *(each for child in kind.__subclasses__() for each in _descendants(child))]


def take_back(config: pytest.Config) -> None:
    """Undo the options that are the parent's business, and collect only what is needed."""
    for name, value in _TAKEN_BACK.items():
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    files = {test.partition("::")[0] for test in _order(config).tests}
    paths = [config.rootpath / file for file in sorted(files)]
    if paths and not config.option.pyargs and all(path.is_file() for path in paths):
        config.args = [str(path) for path in paths]


def _order(config: pytest.Config) -> Order:
    return Order.read(Path(config.option.likewise_child))


class Selection:
    """Keeps the tests that were ordered, in the order of that: some build on what others left."""

    def __init__(self, order: Order) -> None:
        self._tests = {test: place for place, test in enumerate(order.tests)}

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Forget who remembers results."""
        for name in _REMEMBERING:
            if session.config.pluginmanager.has_plugin(name):
                session.config.pluginmanager.unregister(name=name)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect the rest."""
        rest = [item for item in items if item.nodeid not in self._tests]
        items[:] = sorted(
            (item for item in items if item.nodeid in self._tests), key=lambda item: self._tests[item.nodeid]
        )
        if rest:
            config.hook.pytest_deselected(items=rest)
