"""A run for GitHub: a summary in Markdown, and annotations at the tests' files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from likewise.model import Result, RunFinished, RunStarted, Standing, TestReport
from likewise.report import digest, words
from likewise.report.groups import Group, collect
from likewise.report.reasons import conclude

MOST = 50
"""Rows of a table; what GitHub shows of a summary is limited."""


def as_markdown(finished: RunFinished, *, started: RunStarted | None = None) -> str:
    """A run for a pull request or a step summary."""
    parts = ["## Likewise", f"**{_text(digest.counts_line(finished.tests))}**"]
    lines = [
        digest.savings_line(finished.spending, finished.tests),
        digest.cost_line(finished.spending),
        digest.audits_line(finished.audits),
        f"policy {started.policy}, {words.targets(started.targets)}" if started else "",
    ]
    parts.append("\n".join(f"- {_text(line)}" for line in lines if line))
    parts += [part for part in (_discrepancies(finished), _tests(finished), _leftovers(finished)) if part]
    if step := digest.next_step(finished):
        parts.append(f"**Next:** {_text(step)}")
    return "\n\n".join(parts) + "\n"


def as_annotations(finished: RunFinished) -> list[str]:
    """Workflow commands that mark the files of tests that need a look."""
    return [line for report in finished.tests for line in _annotate(report)]


def _annotate(report: TestReport) -> Iterator[str]:
    why = conclude(report)
    file = report.test.partition("::")[0]
    match report.standing:
        case Standing.TRUSTED | Standing.PROVED:
            return
        case Standing.UNDECIDED:
            level, text = "notice", f"{why.text} {why.todo}"
        case Standing.FLAKY:
            level, text = "warning", f"{why.text} {why.todo}"
        case Standing.DISCREPANT:
            level = "error" if report.counts_as is Result.FAILED else "warning"
            text = "\n".join(each.explain() for each in report.discrepancies) or why.text
    title = f"{report.standing}: {report.test}"
    yield f"::{level} file={_property(file)},title={_property(title)}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _discrepancies(finished: RunFinished) -> str:
    groups = [group for operation in collect(finished.tests) for group in operation.groups]
    if not groups:
        return ""
    rows = list(map(_row, groups))
    implications = [each for each in words.SEVERITY if each in {group.implication for group in groups}]
    table = [
        "### What differs, most harmful first",
        "",
        *(f"- **{each}**: {words.meaning(each)}" for each in implications),
        "",
        "| operation | what | reference | candidate | tests |",
        "|---|---|---|---|--:|",
        *rows[:MOST],
    ]
    return "\n".join(table + ([f"\nand {len(rows) - MOST} more"] if len(rows) > MOST else []))


def _row(group: Group) -> str:
    reference, candidate = words.sides(group.examples[0], limit=120)
    place = f" at {_code(group.place)}" if group.place else ""
    what = f"**{group.implication}**: {words.kind(group.difference)}{place}"
    cells = (_code(str(group.operation)), what, _code(reference), _code(candidate), str(len(group.tests)))
    return f"| {' | '.join(cells)} |"


def _tests(finished: RunFinished) -> str:
    wanted = (Standing.DISCREPANT, Standing.FLAKY, Standing.UNDECIDED)
    rows = [
        f"| {_code(report.test)} | {report.standing} | {report.candidate} | {report.reference or '-'} "
        f"| {_text(conclude(report).text)} |"
        for standing in wanted
        for report in finished.tests
        if report.standing is standing
    ]
    if not rows:
        return ""
    table = [
        f"<details><summary>{words.plural(len(rows), 'test')} to look at</summary>",
        "",
        "| test | standing | candidate | reference | why |",
        "|---|---|---|---|---|",
        *rows[:MOST],
        *([f"\nand {len(rows) - MOST} more"] if len(rows) > MOST else []),
        "",
        "</details>",
    ]
    return "\n".join(table)


def _leftovers(finished: RunFinished) -> str:
    if not finished.leftovers:
        return ""
    items = [f"- {_code(each)}" for each in finished.leftovers]
    return "\n".join(["### Left on the reference: delete with `likewise clean`", "", *items])


def _code(text: str) -> str:
    """A code span that holds any text, also inside a table."""
    clean = words.printable(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", clean)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{pad}{clean}{pad}{fence}" if clean else "` `"


def _text(text: str) -> str:
    """Text in which nothing is markup, a tag or a mention."""
    clean = re.sub(r"([\\`*_\[\]|])", r"\\\1", words.printable(text))
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
