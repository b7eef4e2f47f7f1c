"""Trouble with the run itself: the budget, Ctrl-C, the emulator, the ledger, the disk, a second suite."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from kind_project import Project, Reference, suite

from likewise.cloud.rewriting import hang
from likewise.store import open_ledger

pytestmark = [pytest.mark.server, pytest.mark.slow]

LOCATION = "    bucket.get_bucket_location(Bucket=BUCKET)\n"
"""A call that no test made when the ledger was filled."""


def children(folder: Path) -> list[str]:
    """The processes that work in a folder and are more than zombies."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.joinpath("cwd").readlink() == folder:
                found.append(process.joinpath("cmdline").read_text().replace("\0", " "))
        except OSError:
            continue  # gone, or a zombie
    return found


def test_a_budget_that_is_reached_midway_is_kept_and_the_next_run_goes_on(
    bare: Project, reference: Reference
) -> None:
    bare.write(suite("one", "two", "three"))
    ran = bare.verify("--likewise-budget=16")
    assert ran.exit_code == 0, ran.output
    assert "1 test was not run on the reference: the budget of 16 reference calls" in ran.said
    assert "Raise it with budget = … or --likewise-budget, or run again" in ran.said
    assert ran.standing("proved") == ["one", "two"]
    assert ran.standing("undecided") == ["three"]
    assert ran.reference_calls == reference.front.count == 14
    later = bare.verify("--likewise-budget=16")
    assert later.standing("trusted") == ["one", "two"], later.output
    assert later.standing("proved") == ["three"]
    assert later.reference_calls == 7


def test_a_budget_that_is_reached_in_a_replay_is_exceeded_by_cleaning_up_only(
    project: Project, reference: Reference
) -> None:
    project.write(suite("one", "two", "three", more=LOCATION))
    ran = project.verify("--likewise-budget=4")
    assert ran.exit_code == 0, ran.output
    assert "budget of 4" in ran.said
    assert "What was proved is kept" in ran.said or "what was proved is kept" in ran.said
    assert reference.front.count == ran.reference_calls <= 4
    assert reference.buckets() == project.left() == []
    assert ran.standing("undecided")
    later = project.verify()
    assert later.standing("undecided") == [], later.output


def test_ctrl_c_in_a_replay_keeps_what_was_proved_and_lists_what_is_left(
    project: Project, reference: Reference
) -> None:
    project.write(suite("one", "two", "three", more=LOCATION))
    reference.front.rules.append(hang("s3.PutObject"))
    process = project.start(project.command("--likewise-verify"))
    project.press(process, once=lambda: reference.front.hits["hang"] > 0)
    ran = project.end(process)
    assert ran.exit_code == pytest.ExitCode.INTERRUPTED, ran.output
    assert (
        "Interrupted. What was proved until then is in the ledger; run again to go on from there." in ran.said
    )
    assert "3 tests recorded, kept in .likewise/recordings/" in ran.said
    assert "Traceback" not in ran.output
    assert children(project.root) == []
    assert sorted(f"s3 bucket {each}" for each in reference.buckets()) == sorted(project.left()) == []
    with open_ledger(project.ledger, read_only=True) as ledger:
        assert ledger.spendings()[-1].reference_calls == reference.front.count
    reference.front.rules.clear()
    later = project.verify()
    assert later.exit_code == 0
    assert "one" in later.standing("trusted"), later.output
    assert later.standing("undecided") == []


def test_a_second_ctrl_c_while_cleaning_up_names_what_is_left(project: Project, reference: Reference) -> None:
    """Cleaning up hangs as well, so that the user loses patience."""
    project.write(suite("one", "three", more=LOCATION))
    reference.front.rules.append(hang("s3.GetBucketLocation, s3.DeleteBucket"))
    process = project.start(project.command("--likewise-verify"))
    project.press(process, once=lambda: reference.front.hits["hang"] == 1)
    project.press(process, once=lambda: reference.front.hits["hang"] == 2)
    ran = project.end(process)
    assert ran.exit_code == pytest.ExitCode.INTERRUPTED, ran.output
    (left,) = project.left()
    assert left.removeprefix("s3 bucket ") in reference.buckets()
    assert f"Left on the reference: {left}. Delete with: likewise clean" in ran.said
    assert children(project.root) == []


