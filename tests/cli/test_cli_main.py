"""The command as a whole: help, errors, start-up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from likewise.cli.main import COMMANDS


def test_help_lists_every_command_with_a_line(likewise) -> None:
    text = likewise("--help").output
    assert all(f"  {name} " in text for name in COMMANDS)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_exists_and_explains_itself(likewise, name: str) -> None:
    assert f"Usage: main {name}" in likewise(name, "--help").output


def test_help_imports_no_command_and_no_heavy_library() -> None:
    """What makes start-up slow: none of it may be loaded for the overview."""
    code = (
        "import sys\n"
        "from likewise.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'rich', 'jinja2', 'msgspec', 'sqlite3', 'botocore', 'likewise.store', 'likewise.cloud'}\n"
        "print('LOADED', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_a_file_that_is_not_there_is_named_with_what_to_do(likewise, project: Path) -> None:
    urls = ("--reference", "http://127.0.0.1:9", "--candidate", "http://127.0.0.1:9")
    said = likewise("fuzz", "openapi:absent.yaml", *urls, exit_code=2).stderr
    assert "absent.yaml: No such file or directory. Check the name. [file]" in said


def test_an_error_of_ours_is_one_message_on_stderr_and_exit_code_2(project: Path) -> None:
    (project / "likewise.toml").write_text('candidat = "moto"\n')
    done = subprocess.run(
        [sys.executable, "-m", "likewise.cli", "config"],
        capture_output=True,
        text=True,
        check=False,
        cwd=project,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("likewise: ")
    assert "Did you mean 'candidate'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unexpected_error_is_a_message_too(likewise, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.delenv("LIKEWISE_DEBUG", raising=False)
    monkeypatch.setattr("likewise.cli.config.configuration", broken)
    result = likewise("config", exit_code=2)
    assert "unexpected ZeroDivisionError: oh" in result.stderr
    assert "LIKEWISE_DEBUG=1" in result.stderr


def test_an_unknown_command_is_refused(likewise) -> None:
    assert "No such command" in likewise("simulte", exit_code=2).stderr
