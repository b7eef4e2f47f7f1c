"""The directory `.likewise` of a project: made once, and kept from growing for ever."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

NAME = ".likewise"
RECORDINGS = "recordings"
RERUNS = "reruns"
"""The folder of what a run did again, inside its own."""
_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
"""How a run is called, by its second and by chance. What is called otherwise is not ours to delete."""
_SECOND = len("20260101-000000")
_IGNORED = "# Made by Likewise: what is here belongs to this machine.\n*\n"
_END = b'{"end":'
_DAY = 86_400.0


def make_folder(folder: Path) -> None:
    """Make a folder; where that makes a `.likewise`, version control is told to leave it alone."""
    homes = [each for each in (folder, *folder.parents) if each.name == NAME and not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for home in homes:
        home.joinpath(".gitignore").write_text(_IGNORED, encoding="utf-8")


def prune_recordings(home: Path, *, keep: int, now: float | None = None) -> list[str]:
    """Delete the recordings of all but the last `keep` runs, and name these runs; 0 keeps everything.

    The ledger loses nothing: its evidence holds the traces that it rests on. A recording that was not
    closed may belong to a run that is still going, so it stays for a day.
    """
    folder = home / RECORDINGS
    if not keep or not folder.is_dir():
        return []
    now = time.time() if now is None else now
    ours = (each for each in folder.iterdir() if _RUN.fullmatch(each.name) and each.is_dir())
    runs = sorted(ours, key=lambda run: (run.name[:_SECOND], run.stat().st_mtime_ns))
    gone = [each for each in runs[:-keep] if not _is_open(each, now)]
    for each in gone:
        shutil.rmtree(each)
    return [each.name for each in gone]


def _is_open(run: Path, now: float) -> bool:
    files = list(run.glob("*.jsonl"))
    changed = max(each.stat().st_mtime for each in (run, *files))
    return now - changed < _DAY and not (files and all(map(_is_closed, files)))


def _is_closed(recording: Path) -> bool:
    with recording.open("rb") as file:
        file.seek(max(0, recording.stat().st_size - 64))
        return file.read().rstrip(b"\n").rpartition(b"\n")[2].startswith(_END)
