"""What a campaign shows: a line while it runs, and its end."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.report.words import plural

if TYPE_CHECKING:
    from likewise.cloud.fuzz.log import Campaigns
    from likewise.cloud.fuzz.session import Status

SHOWN = 30
"""Findings that are shown at the end of a campaign."""


class Screen:
    """The line that says where a campaign is."""

    def __init__(self, *, quiet: bool, minutes: float | None = None) -> None:
        self._quiet, self._last, self._live = quiet, 0.0, sys.stderr.isatty()
        self._minutes = minutes

    def show(self, status: Status) -> None:
        """Say it, not too often."""
        now = time.monotonic()
        if self._quiet or now - self._last < (0.2 if self._live else 10.0):
            return
        self._last = now
        line = progress(status, self._minutes)
        if self._live:
            # A line that is longer than the screen is wide could not be written over.
            line = f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}"
        click.echo(line, err=True, nl=not self._live)

    def end(self) -> None:
        """Make room for what comes."""
        if self._live and not self._quiet:
            click.echo("\r\x1b[K", err=True, nl=False)


def progress(status: Status, minutes: float | None) -> str:
    """Where a campaign is, in a line."""
    rate = status.sent / status.seconds if status.seconds else 0.0
    found = plural(status.findings, "discrepancy", "discrepancies")
    parts = [
        f"{plural(status.sent, 'call')} ({rate:.0f}/s)",
        f"{plural(status.called, 'operation')} reached",
        f"{found} (last new after {status.last_new:.0f} s)" if status.findings else found,
    ]
    if status.left is not None:
        parts.append(f"budget left {status.left:,}")
    if minutes is not None:
        parts.append(f"{max(0.0, minutes * 60 - status.seconds):,.0f} s left")
    return ", ".join(parts)


def show_end(found: Campaigns, data: Mapping[str, Any], path: Path, *, interrupted: bool) -> None:
    """The most harmful findings, the figures, and what can be done next."""
    from likewise.cloud.fuzz.catalogue.pages import targets, text
    from likewise.cloud.fuzz.log import parts

    for line in text(found, limit=SHOWN):
        click.echo(line)
    for line in targets(found):
        click.echo(line)
    operations = data["operations"]
    click.echo(
        f"{plural(len(found.findings), 'discrepancy', 'discrepancies')}; "
        f"{plural(data['calls'], 'reference call')}, {plural(data['pairs'], 'compared pair')}, "
        f"{plural(operations['called'], 'operation')} called, {operations['succeeded']} succeeded; "
        f"seed {data['seed']}"
    )
    if found.findings:
        click.echo(f"the last new one after {_last_new(found):,.0f} s")
    if not data["pairs"] and not interrupted:
        click.echo("nothing was compared: the budget or the time ended before the first comparison")
    if found.left:
        click.echo(f"{plural(len(found.left), 'thing')} could not be removed: likewise clean")
    if interrupted:
        click.echo("interrupted; everything until here is kept. Continue with --resume.")
    click.echo(f"log: {', '.join(map(str, parts(path)))}")
    if found.findings:
        service = found.headers[-1].get("service", "")
        click.echo(f"all of it, with reproducers: likewise discrepancies --service {service} --markdown")


def _last_new(found: Campaigns) -> float:
    """Seconds into its campaign, or the part of it that was resumed, at which the last finding was made."""
    last = max(found.first_seen.values())
    began = [when for each in found.headers if (when := float(each.get("when", 0.0))) <= last]
    return last - max(began, default=last)
