"""The report on a terminal and in a pipe."""

from __future__ import annotations

import io

from hypothesis import given, settings
from report_strategies import finished_runs
from rich.console import Console
from runs_by_hand import STARTED, a_run, differ, discrepant, spending

from likewise.model import AuditBound, Event, Notice, Progress, RunFinished
from likewise.report import Terminal

HOSTILE = "\x1b[2J\x07[red]x[/red] \u202eevil\r\n"


def shown(*events: Event, width: int = 80, encoding: str = "utf-8", terminal: bool = False) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="")
    report = Terminal(Console(file=file, width=width, force_terminal=terminal, color_system=None))
    for event in events:
        report(event)
    report.close()
    file.flush()
    return raw.getvalue().decode(encoding)


def test_the_summary_fits_eighty_columns_without_colour() -> None:
    text = shown(STARTED, a_run())
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text


def test_the_summary_has_counts_savings_audits_differences_flaky_leftovers_and_next() -> None:
    text = " ".join(shown(STARTED, a_run()).split())
    for part in (
        "candidate moto 5.2.5, reference ministack 1.5.33",
        "62 tests: 51 trusted, 2 proved now, 4 discrepant, 1 flaky, undecided 4",
        "saved 779 of 840 reference calls",
        "240 clean audits: at most 1.3 %",
        "test_only_if_absent: passed on the candidate, failed on the reference",
        "s3.PutObject (2 tests)",
        "works here, fails once deployed",
        "reference: PreconditionFailed",
        "candidate: success (200)",
        "differ at call 5: dynamodb.Query returned 2 items",
        "s3 bucket likewise-7f3a-documents",
        "delete with: likewise clean",
        "next: Delete what is left",
    ):
        assert part in text, part


def test_the_most_harmful_difference_comes_first() -> None:
    text = shown(a_run())
    places = [text.index(f"  {name}: ") for name in ("unsafe", "wrong result", "false alarm", "misleading")]
    assert places == sorted(places)


def test_a_command_to_copy_is_on_one_line() -> None:
    test = f"tests/test_{'long_' * 30}.py::test_it"
    text = shown(_with([discrepant(test, differ())]))
    assert f"next: See what it did call by call:\n  likewise explain {test}\n" in text
    short = shown(_with([discrepant("t", differ())]))
    assert "next: See what it did call by call: likewise explain t\n" in short


def test_a_meaning_is_said_once() -> None:
    many = [discrepant("t", *(differ(place=f"field{number}") for number in range(20)))]
    text = " ".join(shown(_with(many)).split())
    assert text.count("works here, fails once deployed") == 1


def test_every_difference_is_shown_up_to_a_limit_that_is_said() -> None:
    few = shown(_with([discrepant("t", *(differ(place=f"field{number:03}") for number in range(30)))]))
    assert all(f"field{number:03}" in few for number in range(30))
    many = shown(_with([discrepant("t", *(differ(place=f"field{number:03}") for number in range(100)))]))
    assert "and 60 more; all of them: likewise report --html FILE" in many


def test_hostile_values_reach_no_terminal_as_they_are() -> None:
    hostile = differ(place=HOSTILE, reference=HOSTILE, candidate={HOSTILE: HOSTILE})
    run = _with([discrepant(f"tests/{HOSTILE}.py::test", hostile)], leftovers=(HOSTILE,))
    text = shown(STARTED, Notice(slug="x", text=HOSTILE), run)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "[red]x[/red]" in text, "markup is shown as it is"


def test_a_pipe_that_knows_only_ascii_gets_ascii() -> None:
    run = _with([discrepant("t", differ(reference="Größe", candidate="…"))])
    assert "Gr\\xf6\\xdfe" in shown(run, encoding="ascii")


@settings(max_examples=40, deadline=None)
@given(finished_runs)
def test_any_run_can_be_shown(run: RunFinished) -> None:
    assert "tests: " in shown(run) or "1 test: " in shown(run)


def test_notices_are_said_once_with_their_number() -> None:
    notice = Notice(slug="throttled", text="The reference asks for less haste.")
    text = shown(notice, notice, a_run())
    assert "note: The reference asks for less haste. (2 times) [throttled]" in text


def test_notices_of_a_run_that_broke_off_are_said_at_the_end() -> None:
    assert "[credentials]" in shown(STARTED, Notice(slug="credentials", text="There are none."))


def test_progress_in_a_pipe_is_a_line_when_a_phase_is_done() -> None:
    events = [Progress(phase="replay", done=done, total=3) for done in range(4)]
    assert shown(*events) == "likewise: replay: 3 of 3\n"


def test_progress_on_a_terminal_is_gone_in_the_end() -> None:
    text = shown(Progress(phase="replay", done=1, total=3, detail="[bold]t"), a_run(), terminal=True)
    assert "replay" in text
    assert text.rstrip().endswith("likewise clean")


def _with(tests: list[object], leftovers: tuple[str, ...] = ()) -> RunFinished:
    return RunFinished(
        run="r",
        spending=spending(),
        tests=tuple(tests),  # type: ignore[arg-type]
        audits=AuditBound(clean=0, failed=0),
        leftovers=leftovers,
    )
