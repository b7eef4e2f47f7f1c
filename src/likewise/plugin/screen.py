"""What the user sees after pytest's own summary."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from likewise.model import Event, Notice, RunFinished


class Screen:
    """Shows events and messages where pytest writes; without pytest's terminal, only messages, on stderr."""

    def __init__(self, config: pytest.Config) -> None:
        self._reporter: Any = config.pluginmanager.get_plugin("terminalreporter")

    def say(self, text: str) -> None:
        """One message of ours."""
        if self._reporter is not None:
            self._reporter.write_line(f"likewise: {text}")
        else:
            sys.stderr.write(f"likewise: {text}\n")

    def emit(self, event: Event) -> None:
        """One event of the run."""
        match event:
            case Notice():
                self.say(event.text)
            case RunFinished():
                self._summarise(event)

    def _summarise(self, finished: RunFinished) -> None:
        counts: dict[str, int] = {}
        for report in finished.tests:
            counts[report.standing.value] = counts.get(report.standing.value, 0) + 1
        self.say(", ".join(f"{count} {standing}" for standing, count in counts.items()) or "no tests")
        spending = finished.spending
        self.say(f"{spending.calls} calls, {spending.reference_calls} of them to the reference")
