"""A comparison as text: for a terminal, as one page of Markdown, as JSON, as annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from likewise.library.comparison import Comparison, Group, Manner
from likewise.library.comparison.groups import Example
from likewise.report.words import plural, printable, shorten

SHOWN = 12
"""Causes on a page; the rest is counted."""
WIDE = 300

WORDS = {
    Manner.EXCEPTION: "raises differently",
    Manner.TYPE: "another type",
    Manner.MUTABILITY: "same content, other mutability",
    Manner.LENGTH: "another length",
    Manner.ORDER: "another order",
    Manner.VALUE: "another value",
    Manner.MESSAGE: "another message",
    Manner.IDENTITY: "another object",
    Manner.MUTATED: "leaves an argument otherwise",
    Manner.EFFECT: "leaves its object otherwise",
    Manner.ARGUMENT: "gets another argument",
    Manner.MISSING: "no longer called",
    Manner.NEW: "newly called",
}


def as_data(comparison: Comparison) -> dict[str, Any]:
    """The comparison as one JSON object."""
    counts = comparison.counts
    return {
        "groups": [
            {
                "operation": group.operation,
                "kind": str(group.manner),
                "at": group.at,
                "tests": len(group.tests),
                "downstream": group.is_downstream,
                "reference": group.examples[0].reference,
                "candidate": group.examples[0].candidate,
            }
            for group in comparison.groups
        ],
        "tests": {
            "common": counts.common,
            "differing": counts.differing,
            "unstable": counts.unstable,
            "failed_reference": counts.failed_reference,
            "failed_candidate": counts.failed_candidate,
        },
    }


def headline(comparison: Comparison) -> str:
    """The comparison in one sentence."""
    causes, rest = comparison.causes, len(comparison.groups) - len(comparison.causes)
    if not comparison.groups:
        return "no difference at the boundary"
    if not causes:
        return f"no behavioural change, {plural(rest, 'difference')} that nothing of the client's depends on"
    tail = f", {plural(rest, 'more group')} downstream of them" if rest else ""
    return f"{plural(len(causes), 'behavioural change')}{tail}"


def as_lines(comparison: Comparison, *, everything: bool = False) -> Iterator[str]:
    """The comparison for a terminal."""
    yield f"=== likewise: {comparison.reference} (reference) against {comparison.candidate} (candidate) ==="
    yield headline(comparison)
    yield _counted(comparison)
    yield from _remarks(comparison)
    causes = comparison.causes if everything else comparison.causes[:SHOWN]
    for number, group in enumerate(causes, start=1):
        yield ""
        yield f"{number}. {printable(group.operation)}: {WORDS[group.manner]} [{group.identity}]"
        yield f"   at {printable(group.at)}{_elsewhere(group)}, {_in_tests(group)}"
        for example in group.examples if everything else group.examples[:1]:
            yield from _example(group, example)
        if follow := following(comparison, group):
            yield f"   {plural(len(follow), 'further difference')} downstream of it: {_names(follow)}"
    if len(comparison.causes) > len(causes):
        yield f"\nand {len(comparison.causes) - len(causes)} more (--all shows them)"
    if everything:
        for group in comparison.groups:
            if group.is_downstream:
                yield f"downstream: {printable(group.operation)}: {WORDS[group.manner]} at {group.at}"
    if comparison.causes:
        yield ""
        yield "Intended? likewise accept ID…, with the ids in brackets, or likewise accept --all"


def _example(group: Group, example: Example) -> Iterator[str]:
    place = _place(example)
    yield f"   {printable(shorten(_called(group, example), WIDE))}{place}"
    reference, candidate = focus(example.reference, example.candidate)
    yield f"     reference: {printable(reference)}"
    yield f"     candidate: {printable(candidate)}"
    yield f"     in {printable(shorten(example.test, 160))}"


def _called(group: Group, example: Example) -> str:
    return f"{group.operation}({example.inputs})" if example.inputs else group.operation


def _place(example: Example) -> str:
    place = example.place.removeprefix("returned").removeprefix(".")
    return f", at {printable(shorten(place, 120))}" if place not in ("", "raised", "message") else ""


def focus(one: str, other: str, *, limit: int = WIDE) -> tuple[str, str]:
    """Two texts cut to what differs between them, with a little before it."""
    if max(len(one), len(other)) <= limit:
        return one, other
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    begin = max(0, start - 60)
    mark = "…" if begin else ""
    return shorten(mark + one[begin:], limit), shorten(mark + other[begin:], limit)


def _counted(comparison: Comparison) -> str:
    counts = comparison.counts
    parts = [
        f"{plural(counts.common, 'common test')}",
        f"{counts.differing:,} differing",
        f"{counts.unstable:,} unstable",
        f"{counts.failed_reference:,} failed on the reference",
        f"{counts.failed_candidate:,} on the candidate",
    ]
    return ", ".join(parts)


def _remarks(comparison: Comparison) -> Iterator[str]:
    if comparison.masks:
        yield f"{plural(comparison.masks, 'place')} that vary from run to run do not count"
    if comparison.accepted:
        yield f"{plural(len(comparison.accepted), 'accepted change')} not shown"
    for tests, side in ((comparison.only_reference, "reference"), (comparison.only_candidate, "candidate")):
        if tests:
            yield f"{plural(len(tests), 'test')} only on the {side}, such as {printable(tests[0])}"
    if comparison.broken:
        yield f"{plural(len(comparison.broken), 'test')} passed on the reference and failed on the candidate"
    yield from comparison.notes


def _elsewhere(group: Group) -> str:
    return f" and {plural(len(group.lines) - 1, 'other line')}" if len(group.lines) > 1 else ""


def _in_tests(group: Group) -> str:
    text = f"in {plural(len(group.tests), 'test')}"
    return f"{text}, {len(group.failing)} of them fail now" if group.failing else f"{text}, no test noticed"


def following(comparison: Comparison, cause: Group) -> list[Group]:
    """What only follows from a change."""
    return [each for each in comparison.groups if each.is_downstream and each.follows == cause.operation]


def _names(groups: list[Group]) -> str:
    names = list(dict.fromkeys(printable(group.operation) for group in groups))
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")


def as_markdown(comparison: Comparison) -> str:
    """One page that a bot can post."""
    lines = [
        f"## {_text(comparison.reference)} → {_text(comparison.candidate)}: {headline(comparison)}",
        "",
        _counted(comparison) + ".",
        *(f"- {_text(each)}" for each in _remarks(comparison)),
        "",
    ]
    for group in comparison.causes[:SHOWN]:
        example = group.examples[0]
        reference, candidate = focus(example.reference, example.candidate)
        lines += [
            f"### {_code(group.operation)}: {WORDS[group.manner]}",
            "",
            f"at {_code(group.at)}{_elsewhere(group)}, {_in_tests(group)} (`{group.identity}`)",
            "",
            "| | |",
            "|---|---|",
            f"| call | {_code(shorten(_called(group, example), WIDE) + _place(example))} |",
            f"| reference | {_code(reference)} |",
            f"| candidate | {_code(candidate)} |",
            f"| test | {_code(shorten(example.test, 160))} |",
            "",
        ]
        if follow := following(comparison, group):
            lines += [f"{plural(len(follow), 'further difference')} downstream of it.", ""]
    if len(comparison.causes) > SHOWN:
        lines += [f"and {len(comparison.causes) - SHOWN} more: `likewise compare` shows all of them.", ""]
    downstream = [group for group in comparison.groups if group.is_downstream]
    if downstream:
        lines += [f"<details><summary>{plural(len(downstream), 'group')} downstream</summary>", ""]
        lines += [
            f"- {_code(each.operation)}: {WORDS[each.manner]} at {_code(each.at)}" for each in downstream[:40]
        ]
        lines += ["", "</details>", ""]
    return "\n".join(lines).rstrip() + "\n"


def as_annotations(comparison: Comparison) -> Iterator[str]:
    """Workflow commands that GitHub shows at the client's lines."""
    for group in comparison.causes:
        file, _, line = group.at.rpartition(":")
        example = group.examples[0]
        reference, candidate = focus(example.reference, example.candidate, limit=160)
        level = "error" if group.failing else "warning"
        text = f"{_called(group, example)}: reference {reference}, candidate {candidate}"
        title = f"{group.operation}: {WORDS[group.manner]}"
        place = f"file={_property(file)},line={line}," if line.isdigit() else ""
        yield f"::{level} {place}title={_property(title)}::{_message(text)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def _code(text: str) -> str:
    """A code span that holds any text, also inside a table."""
    clean = printable(text).replace("|", "\\|")
    longest = max((len(run) for run in re.findall("`+", clean)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if clean.startswith("`") or clean.endswith("`") else ""
    return f"{fence}{pad}{clean}{pad}{fence}" if clean else "` `"


def _text(text: str) -> str:
    """Text in which nothing is markup, a tag or a mention."""
    clean = re.sub(r"([\\`*_\[\]|])", r"\\\1", printable(text))
    return clean.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;")
