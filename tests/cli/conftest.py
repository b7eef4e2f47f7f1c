"""A project of its own for every test of a command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))  # the runs made by hand

Command = Callable[..., Result]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, and the current directory."""
    for name in ("CANDIDATE", "REFERENCE", "LEDGER", "BUDGET"):
        monkeypatch.delenv(f"LIKEWISE_{name}", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "likewise.toml").write_text('candidate = "moto"\nreference = "ministack"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def likewise(project: Path) -> Command:
    """Calls the command inside the project; an exception is a failure, never a result."""
    from likewise.cli import main

    def call(*arguments: str, exit_code: int = 0, answer: str | None = None) -> Result:
        result = CliRunner().invoke(main, list(arguments), input=answer)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == exit_code, result.output
        assert "Traceback" not in result.output
        return result

    return call
