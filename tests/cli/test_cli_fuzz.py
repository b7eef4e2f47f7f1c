"""Commands of fuzzing: what they refuse before anything is called, and what they say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from likewise.cli.fuzz import _compared
from likewise.cli.fuzz_screen import _last_new, progress
from likewise.cloud.fuzz import grammar
from likewise.cloud.fuzz.log import Campaigns, Log, parts, read
from likewise.cloud.fuzz.session import Order, Status, divided
from likewise.model import ConfigurationError

sys.path.insert(0, str(Path(__file__).parents[1] / "cloud" / "fuzz"))
from sample_findings import sample_finding

HEADER = {"service": "s3", "candidate": "moto 1", "reference": "ministack 1", "seed": 1}
BOTH = ("--candidate", "moto", "--reference", "ministack")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fuzz", "S3"), "Did you mean s3?"),
        (("fuzz", "dynamo"), "Did you mean dynamodb?"),
        (("fuzz", "s3", *BOTH, "--ops", "putobject"), "Did you mean PutObject?"),
        (("fuzz", "s3", *BOTH, "--executor", "cluster:1"), "Write dask://HOST:PORT."),
        (("fuzz", "s3", *BOTH, "--minutes", "0"), "--minutes"),
        (("fuzz", "s3", *BOTH, "--timeout", "0"), "--timeout"),
        (("discrepancies", "--service", "s33"), "Did you mean s3?"),
        (("coverage", "s33"), "Did you mean s3?"),
    ],
)
def test_what_cannot_be_is_refused_with_what_was_meant(
    likewise: Any, project: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in likewise(*arguments, exit_code=2).output
    assert not (project / ".likewise").exists(), "nothing was begun"


def test_an_sdk_that_is_not_installed_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "likewise.cloud.fuzz.grammar.azure", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'likewise\[azure\]'"):
        grammar.load("blob")


def test_the_logs_of_a_campaign_are_its_own_only(tmp_path: Path) -> None:
    """A seed that begins like another one is another campaign."""
    for name in ("s3_a_b_1.jsonl", "s3_a_b_1-w0.jsonl", "s3_a_b_1-w1.jsonl", "s3_a_b_12.jsonl"):
        (tmp_path / name).touch()
    found = [path.name for path in parts(tmp_path / "s3_a_b_1.jsonl")]
    assert found == ["s3_a_b_1.jsonl", "s3_a_b_1-w0.jsonl", "s3_a_b_1-w1.jsonl"]


def test_workers_share_the_whole_budget() -> None:
    orders = divided(Order(service="s3", candidate="a", reference="b", seed=1, budget=101), 2)
    assert [each.budget for each in orders] == [51, 50]


def test_the_line_of_progress_says_how_much_is_left() -> None:
    status = Status(sent=1, called=1, findings=1, last_new=3.0, left=1999, seconds=6.0)
    line = progress(status, minutes=1.0)
    assert line == (
        "1 call (0/s), 1 operation reached, 1 discrepancy (last new after 3 s), budget left 1,999, 54 s left"
    )
    assert "last new" not in progress(Status(), None)


def test_the_last_new_finding_is_dated_within_the_part_that_made_it() -> None:
    """The night between a campaign and its resumption is not part of it."""
    found = Campaigns(headers=[{"when": 1000.0}, {"when": 90_000.0}], first_seen={"a": 1004.0, "b": 90_007.0})
    assert _last_new(found) == 7.0


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_baseline_is_only_written_by_a_whole_campaign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_whole: bool
) -> None:
    found = Campaigns(findings={"0" * 16: sample_finding()})
    baseline = tmp_path / "ci" / "known.json"
    assert _compared(baseline, None, found, is_whole=is_whole) == []
    assert baseline.exists() is is_whole
    assert str(baseline) in capsys.readouterr().err
    new = _compared(baseline, frozenset(), found, is_whole=is_whole)
    assert new == ["0" * 16]
    assert "1 new finding" in capsys.readouterr().err


def written(path: Path, *lines: Any) -> Path:
    """A log with one finding, then these lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    log = Log(path, header=HEADER)
    log.finding(sample_finding(kind="extra", reference="None", manifestation="state", shown_by="HeadObject"))
    log.close()
    with path.open("ab") as file:
        file.writelines(
            line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines
        )
    return path


def test_a_reader_is_told_what_shows_a_finding_and_where_a_side_has_nothing(
    likewise: Any, project: Path
) -> None:
    written(project / ".likewise" / "fuzz" / "s3_moto_ministack_1.jsonl")
    for form in ((), ("--html",), ("--markdown",)):
        shown = likewise("discrepancies", *form).output
        assert "moto 1" in shown
        assert "nothing" in shown
        assert "HeadObject" in shown


@pytest.mark.parametrize(
    "lines",
    [
        (b"{broken\n", {"type": "done", "task": "a"}),
        (b"\xff\xfe\n", b"{broken"),
        ({"type": "finding", "finding": {"operation": "s3.X"}},),
        ({"type": "coverage", "sent": 1},),
        ({"type": "strange"},),
        ([1],),
    ],
    ids=["in the middle", "no text", "half a finding", "half a coverage", "unknown", "no event"],
)
def test_a_damaged_log_is_named_with_its_line(likewise: Any, project: Path, lines: tuple[Any, ...]) -> None:
    written(project / ".likewise" / "fuzz" / "s3_moto_ministack_1.jsonl", *lines)
    said = " ".join(likewise("discrepancies", exit_code=2).output.split())
    assert "s3_moto_ministack_1.jsonl line 3" in said
    assert "[recording-corrupt]" in said
    assert "Delete that line" in said


def test_a_line_that_was_cut_off_is_left_out_at_the_end_and_before_a_resumption(tmp_path: Path) -> None:
    again = {"type": "campaign", "version": 1, "when": 1.0, **HEADER}
    path = written(tmp_path / "a.jsonl", b'{"type": "fin\n', again, b'{"type": "do')
    assert len(read([path]).findings) == 1


def test_a_log_of_a_newer_version_is_refused_with_what_to_do(likewise: Any, project: Path) -> None:
    newer = {"type": "campaign", "version": 99, **HEADER}
    written(project / ".likewise" / "fuzz" / "s3_moto_ministack_1.jsonl", newer)
    assert "format 99, this one reads 2" in likewise("discrepancies", exit_code=2).output
