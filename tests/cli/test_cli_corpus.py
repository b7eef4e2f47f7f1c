"""`likewise corpus`: what is interrupted is no whole check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def cases(project: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file of two cases, at the first of which somebody presses Ctrl-C."""
    case: dict[str, Any] = {
        "service": "s3",
        "sequence": [{"op": "ListBuckets", "params": {}}],
        "real_cloud": {"ok": True, "status": 200},
    }
    (project / "cases.json").write_text(json.dumps([{**case, "id": each} for each in "ab"]))

    class Interrupted:
        sent = 0

        def __init__(self, _: object) -> None:
            pass

        def verdicts(self, entries: object) -> object:
            raise KeyboardInterrupt

        record = verdicts

    monkeypatch.setattr("likewise.cli.corpus._start", lambda *_: {})
    monkeypatch.setattr("likewise.cloud.fuzz.corpus.replay.Player", Interrupted)
    return "cases.json"


def test_an_interrupted_check_does_not_pass(likewise, project: Path, cases: str) -> None:
    (project / "known").write_text("")
    result = likewise("corpus", "check", cases, "--candidate", "moto", "--baseline", "known", exit_code=130)
    assert "interrupted after 0 verdicts" in result.stderr


def test_an_interrupted_record_keeps_what_it_has_and_says_that_it_is_not_all(likewise, cases: str) -> None:
    result = likewise("corpus", "record", cases, "--reference", "moto", "--into", "c.jsonl", exit_code=130)
    assert "the 0 cases so far are kept" in result.stderr
    assert Path("c.jsonl").exists()
