"""Dependencies between plain tests that survive workers, selection and reordering."""

from __future__ import annotations

import difflib
import json
import time
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from likewise.plugin.managed import MARK, SKIPPED

MARKER = "likewise_depends_on"
LIMIT = 600.0
"""Seconds to wait for a test that another worker runs."""
PAUSE = 0.05


class Dependencies:
    """Puts dependencies first, brings back those that were not selected, and waits for other workers."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._results: dict[str, str] = {}
        self._needed: dict[str, tuple[str, ...]] = {}
        """Test → what it depends on, by node id."""
        self._everything: list[pytest.Item] = []

    @pytest.hookimpl(tryfirst=True, specname="pytest_collection_modifyitems")
    def note_everything(self, items: list[pytest.Item]) -> None:
        """Remember the tests before anybody deselects some."""
        self._everything = list(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Bring back what is depended on, then sort: what is depended on comes first."""
        if not any(item.get_closest_marker(MARKER) for item in items):
            return
        known = {item.nodeid: item for item in self._everything}
        chosen = {item.nodeid: item for item in items}
        order: dict[str, pytest.Item] = {}
        for item in list(items):
            self._place(session, item, known, chosen, order, ())
        items[:] = list(order.values())

    def _place(
        self,
        session: pytest.Session,
        item: pytest.Item,
        known: dict[str, pytest.Item],
        chosen: dict[str, pytest.Item],
        order: dict[str, pytest.Item],
        trail: tuple[str, ...],
    ) -> None:
        if item.nodeid in order:
            return
        if item.nodeid in trail:
            cycle = " → ".join((*trail[trail.index(item.nodeid) :], item.nodeid))
            raise pytest.UsageError(f"{MARKER}: the dependencies form a cycle: {cycle}")
        found = [
            self._find(session, item, str(name), known)
            for marker in item.iter_markers(MARKER)
            for name in marker.args
        ]
        for each in found:
            self._place(session, each, known, chosen, order, (*trail, item.nodeid))
        self._needed[item.nodeid] = tuple(each.nodeid for each in found)
        order[item.nodeid] = item

    def _find(
        self, session: pytest.Session, item: pytest.Item, name: str, known: dict[str, pytest.Item]
    ) -> pytest.Item:
        """A test of the same file by name; collected again where only part of the file was."""
        module = item.getparent(pytest.Module)
        prefix = item.nodeid.partition("::")[0]
        wanted = name if "::" in name and (name in known or ".py" in name) else f"{prefix}::{name}"
        if wanted not in known and module is not None:
            for each in session.genitems(module):
                known.setdefault(each.nodeid, each)
        if wanted not in known:
            here = [nodeid for nodeid in known if nodeid.startswith(prefix)]
            near = difflib.get_close_matches(wanted, here, n=1)
            hint = f" Did you mean {near[0].removeprefix(prefix + '::')!r}?" if near else ""
            raise pytest.UsageError(f"{item.nodeid} depends on {name!r}, which is not there.{hint}")
        return known[wanted]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Skip where something that this test depends on did not pass."""
        for needed in self._needed.get(item.nodeid, ()):
            result = self._result(needed)
            if result != "passed":
                item.user_properties.append((MARK, SKIPPED))
                pytest.skip(f"depends on {needed}, which {_said(result)}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Note how tests end that others depend on."""
        report = yield
        if self._needed and (report.when == "teardown" or not report.passed):
            before = self._results.get(item.nodeid, "passed")
            self._results[item.nodeid] = report.outcome if before == "passed" else before
        elif self._needed and report.when == "setup":
            self._results.pop(item.nodeid, None)  # another attempt
        if self._needed and report.when == "teardown":
            self._tell(item.nodeid, self._results[item.nodeid])
        return report

    @property
    def _folder(self) -> Path | None:
        given = getattr(self._config, "workerinput", {}).get("likewise_device")
        return Path(given) if given else None

    def _file(self, nodeid: str) -> Path | None:
        folder = self._folder
        return (
            None
            if folder is None
            else folder / f"{blake2b(nodeid.encode(), digest_size=12).hexdigest()}.json"
        )

    def _tell(self, nodeid: str, result: str) -> None:
        path = self._file(nodeid)
        if path is not None:
            partial = path.with_suffix(".partial")
            partial.write_text(json.dumps(result), encoding="utf-8")
            partial.replace(path)

    def _result(self, nodeid: str) -> str:
        """How a test ended: here, or in the worker that runs it, which is waited for."""
        path = self._file(nodeid)
        end = time.monotonic() + LIMIT
        while nodeid not in self._results:
            if path is None:
                return "missing"
            if path.exists():
                return str(json.loads(path.read_text(encoding="utf-8")))
            if time.monotonic() > end:
                return "missing"
            time.sleep(PAUSE)
        return self._results[nodeid]


def _said(result: str) -> str:
    return {"failed": "failed", "skipped": "was skipped"}.get(result, "has no result")