def test_an_emulator_that_dies_is_named_and_the_next_run_is_as_if_nothing_had_happened(
    project: Project, reference: Reference
) -> None:
    killer = """
import os
import signal
import time

def test_zero(pytestconfig):
    from likewise.plugin.enabled import SESSION
    if os.path.exists("deadly"):
        os.kill(pytestconfig.stash[SESSION]._side.running[0].pid, signal.SIGKILL)
        time.sleep(0.3)
"""
    served = suite("one", own_keys=False).replace("with mock_aws():\n        yield", "yield")
    project.write(killer + served)
    project.configure(candidate="moto", reference=reference.target)
    (project.root / "deadly").touch()
    ran = project.verify()
    assert ran.exit_code == pytest.ExitCode.INTERRUPTED, ran.output
    assert "has ended in the middle of the run" in ran.said
    assert "2 tests recorded, kept in" in ran.said
    assert children(project.root) == []
    assert project.proved() == {"one"}
    (project.root / "deadly").unlink()
    later = project.verify()
    assert later.exit_code == 0, later.output
    assert later.standing("trusted") == ["one", "zero"]


def test_a_ledger_of_a_newer_version_is_left_alone_and_the_recording_kept(project: Project) -> None:
    project.write(suite("one"))
    with sqlite3.connect(project.ledger) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE name = 'version'")
    connection.close()
    before = project.ledger.read_bytes()
    ran = project.verify()
    assert ran.exit_code == pytest.ExitCode.TESTS_FAILED, ran.output
    assert "1 passed" in ran.said
    assert "format version 99" in ran.said
    assert "[format-too-new]" in ran.said
    assert "1 test recorded, kept in .likewise/recordings/" in ran.said
    assert "Traceback" not in ran.output
    assert project.ledger.read_bytes() == before
    elsewhere = project.verify("--likewise-ledger=.likewise/other.sqlite")
    assert elsewhere.standing("proved") == ["one"], elsewhere.output


@pytest.mark.skipif(
    os.name != "posix" or shutil.which("unshare") is None or shutil.which("mount") is None,
    reason="a small disk is made with unshare and mount",
)
@pytest.mark.parametrize("size", [24, 96])
def test_a_full_disk_loses_nothing_that_was_there(project: Project, size: int) -> None:
    """24 KiB are not enough for the recording, 96 not for the ledger."""
    project.write(suite(*(f"number{each}" for each in range(8))))
    shell = f"mount -t tmpfs -o size={size}k tmpfs .likewise && exec " + " ".join(
        project.command("--likewise-verify")
    )
    saved = project.ledger.read_bytes()
    ran = project.end(project.start(["unshare", "-rm", "sh", "-c", shell]))
    if "unshare" in ran.output or "mount:" in ran.output:
        pytest.skip("mounts are not allowed here")
    assert "Traceback" not in ran.output
    assert "Make room" in ran.said or "make room" in ran.said
    assert "[store-full]" in ran.said
    assert "8 passed" in ran.said
    assert ran.exit_code == pytest.ExitCode.TESTS_FAILED
    assert project.ledger.read_bytes() == saved


def test_two_suites_at_once_on_one_ledger_both_conclude_and_lose_nothing(
    project: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = Project(root=tmp_path_factory.mktemp("other"))
    for name in ("likewise.toml", "pytest.ini"):
        shutil.copyfile(project.root / name, other.root / name)
    project.write(suite("one", "here"))
    other.write(suite("one", "there", bucket="another-kind-of-bucket"), "test_other.py")
    shared = f"--likewise-ledger={project.ledger}"
    running: list[tuple[Project, subprocess.Popen[str]]] = [
        (each, each.start(each.command("--likewise-verify", shared))) for each in (project, other)
    ]
    here, there = (each.end(process) for each, process in running)
    assert (here.exit_code, there.exit_code) == (0, 0), here.output + there.output
    assert here.standing("undecided") == there.standing("undecided") == []
    with open_ledger(project.ledger, read_only=True) as ledger:
        assert ledger.check() == []
        runs = {here.content["run"], there.content["run"]}
        assert runs <= {each.run for each in ledger.spendings()}
        assert ledger.created() == []
    for each in (project, other):
        later = each.verify(shared)
        assert later.reference_calls == 0, later.output
        assert len(later.standing("trusted")) == 2
