"""The directory of a project is left alone by version control, and its recordings do not pile up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from likewise.model import Provenance
from likewise.store import RecordingWriter, make_folder, open_ledger, prune_recordings

DAY = 86_400.0


def record(home: Path, name: str, *, closed: bool = True) -> Path:
    folder = home / "recordings" / name
    writer = RecordingWriter(folder / "main.jsonl", Provenance(run=name))
    if closed:
        writer.close()
    return folder


def names(count: int) -> list[str]:
    return [f"20260101-0000{number:02}-abcdef" for number in range(count)]


def left(home: Path) -> list[str]:
    return sorted(each.name for each in (home / "recordings").iterdir())


def test_the_last_runs_stay_and_the_others_are_named(tmp_path: Path) -> None:
    for name in names(5):
        record(tmp_path, name)
    assert prune_recordings(tmp_path, keep=2) == names(5)[:3]
    assert left(tmp_path) == names(5)[3:]
    assert prune_recordings(tmp_path, keep=2) == []


def test_of_runs_of_one_second_the_one_made_last_stays(tmp_path: Path) -> None:
    first, last = "20260101-000000-ffffff", "20260101-000000-000000"
    for seconds, name in enumerate((first, last)):
        os.utime(record(tmp_path, name), (1_000 + seconds, 1_000 + seconds))
    assert prune_recordings(tmp_path, keep=1) == [first]


def test_zero_keeps_everything_and_nothing_there_is_no_error(tmp_path: Path) -> None:
    assert prune_recordings(tmp_path / "absent", keep=1) == []
    record(tmp_path, names(1)[0])
    assert prune_recordings(tmp_path, keep=0) == []
    assert left(tmp_path) == names(1)


def test_what_is_not_a_run_of_ours_is_not_ours_to_delete(tmp_path: Path) -> None:
    for name in (*names(2), "0-mine"):
        record(tmp_path, name)
    assert prune_recordings(tmp_path, keep=1) == names(1)
    assert "0-mine" in left(tmp_path)


def test_a_run_that_may_still_be_going_stays_for_a_day(tmp_path: Path) -> None:
    going, last = names(2)
    folder = record(tmp_path, going, closed=False)
    record(tmp_path, last)
    assert prune_recordings(tmp_path, keep=1) == []
    later = folder.joinpath("main.jsonl").stat().st_mtime + DAY + 1
    assert prune_recordings(tmp_path, keep=1, now=later) == [going]


@pytest.mark.parametrize("ledger", [True, False])
def test_a_new_home_is_ignored_by_version_control(tmp_path: Path, ledger: bool) -> None:
    home = tmp_path / ".likewise"
    if ledger:
        open_ledger(home / "ledger.sqlite").close()
    else:
        record(home, names(1)[0])
    assert home.joinpath(".gitignore").read_text().splitlines()[-1] == "*"
    assert not tmp_path.joinpath(".gitignore").exists()
    assert list(tmp_path.rglob(".gitignore")) == [home / ".gitignore"]


def test_a_home_that_was_there_stays_as_its_owner_wants_it(tmp_path: Path) -> None:
    home = tmp_path / ".likewise"
    home.mkdir()
    make_folder(home / "recordings" / "x")
    assert not home.joinpath(".gitignore").exists()
