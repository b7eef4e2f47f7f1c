"""What the user sees after pytest's own summary, and what stays on disk of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rich.console import Console

    from likewise.model import Event, Notice
    from likewise.report import Collector, Terminal


class Screen:
    """Shows events and messages where pytest writes; without pytest's terminal, only messages, on stderr.

    The reports are imported with the first event: a run that ends early has no use for them.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
        self._terminal: Terminal | None = None
        self._console: Console | None = None
        self._collector: Collector | None = None

    def say(self, text: str) -> None:
        """One message of ours."""
        if self._reporter is not None:
            self._reporter.write_line(f"likewise: {text}")
        else:
            sys.stderr.write(f"likewise: {text}\n")

    def emit(self, event: Event) -> None:
        """One event of the run."""
        if self._collector is None:
            from likewise.report import Collector

            self._collector = Collector()
            self._terminal = self._open_terminal()
        self._collector(event)
        if self._terminal is not None:
            self._terminal(event)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user was told so far."""
        return tuple(self._collector.notices) if self._collector is not None else ()

    def close(self) -> None:
        """Show what a run that broke off had to say."""
        if self._terminal is not None:
            self._terminal.close()

    def write_reports(self, operations: Mapping[str, frozenset[str]]) -> None:
        """Keep the run for `likewise report` and `likewise explain`; write the files that were asked for."""
        last = self._collector.last_run(operations) if self._collector is not None else None
        if last is None:
            return
        from likewise.report import save

        option, here = self._config.option, self._config.invocation_params.dir
        save(self._config.rootpath / ".likewise" / "last-run.json", last)
        if option.likewise_both and self._console is not None:
            from likewise.report import study

            study.render(self._console, study.examine(last.finished.tests, operations))
        if option.likewise_json:
            from likewise.report import write_json

            write_json(here / option.likewise_json, last.finished)
        if option.likewise_html:
            from likewise.report import write_html

            write_html(
                here / option.likewise_html,
                last.finished,
                started=last.started,
                operations=operations,
                notices=last.notices,
            )

    def _open_terminal(self) -> Terminal | None:
        if self._reporter is None:
            return None
        from rich.console import Console

        from likewise.report import Terminal

        writer = self._config.get_terminal_writer()
        self._console = Console(
            file=writer._file,
            force_terminal=writer.hasmarkup and not os.environ.get("CI"),
            no_color=not writer.hasmarkup,
            width=writer.fullwidth,
            highlight=False,
        )
        return Terminal(self._console)


def short(path: Path) -> str:
    """A path as the user would write it."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
