"""A run as plain data, for machines."""

from __future__ import annotations

from typing import Any

from likewise.device.flakiness import Flakiness, examine
from likewise.device.results import Attempt, Mark, ScenarioReport, SuiteReport

COUNTED = (
    Mark.PASSED,
    Mark.FAILED,
    Mark.TIMED_OUT,
    Mark.SKIPPED,
    Mark.UNSUPPORTED,
    Mark.FLAKY,
)


def as_data(report: SuiteReport, *, analysed: bool = False) -> dict[str, Any]:
    """Everything a run established."""
    marks, steps = report.marks, report.steps
    data: dict[str, Any] = {
        "suite": report.title,
        "passed": report.passed,
        "complete": report.complete,
        "boards": list(report.boards),
        "uploads": report.uploads,
        "retries": report.retries,
        "seconds": report.seconds,
        "scenarios": {"total": len(report.scenarios)} | {_key(mark): marks[mark] for mark in COUNTED},
        "steps": {"total": sum(steps.values())} | {_key(mark): steps[mark] for mark in COUNTED[:-1]},
        "problems": list(report.problems),
        "results": [_scenario(each) for each in report.scenarios],
    }
    if analysed:
        data["flakiness"] = [_flakiness(each) for each in examine(report.scenarios)]
    return data


def _key(mark: Mark) -> str:
    return mark.value.replace(" ", "_")


def _scenario(report: ScenarioReport) -> dict[str, Any]:
    return {
        "scenario": report.title,
        "board": report.board,
        "result": _key(report.mark),
        "cause": report.cause,
        "seconds": report.seconds,
        "attempts": [_attempt(each) for each in report.attempts],
    }


def _attempt(attempt: Attempt) -> dict[str, Any]:
    return {
        "attempt": attempt.number,
        "result": _key(attempt.mark),
        "steps": {_key(mark): number for mark, number in attempt.counts.items() if number},
        "seconds": attempt.seconds,
        "uploads": attempt.uploaded,
        "retries": attempt.retries,
        "notes": [
            {"step": note.step, "title": note.title, "result": _key(note.mark), "why": note.why}
            for note in attempt.notes
        ],
    }


def _flakiness(found: Flakiness) -> dict[str, Any]:
    low, high = found.interval
    return {
        "scenario": found.title,
        "board": found.board or None,
        "runs": found.runs,
        "failed": found.failed,
        "rate": found.rate,
        "interval": [low, high],
        "wavers": found.wavers,
        "clean_runs_needed": found.needed,
        "steps": [
            {"step": each.step, "title": each.title, "failed": each.failed, "reached": each.reached}
            for each in found.steps
        ],
    }
