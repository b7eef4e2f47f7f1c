"""Consumers of a run's events: terminal, page, JSON, JUnit, GitHub. They render and never decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.model.late import late as _late

if TYPE_CHECKING:
    from likewise.report.github import as_annotations, as_markdown
    from likewise.report.html import as_html, write_html
    from likewise.report.junit import as_junit, write_junit
    from likewise.report.machine import Collector, LastRun, as_json, load, save, write_json
    from likewise.report.reasons import Explanation, conclude, explain
    from likewise.report.study import Study, examine
    from likewise.report.terminal import Terminal

__all__ = [
    "Collector",
    "Explanation",
    "LastRun",
    "Study",
    "Terminal",
    "as_annotations",
    "as_html",
    "as_json",
    "as_junit",
    "as_markdown",
    "conclude",
    "examine",
    "explain",
    "load",
    "save",
    "write_html",
    "write_json",
    "write_junit",
]

__getattr__ = _late(
    __name__,
    {
        "github": ("as_annotations", "as_markdown"),
        "html": ("as_html", "write_html"),
        "junit": ("as_junit", "write_junit"),
        "machine": ("Collector", "LastRun", "as_json", "load", "save", "write_json"),
        "reasons": ("Explanation", "conclude", "explain"),
        "study": ("Study", "examine"),
        "terminal": ("Terminal",),
    },
)
